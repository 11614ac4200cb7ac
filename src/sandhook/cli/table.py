"""Lines in columns, and texts of hooks made safe for them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from sandhook.hooks.text import neutralise


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines whose columns, but the last, are as wide as their longest cell."""
    safe = [[plain(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*(row[:-1] for row in safe))]
    lines = []
    for row in safe:
        cells = [cell.ljust(width) for cell, width in zip(row, widths)]
        lines.append("  ".join([*cells, row[-1]]).rstrip())
    return lines


def plain(text: str) -> str:
    """Return a text for one line of a terminal: nothing invisible, ASCII where that is needed."""
    return neutralise(text, limit=2048, lines=False)


def put(text: str) -> None:
    """Print one or several lines, whatever the terminal's encoding."""
    try:
        sys.stdout.write(text + "\n")
    except UnicodeEncodeError:
        sys.stdout.write(text.encode("ascii", "backslashreplace").decode() + "\n")


def put_json(value: Any) -> None:
    """Print a JSON value over several lines, in ASCII."""
    put(json.dumps(value, indent=2).replace("\x7f", "\\u007f"))
