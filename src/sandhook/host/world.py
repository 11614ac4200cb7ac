"""Host: what a shell outside the sandbox may use of this machine, and one run on it.

The interpreter, its kernel and its tasks are those of the sandbox. This module provides the machine: it
finds and starts commands, opens files and waits. A command that is neither a function nor a built-in is
looked up in PATH. A file that a path names goes through ``dispatch``. Every process that a run started
ends with the run.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from sandhook.dispatch.model import Program, Refused, Source
from sandhook.dispatch.operands import base_name, is_system_program
from sandhook.dispatch.plan import OwnShell, plan
from sandhook.host import rlimits
from sandhook.host.convert import machine_facts, native_arguments
from sandhook.host.files import WINDOWS, HostFile, HostFileSystem, HostHandle, Special, to_fs_error
from sandhook.host.launcher import Launch, Launcher
from sandhook.host.poller import Poller
from sandhook.host.realpipe import RealPipe
from sandhook.host.search import PathSearch, Preference
from sandhook.host.signals import to_native
from sandhook.host.streams import HostStream
from sandhook.host.view import View
from sandhook.interp import script_files
from sandhook.interp.external import execute, run_own_shell, status_of_text
from sandhook.interp.lookup import not_started
from sandhook.kernel.process import USER_ID, Kernel
from sandhook.record import Record
from sandhook.state.environment import exported_variables
from sandhook.vfs.path import VirtualPath, join

if TYPE_CHECKING:
    from sandhook.host.approved import ApprovedFiles
    from sandhook.interp.lookup import Located
    from sandhook.kernel.descriptor import Description
    from sandhook.kernel.outside import NetworkAccess
    from sandhook.kernel.settings import Settings
    from sandhook.limits import Budget, Limits
    from sandhook.state.state import State

#: Process numbers of the shell's own tasks begin here, above those of any machine, so that none is a real process.
_FIRST_TASK = 1 << 23

#: Names of the machine's shells that sandhook's own replaces for approved scripts.
_OWN_SHELLS = ("bash", "sh")

#: The maximum number of notes of one run.
_NOTES = 100


class Host(Record):
    """What a shell outside the sandbox may use of this machine, and how.

    Fields:
        prefer: Which of two commands of one name runs: "machine" prefers the programs in PATH, "own" prefers
            sandhook's utilities. Commands that only one of them has always run. None means "machine", but "own"
            on Windows, where ``find`` and ``sort`` in PATH are other programs than scripts expect.
        executable_bit: A script named by a path needs permission to be executed, as in the kernel. Without
            this, as for hooks, permission to read it suffices.
        own_shell: Scripts for bash or sh run in sandhook's shell, by path and as ``bash FILE`` or ``sh -c TEXT``:
            "never", if the machine has no such program ("missing"), or "always".
        extensions: Programs that run files without "#!", by the extension: {".py": ("python",)}.
        inherit: Standard input, output and error are those of this process.
        linger: Seconds that a run waits after the end of its script for processes that still hold its output.
        grace: Seconds between SIGINT and SIGKILL when a limit ends a run.
        subreaper: On Linux, make orphans of a run children of this process. This finds even processes that
            emptied their environment and left their session. For processes that do nothing else.
    """

    prefer: Preference | None = None
    executable_bit: bool = False
    own_shell: OwnShell = "missing"
    extensions: Mapping[str, Sequence[str]] = {}
    inherit: bool = False
    linger: float = 0.5
    grace: float = 0.2
    subreaper: bool = False


class HostWorld:
    """This machine as the host of a shell: ``Shell(world=HostWorld(Host()))``.

    Args:
        host: What scripts may use of the machine, and how.
        working: Native working directory; on Windows "/" means its drive.
        approved: Files that run by their approved bytes.

    Raises:
        ValueError: ``prefer`` or ``own_shell`` of the host is not one of its words.
    """

    def __init__(self, host: Host, working: str, approved: ApprovedFiles | None = None) -> None:
        if host.prefer is None:
            host = host._replace(prefer="own" if WINDOWS else "machine")
        if host.prefer not in ("machine", "own"):
            raise ValueError(f"host: prefer: wanted 'machine' or 'own', got {host.prefer!r}")
        if host.own_shell not in ("never", "missing", "always"):
            raise ValueError(
                f"host: own_shell: wanted 'never', 'missing' or 'always', got {host.own_shell!r}"
            )
        self.host = host
        self.approved = approved
        self.fs = HostFileSystem(working)
        if approved is not None:
            from sandhook.host.approved import ApprovedFileSystem

            self.fs = ApprovedFileSystem(working, approved)

    def begin(
        self, limits: Limits, budget: Budget, network: NetworkAccess | None, settings: Settings
    ) -> HostRun:
        """Begin a run on this machine."""
        return HostRun(self.host, self.fs, limits, budget, network, self.approved, settings=settings)


class HostRun:
    """One run on this machine: its kernel, its processes, and the shell's interface to the machine."""

    __slots__ = (
        "_approved",
        "_commands",
        "_fs",
        "_host",
        "_launcher",
        "_notes",
        "_pipes",
        "_poller",
        "_script_end",
        "kernel",
    )

    def __init__(
        self,
        host: Host,
        fs: HostFileSystem,
        limits: Limits,
        budget: Budget,
        network: NetworkAccess | None,
        approved: ApprovedFiles | None = None,
        *,
        settings: Settings,
    ) -> None:
        self._host = host
        self._fs = fs
        self._approved = approved
        self._poller = Poller()
        self._commands = PathSearch(fs, host.prefer or "machine", executable_bit=host.executable_bit)
        self._notes: dict[str, None] = {}
        self._pipes: set[RealPipe] = set()  # pipes that have descriptors
        self._script_end = 0.0  # the end of the script, by monotonic(); 0.0 before it
        self.kernel = Kernel(fs, limits, budget, network=network, outside=self, settings=settings)
        self._launcher = Launcher(self.kernel, fs, self._poller, subreaper=host.subreaper)

    @property
    def user(self) -> tuple[int, int]:
        """The numbers of the run's user and group."""
        if sys.platform == "win32":
            return USER_ID, USER_ID
        return os.getuid(), os.getgid()

    @property
    def process_numbers(self) -> tuple[int, int]:
        """The number of the first process, which is this one's, and the number from which all others count."""
        return os.getpid(), _FIRST_TASK

    def wait(self, seconds: float) -> object:
        """Wait for the machine, at most so many seconds; 0 only looks."""
        return self._poller.wait(seconds)

    def facts(self) -> Mapping[str, str]:
        """Return the shell's variables that describe the machine."""
        return machine_facts()

    @property
    def notes(self) -> tuple[str, ...]:
        """Faults that were tolerated in the scripts that ran, each once."""
        return tuple(self._notes)

    # ------------------------------------------------------------------ descriptors

    @property
    def inherits(self) -> bool:
        """True if standard input, output and error are those of the host process."""
        return self._host.inherit

    def stream(self, number: int) -> Description:
        """Return one of these three streams."""
        return HostStream(
            number, self._poller, self.kernel.scheduler, read=not number, write=number > 0, closes_fd=False
        )

    def describe(self, handle: object, *, read: bool, write: bool, append: bool) -> Description:
        """Return the description of a file that the file system opened; waits for a FIFO's other end."""
        assert isinstance(handle, HostHandle)
        if not isinstance(handle, Special):
            if append:
                _append(handle.fd)
            return HostFile(handle, read=read, write=write, append=append)
        fd = self._open_special(handle.path, read=read, write=write)
        return HostStream(fd, self._poller, self.kernel.scheduler, read=read, write=write)

    def pipe(self) -> RealPipe:
        """Return a new pipe, whose ends may be programs of the host."""
        return RealPipe(self.kernel.scheduler, self._poller, self._pipes)

    def connect(self, state: State, name: str) -> Description:
        """Open /dev/tcp/HOST/PORT or /dev/udp/HOST/PORT. Raises ShellError with bash's message."""
        from sandhook.host.sockets import open_connection

        scheduler = self.kernel.scheduler
        fd = open_connection(state, name, self._poller, scheduler)
        return HostStream(fd, self._poller, scheduler, read=True, write=True)

    def resource_limits(self, letter: str) -> tuple[int | None, int | None] | None:
        """Return the soft and the hard limit that ``ulimit -letter`` prints."""
        return rlimits.current_limits(letter)

    def capacity(self, directory: VirtualPath) -> tuple[int, int, int, int]:
        """Return the size and use of a directory's file system: bytes, used bytes, files, used files."""
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
            raise to_fs_error(error, self._fs.virtual(path)) from None
        os.set_blocking(fd, True)
        return fd

    # ------------------------------------------------------------------ commands

    def search(self, state: State, name: str, path: str | None) -> Located | None:
        """Look a name without slash up in PATH; return the file, and the name of sandhook's utility if it is one."""
        return self._commands.search(state, name, path)

    def files(self, state: State, name: str, path: str | None) -> Iterator[str]:
        """Yield every file that ``search`` could return, in order."""
        return self._commands.files(state, name, path)

    def may_run(self, state: State, path: str) -> bool:
        """Return True if permissions allow ``run_file`` to run a path."""
        return self._commands.may_run(state, path)

    def run_file(self, state: State, path: str, argv: Sequence[str], shell: str) -> int:
        """Run a file of the host: a program, or a script by its interpreter; report errors."""
        by_rules = script_files.applies(state, argv[0])
        name = self._fs.native(join(state.process.cwd, path)) if WINDOWS or by_rules else path
        own_shell = self._host.own_shell
        if self._approved is not None and own_shell != "never":
            # another shell opens scripts by their names, where anybody may have changed them
            own_shell = "always"
        if own_shell == "always" and _is_shell(path, argv[0]):
            return run_own_shell(state.shell, state, argv)
        environment = exported_variables(state)
        words = native_arguments(argv, environment)
        dispatch_plan = plan(
            name,
            words if argv[0] == path else [path, *words[1:]],
            View(self._fs, state, self._commands.programs),
            extensions=self._host.extensions,
            executable_bit=None if by_rules else self._host.executable_bit,
            crlf=by_rules or state.shell.crlf,
            own_shell=own_shell,
            environment=environment,
            native=self._fs.native if WINDOWS else None,
        )
        if isinstance(dispatch_plan, Refused):
            message = f"{state.shell.where(state)}{dispatch_plan.message}"
            status = script_files.FAILED if by_rules and dispatch_plan.of_file else dispatch_plan.status
            return not_started(state, status, message)
        if self._approved is not None and not isinstance(dispatch_plan, Source):
            dispatch_plan = self._approved.bind(dispatch_plan, state.process.cwd, name)
            words = list(dispatch_plan.argv) if isinstance(dispatch_plan, Program) else words
        if isinstance(dispatch_plan, Program):
            launch = Launch(path, dispatch_plan.executable, words, None, dispatch_plan.command_line)
            return self._launcher.run(state, launch)
        for note in dispatch_plan.notes:
            if len(self._notes) < _NOTES:
                self._notes[note] = None
        if isinstance(dispatch_plan, Source):
            # sandhook's shell receives the arguments of a command in their own form, without native paths
            before = dispatch_plan.argv[1 : len(dispatch_plan.argv) - len(argv) + 1]
            script = path if dispatch_plan.path == name else dispatch_plan.path
            if (
                by_rules
                and script == path
                and not before
                and (status := status_of_text(state.shell, state, path))
            ):
                return status
            return _run_source(state, dispatch_plan, [script, *before, *argv[1:]], shell)
        launch = Launch(
            path,
            dispatch_plan.executable,
            dispatch_plan.argv,
            dispatch_plan.environment,
            dispatch_plan.command_line,
        )
        return self._launcher.run(state, launch)

    def kill(self, pid: int, signal: int) -> None:
        """Send a signal to a process of the host. Raises OSError."""
        try:
            os.kill(pid, signal if WINDOWS else to_native(signal))
        except OSError as error:
            raise to_fs_error(error) from None

    # ------------------------------------------------------------------ the end

    def lingers(self) -> bool:
        """Return True while the run waits for processes that hold its output; first called at the script's end."""
        now = monotonic()
        if not self._script_end:
            self._script_end = now
        return now - self._script_end < self._host.linger

    def close(self, *, ended: bool) -> None:
        """End the run's remaining processes; after a limit they have ``Host.grace`` seconds to clean up."""
        try:
            self._launcher.close(grace=0.0 if ended else self._host.grace)
        finally:
            for pipe in list(self._pipes):
                pipe.close()
            self._poller.close()


def _is_shell(path: str, word: str) -> bool:
    """Return True for the machine's bash and sh, and for a program that PATH has under these names."""
    return base_name(path) in _OWN_SHELLS and ("/" not in word or is_system_program(path))


def _run_source(state: State, source: Source, words: Sequence[str], shell: str) -> int:
    """Run a script in sandhook's shell; ``shell`` is its name unless the first line names sh."""
    runtime = state.shell
    argv = [source.shell if source.shell == "sh" else shell, *source.options, *words]
    if source.environment is None:
        return run_own_shell(runtime, state, argv)
    return execute(
        runtime, state, argv, file=f"/usr/bin/{argv[0]}", environment=source.environment, in_place=True
    ).status


def _append(fd: int) -> None:
    """Make every write go to the end of the file, even if other processes write to it."""
    if sys.platform == "win32":
        return
    import fcntl

    fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_APPEND)
