"""man: print the --help of a command, because there are no manual pages.

Oracle: man-db 2.11 for the exit statuses. Divergence: L-MAN-001.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import opt, option_set

_NOT_FOUND = 16
_SECTIONS = frozenset(["1", "2", "3", "4", "5", "6", "7", "8", "9", "1p", "3p"])


@option_set
class Options:
    """man [SECTION] COMMAND...

    Print the synopsis and the options of COMMAND.
    """

    all_: bool = opt("-a", "--all", ignored="there is one page")
    pager: str | None = opt("-P", "--pager", "COMMAND", ignored="")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 16 for an unknown command."""
    from sandhook.command.inform import inform
    from sandhook.command.utility import Utility
    from sandhook.utilities import is_utility, load

    names = list(operands)
    section = names.pop(0) if names and names[0] in _SECTIONS else ""
    if not names:
        if section:
            raise Failure(f"No manual page requested in section {section}")
        ctx.process.write_error(b"What manual page do you want?\n")
        return 1
    status = 0
    for name in names:
        ctx.charge()
        if is_utility(name) and section in ("", "1", "1p", "8"):
            ctx.write(inform(Utility(load(name)), name, "help").encode())
            continue
        location = f" in section {section}" if section else ""
        ctx.write_error(f"No manual entry for {name}{location}\n")
        status = _NOT_FOUND
    return status
