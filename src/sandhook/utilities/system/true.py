"""true: do nothing, successfully.

Source: POSIX.1-2024 XCU 3, true. Oracle: GNU coreutils 9.1; the built-in of bash is not this one.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import inform_alone, option_set

RAW = True  # arguments are ignored
INFORMS = False  # --help and --version inform only if they are the one argument


@option_set
class Options:
    """true [ignored command line arguments]
      or:  true OPTION

    Do nothing, successfully. Every ARGUMENT is ignored.
    """


def run(options: None, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    inform_alone(operands)
    return 0
