"""Texts as libjq reads them. Runs inside the worker, for both jq implementations."""

from __future__ import annotations

import re
from json import dumps

_ILL_FORMED = re.compile(
    rb"\xe0[\x80-\x9f][\x80-\xbf]|\xed[\xa0-\xbf][\x80-\xbf]"
    rb"|\xf0[\x80-\x8f][\x80-\xbf]{2}|\xf4[\x90-\xbf][\x80-\xbf]{2}"
)


def text_of(data: bytes) -> str:
    """Decode UTF-8; U+FFFD replaces each ill-formed sequence, which is as long as libjq makes it."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _ILL_FORMED.sub(b"\xef\xbf\xbd", data).decode("utf-8", "replace")


def strings(text: str, *, whole: bool) -> str:
    """Return text as JSON strings, one a line, or all as one."""
    if whole:
        return dumps(text)
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return "\n".join(map(dumps, lines))
