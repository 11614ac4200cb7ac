r"""col: remove reverse line feeds and overstrikes from text: ``man cmd | col -b``.

Oracle: util-linux 2.38. Divergence: L-COL-001, character sets (SI and SO) are not kept apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import VERSION, Inform, UsageError, also, opt, option_set
from sandhook.command.utility import WRITE_ERROR_UTIL_LINUX
from sandhook.text.width import width_of

WRITE_ERROR = WRITE_ERROR_UTIL_LINUX

_FEEDS = {"7": -2, "8": -1, "9": 1, "\x07": -2, "\x08": -1, "\t": 1}  #: what follows ESC, and half lines
_TAB = 8


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise Failure(f"bad -l argument: '{text}'")
    return int(text[:9])


@option_set
class Options:
    """col [-bfhpx] [-l LINES]

    Copy standard input without reverse line feeds: text that returns to an earlier line is merged into that line.
    """

    last: bool = opt("-b", "--no-backspaces", help="print only the last of several letters in one column")
    fine: bool = opt("-f", "--fine", help="keep half line feeds")
    tabs: bool = also(
        opt("-h", "--tabs", help="blanks become tabs (the default)", default=True),
        opt("-x", "--spaces", help="tabs become blanks", const=False),
    )
    pass_: bool = opt("-p", "--pass", help="copy other control sequences")
    help_: bool = opt("-H", help="show this help")
    lines: int = opt(
        "-l", "--lines", "LINES", ignored="all lines are kept in memory", convert=_count, default=128
    )
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if options.help_:
        raise Inform("help")
    if operands:
        raise UsageError("bad usage")
    with ctx.stdin_reader() as reader:
        data = reader.read_all()
    ctx.budget.check_fits(60 * len(data))
    ctx.charge(len(data) >> 4)
    page = _Page(options)
    page.read(data.decode("utf-8", "surrogateescape"))
    page.write(ctx)
    return 0


class _Page:
    """The letters on each half line, in the order of the input."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._lines: dict[int, list[tuple[int, str]]] = {}
        self._last = 0
        self._ends_with_newline = True
        self._is_empty = True

    def read(self, text: str) -> None:
        """Put text on the page."""
        row = column = index = 0
        prefix = ""  # control characters before the next letter
        while index < len(text):
            letter = text[index]
            index += 1
            if letter == "\n":
                row += 2
                column = 0
                self._last = max(self._last, row)
            elif letter == "\r":
                column = 0
            elif letter == "\b":
                column = max(column - 1, 0)
            elif letter == "\t":
                column = column // _TAB * _TAB + _TAB
            elif letter == " ":
                column += 1
            elif letter == "\v":
                row -= 2
            elif letter == "\x1b":
                following = text[index : index + 1]
                if following in _FEEDS:
                    row += _FEEDS[following]
                    index += 1
                elif self._options.pass_:
                    prefix += letter
                else:
                    index += 1
            elif letter >= " " and letter != "\x7f":
                self._lines.setdefault(row, []).append((column, prefix + letter))
                column += width_of(letter)
                prefix = ""
            elif self._options.pass_:
                prefix += letter
            self._last = max(self._last, row)
        self._ends_with_newline = text[-1:] == "\n" or self._last > 0
        # As in col, letters that a \r returned over do not count.
        self._is_empty = not self._last and not column

    def write(self, ctx: Context) -> None:
        """Print the page, down to its last line."""
        if self._is_empty:
            return
        rows = self._lines
        if not self._options.fine:  # a half line joins the next whole one
            for row in sorted(row for row in rows if row % 2):
                rows.setdefault(row + 1, []).extend(rows.pop(row))
                self._last = max(self._last, row + 1)
        end = self._last // 2 * 2
        first = min(0, *rows) // 2 * 2 if rows else 0
        for row in range(first, end + 1, 2):
            ctx.charge()
            text = self._line(rows.get(row, []))
            half = self._line(rows[row + 1]) if row + 1 in rows else ""
            if row == end and not text and not half and self._ends_with_newline:
                break
            ctx.write(text.encode("utf-8", "surrogateescape"))
            if half:
                ctx.write(b"\x1b9\r" + half.encode("utf-8", "surrogateescape") + b"\x1b9\r")
            else:
                ctx.write(b"\n")

    def _line(self, letters: list[tuple[int, str]]) -> str:
        pieces: list[str] = []
        column = 0
        ordered = sorted(letters, key=lambda item: item[0])
        index = 0
        while index < len(ordered):
            target = ordered[index][0]
            stack = []
            while index < len(ordered) and ordered[index][0] == target:
                stack.append(ordered[index][1])
                index += 1
            pieces.append(self._gap(column, target))
            if self._options.last:
                stack = stack[-1:]
            pieces.append("\b".join(stack))
            column = target + width_of(stack[-1][-1])
        return "".join(pieces)

    def _gap(self, column: int, target: int) -> str:
        if not self._options.tabs or target - column < 2:
            return " " * (target - column)
        pieces = []
        while column // _TAB * _TAB + _TAB <= target:
            pieces.append("\t")
            column = column // _TAB * _TAB + _TAB
        return "".join(pieces) + " " * (target - column)
