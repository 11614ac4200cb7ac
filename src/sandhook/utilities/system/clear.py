"""clear: clear a terminal's screen.

Oracle: ncurses 6.4, for terminals of the xterm family; nothing is printed for others.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, opt, option_set
from sandhook.utilities.system.tput import is_known, is_smart


@option_set
class Options:
    """clear [-x] [-T TERM]

    Clear the screen and the lines that were scrolled off it.
    """

    terminal: str | None = opt("-T", "TERM", "the kind of terminal, instead of $TERM")
    keep: bool = opt("-x", help="keep the lines that were scrolled off")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 for a terminal that is unknown or cannot be cleared."""
    if operands:
        raise UsageError(f"extra operand '{operands[0]}'")
    if options.terminal is None and "TERM" not in ctx.environment:
        ctx.write_error("TERM environment variable not set.\n")
        return 1
    terminal = options.terminal if options.terminal is not None else ctx.environment.get("TERM", "")
    if not is_known(terminal):
        ctx.write_error(f"'{terminal}': unknown terminal type.\n")
        return 1
    if not is_smart(terminal):
        return 1
    ctx.write(b"\033[H\033[2J" + (b"" if options.keep else b"\033[3J"))
    return 0
