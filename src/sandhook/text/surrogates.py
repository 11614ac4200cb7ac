"""Text from Python programs, which may contain surrogates that do not stand for bytes.

A byte that is not UTF-8 is the surrogate U+DC00 + byte (PEP 383). JSON and Python strings
may contain others, such as half of a pair. bash writes ``$'\\ud800'`` as three bytes, and so does sandhook.
"""

from __future__ import annotations

from sandhook.lazy import lazily
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re

_OTHERS = lazily("[\ud800-\udc7f\udd00-\udfff]")


def as_shell_text(text: str) -> str:
    """Return text that can be encoded: a surrogate that is not a byte becomes the three bytes of its code point."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _OTHERS.sub(_as_bytes, text)
    return text


def _as_bytes(match: re.Match[str]) -> str:
    return match[0].encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
