"""Text from Python programs, which may hold surrogates that are no bytes of a file.

sandhook keeps a byte that is not UTF-8 as the surrogate U+DC00 + byte (PEP 383). JSON and Python strings
may hold others, such as half of a pair. bash writes ``$'\\ud800'`` as three bytes; so do we.
"""

from __future__ import annotations

import re

from sandhook.lazy import lazily

_OTHERS = lazily("[\ud800-\udc7f\udd00-\udfff]")


def as_shell_text(text: str) -> str:
    """Return text that can be encoded: each surrogate that is no byte becomes the three bytes of its number."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _OTHERS.sub(_as_bytes, text)
    return text


def _as_bytes(found: re.Match[str]) -> str:
    return found[0].encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
