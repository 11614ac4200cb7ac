"""Decimal numbers in texts of scripts.

``str.isdigit`` accepts superscripts, which ``int`` refuses, and ``int`` refuses more than 4300 digits.
"""

from __future__ import annotations

#: Significant digits that are read; a longer number is at least this large anyway.
_MOST_DIGITS = 19


def is_number(text: str) -> bool:
    """Return whether a text has ASCII digits only."""
    return text.isascii() and text.isdigit()


def is_integer(text: str) -> bool:
    """Return whether a text is ASCII digits after one sign at most."""
    return is_number(text[1:] if text[:1] in ("+", "-") else text)


def decimal(text: str) -> int | None:
    """Return the number that a text of ASCII digits spells, None for other text.

    Of a number with more than 19 digits the first 19 are read: it stays larger than any count or identifier.
    """
    if not is_number(text):
        return None
    return int(text) if len(text) <= _MOST_DIGITS else int(text.lstrip("0")[:_MOST_DIGITS] or "0")
