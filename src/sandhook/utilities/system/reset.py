"""reset: make a terminal usable again. It is an error, because there is no terminal.

Oracle: ncurses 6.4, without a terminal.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import opt, option_set

_NO_TERMINAL = 10


@option_set
class Options:
    """reset [OPTION]... [TERMINAL]

    Not available, because there is no terminal.
    """

    keep: bool = opt("-c", help="set control characters", ignored="")
    quiet: bool = opt("-I", help="send no strings to the terminal", ignored="")
    quiet_control: bool = opt("-Q", help="do not print control characters", ignored="")
    kind: bool = opt("-r", help="print the kind of terminal", ignored="")
    erase: str | None = opt("-e", "LETTER", help="the letter that erases one", ignored="")
    interrupt: str | None = opt("-i", "LETTER", help="the letter that interrupts", ignored="")
    kill: str | None = opt("-k", "LETTER", help="the letter that erases a line", ignored="")
    mapping: tuple[str, ...] = opt(
        "-m", "MAPPING", help="which terminal a kind of line has", append=True, ignored=""
    )
    print_kind: bool = opt("-q", help="print the kind of terminal, and change nothing", ignored="")
    shell: bool = opt("-s", help="print commands of a shell", ignored="")
    window: bool = opt("-w", help="set the size of the window", ignored="")


def run(_: Options, operands: Sequence[str], ctx: Context) -> int:
    """Raise Failure with status 10."""
    raise Failure("terminal attributes: No such device or address\n", _NO_TERMINAL)
