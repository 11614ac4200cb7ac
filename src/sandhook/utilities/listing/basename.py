"""basename: strip directory and suffix from names.

Source: POSIX.1-2024 XCU 3, basename. Oracle: GNU coreutils 9.1 (-a, -s and -z are GNU's).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.operands import last_component
from sandhook.command.options import UsageError, opt, option_set

PERMUTE = False


@option_set
class Options:
    """basename NAME [SUFFIX]
      or:  basename OPTION... NAME...

    Print each NAME without its leading directories, and without SUFFIX if it
    ends in SUFFIX and is longer.
    """

    all_: bool = opt("-a", "--multiple", "treat every operand as a NAME")
    suffix: str | None = opt("-s", "--suffix", "SUFFIX", "remove SUFFIX; implies -a")
    zero: bool = opt("-z", "--zero", "end each line with NUL instead of a newline")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0; a name need not exist, because no file is accessed."""
    if not operands:
        raise UsageError("missing operand")
    names, suffix = operands, options.suffix or ""
    if not (options.all_ or options.suffix is not None):
        if len(operands) > 2:
            raise UsageError(f"extra operand '{operands[2]}'")
        names, suffix = operands[:1], "".join(operands[1:])
    end = b"\0" if options.zero else b"\n"
    for name in names:
        ctx.charge()
        base = last_component(name)
        if base != suffix and base != "/":
            base = base.removesuffix(suffix)
        ctx.write(base.encode("utf-8", "surrogateescape") + end)
    return 0
