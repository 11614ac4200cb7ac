"""column: lay lines out in columns, or make a table of their words.

Oracle: util-linux 2.38. Divergence: L-COLUMN-001, -m is not offered, and the widths differ when several columns may be
made narrower.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import not_readable, reason
from sandhook.command.options import VERSION, also, opt, option_set
from sandhook.command.pieces import PIECE
from sandhook.command.utility import WRITE_ERROR_UTIL_LINUX
from sandhook.text.locale import characters_are_bytes
from sandhook.text.width import width_of
from sandhook.utilities.lines.column.tables import as_json, as_tree, fit_widths, visible, wrap_row
from sandhook.vfs.errors import fs_error

WRITE_ERROR = WRITE_ERROR_UTIL_LINUX

_WIDTH = 80
_WORD = re.compile(r"[^ \t]+")


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise Failure(f"invalid columns argument: '{text}'")
    return int(text)


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


@option_set
class Options:
    """column [-ex] [-c WIDTH] [FILE]... | column -t [-s SEPARATORS] [-o SEPARATOR] [-N NAMES] [FILE]...

    Fill lines with columns of entries; with -t, align the words of each line in columns.
    """

    table: bool = opt("-t", "--table", help="make a table")
    names: tuple[str, ...] = opt(
        "-N", "--table-columns", "NAMES", "print a line of names above", convert=_names, default=()
    )
    right: tuple[str, ...] = opt(
        "-R", "--table-right", "COLUMNS", "align these to the right", convert=_names, default=()
    )
    hide: tuple[str, ...] = opt(
        "-H", "--table-hide", "COLUMNS", "leave these out", convert=_names, default=()
    )
    order: tuple[str, ...] = opt(
        "-O", "--table-order", "COLUMNS", "these first, in this order", convert=_names, default=()
    )
    limit: int = opt("-l", "--table-columns-limit", "N", "no more columns than N", convert=_number, default=0)
    headless: bool = opt("-d", "--table-noheadings", help="do not print the names")
    wrap: tuple[str, ...] = opt(
        "-W",
        "--table-wrap",
        "COLUMNS",
        "break the text of these, if the table is too wide",
        convert=_names,
        default=(),
    )
    truncate: tuple[str, ...] = opt(
        "-T", "--table-truncate", "COLUMNS", "cut these, if the table is too wide", convert=_names, default=()
    )
    no_extreme: tuple[str, ...] = opt(
        "-E", "--table-noextreme", "COLUMNS", "accepted, without effect", convert=_names, default=()
    )
    repeat: bool = opt("-e", "--table-header-repeat", ignored="there are no pages")
    name: str | None = opt("-n", "--table-name", "NAME", "the table's name with -J")
    json: bool = opt("-J", "--json", help="write the table as JSON")
    tree: str | None = opt("-r", "--tree", "COLUMN", "show the rows as a tree in this column")
    tree_id: str | None = opt("-i", "--tree-id", "COLUMN", "the column with the numbers of rows")
    tree_parent: str | None = opt(
        "-p", "--tree-parent", "COLUMN", "the column with the numbers of their parents"
    )
    separators: str | None = opt("-s", "--separator", "SEPARATORS", "the characters that separate words")
    output: str = opt("-o", "--output-separator", "SEPARATOR", "what to put between columns", default="  ")
    keep_empty: bool = opt("-L", "--keep-empty-lines", help="keep empty lines")
    width: int = also(
        opt(
            "-c",
            "--output-width",
            "WIDTH",
            "how wide lines may be, in characters",
            convert=_number,
            default=_WIDTH,
        ),
        opt("--columns", "WIDTH", "the same", convert=_number),
    )
    across: bool = opt("-x", "--fillrows", help="fill rows before columns")
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read; a table that has lines hides that."""
    table = options.table or options.json or options.tree is not None
    _check(options, table)
    lines: list[str] = []
    bytewise = characters_are_bytes(ctx.environment.get)
    size = 0
    for name in operands or ["-"]:
        try:
            if name == "-" and operands:
                raise fs_error(errno.ENOENT, name)
            with ctx.open(name) as reader:
                for raw in reader.lines():
                    size += len(raw) + 64
                    ctx.budget.check_fits(4 * size)
                    line = visible(raw.decode("utf-8", "surrogateescape").rstrip("\n"), bytewise)
                    if line.strip():
                        lines.append(line)
                    elif options.keep_empty:
                        lines.append("")
        except OSError as error:
            if not_readable(error):
                raise Failure(f"read failed: {reason(error)}") from None
            ctx.fail(f"{name}: {reason(error)}")
    if not lines:
        return ctx.failed
    if table:
        _Table(options, ctx).print(lines)
        return 0  # also after a file that could not be opened
    _fill(lines, options, ctx)
    return ctx.failed


def _check(options: Options, table: bool) -> None:
    if table and options.across:
        raise Failure("mutually exclusive arguments: --table --fillrows")
    if options.tree is not None and (options.tree_id is None or options.tree_parent is None):
        raise Failure("options --tree-id and --tree-parent are required for tree formatting")
    if not table and (
        options.names or options.right or options.hide or options.order or options.wrap or options.truncate
        or options.no_extreme or options.name is not None or options.headless
    ):  # fmt: skip
        raise Failure("option --table required for all --table-*")
    if options.json and not options.names:
        raise Failure("option --table-columns required for --json")


def _fill(lines: list[str], options: Options, ctx: Context) -> None:
    """Print entries in columns whose width is a multiple of eight."""
    entries = lines
    widths = [width_of(entry) for entry in entries]
    step = (max(widths) + 8) & ~7
    count = max(1, options.width // step) if max(widths) < options.width else 1
    ctx.charge(len(entries))
    if count == 1:
        for entry in entries:
            ctx.write_line(entry)
        return
    rows = -(-len(entries) // count)
    for row in range(rows):
        if options.across:
            indexes = range(row * count, min(len(entries), (row + 1) * count))
        else:
            indexes = range(row, len(entries), rows)
        pieces: list[str] = []
        for place, index in enumerate(indexes):
            pieces.append(entries[index])
            if place + 1 < len(indexes):
                pieces.append("\t" * (-(-(step - widths[index]) // 8)))
        ctx.write_line("".join(pieces))


_CELL = 64  #: memory for a cell, in bytes


class _Table:
    def __init__(self, options: Options, ctx: Context) -> None:
        self.options = options
        self.ctx = ctx

    def print(self, lines: list[str]) -> None:
        """Split lines, choose columns and print them with the widths that they need."""
        options, ctx = self.options, self.ctx
        rows: list[list[str]] = []
        words = 0
        for text in lines:
            ctx.charge(1 + (len(text) >> 6))
            if len(text) > PIECE:
                ctx.budget.check_fits(_CELL * (words + self._most_words(text)))
            rows.append(self._split(text))
            words += len(rows[-1])
            ctx.budget.check_fits(_CELL * words)
        count = max(map(len, rows), default=0)
        names = list(options.names)
        count = max(count, len(names))
        ctx.charge(sum(map(len, rows)))
        order = self._order(count, names)
        ctx.budget.check_fits(64 * len(rows))
        if options.tree is not None:
            rows = self._tree(rows, count, names)
        if options.json:
            number = next((at for at, row in enumerate(rows, 1) if len(row) > len(names)), None)
            if number is not None:
                raise Failure(
                    f"line {number + 1}: for JSON the name of the column {len(names) + 1} is required"
                )
            ctx.write(as_json(options.name or "table", [names[place] for place in order], rows, order))
            return
        if names and not options.headless:
            rows.insert(0, names)
        right = self._places(options.right, count, names)
        widths = [
            max([width_of(row[place]) for row in (names, *rows) if place < len(row)], default=0)
            for place in order
        ]
        wraps, truncates = (
            set(self._places(each, count, names)) for each in (options.wrap, options.truncate)
        )
        narrow = [index for index, place in enumerate(order) if place in wraps or place in truncates]
        natural_widths = list(widths)
        widths = fit_widths(widths, narrow, options.width - width_of(options.output) * (len(order) - 1))
        for row in rows:
            cells = [row[place] if place < len(row) else "" for place in order]
            if widths == natural_widths:
                self._row(cells, order, widths, right)
                continue
            for line in wrap_row(cells, widths, [place in wraps for place in order]):
                self._row(line, order, widths, right)

    def _row(self, cells: list[str], order: list[int], widths: list[int], right: list[int]) -> None:
        pieces = []
        last = len(order) - 1
        for index, (place, cell) in enumerate(zip(order, cells)):
            pad = " " * (widths[index] - width_of(cell))
            if place in right:
                cell = pad + cell if cell or index != last else cell
            elif index != last:
                cell += pad
            pieces.append(cell)
        self.ctx.budget.check_fits(sum(map(len, pieces)))
        self.ctx.charge(1 + len(pieces) // 8)
        self.ctx.write_line(self.options.output.join(pieces))

    def _tree(self, rows: list[list[str]], count: int, names: list[str]) -> list[list[str]]:
        """Return the rows, each after its parent, with the branches of the tree drawn before a cell."""
        options = self.options
        places = []
        for word in (options.tree, options.tree_id, options.tree_parent):
            columns = self._places((word or "",), count, names)
            if not columns:
                raise Failure(f"undefined column name '{word}'")
            places.append(columns[0])
        return as_tree(rows, places[0], places[1], places[2], self.ctx.charge)

    def _most_words(self, line: str) -> int:
        """Return a number of words that a line does not exceed."""
        separators = self.options.separators
        return len(line) >> 1 if separators is None else sum(map(line.count, separators))

    def _split(self, line: str) -> list[str]:
        """Split at blanks, or at each separator; with a limit, the last column has the rest of the line."""
        separators, most = self.options.separators, self.options.limit - 1
        if separators is None:
            if most < 0:
                return _WORD.findall(line)
            words: list[str] = []
            at = 0
            while len(words) < most and (match := _WORD.search(line, at)) is not None:
                words.append(match[0])
                at = match.end()
            remainder = line[at + 1 :] if words else line
            return [*words, remainder] if remainder else words
        if not separators or not most:
            return [line]
        first = separators[0]
        if len(separators) == 1:
            return line.split(first, most)
        marks = line.translate(dict.fromkeys(map(ord, separators), first))
        words = []
        at = 0
        for word in marks.split(first, most):
            words.append(line[at : at + len(word)])
            at += len(word) + 1
        return words

    def _order(self, count: int, names: list[str]) -> list[int]:
        first = self._places(self.options.order, count, names)
        hidden = set(self._places(self.options.hide, count, names))
        return [
            place for place in [*first, *(p for p in range(count) if p not in first)] if place not in hidden
        ]

    def _places(self, words: tuple[str, ...], count: int, names: list[str]) -> list[int]:
        """Return the indexes of columns, which words refer to by name or by a number from 1."""
        numbers = []
        for word in words:
            if word in names:
                numbers.append(names.index(word))
            elif word == "-":
                numbers += [place for place in range(count) if place >= len(names)]
            elif not (word.isascii() and word.isdigit() and len(word) < 9 and int(word)):
                raise Failure(f"undefined column name '{word}'")
            elif int(word) <= count:
                numbers.append(int(word) - 1)
        return numbers
