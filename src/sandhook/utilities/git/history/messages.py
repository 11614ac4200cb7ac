"""The parts of a commit message."""

from __future__ import annotations

import re

from sandhook.limits import check_fits
from sandhook.text.width import width_of


def subject_lines(message: str) -> str:
    """Return the first paragraph of a message."""
    text = message.lstrip("\n")
    return re.split(r"\n[ \t]*\n", text, maxsplit=1)[0]


def subject(message: str) -> str:
    """Return the first paragraph of a message as one line."""
    return " ".join(line.rstrip() for line in subject_lines(message).split("\n") if line.strip())


def body(message: str) -> str:
    """Return a message without its first paragraph."""
    text = message.lstrip("\n")
    parts = re.split(r"\n[ \t]*\n", text, maxsplit=1)
    return parts[1].lstrip("\n") if len(parts) > 1 else ""


def expand_tabs(line: str) -> str:
    """Return a line of a message with blanks for tabs, as git shows it."""
    return line.expandtabs(8) if "\t" in line else line


def trimmed(message: str) -> str:
    """Return a message without blank lines at its beginning and end."""
    lines = message.split("\n")
    filled = [place for place, line in enumerate(lines) if line.strip()]
    return "\n".join(lines[filled[0] : filled[-1] + 1]) if filled else ""


def wrapped(text: str, width: int, first: int, other: int) -> str:
    """Return a text in lines of at most ``width`` columns; 0 for one line.

    Args:
        first, other: The indentation of the first line, and of the following ones.
    """
    if not width:
        return " " * first + text
    lines: list[str] = []
    line: list[str] = []
    columns, indent, made = 0, first, 0
    for word in text.split(" "):
        wide = width_of(word)
        if not any(line):
            line, columns = [word], wide
        elif indent + columns + 1 + wide > width:
            lines.append(" " * indent + " ".join(line))
            made += len(lines[-1])
            check_fits(2 * made)
            line, columns, indent = [word], wide, other
        else:
            line.append(word)
            columns += 1 + wide
    return "\n".join([*lines, " " * indent + " ".join(line)])
