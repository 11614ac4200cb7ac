"""Standard error: lines of text, of which none can control a terminal."""

from __future__ import annotations

import sys

from sandhook.hooks.text import neutralise


def print_note(text: str) -> None:
    write_line(neutralise(text, limit=16_384, lines=False).encode("ascii", "backslashreplace").decode())


def write_line(text: str) -> None:
    sys.stderr.write(text + "\n")
