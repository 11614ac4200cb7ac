"""combine: print the lines of one file that are, or are not, in another.

Oracle: moreutils 0.67.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, option_set
from sandhook.command.pieces import split

USAGE_STATUS = 255
PERMUTE = False
_UNREADABLE = 2


@option_set
class Options:
    """combine FILE1 and|not|or|xor FILE2

    Print the lines of FILE1 that are in FILE2 (and), those that are not (not), the lines of both files (or), or the
    lines that are in only one of them (xor), in order.
    """


def run(_: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, 2 when a file cannot be read, or 255 after a usage error."""
    words = [word for word in operands if word]
    if len(words) != 3:
        raise UsageError("missing operand" if len(words) < 3 else f"extra operand '{words[3]}'")
    first, operation, second = words
    operator = operation.lower()
    if operator not in ("and", "not", "or", "xor"):
        raise Failure(f"unknown operation, {operation}")
    if operator == "or":
        for name in (first, second):
            for line in _lines(name, ctx):
                ctx.write(line + b"\n")
        return 0
    second_lines = set(_lines(second, ctx))
    first_lines: set[bytes] = set()
    for line in _lines(first, ctx):
        first_lines.add(line)
        if (line in second_lines) is (operator == "and"):
            ctx.write(line + b"\n")
    if operator == "xor" and second != "-":
        for line in _lines(second, ctx):
            if line not in first_lines:
                ctx.write(line + b"\n")
    return 0


def _lines(name: str, ctx: Context) -> list[bytes]:
    try:
        with ctx.open(name) as reader:
            data = reader.read_all()
    except OSError as error:
        raise Failure(f"{name}: {reason(error)}", _UNREADABLE) from None
    count = data.count(b"\n")
    ctx.charge(count)
    ctx.budget.check_fits(4 * len(data) + 100 * count)
    return split(data.removesuffix(b"\n"), b"\n", ctx.charge) if data else []
