"""Standard output: plain text for pipes and files, JSON, and a test for terminals."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence

from sandhook.cli.arguments import color
from sandhook.hooks.text import neutralise
from sandhook.typed import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from sandhook.cli.terminal import Meaning


def is_terminal(stream: TextIO | None) -> bool:
    """Return True for a terminal that interprets escape sequences, and for output that shall look so."""
    if stream is not None and stream is sys.stdout and color() == "always":
        return True
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


def put_rows(rows: Sequence[Sequence[str]], meanings: Mapping[str, Meaning] | None = None) -> None:
    """Print rows, aligned; on a terminal with colours.

    Args:
        meanings: The meaning of each first cell; without it, rows are plain on a terminal too.
    """
    if meanings is None or not is_terminal(sys.stdout):
        for line in columns(rows):
            put(line)
        return
    from sandhook.cli.terminal import Rows, show

    show(Rows([(row[0], meanings[row[0]]), *((cell, "") for cell in row[1:])] for row in rows))


def counted(number: int, noun: str) -> str:
    """Return a number and its noun: "1 guard", "2 guards"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def plain(text: str) -> str:
    """Return a hook's text as one line; control and invisible characters are escaped."""
    return neutralise(text, limit=2048, lines=False)


def put(text: str) -> None:
    """Print one or more lines; characters that the encoding lacks are escaped."""
    try:
        sys.stdout.write(text + "\n")
    except UnicodeEncodeError:
        sys.stdout.write(text.encode("ascii", "backslashreplace").decode() + "\n")


def put_lines(lines: Iterable[str]) -> None:
    """Print lines; on a terminal a long one wraps between words, below its beginning."""
    if not is_terminal(sys.stdout):
        put("\n".join(lines))
        return
    from sandhook.cli.terminal import indented, line, show

    for text in lines:
        words = text.lstrip(" ")
        show(indented(line((words, "")), len(text) - len(words)))


def put_json(value: object) -> None:
    """Print a JSON value over several lines, in ASCII."""
    put(json_text(value))


def json_text(value: object) -> str:
    """Return a JSON value over several lines, in ASCII."""
    from json import dumps  # it takes 4 ms, and many commands print none

    return dumps(value, indent=2).replace("\x7f", "\\u007f")


#: The version of the JSON that commands print. It grows when a field changes or goes; new fields do not change it.
OUTPUT_VERSION = 1


def record(command: str, **fields: object) -> dict[str, object]:
    """Return the JSON of a command: ``sandhook schema --output COMMAND`` describes it."""
    return {"version": OUTPUT_VERSION, "command": command, **fields}


def put_record(command: str, **fields: object) -> None:
    """Print the JSON of a command."""
    put_json(record(command, **fields))


def put_line(command: str, **fields: object) -> None:
    """Print the JSON of a command that prints several, on one line."""
    from json import dumps

    put(dumps(record(command, **fields)).replace("\x7f", "\\u007f"))
