"""which: print the paths of commands.

Oracle: Debian's which (debianutils 5.7). A built-in utility is in /usr/bin. Divergence: L-WHICH-001, wrong options.
"""

from __future__ import annotations

import stat as bits
from collections.abc import Iterator, Sequence

from sandhook.command.context import Context
from sandhook.command.options import opt, option_set
from sandhook.command.utility import Whole

PERMUTE = False
USAGE_STATUS = 2
WRITE_ERROR = Whole("/usr/bin/which: 10: printf: printf: I/O error")  # Debian's is a script for dash
WRITE_STATUS = 1

#: The directories that are searched when PATH is unset.
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"

#: Shells, which are in the same directories as utilities.
SHELLS = frozenset({"ash", "bash", "dash", "sh"})


@option_set
class Options:
    """which [-a] COMMAND...

    Print the file that each COMMAND would run.
    """

    all_: bool = opt("-a", "print every match")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a command does not exist."""
    status = 0 if operands else 1
    for name in operands:
        ctx.charge()
        exists = False
        for place in _places(name, ctx):
            exists = True
            ctx.write_line(place)
            if not options.all_:
                break
        if not exists:
            status = 1
    return status


def _places(name: str, ctx: Context) -> Iterator[str]:
    from sandhook.utilities import is_utility

    if "/" in name:
        directory, _, base = name.rpartition("/")
        if is_program(name, ctx) or (
            directory in ("/bin", "/usr/bin") and (base in SHELLS or is_utility(base))
        ):
            yield name
        return
    if not name:
        return
    for directory in ctx.environment.get("PATH", DEFAULT_PATH).split(":"):
        place = f"{directory.rstrip('/') or ('' if directory else '.')}/{name}"
        if is_program(place, ctx) or (
            directory in ("/usr/bin", "/bin") and (name in SHELLS or is_utility(name))
        ):
            yield place


def is_program(name: str, ctx: Context) -> bool:
    """Return whether a name refers to an executable regular file."""
    path = ctx.path(name)
    try:
        return bits.S_ISREG(ctx.fs.stat(path).mode) and ctx.fs.access(path, 1)
    except OSError:
        return False
