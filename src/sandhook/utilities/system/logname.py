"""logname: print the user's login name, which does not exist here.

Source: POSIX.1-2024 XCU 3, logname. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError, option_set


@option_set
class Options:
    """logname [OPTION]

    Print the user's login name.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Raise Failure, because there is no login."""
    if operands:
        raise UsageError(f"extra operand '{operands[0]}'")
    raise Failure("no login name")
