"""dirname: print the directory part of names.

Source: POSIX.1-2024 XCU 3, dirname. Oracle: GNU coreutils 9.1 (several names and -z are GNU's).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, opt, option_set


@option_set
class Options:
    """dirname [OPTION] NAME...

    Print each NAME without its last component; "." when it has no slash.
    """

    zero: bool = opt("-z", "--zero", "end each line with NUL instead of a newline")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0; no file is accessed."""
    if not operands:
        raise UsageError("missing operand")
    end = b"\0" if options.zero else b"\n"
    for name in operands:
        ctx.charge()
        ctx.write(directory_part(name).encode("utf-8", "surrogateescape") + end)
    return 0


def directory_part(name: str) -> str:
    """Return a name without its last component, as dirname(3) does."""
    stripped = name.rstrip("/")
    if not stripped:
        return name[:1] or "."
    parent, slash, _ = stripped.rpartition("/")
    return parent.rstrip("/") or "/" if slash else "."
