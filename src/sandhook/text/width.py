"""How many columns text takes on a screen."""

from __future__ import annotations


def width_of(text: str) -> int:
    """Return the columns that a text takes: two for wide letters, none for those that combine and for controls."""
    if text.isascii():
        return len(text) if text.isprintable() else sum([" " <= char < "\x7f" for char in text])
    from unicodedata import combining, east_asian_width

    return sum(
        [
            0
            if combining(char) or char < " " or "\x7f" <= char < "\xa0"
            else 2
            if east_asian_width(char) in "WF"
            else 1
            for char in text
        ]
    )
