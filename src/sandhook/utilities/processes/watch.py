"""watch: run a command again and again on a full screen: refused, as there is no screen.

Oracle: procps 4.0. Divergence: L-WATCH-001.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import option_set

RAW = True


@option_set
class Options:
    """watch [OPTION]... COMMAND

    Refused: nobody would see the screen, and it would never end. Use a loop with sleep.
    """


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 1: it is not offered."""
    raise Failure("not available: there is no terminal; use a loop with sleep")
