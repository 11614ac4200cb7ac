"""Host: what a shell outside the sandbox may use of this machine, and one run on it.

The interpreter, its kernel and its tasks are those of the sandbox; here its questions about the world
outside are answered: where a command is, how it is started, how time passes. A command that is neither
function nor built-in is looked for in PATH, without the current directory unless PATH names it; a file that a
path names goes through ``dispatch``. Everything that a run started is ended with it.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from greenlet import getcurrent

from sandhook.dispatch import Program, Refused, Source, is_path, plan
from sandhook.host import rlimits
from sandhook.host.children import Child, Spawn, Supervisor
from sandhook.host.convert import machine_facts, native_arguments, native_environment
from sandhook.host.files import WINDOWS, HostFile, HostFileSystem, HostHandle, Special, translated
from sandhook.host.given import exported, inherited
from sandhook.host.poller import Poller
from sandhook.host.realpipe import RealPipe
from sandhook.host.signals import to_native
from sandhook.host.streams import HostStream, Streams
from sandhook.host.view import View
from sandhook.interp import lookup
from sandhook.interp.external import NOT_EXECUTABLE, NOT_FOUND, execute, run_own_shell
from sandhook.interp.jobs import report_ended_jobs
from sandhook.kernel.process import USER_ID, Kernel
from sandhook.kernel.signals import SIGCHLD, Terminated
from sandhook.record import Record
from sandhook.state.environment import exported_variables
from sandhook.vfs.errors import error_text
from sandhook.vfs.path import VirtualPath, join

if TYPE_CHECKING:
    from sandhook.kernel.descriptor import Description
    from sandhook.limits import Budget, Limits
    from sandhook.state.state import State

#: Process numbers of the shell's own tasks: above all that a host gives, so that nothing real is meant by one.
_FIRST_TASK = 1 << 23

#: Notes of one run that are kept.
_NOTES = 100

#: What Windows tries behind a name when PATHEXT says nothing.
_PATHEXT = ".COM;.EXE;.BAT;.CMD"


class Host(Record):
    """What a shell outside the sandbox may use of this machine, and how.

    Fields:
        prefer: Which utilities win: "machine" takes what PATH has and ours where it has none; "own" takes
            ours first. jq and all others are there either way. None is "machine", but "own" on Windows, where
            ``find`` and ``sort`` in PATH are others than scripts mean.
        executable_bit: A script named by a path needs permission to be executed, as for the kernel; without,
            as hooks want it, only to be read.
        own_shell: Scripts for bash or sh run in our shell: "never", where the machine has no such program
            ("missing"), or "always".
        extensions: What runs files without "#!" by the end of their name: {".py": ("python",)}.
        inherit: Standard input, output and error are this process's own.
        linger: Seconds that a run waits, when its script has ended, for processes that still hold its output.
        grace: Seconds between SIGINT and SIGKILL when a limit ends a run.
        subreaper: On Linux, let orphans of a run come to this process, so that even one that forgot its
            environment and left its session is found. For processes whose only work is this.
    """

    prefer: str | None = None
    executable_bit: bool = False
    own_shell: str = "missing"
    extensions: Mapping[str, Sequence[str]] = {}
    inherit: bool = False
    linger: float = 0.5
    grace: float = 0.2
    subreaper: bool = False


class HostWorld:
    """This machine as the world of a shell: ``Shell(world=HostWorld(Host()))``.

    Args:
        host: What may be used, and how.
        working: Native working directory, for the drive that "/" means on Windows.
    """

    def __init__(self, host: Host, working: str) -> None:
        if host.prefer is None:
            host = host._replace(prefer="own" if WINDOWS else "machine")
        if host.prefer not in ("machine", "own"):
            raise ValueError(f"host: prefer: wanted 'machine' or 'own', got {host.prefer!r}")
        if host.own_shell not in ("never", "missing", "always"):
            raise ValueError(
                f"host: own_shell: wanted 'never', 'missing' or 'always', got {host.own_shell!r}"
            )
        self.host = host
        self.fs = HostFileSystem(working)

    def begin(self, limits: Limits, budget: Budget, network: object | None) -> HostRun:
        """Begin a run on this machine."""
        return HostRun(self.host, self.fs, limits, budget, network)


class HostRun:
    """One run on this machine: its kernel, its processes, and the answers to what it asks."""

    __slots__ = (
        "_ended", "_fs", "_host", "_notes", "_nulls", "_pipes", "_poller", "_running", "_supervisor", "kernel",
    )  # fmt: skip

    def __init__(
        self, host: Host, fs: HostFileSystem, limits: Limits, budget: Budget, network: object | None
    ) -> None:
        self._host = host
        self._fs = fs
        self._poller = Poller()
        self._supervisor = Supervisor(subreaper=host.subreaper)
        self._notes: dict[str, None] = {}
        self._nulls: dict[int, int] = {}  # descriptors of the null device, by how they are open
        self._pipes: set[RealPipe] = set()  # that have descriptors
        self._ended = 0.0
        self._running = 0
        self.kernel = Kernel(fs, limits, budget, network=network, outside=self)

    @property
    def user(self) -> tuple[int, int]:
        """Numbers of the user and the group whose run it is."""
        if sys.platform == "win32":
            return USER_ID, USER_ID
        return os.getuid(), os.getgid()

    @property
    def process_numbers(self) -> tuple[int, int]:
        """The number of the first process, this one's, and the one from which all others count."""
        return os.getpid(), _FIRST_TASK

    def wait(self, seconds: float) -> object:
        """Wait for pipes and ends of programs, at most so long, and wake the tasks that they concern."""
        return self._poller.wait(seconds)

    def facts(self) -> Mapping[str, str]:
        """Return what a shell's variables say of the machine."""
        return machine_facts()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was tolerated in the scripts that ran, each once."""
        return tuple(self._notes)

    # ------------------------------------------------------------------ descriptors

    @property
    def inherits(self) -> bool:
        """Standard input, output and error are the host process's own."""
        return self._host.inherit

    def stream(self, number: int) -> Description:
        """Return one of those three."""
        return HostStream(
            number, self._poller, self.kernel.scheduler, read=not number, write=number > 0, owned=False
        )

    def describe(self, opened: object, *, read: bool, write: bool, append: bool) -> Description:
        """Return the description of what the file system opened; waits for a FIFO's other end."""
        assert isinstance(opened, HostHandle)
        if not isinstance(opened, Special):
            if append:
                _append(opened.fd)
            return HostFile(opened, read=read, write=write, append=append)
        fd = self._open_special(opened.path, read=read, write=write)
        return HostStream(fd, self._poller, self.kernel.scheduler, read=read, write=write)

    def pipe(self) -> RealPipe:
        """Return a new pipe, whose ends may be programs of the host."""
        return RealPipe(self.kernel.scheduler, self._poller, self._pipes)

    def connect(self, state: State, name: str) -> Description:
        """Open /dev/tcp/HOST/PORT or /dev/udp/HOST/PORT. Raises ShellError in bash's words."""
        from sandhook.host.sockets import open_connection

        scheduler = self.kernel.scheduler
        fd = open_connection(state, name, self._poller, scheduler)
        return HostStream(fd, self._poller, scheduler, read=True, write=True)

    def resource_limits(self, letter: str) -> tuple[int | None, int | None] | None:
        """Return the soft and the hard limit that ``ulimit -letter`` shows."""
        return rlimits.current(letter)

    def capacity(self, directory: VirtualPath) -> tuple[int, int, int, int]:
        """Return how much there is and how much is taken of a directory's file system: two bytes, two files."""
        return self._fs.capacity(directory)

    def _open_special(self, path: str, *, read: bool, write: bool) -> int:
        flags = os.O_RDWR if read and write else os.O_WRONLY if write else os.O_RDONLY
        if sys.platform == "win32":
            return os.open(path, flags)
        from sandhook.host.fifo import open_fifo

        flags |= os.O_CLOEXEC | os.O_NOCTTY
        try:
            if stat.S_ISFIFO(os.stat(path).st_mode) and read != write:  # noqa: PTH116
                return open_fifo(path, flags, self._poller, self.kernel.scheduler)
            fd = os.open(path, flags | os.O_NONBLOCK)
        except OSError as error:
            raise translated(error, self._fs.virtual(path)) from None
        os.set_blocking(fd, True)
        return fd

    def _null_device(self, flags: int = os.O_RDWR) -> int:
        if flags not in self._nulls:
            self._nulls[flags] = os.open(os.devnull, flags | getattr(os, "O_CLOEXEC", 0))
        return self._nulls[flags]

    def _closed_stream(self, number: int) -> int:
        """Return what a program gets that shall have no standard stream: using it fails with EBADF."""
        return self._null_device(os.O_RDONLY if number else os.O_WRONLY)

    # ------------------------------------------------------------------ lookup

    def search(self, state: State, name: str, path: str | None) -> lookup.Located | None:
        """Look a name without slash up in PATH: the file, and the utility when it is one of ours."""
        if is_path(name, WINDOWS):
            return name, None
        other: str | None = None
        for candidate, utility in self._places(state, name, path):
            if utility is not None:
                return candidate, utility
            if self._runs_by_name(state, candidate):
                return candidate, None
            if other is None:
                absolute = join(state.process.cwd, candidate)
                if self._fs.exists(absolute) and not self._fs.is_dir(absolute):
                    other = candidate
        return None if other is None else (other, None)

    def files(self, state: State, name: str, path: str | None) -> Iterator[str]:
        """Yield all that ``search`` could find, in order."""
        if is_path(name, WINDOWS):
            if self._runs_by_name(state, name):
                yield name
            return
        for candidate, utility in self._places(state, name, path):
            if utility is not None or self._runs_by_name(state, candidate):
                yield candidate

    def _places(self, state: State, name: str, path: str | None) -> Iterator[lookup.Located]:
        """Yield where a name may be, in the order of who wins; with the utility that stands there, if it is ours.

        Our utilities stand in the directories where a machine has its own; on Windows, which has no such
        directories, behind all of PATH.
        """
        ours = name in state.shell.commands.utilities or name in lookup.SHELLS
        first = ours and self._host.prefer == "own"
        if first and WINDOWS:
            yield f"/usr/bin/{name}", name
        for candidate in self._on_path(name, path):
            utility = lookup.utility_at(state, candidate) if first else None
            yield candidate, utility
        if not ours or first:
            return
        for candidate in lookup.candidates(path, name):
            if lookup.utility_at(state, candidate) is not None and not self._runs_by_name(state, candidate):
                yield candidate, name
        if WINDOWS:
            yield f"/usr/bin/{name}", name

    def _on_path(self, name: str, path: str | None) -> Iterator[str]:
        """Yield where PATH may have a name: on Windows behind each extension, too."""
        if not name:
            return
        for candidate in lookup.candidates(path, name):
            if not WINDOWS:
                yield candidate
                continue
            known = (os.environ.get("PATHEXT") or _PATHEXT).lower().split(";")
            if os.path.splitext(name)[1].lower() in known:  # noqa: PTH122
                yield candidate
            else:
                yield from (candidate + extension for extension in known if extension)
                yield candidate  # a script without extension

    def _runs_by_name(self, state: State, candidate: str) -> bool:
        if not WINDOWS:
            return lookup.is_executable(state, candidate)
        path = join(state.process.cwd, candidate)
        if not self._fs.exists(path) or self._fs.is_dir(path):
            return False
        return "." in candidate.rpartition("/")[2] or self._head(path)[:2] in (b"#!", b"MZ")

    def _programs(self, state: State, name: str) -> Iterator[str]:
        """Yield the files in PATH that a name may be run as."""
        for candidate in self._on_path(name, state.get("PATH")):
            if self._runs_by_name(state, candidate):
                yield candidate

    def _head(self, path: VirtualPath) -> bytes:
        try:
            handle = self._fs.open(path)
        except OSError:
            return b""
        try:
            return handle.read_at(0, 2) if isinstance(handle, HostHandle) else b""
        finally:
            if isinstance(handle, HostHandle):
                handle.close()

    def may_run(self, state: State, path: str) -> bool:
        """Tell whether ``run_file`` would run a path, going by permissions alone."""
        if self._host.executable_bit:
            return lookup.is_executable(state, path)
        absolute = join(state.process.cwd, path)
        return self._fs.exists(absolute) and not self._fs.is_dir(absolute)

    # ------------------------------------------------------------------ running

    def run_file(self, state: State, path: str, argv: Sequence[str], shell: str) -> int:
        """Run a file of the host: a program, or a script by its interpreter; report what fails."""
        runtime = state.shell
        machine = View(self._fs, state, self._programs)
        name = self._fs.native(join(state.process.cwd, path)) if WINDOWS else path
        environment = exported_variables(state)
        given = native_arguments(argv, environment)
        found = plan(
            name,
            given if argv[0] == path else [path, *given[1:]],
            machine,
            extensions=self._host.extensions,
            executable_bit=self._host.executable_bit,
            own_shell=self._host.own_shell,
            environment=environment,
            native=self._fs.native if WINDOWS else None,
        )
        if isinstance(found, Refused):
            runtime.error(state, found.message)
            return found.status
        if isinstance(found, Program):
            return self._start(state, path, found.executable, given, found.command_line)
        for note in found.notes:
            if len(self._notes) < _NOTES:
                self._notes[note] = None
        if isinstance(found, Source):
            before = found.argv[1 : len(found.argv) - len(argv) + 1]  # the script's own arguments follow
            words = [path if found.path == name else found.path, *before, *argv[1:]]
            return self._run_source(state, found, words, shell)
        return self._start(
            state, path, found.executable, found.argv, found.command_line, environment=found.environment
        )

    def _run_source(self, state: State, found: Source, words: Sequence[str], shell: str) -> int:
        """Run a script in a shell of ours."""
        runtime = state.shell
        argv = [found.shell if found.shell == "sh" else shell, *found.options, *words]
        if found.environment is None:
            return run_own_shell(runtime, state, argv)
        return execute(runtime, state, argv, found.environment, file=f"/usr/bin/{argv[0]}", caller="env")

    def _start(
        self,
        state: State,
        path: str,
        executable: str,
        argv: Sequence[str],
        command_line: str = "",
        *,
        environment: Mapping[str, str] | None = None,
    ) -> int:
        """Start a program as the process of ``state``, wait for its end, and return its status."""
        process = state.process
        kernel = self.kernel
        kernel.budget.charge(1)
        if self._running + len(kernel.processes) > kernel.limits.processes:
            kernel.budget.fail("processes")
        last = _dedicated(state) and "EXIT" not in state.traps
        try:
            streams = Streams(
                inherited(state),
                self._null_device,
                self._closed_stream,
                self._poller,
                kernel.scheduler,
                last=last,
            )
        except OSError as error:
            return self._report(state, path, error)
        try:
            child = self._supervisor.start(
                Spawn(
                    executable,
                    tuple(argv),
                    native_environment(exported(state) if environment is None else environment),
                    self._fs.native(process.cwd),
                    streams.files,
                    process.umask,
                    frozenset(process.ignored),
                    rlimits.chosen(process.resource_limits),
                    command_line,
                )
            )
        except OSError as error:
            streams.started()
            streams.finish()
            return self._report(state, path, error)
        self._running += 1
        try:
            streams.started()
            if last:  # only the program holds its ends of pipes now, and others learn when it closes them
                for number in streams.lent:
                    process.close(number)
            self._wait(state, child)
            streams.finish()
        except BaseException:
            streams.drop()
            raise
        finally:
            self._running -= 1
        user, system = kernel.spent
        kernel.spent = (user + child.user, system + child.system)
        if child.signal and _dedicated(state):
            raise Terminated(child.signal)  # the process was the program, and ended as it did
        if child.signal:
            state.execution.killed = child.pid, child.signal
        if process.caught:
            process.kill(SIGCHLD)
        if state.jobs is not None:
            report_ended_jobs(state)
        assert child.status is not None
        return child.status

    def _wait(self, state: State, child: Child) -> None:
        """Wait until a child has ended; signals for a process that it is all of go to it."""
        scheduler = self.kernel.scheduler
        me = getcurrent()
        self._poller.ended(child, lambda: scheduler.wake(me))
        while child.status is None:
            try:
                scheduler.block()
            except Terminated as death:
                if not _dedicated(state):
                    raise
                child.send(death.signal)

    def _report(self, state: State, path: str, error: OSError) -> int:
        """Say why a program did not start, in bash's words."""
        if error.errno == errno.ENOEXEC:
            text = "cannot execute binary file: Exec format error"
        elif error.errno == errno.ENOENT:
            text = "cannot execute: required file not found"
        else:
            text = error_text(error)
        state.shell.error(state, f"{path}: {text}")
        return NOT_FOUND if error.errno == errno.ENOENT else NOT_EXECUTABLE

    def kill(self, pid: int, signal: int) -> None:
        """Send a signal to a process of the host. Raises OSError."""
        try:
            os.kill(pid, signal if WINDOWS else to_native(signal))
        except OSError as error:
            raise translated(error) from None

    # ------------------------------------------------------------------ the end

    def lingers(self) -> bool:
        """Tell whether to wait on for those who hold the run's output; asked when the script has ended."""
        now = monotonic()
        if not self._ended:
            self._ended = now
        return now - self._ended < self._host.linger

    def close(self, *, ended: bool) -> None:
        """End what is left of the run's processes; a limit's victims get a moment to clean up."""
        try:
            self._supervisor.end(grace=0.0 if ended else self._host.grace)
        finally:
            self._supervisor.close()
            for pipe in list(self._pipes):
                pipe.close()
            self._poller.close()
            while self._nulls:
                os.close(self._nulls.popitem()[1])


def _dedicated(state: State) -> bool:
    """Tell whether a process has nothing to do but the command that it runs."""
    return state.execution.last_command == state.calls


def _append(fd: int) -> None:
    """Let every write go to the end of the file, whoever else writes to it."""
    if sys.platform == "win32":
        return
    import fcntl

    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_APPEND)
