"""busybox, toybox: run the utility that the first argument names.

Oracle: busybox 1.35. The utilities are those of this package, not busybox's own versions.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import Inform, also, opt, option_set, options_by_flag

RAW = True  # the first word is the name of a utility, even with a dash
_NOT_FOUND = 127
_SHELLS = ("ash", "bash", "dash", "sh")


@option_set
class Options:
    """busybox UTILITY [ARGUMENT]... | busybox --list

    Run UTILITY, or print the names of all utilities.
    """

    listing: bool = opt("--list", help="print the names of all utilities")
    inform: str = also(
        opt("--help", help="show this help", const="help"),
        opt("--version", help="show the version", const="version"),
    )


_OPTIONS = options_by_flag(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return the utility's status, or 127 if it does not exist."""
    from sandhook.utilities import is_utility, names

    option = _OPTIONS.get(arguments[0] if arguments else "--help")
    if option is not None and option.field == "inform":
        raise Inform(option.const)
    if option is not None and option.field == "listing":
        for name in sorted({*names(), *_SHELLS}):
            ctx.write_line(name)
        return 0
    if arguments[0] not in _SHELLS and not is_utility(arguments[0]):
        ctx.process.write_error(f"{arguments[0]}: applet not found\n".encode("utf-8", "surrogateescape"))
        return _NOT_FOUND
    return ctx.run_command(arguments)
