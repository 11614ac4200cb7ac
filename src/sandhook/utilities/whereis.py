"""whereis: print where programs are.

Oracle: util-linux 2.38. There are no manual pages and no sources; a built-in utility is in /usr/bin.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities._base import Context, UsageError, opt, option_set
from sandhook.utilities.which import SHELLS, is_program

_PLACES = ("/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/bin", "/sbin", "/opt/bin")


@option_set
class Options:
    """whereis [-bmsu] NAME...

    Print the programs of each NAME; directories and a suffix are taken off it first.
    """

    binaries: bool = opt("-b", help="programs")
    manuals: bool = opt("-m", help="manual pages: there are none")
    sources: bool = opt("-s", help="sources: there are none")
    unusual: bool = opt("-u", help="only names that have more than one entry")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when nothing was given."""
    from sandhook.utilities import UTILITIES

    chosen = options.binaries or options.manuals or options.sources
    if not operands and not (chosen or options.unusual):
        raise UsageError("not enough arguments")
    for operand in operands:
        ctx.charge()
        name = operand.rstrip("/").rpartition("/")[2]
        found = []
        if options.binaries or not chosen:
            for place in _PLACES:
                path = f"{place}/{name}"
                if is_program(path, ctx) or (place == "/usr/bin" and (name in UTILITIES or name in SHELLS)):
                    found.append(path)
        if not options.unusual or len(found) > 1:
            ctx.write_line(" ".join([f"{name}:", *found]))
    return 0
