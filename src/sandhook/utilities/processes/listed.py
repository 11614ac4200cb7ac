"""The processes of a run as ps and pgrep show them."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.kernel.process import Process

#: Characters of a command's name that the kernel keeps.
NAME_LENGTH = 15

_TURNS = 3  #: that others get before they are listed, so that what was just started shows its name


class Row:
    """One process.

    Attributes:
        argv: What it runs.
        process: The process itself.
        waits: It sleeps, rather than being the one that asks.
        utility: What the shell that it is waits for.
    """

    __slots__ = ("argv", "parent", "pid", "process", "utility", "waits")

    def __init__(
        self, process: Process, argv: Sequence[str], *, waits: bool = True, utility: Sequence[str] = ()
    ) -> None:
        self.process = process
        self.utility = utility
        self.pid = process.pid
        self.parent = process.parent_pid
        self.argv = list(argv) or ["bash"]
        self.waits = waits

    @property
    def name(self) -> str:
        """The command's name."""
        return self.argv[0].rpartition("/")[2][:NAME_LENGTH] or self.argv[0][:NAME_LENGTH]

    @property
    def arguments(self) -> str:
        """The command line."""
        return " ".join(self.argv).replace("\n", " ")


def listed(ctx: Context, *, itself: bool) -> list[Row]:
    """Return the processes of the run, in the order of their numbers; ``itself``: the asking one, too.

    A utility that a shell waits for is the shell's process here; for the one that asks, a process is made up,
    so that it is its shell's child as elsewhere.
    """
    for _ in range(_TURNS):
        ctx.kernel.scheduler.yield_to_others()
    own = ctx.process
    rows = []
    for process in sorted(ctx.kernel.processes.values(), key=lambda each: each.pid):
        ctx.charge()
        if process is not own:
            rows.append(Row(process, process.argv, utility=process.utility))
        elif own.utility:
            rows.append(Row(own, own.argv))
        elif itself:
            rows.append(Row(own, own.argv, waits=False))
    if itself and own.utility:
        child = own.fork()
        rows.append(Row(child, own.utility, waits=False))
        child.end(0)
    return rows
