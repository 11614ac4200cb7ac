r"""col: take reverse line feeds and overstrikes out of text: ``man cmd | col -b``.

Oracle: util-linux 2.38. Divergence: L-COL-001, character sets (SI and SO) are not kept apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import Inform, UsageError, also, opt, option_set
from sandhook.text.width import width_of

_FEEDS = {"7": -2, "8": -1, "9": 1, "\x07": -2, "\x08": -1, "\t": 1}  #: what follows ESC, and half lines
_TAB = 8


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise Failure(f"bad -l argument: '{text}'")
    return int(text[:9])


@option_set
class Options:
    """col [-bfhpx] [-l LINES]

    Copy standard input so that it goes down the page only: lines that were left and gone back to are put together.
    """

    last: bool = opt("-b", "--no-backspaces", help="of letters in one place print the last one only")
    fine: bool = opt("-f", "--fine", help="half line feeds stay")
    tabs: bool = also(
        opt("-h", "--tabs", help="blanks become tabs (the default)", default=True),
        opt("-x", "--spaces", help="tabs become blanks", const=False),
    )
    pass_: bool = opt("-p", "--pass", help="pass other control sequences on")
    asked: bool = opt("-H", help="show this help")
    lines: int = opt(
        "-l", "--lines", "LINES", ignored="all lines are kept in memory", convert=_count, default=128
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if options.asked:
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
    """The letters on each half line, in the order in which they came."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._lines: dict[int, list[tuple[int, str]]] = {}
        self._last = 0
        self._whole = True
        self._nothing = True

    def read(self, text: str) -> None:
        """Put text on the page."""
        row = column = at = 0
        passed = ""  # control characters that go with the next letter
        while at < len(text):
            letter = text[at]
            at += 1
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
                following = text[at : at + 1]
                if following in _FEEDS:
                    row += _FEEDS[following]
                    at += 1
                elif self._options.pass_:
                    passed += letter
                else:
                    at += 1
            elif letter >= " " and letter != "\x7f":
                self._lines.setdefault(row, []).append((column, passed + letter))
                column += width_of(letter)
                passed = ""
            elif self._options.pass_:
                passed += letter
            self._last = max(self._last, row)
        self._whole = text[-1:] == "\n" or self._last > 0
        self._nothing = not self._last and not column  # col says so, also of letters that a \r went back over

    def write(self, ctx: Context) -> None:
        """Print the page, down to its last line."""
        if self._nothing:
            return
        rows = self._lines
        if not self._options.fine:  # a half line goes to the next whole one
            for row in sorted(row for row in rows if row % 2):
                rows.setdefault(row + 1, []).extend(rows.pop(row))
                self._last = max(self._last, row + 1)
        end = self._last // 2 * 2
        first = min(0, *rows) // 2 * 2 if rows else 0
        for row in range(first, end + 1, 2):
            ctx.charge()
            text = self._line(rows.get(row, []))
            half = self._line(rows[row + 1]) if row + 1 in rows else ""
            if row == end and not text and not half and self._whole:
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
        at = 0
        while at < len(ordered):
            place = ordered[at][0]
            stack = []
            while at < len(ordered) and ordered[at][0] == place:
                stack.append(ordered[at][1])
                at += 1
            pieces.append(self._gap(column, place))
            if self._options.last:
                stack = stack[-1:]
            pieces.append("\b".join(stack))
            column = place + width_of(stack[-1][-1])
        return "".join(pieces)

    def _gap(self, column: int, place: int) -> str:
        if not self._options.tabs or place - column < 2:
            return " " * (place - column)
        pieces = []
        while column // _TAB * _TAB + _TAB <= place:
            pieces.append("\t")
            column = column // _TAB * _TAB + _TAB
        return "".join(pieces) + " " * (place - column)
