"""Backslash escapes of C strings, for stat --printf and find -printf."""

from __future__ import annotations

import re

_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|(.)|$)", re.ASCII | re.DOTALL)
_LETTERS = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def unescape(text: str) -> str:
    """Replace \\n, \\t, \\\\, \\", \\NNN (octal) and \\xHH; an unknown escape stands for its letter."""

    def replace(match: re.Match[str]) -> str:
        digits, octal, letter = match.groups()
        if digits:
            return bytes([int(digits, 16)]).decode("utf-8", "surrogateescape")
        if octal:
            return bytes([int(octal, 8) & 0xFF]).decode("utf-8", "surrogateescape")
        return _LETTERS.get(letter, letter) if letter else "\\"

    return _ESCAPE.sub(replace, text)
