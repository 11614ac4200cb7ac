"""column: lay lines out in columns, or make a table of their words.

Oracle: util-linux 2.38. Divergence: L-COLUMN-001, --tree, -J, -W, -T, -E and -m are not offered.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities._base import Context, Failure, also, opt, option_set
from sandhook.utilities._files import reason
from sandhook.utilities._width import width_of

_WIDTH = 80


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise Failure(f"invalid columns argument: '{text}'")
    return int(text)


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


@option_set
class Options:
    """column [-ex] [-c WIDTH] [FILE]... | column -t [-s SEPARATORS] [-o SEPARATOR] [-N NAMES] [FILE]...

    Fill lines with columns of entries; with -t make columns of the words of each line.
    """

    table: bool = opt("-t", "--table", help="make a table")
    names: tuple[str, ...] = opt(
        "-N", "--table-columns", "NAMES", "a line of names above", convert=_names, default=()
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
    separators: str | None = opt("-s", "--separator", "SEPARATORS", "what stands between words")
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


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    lines: list[str] = []
    size = 0
    for name in operands or ["-"]:
        try:
            with ctx.open(name) as reader:
                for raw in reader.lines():
                    size += len(raw) + 64
                    ctx.budget.afford(4 * size)
                    line = raw.decode("utf-8", "surrogateescape").rstrip("\n")
                    if line.strip() or options.keep_empty:
                        lines.append(line)
        except OSError as error:
            ctx.fail(f"{name}: {reason(error)}")
    if not lines:
        return ctx.failed
    if options.table:
        _Table(options, ctx).print(lines)
    else:
        _fill(lines, options, ctx)
    return ctx.failed


def _fill(lines: list[str], options: Options, ctx: Context) -> None:
    """Lay entries out in columns whose width is a multiple of a tab's."""
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
            chosen = range(row * count, min(len(entries), (row + 1) * count))
        else:
            chosen = range(row, len(entries), rows)
        pieces: list[str] = []
        for place, index in enumerate(chosen):
            pieces.append(entries[index])
            if place + 1 < len(chosen):
                pieces.append("\t" * (-(-(step - widths[index]) // 8)))
        ctx.write_line("".join(pieces))


class _Table:
    def __init__(self, options: Options, ctx: Context) -> None:
        self.options = options
        self.ctx = ctx

    def print(self, lines: list[str]) -> None:
        """Split lines, choose columns and print them with the widths that they need."""
        options, ctx = self.options, self.ctx
        rows = [self._split(line) for line in lines]
        count = max(map(len, rows), default=0)
        names = list(options.names)
        count = max(count, len(names))
        ctx.charge(sum(map(len, rows)))
        order = self._order(count, names)
        if not order:
            return
        if names and not options.headless:
            rows.insert(0, names)
        right = self._places(options.right, count, names)
        ctx.budget.afford(64 * len(rows))
        widths = [
            max([width_of(row[place]) for row in rows if place < len(row)], default=0) for place in order
        ]
        last = len(order) - 1
        for row in rows:
            pieces = []
            for index, place in enumerate(order):
                cell = row[place] if place < len(row) else ""
                pad = " " * (widths[index] - width_of(cell))
                if place in right:
                    cell = pad + cell
                elif index != last:
                    cell += pad
                pieces.append(cell)
            ctx.budget.afford(sum(map(len, pieces)))
            ctx.charge(1 + len(pieces) // 8)
            ctx.write_line(options.output.join(pieces))

    def _split(self, line: str) -> list[str]:
        """Split at blanks, or at each of the separators; with a limit the last column takes the rest."""
        separators, most = self.options.separators, self.options.limit - 1
        if separators is None:
            return line.split(None, most)
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
        """Return the numbers of columns that are named, or numbered from 1."""
        found = []
        for word in words:
            if word in names:
                found.append(names.index(word))
            elif word == "-":
                found += [place for place in range(count) if place >= len(names)]
            elif word == "0" or not (
                word.isascii() and word.isdigit() and len(word) < 9 and int(word) <= count
            ):
                raise Failure(f"undefined column name '{word}'")
            else:
                found.append(int(word) - 1)
        return found
