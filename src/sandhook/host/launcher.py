"""Starts programs as processes of a run, waits for them, and reports their ends."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from greenlet import getcurrent

from sandhook.host import rlimits
from sandhook.host.children import Child, Spawn, Supervisor
from sandhook.host.convert import native_environment
from sandhook.host.files import HostFileSystem
from sandhook.host.inheritance import inherited_descriptors, inherited_environment
from sandhook.host.poller import Poller
from sandhook.host.streams import NullDevice, Streams
from sandhook.interp.external import is_all_of_process
from sandhook.interp.jobs import report_ended_jobs
from sandhook.interp.lookup import NOT_EXECUTABLE, NOT_FOUND, not_started
from sandhook.kernel.failure import CommandFailure
from sandhook.kernel.signals import SIGCHLD, Terminated
from sandhook.record import Record
from sandhook.vfs.errors import error_text

if TYPE_CHECKING:
    from sandhook.kernel.process import Kernel
    from sandhook.state.state import State


class Launch(Record):
    """A program to start.

    Fields:
        name: The command's name, for messages.
        executable: Native path of the program.
        argv: Its arguments; the first is its own name.
        environment: The whole environment; None for the variables and functions that the shell exports.
        command_line: The complete command line on Windows; "" quotes ``argv`` in the usual way.
    """

    name: str
    executable: str
    argv: Sequence[str]
    environment: Mapping[str, str] | None = None
    command_line: str = ""


class Launcher:
    """The programs of one run."""

    __slots__ = ("_fs", "_kernel", "_null", "_poller", "_running", "_supervisor")

    def __init__(self, kernel: Kernel, fs: HostFileSystem, poller: Poller, *, subreaper: bool) -> None:
        """``subreaper``: as for ``Supervisor``."""
        self._kernel = kernel
        self._fs = fs
        self._poller = poller
        self._supervisor = Supervisor(subreaper=subreaper)
        self._null = NullDevice()
        self._running = 0  # programs that run now: they count against Limits.processes

    def run(self, state: State, launch: Launch) -> int:
        """Start a program as the process of ``state``, wait for its end, and return its exit status.

        If the program does not start, bash's message is written.

        Raises:
            Terminated: A signal ended the program, and the process had nothing to do after it.
            LimitExceeded: There are too many processes.
        """
        kernel = self._kernel
        kernel.budget.charge(1)
        if self._running + len(kernel.processes) > kernel.limits.processes:
            kernel.budget.fail("processes")
        alone = is_all_of_process(state) and "EXIT" not in state.traps
        try:
            streams = Streams(
                inherited_descriptors(state), self._null, self._poller, kernel.scheduler, alone=alone
            )
        except OSError as error:
            return _print_start_error(state, launch.name, error)
        try:
            child = self._supervisor.start(self._spawn(state, launch, streams))
        except OSError as error:
            streams.close_output_ends()
            streams.finish()
            return _print_start_error(state, launch.name, error)
        self._attend(state, child, streams, alone=alone)
        return self._account(state, child)

    def _spawn(self, state: State, launch: Launch, streams: Streams) -> Spawn:
        process, environment = state.process, launch.environment
        return Spawn(
            executable=launch.executable,
            argv=tuple(launch.argv),
            env=native_environment(inherited_environment(state) if environment is None else environment),
            cwd=self._fs.native(process.cwd),
            files=streams.files,
            umask=process.umask,
            ignored=frozenset(process.ignored),
            limits=rlimits.limits_to_set(process.resource_limits),
            command_line=launch.command_line,
            may_lack_cwd=True,  # the script may have removed it
        )

    def _attend(self, state: State, child: Child, streams: Streams, *, alone: bool) -> None:
        """Copy the streams of a program until it has ended."""
        self._running += 1
        try:
            streams.close_output_ends()
            if alone:  # other processes see the end of a pipe only if no copy of the end is open here
                for number in streams.lent:
                    state.process.close(number)
            self._wait(state, child)
            streams.finish()
        except BaseException:
            streams.drop()
            raise
        finally:
            self._running -= 1

    def _wait(self, state: State, child: Child) -> None:
        """Wait until a child has ended. If the process only waits for the child, the child receives its signals.

        Handlers run after the child, as in bash: they may use what it has made.
        """
        scheduler, process = self._kernel.scheduler, state.process
        task = getcurrent()
        self._poller.ended(child, lambda: scheduler.wake(task))
        on_signal, caught = process.on_signal, list[int]()
        if on_signal is not None:
            process.on_signal = caught.append
        try:
            while child.status is None:
                try:
                    scheduler.block()
                except Terminated as death:
                    if not is_all_of_process(state):
                        raise
                    child.send(death.signal)
        finally:
            if not process.done:
                process.on_signal = on_signal
            if caught:
                process.pending[:0] = caught
                self._kernel.budget.yield_slice()  # the next step delivers them

    def _account(self, state: State, child: Child) -> int:
        """Record the times and the signal of a program that has ended; return its exit status."""
        user, system = self._kernel.cpu_seconds
        self._kernel.cpu_seconds = (user + child.user, system + child.system)
        if child.signal and is_all_of_process(state):
            raise Terminated(child.signal)  # the process was only this program
        if child.signal:
            state.execution.killed = child.pid, child.signal
        if state.process.caught:
            state.process.kill(SIGCHLD)
        if state.jobs is not None:
            report_ended_jobs(state)
        assert child.status is not None
        if child.signal:
            self._kernel.failure = CommandFailure(child.status, signal=child.signal)
        elif child.status in (NOT_FOUND, NOT_EXECUTABLE):
            # POSIX: what a shell, env or xargs exits with when its command cannot be started
            self._kernel.failure = CommandFailure(child.status, f"a program ended with status {child.status}")
        return child.status

    def close(self, *, grace: float) -> None:
        """End every process that the run started; ``grace``: seconds between an interrupt and the kill."""
        try:
            self._supervisor.end(grace=grace)
        finally:
            self._supervisor.close()
            self._null.close()


def _print_start_error(state: State, name: str, error: OSError) -> int:
    """Write bash's message for a program that did not start; return the exit status."""
    if error.errno == errno.ENOEXEC:
        text = "cannot execute binary file: Exec format error"
    elif error.errno == errno.ENOENT:
        text = "cannot execute: required file not found"
    else:
        text = error_text(error)
    status = NOT_FOUND if error.errno == errno.ENOENT else NOT_EXECUTABLE
    return not_started(state, status, f"{state.shell.where(state)}{name}: {text}")
