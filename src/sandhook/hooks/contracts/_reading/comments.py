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


def _blank(match: re.Match[str]) -> str:
    if match[0].startswith('"'):
        return match[0]
    return "".join(c if c in "\r\n" else " " for c in match[0])
