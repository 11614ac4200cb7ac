"""The parts of a commit message."""

from __future__ import annotations

import re

from sandhook.lazy import lazily
from sandhook.limits import check_fits
from sandhook.text.width import width_of

_BLANK = lazily(r"[ \t\n\r]")
_ESCAPE = lazily(r"\x1b\[[0-9;]*m")


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


def expand_tabs(line: str, width: int) -> str:
    """Return a line of a message with blanks for tabs, as git shows it."""
    if "\t" not in line:
        return line
    check_fits(line.count("\t") * width)
    return line.expandtabs(width)


def wrapped_text(text: str, width: int, first: int, other: int) -> str:
    """Return a text in lines of at most ``width`` columns, as %w has it: empty lines and those before a blank stay.

    Args:
        width: 0 for lines as they are.
        first, other: The indentation of the first line, and of the following ones. A negative one is the number of
            columns that are in use before the text.
    """
    if not width:
        lines = text.split("\n")
        check_fits(len(lines) * max(first, other))
        indents = [first, *[other] * (len(lines) - 1)]
        return "\n".join(
            " " * indent + line if line or at < len(lines) - 1 else ""
            for at, (indent, line) in enumerate(zip(indents, lines))
        )
    pieces: list[str] = []
    at = begin = 0
    columns = indent = abs(first)
    space: int | None = None if first >= 0 else 0  # where the last blank is that a line may end at
    while True:
        match = _BLANK.search(text, at)
        end = match.start() if match is not None else len(text)
        columns += width_of(_ESCAPE.sub("", text[at:end]))
        at, blank = end, text[end : end + 1]
        if columns <= width or space is None:
            if not blank and at == begin:
                break
            pieces.append(text[space:at] if space is not None else " " * indent + text[begin:at])
            if not blank:
                break
            space = at
            breaks = False
            if blank == "\t":
                columns |= 7
            elif blank == "\n":
                space += 1
                following = text[space : space + 1]
                breaks = not (following.isascii() and following.isalnum())
                pieces.append("\n" if following == "\n" else "" if breaks else " ")
            if not breaks:
                columns, at = columns + 1, at + 1
                continue
        pieces.append("\n")
        begin = at = space + bool(_BLANK.match(text, space))
        check_fits(len(pieces) * other)
        space, columns, indent = None, other, other
    return "".join(pieces)


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
