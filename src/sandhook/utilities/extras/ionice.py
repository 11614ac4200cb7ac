"""ionice: run a command with an I/O scheduling class, which has no effect on virtual processes.

Oracle: util-linux 2.38. Divergence: L-NICE-001, as for nice.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import VERSION, opt, option_set

PERMUTE = False
_CLASSES = ("none", "realtime", "best-effort", "idle")


def _class(text: str) -> int:
    name = text.lower()
    if name in _CLASSES:
        return _CLASSES.index(name)
    if not (text.isascii() and text.isdigit()):
        raise Failure(f"unknown scheduling class: '{text}'")
    return int(text[:9])


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise Failure(f"invalid class data argument: '{text}'")
    return int(text)


def _process_number(text: str) -> str:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise Failure(f"invalid PID argument: '{text}'")
    return text


@option_set
class Options:
    """ionice [-c CLASS] [-n LEVEL] [-t] COMMAND [ARGUMENT]... | ionice -p PID...

    Run COMMAND; or print the class of processes.
    """

    class_: int | None = opt(
        "-c", "--class", "CLASS", "none, realtime, best-effort, idle, or 0 to 3", convert=_class
    )
    level: int | None = opt("-n", "--classdata", "LEVEL", "0 to 7", convert=_number)
    pid: str | None = opt("-p", "--pid", "PID", "a process", convert=_process_number)
    group: str | None = opt("-P", "--pgid", "PID", "the processes of a group", convert=_process_number)
    user: str | None = opt("-u", "--uid", "USER", "the processes of a user", convert=_process_number)
    ignore: bool = opt("-t", "--ignore", help="ignore failures", ignored="")
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the command's status; 126 and 127 when it cannot be run or found."""
    if (options.class_ or 0) >= len(_CLASSES):
        ctx.error(f"unknown prio class {options.class_}")
    if operands and not (options.pid or options.group or options.user):
        return ctx.run_command(operands, "failed to execute {}", in_place=True)
    if options.class_ is None and options.level is None:
        for _ in operands if operands and options.pid is None else ("", *operands):
            ctx.write_line("none: prio 0")
    return 0
