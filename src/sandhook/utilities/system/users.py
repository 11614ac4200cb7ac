"""users: print the users that are logged in, who do not exist here.

Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, option_set


@option_set
class Options:
    """users [OPTION]... [FILE]

    Print the names of users that are logged in, according to FILE or the system's records.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, and print nothing."""
    if len(operands) > 1:
        raise UsageError(f"extra operand '{operands[1]}'")
    return 0
