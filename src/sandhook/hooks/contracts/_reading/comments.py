"""JSON with comments, as the settings of some agents have it."""

from __future__ import annotations

import re

from sandhook.lazy import lazily

#: A string, or a comment. The quantifiers are possessive, so that no text makes the search go back.
_STRING_OR_COMMENT = lazily(r'"(?>[^"\\]++|\\.)*+"?|//[^\r\n]*+|/\*(?>[^*]++|\*(?!/))*+\*/', re.DOTALL)


def without_comments(text: str) -> str:
    """Return the text with a blank for every character of a comment; lines and columns stay."""
    if "//" not in text and "/*" not in text:
        return text
    return _STRING_OR_COMMENT.sub(_blank, text)


def _blank(match: re.Match[str]) -> str:
    if match[0].startswith('"'):
        return match[0]
    return "".join(c if c in "\r\n" else " " for c in match[0])
