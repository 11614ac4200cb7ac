"""Standard error: lines of text, of which none can control a terminal."""

from __future__ import annotations

import sys

from sandhook.hooks.text import neutralise


def print_note(text: str) -> None:
    """Print a text as one line; control and invisible characters are escaped."""
    write_line(neutralise(text, limit=16_384, lines=False))


def write_line(text: str) -> None:
    """Print a line; characters that the encoding lacks are escaped."""
    try:
        sys.stderr.write(text + "\n")
    except UnicodeEncodeError:
        sys.stderr.write(text.encode("ascii", "backslashreplace").decode() + "\n")
