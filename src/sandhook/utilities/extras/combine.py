"""combine: the lines of one file that are, or are not, in another.

Oracle: moreutils 0.67.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, option_set

USAGE_STATUS = 255
PERMUTE = False
_UNREADABLE = 2


@option_set
class Options:
    """combine FILE1 and|not|or|xor FILE2

    Print the lines of FILE1 that FILE2 has (and), those that it has not (not), the lines of both (or), or those that
    one of them has alone (xor), in their order.
    """


def run(_: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, 2 when a file cannot be read, or 255 for a wrong call."""
    words = [word for word in operands if word]
    if len(words) != 3:
        raise UsageError("missing operand" if len(words) < 3 else f"extra operand '{words[3]}'")
    first, operation, second = words
    what = operation.lower()
    if what not in ("and", "not", "or", "xor"):
        raise Failure(f"unknown operation, {operation}")
    if what == "or":
        for name in (first, second):
            for line in _lines(name, ctx):
                ctx.write(line + b"\n")
        return 0
    there = set(_lines(second, ctx))
    seen: set[bytes] = set()
    for line in _lines(first, ctx):
        seen.add(line)
        if (line in there) is (what == "and"):
            ctx.write(line + b"\n")
    if what == "xor" and second != "-":
        for line in _lines(second, ctx):
            if line not in seen:
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
    return data.removesuffix(b"\n").split(b"\n") if data else []
