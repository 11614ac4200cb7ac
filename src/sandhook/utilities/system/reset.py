"""reset: make a terminal usable again: there is none.

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

    Refused, as everywhere without a terminal.
    """

    keep: bool = opt("-c", help="set control characters")
    quiet: bool = opt("-I", help="send no strings to the terminal")
    say: bool = opt("-Q", help="do not print control characters")
    kind: bool = opt("-r", help="print the kind of terminal")
    erase: str | None = opt("-e", "LETTER", "the letter that erases one")
    interrupt: str | None = opt("-i", "LETTER", "the letter that interrupts")
    kill: str | None = opt("-k", "LETTER", "the letter that erases a line")
    mapping: tuple[str, ...] = opt("-m", "MAPPING", "which terminal a kind of line has", append=True)
    only_say: bool = opt("-q", help="print the kind of terminal, and change nothing")
    shell: bool = opt("-s", help="print commands of a shell")
    window: bool = opt("-w", help="set the size of the window")


def run(_: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 10: there is no terminal."""
    raise Failure("terminal attributes: No such device or address\n", _NO_TERMINAL)
