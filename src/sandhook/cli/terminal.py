"""Output for terminals: rows, trees and colours, drawn by rich.

Only a command whose standard output is a terminal imports this module: rich takes 50 ms. Every text goes through
``line``, which escapes control characters; no text is parsed as rich's markup, emoji codes or links. NO_COLOR
removes the colours, which repeat what the words state.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from sandhook.cli.arguments import color
from sandhook.hooks.text import neutralise

if TYPE_CHECKING:
    from rich.console import ConsoleOptions, RenderableType, RenderResult

#: What a text means, which decides its colour.
Meaning = Literal["", "good", "bad", "warning", "faint", "heading"]

#: One text and its meaning.
Cell = tuple[str, Meaning]

_STYLES: dict[Meaning, str] = {
    "": "",
    "good": "green",
    "bad": "bold red",
    "warning": "yellow",
    "faint": "dim",
    "heading": "bold",
}

#: Columns between two cells.
_GAP = 2

#: Columns that the text of a row needs in addition to its short cells: at the end of a row, and as its label.
_LEAST, _LEAST_LABEL = 40, 24

#: Characters of one text. Scripts are shown whole for approval: hooks may not be longer than this.
_LONGEST = 1 << 20


def line(*cells: Cell) -> Text:
    """Return cells on one line, which wraps at the edge of the terminal; no text is cut off."""
    text = Text(overflow="fold")
    for index, (content, meaning) in enumerate(cells):
        text.append((" " * _GAP if index else "") + _escape(content), _STYLES[meaning])
    return text


def _escape(words: str) -> str:
    safe = neutralise(words, limit=_LONGEST, lines=False)
    encoding = sys.stdout.encoding or "ascii"
    return safe.encode(encoding, "backslashreplace").decode(encoding)


def hanging(*cells: Cell) -> RenderableType:
    """Return cells on one line; if it wraps, the other lines are indented below the first."""
    label, *rest = cells
    if not rest:
        return line(label)
    table = Table.grid(padding=(0, _GAP, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(line(label), line(*rest))
    return table


def indented(content: RenderableType, columns: int = _GAP) -> Padding:
    return Padding(content, (0, 0, 0, columns))


def tree(label: RenderableType, children: Iterable[RenderableType]) -> Tree:
    """Return a tree; a child may be a tree itself."""
    result = Tree(label, guide_style="dim")
    for child in children:
        if isinstance(child, Tree):
            result.children.append(child)
        else:
            result.add(child)
    return result


def show(*contents: RenderableType) -> None:
    """Draw contents on standard output, one below another."""
    when = color()
    console = Console(
        highlight=False,
        markup=False,
        emoji=False,
        force_terminal=True if when == "always" else None,
        color_system="standard" if when == "always" else "auto",
        no_color=None if when == "auto" else when == "never",
    )
    for content in contents:
        console.print(content)


class Rows:
    """Rows of cells. The last cell of a row is a text, which wraps in a separate column.

    If the short cells leave too little room for the text, it is below them, indented.

    Args:
        rows: The cells; all rows have the same number.
        of: Other rows whose column widths are used; None means the widths of these rows.
    """

    def __init__(self, rows: Iterable[Sequence[Cell]], of: Rows | None = None) -> None:
        self.rows = [[line(cell) for cell in row] for row in rows]
        self.widths: list[int] = of.widths if of is not None else _widths(self.rows)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.rows:
            return
        *widths, text = self.widths
        short = [(column, width) for column, width in enumerate(widths) if width]
        if sum(width + _GAP for _, width in short) + min(text, _LEAST) <= options.max_width:
            table = Table.grid(padding=(0, _GAP, 0, 0))
            for _, width in short:
                table.add_column(no_wrap=True, min_width=width)
            table.add_column(overflow="fold")
            for cells in self.rows:
                table.add_row(*(cells[column] for column, _ in short), cells[-1])
            yield table
            return
        for *cells, last in self.rows:
            yield Text(" " * _GAP, overflow="fold").join(cell for cell in cells if cell)
            if last:
                yield indented(last)


def branches(rows: Iterable[Sequence[Cell]]) -> list[RenderableType]:
    """Return each row as a branch of a tree; all branches share their columns."""
    cells = list(rows)
    all_rows = Rows(cells)
    return [Rows([row], all_rows) for row in cells]


def _widths(rows: Iterable[Sequence[Text]]) -> list[int]:
    return [max(cell.cell_len for cell in column) for column in zip(*rows)]


class Matrix:
    """A table with a head. The first cell of a row is a text, which wraps; the other cells are short.

    If the short columns leave too little room for the text, they are below it, each after its head.

    Args:
        heads: One head for each short column.
        rows: For each row the indentation of the text, in columns, and the cells.
        joins: Below a text, equal cells stand together after their heads.
    """

    def __init__(
        self, heads: Sequence[str], rows: Iterable[tuple[int, Sequence[Cell]]], *, joins: bool = False
    ) -> None:
        self.joins = joins
        self.heads = [line((head, "heading")) for head in heads]
        self.rows = [(indent, [line(cell) for cell in cells]) for indent, cells in rows]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text, *short = _widths([[line(), *self.heads], *(cells for _, cells in self.rows)])
        if min(text, _LEAST_LABEL) + sum(short) + _GAP * len(short) <= options.max_width:
            table = Table.grid(padding=(0, _GAP, 0, 0))
            table.add_column(overflow="fold")
            for _ in self.heads:
                table.add_column(no_wrap=True)
            table.add_row("", *self.heads)
            for indent, (label, *cells) in self.rows:
                table.add_row(indented(label, indent), *cells)
            yield table
            return
        for indent, (label, *cells) in self.rows:
            yield indented(label, indent)
            pairs = [Text(": ", overflow="fold").join(pair) for pair in self._pairs(cells)]
            joined_pairs = Text(" " * _GAP).join(pairs)
            fits = joined_pairs.cell_len + indent + _GAP <= options.max_width
            for content in [joined_pairs] if fits else pairs:
                yield indented(content, indent + _GAP)

    def _pairs(self, cells: Sequence[Text]) -> Iterable[tuple[Text, Text]]:
        """Return the heads with their cells."""
        if not self.joins:
            return zip(self.heads, cells)
        heads: dict[str, list[Text]] = {}
        for head, cell in zip(self.heads, cells):
            heads.setdefault(cell.plain, []).append(head)
        values = {cell.plain: cell for cell in cells}
        return [(Text(", ").join(each), values[text]) for text, each in heads.items()]
