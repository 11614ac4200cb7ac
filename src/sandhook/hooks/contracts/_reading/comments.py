"""JSON with comments, as the settings of some agents have it."""

from __future__ import annotations

from sandhook.lazy import lazily
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re

#: A string, or a comment. The quantifiers are possessive, so that no text makes the search go back.
_STRING_OR_COMMENT = lazily(r'(?s)"(?>[^"\\]++|\\.)*+"?|//[^\r\n]*+|/\*(?>[^*]++|\*(?!/))*+\*/')


def without_comments(text: str) -> str:
    """Return the text with a blank for every character of a comment; lines and columns stay."""
    if "//" not in text and "/*" not in text:
        return text
    return _STRING_OR_COMMENT.sub(_blank, text)


#: A string, one in single quotes, a comment, or a key without quotes.
_OF_JSON5 = lazily(
    r"""(?s)"(?>[^"\\]++|\\.)*+"?|'(?>[^'\\\r\n]++|\\.)*+'|//[^\r\n]*+|/\*(?>[^*]++|\*(?!/))*+\*/|"""
    r"""[A-Za-z_$][\w$]*+(?=[ \t]*+:)"""
)
#: A string, or a comma before the end of an object or array.
_STRING_OR_COMMA = lazily(r'(?s)"(?>[^"\\]++|\\.)*+"?|,(?=[ \t\r\n]*+[\]}])')
_IN_SINGLE = lazily(r"""(?s)\\'|"|\\.""")


def from_json5(text: str) -> str:
    """Return the JSON of a text with comments, commas at ends, single quotes and keys without quotes; lines stay."""
    return _STRING_OR_COMMA.sub(_blank, _OF_JSON5.sub(_as_json, text))


def _as_json(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] in '"/':
        return _blank(match)
    if found.startswith("'"):
        return f'"{_IN_SINGLE.sub(_requoted, found[1:-1])}"'
    return f'"{found}"'


def _requoted(match: re.Match[str]) -> str:
    return {"\\'": "'", '"': '\\"'}.get(match[0], match[0])


def _blank(match: re.Match[str]) -> str:
    if match[0].startswith('"'):
        return match[0]
    return "".join(c if c in "\r\n" else " " for c in match[0])
