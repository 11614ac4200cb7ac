"""The display width of text."""

from __future__ import annotations

_CONTROLS = bytes([*range(32), 127])


def width_of(text: str) -> int:
    """Return the width of a text in columns: two for wide characters, none for combining and control characters."""
    if text.isascii():
        return len(text) if text.isprintable() else len(text.encode().translate(None, _CONTROLS))
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
