"""isutf8: check whether files are valid UTF-8.

Oracle: moreutils 0.67; messages have only the line and the byte.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.command.options import opt, option_set


@option_set
class Options:
    """isutf8 [-liq] [FILE]...

    Print the first position in each FILE, or in standard input, that is not UTF-8.
    """

    invert: bool = opt("-i", "--invert", help="print the names of files that are valid")
    list_: bool = opt("-l", "--list", help="print the names of files that are not")
    quiet: bool = opt("-q", "--quiet", help="print nothing")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 when all are valid, else 1."""
    for name in operands or ("-",):
        display_name = "(standard input)" if name == "-" else name
        try:
            with ctx.open(name) as reader:
                position = _invalid_position(reader.read_all())
        except OSError as error:
            ctx.fail(f"{name}: {reason(error)}")
            continue
        ctx.failed |= position is not None
        if options.quiet:
            continue
        if options.invert or options.list_:
            if (position is None) is options.invert:
                ctx.write_line(display_name)
        elif position is not None:
            line, byte = position
            ctx.write_line(f"{display_name}: line {line}, byte {byte}: no UTF-8 begins here")
    return ctx.failed


def _invalid_position(data: bytes) -> tuple[int, int] | None:
    """Return the line (from 1) and the offset (from 0) of the first invalid byte, None for valid UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return data.count(b"\n", 0, error.start) + 1, error.start
    return None
