"""pidof: print the numbers of the processes that run a program.

Oracle: sysvinit-utils 3.06. The processes are the run's own.
Divergence: L-PS-001, a utility that a shell waits for is the shell's process.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import opt, option_set
from sandhook.utilities.processes.table import Row, process_rows


@option_set
class Options:
    """pidof [OPTION]... PROGRAM...

    Print the numbers of the processes that run a PROGRAM, the newest first.
    """

    single: bool = opt("-s", help="print only one number")
    scripts: bool = opt("-x", help="include shells that run a script called PROGRAM")
    root: bool = opt("-c", ignored="all processes have one root directory")
    zombies: bool = opt("-z", ignored="there are no zombies")
    no_stat: bool = opt("-n", ignored="there is no network file system")
    quiet: bool = opt("-q", help="print nothing")
    separator: str = opt("-d", "-S", "TEXT", "the text between numbers (a blank)", default=" ")
    omitted: tuple[str, ...] = opt(
        "-o", "PID", "leave out this process; %PPID is the calling shell", append=True
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 when there is such a process, otherwise 1."""
    omitted = {
        number
        for text in options.omitted
        for number in text.replace("%PPID", str(ctx.process.pid)).split(",")
    }
    programs = {name.rpartition("/")[2] for name in operands}
    pids = [
        row.pid
        for row in process_rows(ctx, include_caller=False)
        if _runs(row, programs, options) and str(row.pid) not in omitted
    ]
    pids.reverse()
    if options.single:
        del pids[1:]
    if pids and not options.quiet:
        ctx.write_line(options.separator.join(map(str, pids)))
    return 0 if pids else 1


def _runs(row: Row, programs: set[str], options: Options) -> bool:
    argvs = [row.argv, row.utility] if row.utility else [row.argv]
    for argv in argvs:
        if argv[0].rpartition("/")[2] in programs:
            return True
        if options.scripts and len(argv) > 1 and argv[1].rpartition("/")[2] in programs:
            return True
    return False
