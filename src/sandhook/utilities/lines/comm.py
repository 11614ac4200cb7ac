"""comm: compare two sorted files line by line.

Source: POSIX.1-2024 XCU 3, comm. Oracle: GNU coreutils 9.1, C locale.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.text.quoting import quote_odd

READ_ERROR = "-: {}"


@option_set
class Options:
    """comm [OPTION]... FILE1 FILE2

    Print the lines that only FILE1 has, only FILE2 has, and both have, in three columns.
    """

    first: bool = opt("-1", "leave the lines out that only FILE1 has")
    second: bool = opt("-2", "leave the lines out that only FILE2 has")
    both: bool = opt("-3", "leave the lines out that both have")
    order: str = also(
        opt("--check-order", help="wrong order is an error at once", const="check", default="auto"),
        opt("--nocheck-order", help="do not look at the order", const="no"),
    )
    delimiters: tuple[str, ...] = opt("--output-delimiter", "TEXT", "the text between columns", append=True)
    total: bool = opt("--total", "print the numbers of lines at the end")
    zero: bool = opt("-z", "--zero-terminated", "lines end with NUL instead of a newline")


class _Input:
    """The lines of one file, and whether they are in order."""

    def __init__(self, number: int, lines: Iterator[bytes], end: bytes, order: str, ctx: Context) -> None:
        self._number = number
        self._lines = lines
        self._end = end
        self._order = order
        self._ctx = ctx
        self.disordered = False
        self.unpaired = False
        self.line: bytes | None = None
        self._previous: bytes | None = None
        self.advance()

    def advance(self) -> None:
        """Go to the next line; None after the last."""
        previous, last = self._previous, self.line
        line = next(self._lines, None)
        self.line = None if line is None else line.removesuffix(self._end)
        self._previous = last
        if self.line is not None:  # after the end GNU compares the last two lines again
            previous, last = last, self.line
        if previous is None or last is None or self._order == "no" or self.disordered or previous <= last:
            return
        if self._order == "check" or self.unpaired:
            self.disordered = True
            message = f"file {self._number} is not in sorted order"
            if self._order == "check":
                raise Failure(message)
            self._ctx.error(message)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read or is not in order."""
    if len(set(options.delimiters)) > 1:
        raise Failure("multiple output delimiters specified")
    if len(operands) < 2:
        raise UsageError("missing operand" + (f" after '{operands[0]}'" if operands else ""))
    if len(operands) > 2:
        raise UsageError(f"extra operand '{operands[2]}'")
    end = b"\0" if options.zero else b"\n"
    readers = []
    try:
        for name in operands:
            try:
                readers.append(ctx.open(name))
            except OSError as error:
                raise Failure(f"{quote_odd(name)}: {reason(error)}") from None
        lines = [reader.lines(end) for reader in readers]
        shared = all(name == "-" for name in operands)
        if shared:  # one stream of the C library, of which each input reads its next line
            lines[1] = lines[0]
        inputs = [_Input(number, each, end, options.order, ctx) for number, each in enumerate(lines, 1)]
        _merge(inputs[0], inputs[1], options, end, ctx, shared)
    finally:
        for reader in readers:
            reader.close()
    if any(each.disordered for each in inputs):
        raise Failure("input is not in sorted order")
    return 0


def _merge(left: _Input, right: _Input, options: Options, end: bytes, ctx: Context, shared: bool) -> None:
    tab = (options.delimiters or ("\t",))[0].encode("utf-8", "surrogateescape") or b"\0"
    hidden = (options.first, options.second, options.both)
    counts = [0, 0, 0]
    while left.line is not None or right.line is not None:
        ctx.charge()
        if right.line is None or (left.line is not None and left.line < right.line):
            column, line, consumed = 0, left.line, [left]
            left.unpaired = right.unpaired = True
        elif left.line is None or right.line < left.line:
            column, line, consumed = 1, right.line, [right]
            left.unpaired = right.unpaired = True
        else:
            column, line, consumed = 2, left.line, [left, right]
        counts[column] += 1
        if not hidden[column]:
            ctx.write(tab * (column - sum(hidden[:column])) + (line or b"") + end)
        for each in consumed:
            each.advance()
    if shared:
        raise Failure("-: Bad file descriptor")  # GNU closes standard input twice
    if options.total:
        ctx.write(tab.join(b"%d" % count for count in counts) + tab + b"total" + end)
