"""How many columns text takes on a screen."""

from __future__ import annotations


def width_of(text: str) -> int:
    """Return the columns that a text takes: two for wide letters, none for those that combine."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum([0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text])
