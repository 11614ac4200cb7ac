"""Standard output: plain text for pipes and files, JSON, and a test for terminals."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from sandhook.hooks.text import neutralise


def is_terminal(stream: TextIO | None) -> bool:
    """Return True for a terminal that interprets escape sequences."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines; each column but the last is as wide as its longest cell, in characters."""
    safe = [[plain(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*(row[:-1] for row in safe))]
    lines = []
    for row in safe:
        cells = [cell.ljust(width) for cell, width in zip(row, widths)]
        lines.append("  ".join([*cells, row[-1]]).rstrip())
    return lines


def plain(text: str) -> str:
    """Return a hook's text as one line; control and invisible characters are escaped."""
    return neutralise(text, limit=2048, lines=False)


def put(text: str) -> None:
    """Print one or more lines; characters that the encoding lacks are escaped."""
    try:
        sys.stdout.write(text + "\n")
    except UnicodeEncodeError:
        sys.stdout.write(text.encode("ascii", "backslashreplace").decode() + "\n")


def put_json(value: object) -> None:
    """Print a JSON value over several lines, in ASCII."""
    put(json.dumps(value, indent=2).replace("\x7f", "\\u007f"))
