"""Wrap encoded text into lines, for base64 and basenc."""

from __future__ import annotations

from sandhook.command.context import Context
from sandhook.command.counts import bounded_number


def wrap_size(text: str) -> int:
    """Parse the argument of -w, in columns; 0 means that lines are not wrapped."""
    return bounded_number(text, "invalid wrap size:", 1 << 30)


def write_wrapped(text: bytes, column: int, width: int, ctx: Context) -> int:
    """Write text in lines; return the column of the next piece."""
    if not width:
        ctx.write(text)
        return 0
    at = 0
    while at < len(text):
        piece = text[at : at + width - column]
        at += len(piece)
        column += len(piece)
        ctx.write(piece)
        if column == width:
            ctx.charge()
            ctx.write(b"\n")
            column = 0
    return column
