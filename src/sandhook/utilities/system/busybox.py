"""busybox, toybox: run the utility that the first argument names.

Oracle: busybox 1.35. The utilities are those of this package, not busybox's own versions.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import Inform, option_set

RAW = True
_NOT_FOUND = 127
_SHELLS = ("ash", "bash", "dash", "sh")


@option_set
class Options:
    """busybox UTILITY [ARGUMENT]... | busybox --list

    Run UTILITY, or print the names of all utilities.
    """


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return the utility's status, or 127 if it does not exist."""
    from sandhook.utilities import is_utility, names

    if not arguments or arguments[0] in ("--help", "--version"):
        raise Inform(arguments[0][2:] if arguments else "help")
    if arguments[0] == "--list":
        for name in sorted({*names(), *_SHELLS}):
            ctx.write_line(name)
        return 0
    if arguments[0] not in _SHELLS and not is_utility(arguments[0]):
        ctx.process.write_error(f"{arguments[0]}: applet not found\n".encode("utf-8", "surrogateescape"))
        return _NOT_FOUND
    return ctx.run_command(arguments)
