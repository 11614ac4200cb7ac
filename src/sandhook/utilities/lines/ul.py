"""ul: show overstruck text with the control sequences of the terminal.

Oracle: util-linux 2.38. Divergence: L-UL-001, terminals are those of ``tput``, and half lines are errors.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import VERSION, opt, option_set
from sandhook.text.width import width_of

_UNDERLINED, _BOLD, _ALTERNATIVE = 1, 2, 4
_TAB = 8

#: What begins and ends the modes of a terminal; several modes at once are shown as reverse video.
_RESET = "\033(B\033[m"
_SEQUENCES = {_UNDERLINED: ("\033[4m", "\033[24m"), _BOLD: ("\033[1m", _RESET)}
_OTHERS = ("\033[7m", _RESET)
_MARKS = {0: " ", _UNDERLINED: "_", _BOLD: "!", _ALTERNATIVE: "g"}
_FAMILY = ("xterm", "screen", "tmux", "linux")


@option_set
class Options:
    """ul [OPTION]... [FILE]...

    Copy the FILEs (standard input); characters that are printed over "_" are underlined, and repeated ones bold.
    """

    terminal: str | None = opt("-t", "-T", "--terminal", "TERMINAL", "the kind of terminal, instead of $TERM")
    indicated: bool = opt("-i", "--indicated", help="show what is underlined and bold in a line of its own")
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file cannot be opened."""
    terminal = options.terminal if options.terminal is not None else ctx.environment.get("TERM")
    is_smart = terminal is not None and terminal.partition("-")[0] in _FAMILY
    if terminal is None:
        ctx.error("trouble reading terminfo")
    elif terminal and terminal != "dumb" and not is_smart:
        ctx.error(f"terminal `{terminal}' is not known, defaulting to `dumb'")
    for name in operands or ("-",):
        try:
            reader = ctx.stdin_reader() if not operands else ctx.open("./-" if name == "-" else name)
        except IsADirectoryError:
            continue
        except OSError as error:
            raise Failure(f"cannot open {name}: {reason(error)}") from None
        with reader:
            page = _Line(options.indicated, is_smart, ctx)
            for line in reader.lines():
                ctx.charge(1 + (len(line) >> 2))
                page.add(line.decode("utf-8", "surrogateescape"))
            page.flush_rest()
    return ctx.failed


class _Line:
    """The characters of one line by column."""

    def __init__(self, indicated: bool, is_smart: bool, ctx: Context) -> None:
        self._indicated = indicated
        self._is_smart = is_smart
        self._ctx = ctx
        self._cells: dict[int, tuple[str, int]] = {}
        self._column = self._end = self._mode = 0

    def add(self, text: str) -> None:
        """Add characters; a newline or a form feed writes the line. Raises Failure."""
        self._ctx.budget.check_fits(200 * (len(self._cells) + len(text)))
        for at, letter in enumerate(text):
            if letter == "\033":
                following = text[at + 1 : at + 2]
                self._ctx.flush()
                raise Failure(
                    f"unknown escape sequence in input: 33, {ord(following) if following else -1:o}"
                )
            match letter:
                case "\b":
                    self._column = max(self._column - 1, 0)
                case "\t":
                    self._column += _TAB - self._column % _TAB
                case "\r":
                    self._column = 0
                case "\016":
                    self._mode |= _ALTERNATIVE
                case "\017":
                    self._mode &= ~_ALTERNATIVE
                case "\n":
                    self._flush()
                case "\f":
                    self._flush()
                    self._ctx.write(b"\f")
                case _:
                    self._print(letter)

    def flush_rest(self) -> None:
        """Write a last line without a newline."""
        if self._cells:
            self._flush()

    def _print(self, letter: str) -> None:
        width = width_of(letter)
        if width <= 0:
            return
        old, mode = self._cells.get(self._column, ("", 0))
        if letter == "_" and old:
            mode |= _UNDERLINED | self._mode
            width = width_of(old)
        elif not old:
            old, mode = letter, self._mode
        elif old == "_":
            old, mode = letter, mode | _UNDERLINED | self._mode
        elif old == letter:
            mode |= _BOLD | self._mode
        self._cells[self._column] = (old, mode)
        self._column += width
        self._end = self._column  # a character that overstrikes cuts the line after it, as in util-linux

    def _flush(self) -> None:
        self._ctx.budget.check_fits(8 * self._end)
        self._ctx.charge(self._end >> 2)
        parts: list[str] = []
        marks: list[str] = []
        present = column = 0
        while column < self._end:
            letter, mode = self._cells.get(column, (" ", 0))
            if mode != present:
                parts += [self._sequence(present, 1), self._sequence(mode, 0)]
                present = mode
            parts.append(letter)
            width = max(width_of(letter), 1)
            marks.append(_MARKS.get(mode, "X") * width)
            column += width
        parts.append(self._sequence(present, 1))
        self._ctx.write("".join((*parts, "\n")).encode("utf-8", "surrogateescape"))
        if self._indicated and any(mode for _, mode in self._cells.values()):
            self._ctx.write_line("".join(marks).rstrip(" "))
        self._cells = {}
        self._column = self._end = 0

    def _sequence(self, mode: int, end: int) -> str:
        """Return what begins, or with ``end`` ends, a mode."""
        if not mode or self._indicated or not self._is_smart:
            return ""
        return _SEQUENCES.get(mode, _OTHERS)[end]
