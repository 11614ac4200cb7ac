"""The processes of a run as ps and pgrep list them."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.kernel.process import Process

#: The characters of a command's name that Linux keeps.
NAME_LENGTH = 15

_YIELDS = 3  #: before the processes are listed, so that new ones have started their programs


class Row:
    """One process.

    Attributes:
        argv: Its program and arguments.
        process: The process itself.
        sleeping: It is not the process that lists the others.
        utility: The program and arguments of the utility that this shell waits for.
    """

    __slots__ = ("argv", "parent", "pid", "process", "sleeping", "utility")

    def __init__(
        self, process: Process, argv: Sequence[str], *, sleeping: bool = True, utility: Sequence[str] = ()
    ) -> None:
        self.process = process
        self.utility = utility
        self.pid = process.pid
        self.parent = process.parent_pid
        self.argv = list(argv) or ["bash"]
        self.sleeping = sleeping

    @property
    def name(self) -> str:
        """The command's name."""
        return self.argv[0].rpartition("/")[2][:NAME_LENGTH] or self.argv[0][:NAME_LENGTH]

    @property
    def arguments(self) -> str:
        """The command line."""
        return " ".join(self.argv).replace("\n", " ")


def process_rows(ctx: Context, *, include_caller: bool) -> list[Row]:
    """Return the processes of the run, in the order of their numbers.

    A utility that a shell waits for runs in the shell's process. For the calling utility there is an additional row, so
    that it is its shell's child, as on other systems.

    Args:
        include_caller: Include the calling process.
    """
    for _ in range(_YIELDS):
        ctx.kernel.scheduler.yield_to_others()
    caller = ctx.process
    rows = []
    for process in sorted(ctx.kernel.processes.values(), key=lambda each: each.pid):
        ctx.charge()
        if process is not caller:
            rows.append(Row(process, process.argv, utility=process.utility))
        elif caller.utility:
            rows.append(Row(caller, caller.argv))
        elif include_caller:
            rows.append(Row(caller, caller.argv, sleeping=False))
    if include_caller and caller.utility:
        child = caller.fork()
        rows.append(Row(child, caller.utility, sleeping=False))
        child.end(0)
    return rows
