"""Arranges names in columns, for git column and --column.

Source: git-column(1); git 2.39, column.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from sandhook.record import Record
from sandhook.text.width import width_of
from sandhook.utilities.git.errors import OptionFault

_LAYOUTS = ("plain", "column", "row")


class Layout(Record):
    """How names are arranged.

    Fields:
        enabled: False for one name on a line, without indentation.
        kind: "plain", "column" (down first) or "row" (across first).
        dense: Columns have different widths.
    """

    enabled: bool = False
    kind: str = "column"
    dense: bool = False


class Measures(Record):
    """The measures of a table, in columns of the terminal."""

    width: int = 79
    indent: str = ""
    end: str = "\n"
    padding: int = 1


def parse_layout(text: str | None, setting: str = "") -> Layout:
    """Return the layout of the option --column or --mode. Raises OptionFault for an unknown word.

    Args:
        text: None for an option without a value.
        setting: The value of column.ui.
    """
    layout = _changed(Layout(), setting)._replace(enabled=True)
    return layout if text is None else _changed(layout, text)


def _changed(layout: Layout, text: str) -> Layout:
    enabled: bool | None = None
    kind = dense = None
    for word in filter(None, re.split("[ ,]+", text)):
        if word in ("always", "never", "auto"):
            enabled = word == "always"  # output never is a terminal
        elif word in _LAYOUTS:
            kind = word
        elif word in ("dense", "nodense"):
            dense = word == "dense"
        else:
            raise OptionFault(f"unsupported option '{word}'")
    if enabled is None:
        enabled = True if kind else layout.enabled
    return Layout(enabled, kind or layout.kind, layout.dense if dense is None else dense)


def arranged(
    names: Sequence[str], layout: Layout, measures: Measures, charge: Callable[[int], None]
) -> Iterator[str]:
    """Yield the lines of a table of names; together they can be far larger than the names."""
    if not layout.enabled or layout.kind == "plain":
        indent, end = (measures.indent, measures.end) if layout.enabled else ("", "\n")
        for name in names:
            charge(1 + (len(indent) + len(end) >> 10))
            yield f"{indent}{name}{end}"
        return
    widths = [width_of(name) for name in names]
    widest = max(widths, default=0) + measures.padding
    columns = max(1, (measures.width - len(measures.indent)) // max(1, widest))
    rows = -(-len(names) // columns)
    column_widths = [widest] * columns
    if layout.dense:
        rows, column_widths = _shrunk(widths, rows, columns, layout, measures, charge)
        columns = len(column_widths)
    for row in range(rows):
        pieces = []
        for column in range(columns):
            at = _place(row, column, rows, columns, layout)
            if at >= len(names):
                break
            last = (
                at + rows >= len(names)
                if layout.kind == "column"
                else column == columns - 1 or at == len(names) - 1
            )
            gap = measures.end if last else " " * (column_widths[column] - widths[at])
            pieces.append(f"{measures.indent if not column else ''}{names[at]}{gap}")
        charge(1 + (sum(map(len, pieces)) >> 10))
        yield "".join(pieces)


def _place(row: int, column: int, rows: int, columns: int, layout: Layout) -> int:
    return column * rows + row if layout.kind == "column" else row * columns + column


def _column_widths(widths: list[int], rows: int, columns: int, layout: Layout, padding: int) -> list[int]:
    found = []
    for column in range(columns):
        places = (_place(row, column, rows, columns, layout) for row in range(rows))
        found.append(max((widths[at] for at in places if at < len(widths)), default=0) + padding)
    return found


def _shrunk(
    widths: list[int],
    rows: int,
    columns: int,
    layout: Layout,
    measures: Measures,
    charge: Callable[[int], None],
) -> tuple[int, list[int]]:
    """Return the least number of rows whose columns fit, and the widths of these columns."""
    best = rows, _column_widths(widths, rows, columns, layout, measures.padding)
    while rows > 1:
        rows -= 1
        charge(1 + (len(widths) >> 2))
        found = _column_widths(widths, rows, -(-len(widths) // rows), layout, measures.padding)
        if len(measures.indent) + sum(found) > measures.width:
            break
        best = rows, found
    return best
