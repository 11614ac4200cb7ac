"""false: do nothing, unsuccessfully.

Source: POSIX.1-2024 XCU 3, false. Oracle: bash 5.2's built-in.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import option_set

RAW = True  # arguments are ignored
INFORMS = False


@option_set
class Options:
    """false [ignored command line arguments]
      or:  false OPTION

    Do nothing, unsuccessfully. Every ARGUMENT is ignored.
    """


def run(options: None, operands: Sequence[str], ctx: Context) -> int:
    """Return 1."""
    return 1
