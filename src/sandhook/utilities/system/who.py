"""who: print the users that are logged in, who do not exist here.

Source: POSIX.1-2024 XCU 3, who. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, opt, option_set


@option_set
class Options:
    """who [OPTION]... [ FILE | ARG1 ARG2 ]

    Print who is logged in. There are no users, so only headings and counts are printed.
    """

    heading: bool = opt("-H", "--heading", help="a line of headings")
    count: bool = opt("-q", "--count", help="names and their number")
    message: bool = opt("-T", "-w", "--mesg", "--message", "--writable", help="with the state of messages")
    idle: bool = opt("-u", "--users", help="with the time without input")
    all_: bool = opt("-a", "--all", help="as -b -d --login -p -r -t -T -u")
    boot: bool = opt("-b", "--boot", help="when the system began: not known", ignored="")
    dead: bool = opt("-d", "--dead", help="dead processes: not known")
    login: bool = opt("-l", "--login", help="login processes: not known", ignored="")
    own_terminal: bool = opt(
        "-m", help="the user of standard input's terminal: there is no terminal", ignored=""
    )
    process: bool = opt("-p", "--process", help="processes of init: not known", ignored="")
    level: bool = opt("-r", "--runlevel", help="the run level: not known", ignored="")
    short: bool = opt("-s", "--short", help="name, line and time (default)", ignored="")
    clock: bool = opt("-t", "--time", help="the last change of the clock: not known", ignored="")
    ips: bool = opt("--ips", help="addresses instead of names of hosts", ignored="")
    lookup: bool = opt("--lookup", ignored="")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if len(operands) > 2:
        raise UsageError(f"extra operand '{operands[2]}'")
    if options.count:
        ctx.write_line("\n# users=0")
    elif options.heading:
        state = "  " if options.message or options.all_ else ""
        idle = " IDLE          PID" if options.idle or options.all_ else ""
        exit_heading = "  EXIT" if options.dead or options.all_ else ""
        ctx.write_line(f"NAME   {state}  LINE         TIME        {idle} COMMENT{exit_heading}")
    return 0
