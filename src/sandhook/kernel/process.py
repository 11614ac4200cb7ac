"""Processes of the virtual kernel, and the kernel that owns them.

A Process is what POSIX calls one: an id, a parent, descriptors, a working directory, a
umask, pending signals, an exit status. It carries no shell state; that is ``state.State``.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from time import time
from types import MappingProxyType

from greenlet import GreenletExit, getcurrent

from sandhook.kernel.descriptor import Description, File, Null, NullInput
from sandhook.kernel.devices import device_stream
from sandhook.kernel.failure import CommandFailure
from sandhook.kernel.pipe import Duplex, Pipe, PipeReader, PipeWriter, open_end
from sandhook.kernel.scheduler import Scheduler, Task
from sandhook.kernel.settings import Settings
from sandhook.kernel.signals import (
    IGNORED_BY_DEFAULT,
    SIGCHLD,
    SIGINT,
    SIGKILL,
    SIGPIPE,
    STOPPING,
    BrokenPipe,
    Terminated,
    UtilityTerminated,
)
from sandhook.limits import Budget, Limits
from sandhook.typed import TYPE_CHECKING
from sandhook.vfs.base import Device, FileSystem
from sandhook.vfs.errors import fs_error
from sandhook.vfs.path import VirtualPath, join

if TYPE_CHECKING:
    from sandhook.kernel.locks import Locks
    from sandhook.kernel.outside import NetworkAccess, Outside
    from sandhook.kernel.shown import Shown

FIRST_PID = 1000

#: The sandbox's only user, and its group.
USER_ID = 1000

#: How often a fork yields to other processes when there are too many (a count).
FORK_RETRIES = 4
_DEFAULT_SETTINGS = Settings()
_NO_LIMITS: Mapping[tuple[str, bool], int | None] = MappingProxyType({})
_NO_ENVIRONMENT: Mapping[str, str] = MappingProxyType({})


class Process:
    """One virtual process.

    Attributes:
        descriptors: Number to open file description; each entry holds one reference.
        status: Exit status once ``done``; 128 + n after a signal.
        pending: Signals that were sent and not delivered yet.
        caught: Signals that have a trap; those with an empty trap are in ``ignored``.
        on_signal: Called with the number of a caught signal at the next safe point.
        blocked: The waiting task of this process, if any.
        signal_target: The process that receives this one's signals: the last one of a background pipeline.
        argv: The arguments of the shell, or of the utility that replaced it; () stands for "bash".
        group_signal: A signal that the whole process group received, so that it also ends the utility; 0 for no signal.
        utility: The utility that the shell runs and waits for; on a real system it would be a process.
        environment: The variables that the shell began with.
        niceness: The value that ``nice`` prints; it does not affect scheduling.
        group: The number of its process group. A job under ``set -m`` and ``setsid`` begin new ones.
        foreground_child: The child that runs in the task of this process, which waits for it.
        resource_limits: The limits that ``ulimit`` has set: (letter, whether it is the hard limit) to the value
            in the unit of ``ulimit``, None for unlimited.
    """

    __slots__ = (
        "argv", "blocked", "caught", "cwd", "descriptors", "done", "environment", "foreground_child", "group", "group_signal",
        "ignored", "kernel", "niceness",
        "on_signal", "parent_pid", "pending", "pid", "resource_limits", "signal", "signal_target", "status", "umask",
        "utility", "waiters",
    )  # fmt: skip

    def __init__(
        self, kernel: Kernel, pid: int, parent_pid: int, descriptors: dict[int, Description], cwd: VirtualPath
    ) -> None:
        self.kernel = kernel
        self.pid = self.group = pid
        self.parent_pid = parent_pid
        self.descriptors = descriptors
        self.cwd = cwd
        self.umask = 0o022
        self.status = 0
        self.signal = self.group_signal = 0
        self.done = False
        self.pending: list[int] = []
        self.caught: set[int] = set()
        self.ignored: set[int] = set()
        self.on_signal: Callable[[int], None] | None = None
        self.blocked: Task | None = None
        self.signal_target: Process | None = None
        self.waiters: list[Task] = []
        self.argv: Sequence[str] = ()
        self.utility: Sequence[str] = ()
        self.environment: Mapping[str, str] = _NO_ENVIRONMENT
        self.niceness = 0
        self.foreground_child: Process | None = None
        self.resource_limits: Mapping[tuple[str, bool], int | None] = _NO_LIMITS

    # ------------------------------------------------------------------ descriptors

    def descriptor(self, number: int) -> Description:
        """Return the description of descriptor ``number``. Raises EBADF when it is closed."""
        description = self.descriptors.get(number)
        if description is None:
            raise fs_error(errno.EBADF)
        return description

    def install(self, number: int, description: Description) -> None:
        """Point ``number`` at ``description``; the descriptor now owns the reference.

        Raises:
            OSError: EMFILE. The standard streams always have room, so that a command can be started.
        """
        old = self.descriptors.get(number)
        if old is None and number > 2 and len(self.descriptors) >= self.kernel.limits.open_files:
            description.release()
            raise fs_error(errno.EMFILE)
        self.descriptors[number] = description
        if old is not None:
            old.release()

    def check_room(self, count: int) -> None:
        """Raise EMFILE if ``count`` more descriptors cannot be open."""
        if len(self.descriptors) + count > self.kernel.limits.open_files:
            raise fs_error(errno.EMFILE)

    def close(self, number: int) -> None:
        """Close a descriptor; closing one that is not open does nothing."""
        description = self.descriptors.pop(number, None)
        if description is not None:
            description.release()

    def free_descriptor(self, least: int = 10) -> int:
        """Return the lowest unused number that is at least ``least``."""
        while least in self.descriptors:
            least += 1
        return least

    def open(
        self,
        name: str,
        *,
        read: bool = True,
        write: bool = False,
        append: bool = False,
        create: bool = False,
        exclusive: bool = False,
        truncate: bool = False,
    ) -> Description:
        """Open ``name`` relative to the working directory and return a new description."""
        if name == "/dev/null":  # the name that scripts open most
            return Null() if write else NullInput()
        if not name:
            raise fs_error(errno.ENOENT)
        kernel = self.kernel
        handle = kernel.fs.open(
            join(self.cwd, name),
            read=read,
            write=write,
            create=create,
            exclusive=exclusive,
            truncate=truncate,
            mode=0o666 & ~self.umask,
        )
        if isinstance(handle, Device):
            return self._open_device(handle, read=read, write=write)
        if kernel.outside is not None:
            return kernel.outside.describe(handle, read=read, write=write, append=append)
        return File(handle, read=read, write=write, append=append)

    def write_error(self, data: bytes) -> None:
        """Write to standard error; does nothing when that is closed or not writable."""
        stderr = self.descriptors.get(2)
        if stderr is not None and stderr.writable:
            try:
                stderr.write(data)
            except OSError:
                return

    def _open_device(self, device: Device, *, read: bool, write: bool) -> Description:
        kind = device.kind
        stream = device_stream(kind, self.kernel.budget, write=write)
        if stream is not None:
            return stream
        if kind == "fifo":
            return self.kernel.open_fifo(device.key, read=read, write=write)
        number = {"stdin": 0, "stdout": 1, "stderr": 2, "fd": device.number}.get(kind)
        if number is None:
            raise fs_error(errno.ENXIO)
        shared = self.kernel.processes.get(device.key, self).descriptors.get(number)
        if shared is None:
            raise fs_error(errno.ENOENT)
        if read and write and isinstance(shared, (PipeReader, PipeWriter)) and shared.pipe.reopens:
            return Duplex(shared.pipe)
        shared.retain()
        return shared

    def shown(self) -> Shown:
        """Return what /proc shows to this process."""
        from sandhook.kernel.shown import Shown

        return Shown(self)

    # ------------------------------------------------------------------ life

    def fork(self) -> Process:
        """Return a child with the same descriptors, directory, umask and ignored signals."""
        kernel = self.kernel
        descriptors = self.descriptors.copy()
        for description in descriptors.values():
            description.references += 1
        child = kernel.new_process(self.pid, descriptors, self.cwd)
        child.group, child.umask, child.niceness = self.group, self.umask, self.niceness
        child.argv, child.environment = self.argv, self.environment
        child.resource_limits = self.resource_limits
        if self.ignored:
            child.ignored = self.ignored.copy()
        return child

    def start(self, body: Callable[[], int]) -> None:
        """Run ``body`` as the program of this process, in a new task; its result is the exit status."""
        self.kernel.scheduler.spawn(lambda: self.run(body), self)

    def run(self, body: Callable[[], int]) -> int:
        """Run ``body`` as this process in the current task, then end the process."""
        try:
            self.end(body() & 0xFF)
        except BrokenPipe:
            self.end(128 + SIGPIPE, SIGPIPE)
        except Terminated as death:
            self.end(128 + death.signal, death.signal)
        except GreenletExit:
            self.end(128 + SIGKILL, SIGKILL)
            raise
        return self.status

    def run_child(
        self, child: Process, body: Callable[[], int], *, signalled: bool, substitutes: bool = False
    ) -> int:
        """Run ``body`` as ``child``, which this process forked, in its task; return the exit status.

        Args:
            signalled: A signal that this process does not catch ends it immediately, not after the child.
            substitutes: The child is a command substitution, which does not keep SIGINT from the shell.
        """
        task = getcurrent()
        outer = task.process
        task.process = child
        if signalled:
            self.foreground_child = child
        try:
            return child.run(body)
        finally:
            task.process = outer
            self.foreground_child = None
            if self.pending:
                self._keep_pending(substitutes or child.signal == SIGINT)

    def _keep_pending(self, interrupts: bool) -> None:
        """Let the next step deliver what came while a child ran: the child's steps looked for its own signals."""
        if not interrupts and SIGINT not in self.caught:
            # a shell leaves it to the program that it waits for
            self.pending = [signal for signal in self.pending if signal != SIGINT]
        self.kernel.budget.yield_slice()

    def end(self, status: int, signal: int = 0) -> None:
        """Close all descriptors and wake the tasks that wait for the process."""
        if self.done:
            return
        self.done = True
        self.status = status
        self.signal = signal
        if signal:
            self.kernel.failure = CommandFailure(status, signal=signal)
        self.on_signal = None  # the state of a shell, which has the process
        descriptors, self.descriptors = self.descriptors, {}
        for description in descriptors.values():
            description.release()
        kernel = self.kernel
        kernel.processes.pop(self.pid, None)
        parent = kernel.processes.get(self.parent_pid)
        if parent is not None and parent.caught:
            parent.kill(SIGCHLD)
        if self.waiters:
            for task in self.waiters:
                kernel.scheduler.wake(task)
            self.waiters = []

    def wait(self) -> int:
        """Block until this process has ended; return its status."""
        while not self.done:
            self.waiters.append(getcurrent())
            self.kernel.scheduler.block()
        return self.status

    def take_over(self, other: Process) -> None:
        """Copy directory, umask and signal dispositions from the process of an earlier run."""
        self.cwd = other.cwd
        self.umask = other.umask
        self.caught = other.caught
        self.ignored = other.ignored

    # ------------------------------------------------------------------ signals

    def kill(self, signal: int, *, to_group: bool = False) -> None:
        """Send a signal, which takes effect at the next safe point; ``to_group``: also to the utility that runs."""
        if to_group and signal in self.caught:
            self.group_signal = signal
        if self.done or signal == 0 or signal in self.ignored:
            return
        if self.signal_target is not None and not self.signal_target.done:
            self.signal_target.kill(signal)
            return
        uncaught = signal not in self.caught
        if uncaught and (signal in IGNORED_BY_DEFAULT or signal in STOPPING):
            return
        self.pending.append(signal)
        self.kernel.budget.yield_slice()  # the next step checks clocks and signals
        if self.blocked is not None:
            self.kernel.scheduler.wake(self.blocked)
        elif uncaught and signal != SIGINT and self.foreground_child is not None and not self._runs_now():
            # tasks that wait for this process are woken now; its own task runs on to the end of the child
            self.end(128 + signal, signal)

    def _runs_now(self) -> bool:
        """Return True if the current task belongs to this process or to its foreground child."""
        process = getattr(getcurrent(), "process", None)
        while process is not None and process is not self:
            parent = self.kernel.processes.get(process.parent_pid)
            process = parent if parent is not None and parent.foreground_child is process else None
        return process is self

    def deliver(self) -> None:
        """Act on pending signals: run traps, or die by raising Terminated."""
        while self.pending:
            signal = self.pending.pop(0)
            if signal in self.caught and self.on_signal is not None and signal != SIGKILL:
                if signal == self.group_signal:
                    self.group_signal = 0
                    if self.utility:
                        self.pending.insert(0, signal)  # the trap of the shell runs after the utility
                        raise UtilityTerminated(signal)
                self.on_signal(signal)
            elif signal not in self.ignored:
                raise Terminated(signal)


class Kernel:
    """The objects that all processes of one run share: files, budget, scheduler, processes.

    Args:
        fs: The files of the run.
        limits: Bounds of the run.
        budget: The remaining part of the limits; all of them by default.
        network: The network that the caller allows the run to reach; None for no network.
        outside: The host where the run may reach it; None in a sandbox.
        settings: What the caller decides about programs.

    Attributes:
        failure: The last command that could not be started, or that a signal ended.
        cpu_seconds: Processor time of programs that have ended, in user mode and in the system.
        notes: Faults in scripts that were tolerated.
        numbered_pipes: The number of pipes whose status was asked for.
        user_id, group_id: The user and the group of the run, as ``$UID`` and ``id`` print them.
    """

    __slots__ = (
        "_fifos", "_later_pids", "_locks", "_next_pid", "budget", "cpu_seconds", "failure", "fs", "group_id",
        "limits", "network", "new_pipe", "notes", "numbered_pipes", "outside", "processes", "scheduler", "settings", "user_id",
    )  # fmt: skip

    def __init__(
        self,
        fs: FileSystem,
        limits: Limits,
        budget: Budget | None = None,
        *,
        network: NetworkAccess | None = None,
        outside: Outside | None = None,
        settings: Settings = _DEFAULT_SETTINGS,
    ) -> None:
        self.fs = fs
        self.limits = limits
        self.budget = budget or Budget(limits)
        self.processes: dict[int, Process] = {}
        self.network = network
        self.settings = settings
        self.outside = outside
        self.failure: CommandFailure | None = None
        self.notes: tuple[str, ...] = ()
        self.numbered_pipes = 0
        self.cpu_seconds = (0.0, 0.0)
        if outside is None:
            self.scheduler = Scheduler(self.budget)
            self.user_id = self.group_id = USER_ID
            self._next_pid, self._later_pids = FIRST_PID, 0
        else:
            self.scheduler = Scheduler(self.budget, outside.wait)
            self.user_id, self.group_id = outside.user
            self._next_pid, self._later_pids = outside.process_numbers
        self.new_pipe: Callable[[Scheduler], Pipe] = Pipe
        self._fifos: dict[int, Pipe] = {}
        self._locks: Locks | None = None

    def new_process(self, parent_pid: int, descriptors: dict[int, Description], cwd: VirtualPath) -> Process:
        """Return a new process. Raises LimitExceeded("processes") when too many are alive."""
        if len(self.processes) >= self.limits.processes:
            self._wait_for_room()
        pid = self._next_pid
        self._next_pid = max(pid + 1, self._later_pids)
        process = Process(self, pid, parent_pid, descriptors, cwd)
        self.processes[pid] = process
        return process

    def members(self, group: int) -> list[Process]:
        """Return the living processes of a process group."""
        return [process for process in self.processes.values() if process.group == group and not process.done]

    def close_descriptors(self) -> None:
        """Close what processes still have open after the run: one whose task never began could not close it."""
        for process in list(self.processes.values()):
            descriptors, process.descriptors = process.descriptors, {}
            for description in descriptors.values():
                description.release()

    def _wait_for_room(self) -> None:
        """Yield so that processes may end. Raises LimitExceeded when there are still too many."""
        for _ in range(FORK_RETRIES - 1):
            self.scheduler.yield_to_others()
            if len(self.processes) < self.limits.processes:
                return
        self.scheduler.yield_to_others()
        self.budget.fail("processes")

    def now(self) -> float:
        """Return the time that scripts see, in seconds since the epoch; sleeps move it."""
        return time() + self.budget.skipped

    def times(self) -> tuple[float, float, float]:
        """Return the seconds since the run began: real, in user mode, in the system.

        All tasks share one real process; all of its time except waiting counts as user mode. Programs of the
        host add their times when they end.
        """
        budget = self.budget
        real = budget.elapsed()
        user, system = self.cpu_seconds
        return real, max(0.0, real - budget.skipped - budget.waited) + user, system

    @property
    def locks(self) -> Locks:
        """The advisory locks on files (flock)."""
        if self._locks is None:
            from sandhook.kernel.locks import Locks

            self._locks = Locks()
        return self._locks

    def pipe(self) -> Pipe:
        """Return a new pipe; in host mode, one that programs of the host can use."""
        if self.outside is None:
            return self.new_pipe(self.scheduler)
        return self.outside.pipe()

    def open_fifo(self, key: int, *, read: bool, write: bool) -> Description:
        """Open a FIFO; blocks until the other end is open, unless it is opened for both reading and writing."""
        pipe = self._fifos.get(key)
        if pipe is None:
            pipe = self._fifos[key] = self.pipe()
        return open_end(pipe, read=read, write=write)
