"""isutf8: check whether files are valid UTF-8.

Oracle: moreutils 0.67; messages name the line and the byte alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.command.options import opt, option_set


@option_set
class Options:
    """isutf8 [-liq] [FILE]...

    Say where each FILE, or standard input, is no UTF-8.
    """

    invert: bool = opt("-i", "--invert", help="print the names of files that are valid")
    list_: bool = opt("-l", "--list", help="print the names of files that are not")
    quiet: bool = opt("-q", "--quiet", help="print nothing")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 when all are valid, else 1."""
    for name in operands or ("-",):
        shown = "(standard input)" if name == "-" else name
        try:
            with ctx.open(name) as reader:
                fault = _fault(reader.read_all())
        except OSError as error:
            ctx.fail(f"{name}: {reason(error)}")
            continue
        ctx.failed |= fault is not None
        if options.quiet:
            continue
        if options.invert or options.list_:
            if (fault is None) is options.invert:
                ctx.write_line(shown)
        elif fault is not None:
            line, byte = fault
            ctx.write_line(f"{shown}: line {line}, byte {byte}: no UTF-8 begins here")
    return ctx.failed


def _fault(data: bytes) -> tuple[int, int] | None:
    """Return the line (from 1) and the byte in all (from 0) of the first fault."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return data.count(b"\n", 0, error.start) + 1, error.start
    return None
