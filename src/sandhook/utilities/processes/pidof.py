"""pidof: print the numbers of the processes that run a program.

Oracle: sysvinit-utils 3.06. The processes are the run's own.
Divergence: L-PS-001, a utility that a shell waits for is the shell's process.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import opt, option_set
from sandhook.utilities.processes.listed import Row, listed


@option_set
class Options:
    """pidof [OPTION]... PROGRAM...

    Print the numbers of the processes that run a PROGRAM, the newest first.
    """

    single: bool = opt("-s", help="only one of them")
    scripts: bool = opt("-x", help="shells that run a script of the name, too")
    root: bool = opt("-c", ignored="all processes have one root directory")
    zombies: bool = opt("-z", ignored="there are no processes that cannot end")
    no_stat: bool = opt("-n", ignored="there is no network file system")
    quiet: bool = opt("-q", help="print nothing")
    separator: str = opt("-d", "-S", "TEXT", "what stands between numbers (a blank)", default=" ")
    omitted: tuple[str, ...] = opt(
        "-o", "PID", "leave out this process; %PPID: the shell that asks", append=True
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 when there is one, else 1."""
    omitted = {
        number
        for text in options.omitted
        for number in text.replace("%PPID", str(ctx.process.pid)).split(",")
    }
    wanted = {name.rpartition("/")[2] for name in operands}
    found = [
        row.pid
        for row in listed(ctx, itself=False)
        if _runs(row, wanted, options) and str(row.pid) not in omitted
    ]
    found.reverse()
    if options.single:
        del found[1:]
    if found and not options.quiet:
        ctx.write_line(options.separator.join(map(str, found)))
    return 0 if found else 1


def _runs(row: Row, wanted: set[str], options: Options) -> bool:
    argvs = [row.argv, row.utility] if row.utility else [row.argv]
    for argv in argvs:
        if argv[0].rpartition("/")[2] in wanted:
            return True
        if options.scripts and len(argv) > 1 and argv[1].rpartition("/")[2] in wanted:
            return True
    return False
