"""clear: clear a terminal's screen.

Oracle: ncurses 6.4, for a terminal of the xterm family; others get nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities._base import Context, opt, option_set
from sandhook.utilities.tput import is_known, is_smart


@option_set
class Options:
    """clear [-x] [-T TERM]

    Write what clears the screen and what was scrolled off it.
    """

    terminal: str | None = opt("-T", "TERM", "the kind of terminal, instead of $TERM")
    keep: bool = opt("-x", help="leave what was scrolled off")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 for a terminal that nobody knows."""
    terminal = options.terminal if options.terminal is not None else ctx.environment.get("TERM", "")
    if not is_known(terminal):
        ctx.process.descriptor(2).write(
            f"'{terminal}': unknown terminal type.\n".encode("utf-8", "surrogateescape")
        )
        return 1
    if is_smart(terminal):
        ctx.write(b"\033[H\033[2J" + (b"" if options.keep else b"\033[3J"))
    return 0
