"""timeout: run a command, and send it a signal when it takes too long.

Oracle: GNU coreutils 9.1 (also in POSIX.1-2024). The time is virtual: a command that sleeps too long is ended at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from greenlet import getcurrent

from sandhook.command.context import Context
from sandhook.command.durations import interval
from sandhook.command.options import UsageError, opt, option_set
from sandhook.kernel.process import Process
from sandhook.kernel.signals import NAMES, SIGKILL, SIGTERM, UtilityTerminated, parse_signal

PERMUTE = False
USAGE_STATUS = 125

TIMED_OUT = 124
_NOT_STARTED = "failed to run command '{}'"


@option_set
class Options:
    """timeout [OPTION] DURATION COMMAND [ARG]...
      or:  timeout [OPTION]

    Run COMMAND, and send it TERM if it still runs after DURATION (seconds, or with m, h, d).
    """

    foreground: bool = opt("--foreground", help="run COMMAND in the process group of timeout")
    kill_after: str | None = opt("-k", "--kill-after", "DURATION", "send KILL this long after the signal")
    preserve: bool = opt("--preserve-status", "return COMMAND's status even after a timeout")
    signal: str | None = opt("-s", "--signal", "SIGNAL", "the signal to send")
    verbose: bool = opt("-v", "--verbose", "report the signal on standard error")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the command's status, or 124 after a timeout; 125 when timeout itself fails."""
    signal = SIGTERM
    if options.signal is not None:
        number = 0 if options.signal in ("0", "EXIT") else parse_signal(options.signal)
        if number is None:
            raise UsageError(f"'{options.signal}': invalid signal")
        signal = number
    kill_after = _duration(options.kill_after) if options.kill_after is not None else 0.0
    if len(operands) < 2:
        ctx.error_hint()
        return USAGE_STATUS
    seconds = _duration(operands[0])
    command = list(operands[1:])
    ctx.flush()
    watch = _Watch(ctx, command[0], seconds, kill_after, signal, options.verbose)
    child = ctx.process.fork()
    if not options.foreground:
        child.group = child.pid
    if seconds:
        watch.start()
    try:
        ended = ctx.run(command, process=child)
    finally:
        watch.stop()
    if ended.not_started is not None:
        ctx.report_not_started(command[0], ended.not_started, _NOT_STARTED)
    killed = watch.killed or (watch.fired and signal == SIGKILL)
    if killed and not options.foreground:
        raise UtilityTerminated(SIGKILL, child.pid)  # it is in the group that it sends the signal to
    if not watch.fired and ended.signal:
        raise UtilityTerminated(ended.signal, child.pid)
    if not watch.fired or options.preserve:
        return ended.status
    return 128 + SIGKILL if killed else TIMED_OUT


def _duration(text: str) -> float:
    seconds = interval(text)
    if seconds is None:
        raise UsageError(f"invalid time interval '{text}'")
    return seconds


class _Watch:
    """A task that wakes after its time, or at the end of the command."""

    def __init__(
        self, ctx: Context, name: str, seconds: float, kill_after: float, signal: int, verbose: bool
    ) -> None:
        self.ctx = ctx
        self.name = name
        self.seconds = seconds
        self.kill_after = kill_after
        self.signal = signal
        self.verbose = verbose
        self.earlier_pids = set(ctx.kernel.processes)
        self.task: Any = None
        self.done = False
        self.fired = False
        self.killed = False

    def start(self) -> None:
        self.ctx.kernel.scheduler.spawn(self._body, None)

    def stop(self) -> None:
        """End the watch, because the command has ended."""
        self.done = True
        if self.task is not None:
            self.ctx.kernel.scheduler.wake(self.task)

    def _body(self) -> None:
        self.task = getcurrent()
        if self._wait(self.seconds):
            self.fired = True
            self._send(self.signal)
            if self.kill_after and self._wait(self.kill_after):
                self.killed = True
                self._send(SIGKILL)

    def _wait(self, seconds: float) -> bool:
        """Wait; return False when the command ends earlier."""
        scheduler, budget = self.ctx.kernel.scheduler, self.ctx.budget
        deadline = budget.elapsed() + seconds
        scheduler.alarm(seconds)
        while not self.done:
            if budget.elapsed() >= deadline:
                return True
            scheduler.block()
        return False

    def _send(self, signal: int) -> None:
        """Send a signal to the command and all its children, as to a process group."""
        if self.verbose:
            self.ctx.error(f"sending signal {NAMES[signal]} to command '{self.name}'")
        for process in self._descendants():
            process.kill(signal)

    def _descendants(self) -> list[Process]:
        """Return the process of the command and those that it has started."""
        pids = {self.ctx.process.pid}
        descendants = []
        for pid, process in sorted(self.ctx.kernel.processes.items()):
            if pid not in self.earlier_pids and process.parent_pid in pids:
                pids.add(pid)
                descendants.append(process)
        return descendants
