"""watch: run a command repeatedly on a full screen. It is an error, because there is no screen.

Oracle: procps 4.0. Divergence: L-WATCH-001.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import option_set

RAW = True  # every call is an error
INFORMS = False


@option_set
class Options:
    """watch [OPTION]... COMMAND

    Not available: there is no screen, and it would never end. Use a loop with sleep.
    """


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Raise Failure."""
    raise Failure("not available: there is no terminal; use a loop with sleep")
