"""Shell: a bash 5.2 interpreter in a sandbox; the only place where the parts are put together."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable, Mapping, Sequence

from sandhook.builtins.commands import make_commands, standard_commands
from sandhook.errors import IsolationError, SnapshotError
from sandhook.interp.arguments import check_run, check_shell
from sandhook.interp.beginning import (
    DEFAULT_ENVIRONMENT,
    Script,
    Streams,
    exceeded,
    input_data,
    shell_environment,
    turn,
)
from sandhook.interp.one_run import Run
from sandhook.interp.program import TreeStore
from sandhook.interp.result import Result
from sandhook.interp.runtime import Runtime
from sandhook.kernel.descriptor import ReadInput, WriteBytes
from sandhook.kernel.settings import Restrictions, Settings
from sandhook.kernel.stack import in_thread_if_stack_is_deep
from sandhook.limits import DEFAULT_LIMITS, Cancellation, Limits, Overflow
from sandhook.record import new_record
from sandhook.state.state import State
from sandhook.text.surrogates import as_shell_text
from sandhook.typed import TYPE_CHECKING
from sandhook.vfs.base import FileSystem
from sandhook.vfs.initial import make_directories, populate
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath, normalize

if TYPE_CHECKING:
    from typing import Unpack

    from sandhook.command.own import Utilities
    from sandhook.interp.beginning import (
        RunArguments,
        SessionArguments,
        SessionStreamArguments,
        StreamArguments,
    )
    from sandhook.interp.outside import World
    from sandhook.interp.steps import Steps
    from sandhook.isolation.arguments import Isolation
    from sandhook.net.network import Network
    from sandhook.sessions.changes import SessionDiff
    from sandhook.sessions.snapshot import RestoreArguments
    from sandhook.sessions.stream import Stream
    from sandhook.vfs.mapping import Files
    from sandhook.vfs.snapshot import Snapshot


class Shell:
    """A sandbox: a virtual file system, an environment and limits. Scripts run in it one after the other.

    Each ``run`` begins with new shell state over the same files. A Shell may be used from any
    thread, one run at a time; separate Shells are independent.

    Args:
        files: Initial files by path, relative ones below ``cwd``; one that begins with "#!" is executable.
        env: The whole environment of the scripts; they inherit nothing from the host.
        cwd, limits: Working directory, created if it does not exist; bounds of each run.
        utilities: Additional commands: functions that ``sandhook.utility`` decorates, or a mapping of
            names to module-like objects with Options and run.
        network: What ``curl`` and ``wget`` may reach; nothing without it.
        fs: A file system to use instead of a new MemoryFileSystem.
        parse_cache: Keeps parsed scripts beyond the process.
        start_files: Programs read their start-up files in the home directory: jq reads ~/.jq.
        git_writes: ``git add``, ``git commit`` and the like may change repositories of ``fs``, in memory alone.
        dispatches_scripts: See ``kernel.settings.Settings``.
        crlf: A line of a script may end in CRLF, and ``Result.notes`` then says so; False rejects it as bash does.
        world: The host, for runs that may reach it (``sandhook.host.HostShell``); None for a sandbox.
        isolation: "process" executes runs in a pool of worker processes that the system confines. A run
            works on a copy of files in memory, and its changes are brought in when it ends. This process
            performs each operation on other files, and each request to the network, for the worker.
        restrictions: Utilities that scripts do not find or may not run, see ``kernel.settings.Restrictions``.

    Raises:
        TypeError: An argument has a wrong type.
        IsolationError: An argument cannot be used with ``isolation="process"``, such as a Python function.
        ValueError: ``git_writes`` with files of the host that scripts may change.
    """

    def __init__(
        self,
        *,
        files: Mapping[str, str | bytes] | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str = "/workspace",
        limits: Limits | None = None,
        utilities: Utilities | None = None,
        network: Network | None = None,
        fs: FileSystem | None = None,
        parse_cache: TreeStore | None = None,
        start_files: bool = True,
        git_writes: bool = False,
        dispatches_scripts: bool = False,
        crlf: bool = True,
        world: World | None = None,
        isolation: Isolation = "thread",
        restrictions: Restrictions | None = None,
    ) -> None:
        check_shell(files=files, env=env, cwd=cwd, limits=limits, utilities=utilities, fs=fs, network=network)
        self.isolation = isolation
        if isolation != "thread":
            from sandhook.isolation.arguments import check

            check(isolation, utilities=utilities, world=world)
        self.limits = limits or DEFAULT_LIMITS
        self.world = world
        self.cwd = VirtualPath(cwd) if cwd == "/workspace" else normalize(cwd)
        self.env: dict[str, str] = dict(DEFAULT_ENVIRONMENT) if env is None else shell_environment(env)
        if world is not None:
            fs = world.fs
        elif fs is None:
            fs = MemoryFileSystem(quota_bytes=self.limits.fs_bytes, quota_inodes=self.limits.fs_inodes)
        self.fs: FileSystem = fs
        self.settings = new_record(Settings, (start_files, git_writes, dispatches_scripts, restrictions))
        if git_writes:
            from sandhook.vfs.in_memory import check_in_memory

            check_in_memory(fs, "git_writes")
        if files:
            populate(fs, files, self.cwd)
        if world is None and (self.cwd != "/workspace" or type(fs) is not MemoryFileSystem):
            make_directories(fs, self.cwd)
        self.network = network
        missing = restrictions.missing if restrictions is not None else ()
        self._commands = make_commands(utilities, missing) if utilities or missing else standard_commands()
        self.crlf, self._lock = crlf, allocate_lock()
        self.runtime = Runtime(self._commands, parse_cache, crlf=crlf)

    def run(
        self,
        script: str,
        *,
        stdin: bytes | str | ReadInput = b"",
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        name: str = "bash",
        from_file: bool = False,
        limits: Limits | None = None,
        stdout: WriteBytes | None = None,
        stderr: WriteBytes | None = None,
        overflow: Overflow = "fail",
        cancel: Cancellation | None = None,
        temporary_files: Sequence[tuple[str, bytes]] = (),
        steps: Steps | None = None,
    ) -> Result:
        """Run a script as ``bash -c`` does, and wait for jobs that still hold its output.

        The run ends when the script has ended and no background job holds its standard output or
        standard error open, as with a pipe to a real shell. Other jobs are ended.

        Args:
            script: The text.
            stdin: Standard input, or a callable ``(count, seconds) -> bytes`` that returns up to ``count``
                bytes of it, b"" at the end. It raises TimeoutError after waiting for ``seconds``.
            args: ``$1`` and so on.
            env: Added to the shell's environment for this run.
            name: ``$0``, and the name in messages.
            from_file: The text is the content of a script file called ``name``, as with ``bash name``.
            limits: Bounds for this run instead of the shell's.
            stdout, stderr: Called with each piece of output instead of collecting it.
            overflow: What happens at ``Limits.output_bytes``: "fail" ends the run, and both streams
                share the bound; "drop" discards the rest, and each stream has the bound.
            cancel: Ends the run from another thread; ``Result.limit`` is then "cancelled".
            temporary_files: Files that exist during this run alone: absolute path and contents. A file that
                cannot be written is one of ``Result.notes``.
            steps: Collects what each command does. A worker that is ended before its run reports nothing.

        Returns:
            The result, also of a limit, a syntax error or a defect: no script raises an exception.

        Raises:
            TypeError, ValueError, IsolationError: An argument is wrong.
        """
        streams = new_record(Streams, (stdin, stdout, stderr, overflow, cancel, steps))
        text = new_record(Script, (script, args, env, name, from_file))
        check_run(text, streams, limits, temporary_files)
        if self.isolation == "process":
            return self._run_in_worker(text, limits or self.limits, streams, temporary_files)
        return self._run_here(
            lambda: Run(self, limits or self.limits, streams).main(text), cancel, temporary_files
        )

    def _run_here(
        self, run: Callable[[], Result], cancel: Cancellation | None, files: Sequence[tuple[str, bytes]]
    ) -> Result:
        """Wait for the other runs of this shell, and run with temporary files."""
        with turn(self._lock, cancel):
            if not files:
                return in_thread_if_stack_is_deep(run)
            from sandhook.vfs.temporary import temporary

            with temporary(self.fs, files) as notes:
                result = in_thread_if_stack_is_deep(run)
            result.notes = (*notes, *result.notes)
            return result

    def _run_in_worker(
        self, script: Script, limits: Limits, streams: Streams, files: Sequence[tuple[str, bytes]]
    ) -> Result:
        from sandhook.isolation.remote import RemoteRun, run

        data = input_data(streams.stdin)
        env = None if script.env is None else shell_environment(script.env)
        environment = self.env if env is None else {**self.env, **env}
        if exceeded(limits, as_shell_text(script.text), script.args, environment, data or b"") is not None:
            refused = Run(self, limits, streams).refused(script)
            if refused is not None:  # no worker need see it
                return refused
        if data is not None:
            streams = streams._replace(stdin=data)
        request = RemoteRun(script._replace(env=env), streams, self.settings, self.crlf, self.network, files)
        return run(self.fs, self.env, self.cwd, limits, request)

    async def arun(self, script: str, **arguments: Unpack[RunArguments]) -> Result:
        """Run a script without blocking the event loop; the arguments are those of ``run``.

        When the task is cancelled the run ends at its next step, and with it the calls of ``stdout`` and
        ``stderr``; CancelledError is raised after that.
        """
        from sandhook.kernel.threads import call_in_thread

        cancel = arguments["cancel"] = arguments.get("cancel") or Cancellation()
        return await call_in_thread(lambda: self.run(script, **arguments), cancel)

    def stream(self, script: str, **arguments: Unpack[StreamArguments]) -> Stream:
        """Return the output of a run as an asynchronous iterator of pieces; the arguments are those of ``run``.

        ``Stream.result`` has the result after the last piece, without the output.
        """
        from sandhook.sessions.stream import Stream

        cancel = arguments["cancel"] = arguments.get("cancel") or Cancellation()
        return Stream(lambda out, err: self.run(script, stdout=out, stderr=err, **arguments), cancel)

    @property
    def files(self) -> Files:
        """The files as a mapping of paths to contents; relative paths are below ``cwd``. It shows their present state."""
        from sandhook.vfs.mapping import Files

        return Files(lambda: self.fs, self.cwd)

    def session(self, *, env: Mapping[str, str] | None = None, name: str = "bash") -> Session:
        """Return a session: runs that share variables, functions, options and working directory.

        Raises IsolationError with ``isolation="process"``: the state of a session stays in this process.
        """
        if self.isolation == "process":
            raise IsolationError("session()", "the state of a session stays in this process")
        return Session(self, env, name)

    @classmethod
    def restore(cls, data: bytes, **arguments: Unpack[RestoreArguments]) -> Session:
        """Return a session as it was when ``Session.snapshot`` stored it, in a new Shell.

        Files, environment and state come from the snapshot, and the arguments are those of a new Shell: limits,
        network and utilities are not stored. Nothing in the snapshot is executed.

        Raises:
            SnapshotError: The data are malformed, or exceed the limits.
        """
        from sandhook.sessions.snapshot import read_snapshot

        if cls.__init__ is not Shell.__init__:
            raise SnapshotError("shell", f"{cls.__name__} has the files of this machine; wanted Shell")
        limits = arguments.get("limits") or DEFAULT_LIMITS
        stored = read_snapshot(data, limits)
        fs = stored.file_system(limits)
        files = fs.snapshot()
        shell = cls(env=stored.env, cwd=stored.cwd, fs=fs, **arguments)
        fs.restore(files)  # without a directory that the new Shell made
        session = shell.session(env=stored.start.env, name=stored.start.name)
        session._state = stored.begin(Run(shell, limits, Streams()))
        return session


class Session:
    """Runs that share shell state; each has its own budget.

    ``exit`` ends one run's script, not the session. Background jobs end with the run that started them.

    Attributes:
        shell: The Shell whose files it uses.
    """

    def __init__(self, shell: Shell, env: Mapping[str, str] | None, name: str) -> None:
        self.shell = shell
        self._start = Script("", env=env, name=name)
        self._state: State | None = None

    def run(
        self,
        script: str,
        *,
        stdin: bytes | str | ReadInput = b"",
        args: Sequence[str] | None = None,
        env: Mapping[str, str] | None = None,
        name: str | None = None,
        from_file: bool = False,
        limits: Limits | None = None,
        stdout: WriteBytes | None = None,
        stderr: WriteBytes | None = None,
        overflow: Overflow = "fail",
        cancel: Cancellation | None = None,
        temporary_files: Sequence[tuple[str, bytes]] = (),
        steps: Steps | None = None,
    ) -> Result:
        """Run a script in this session's state.

        The arguments are those of ``Shell.run``, with three differences:

        Args:
            args: ``$1`` and so on, as after ``set --``: they stay for later runs. None keeps those of the session.
            env: Set before the script, as by ``export``: the variables stay for later runs. One that cannot be
                set, for example a readonly one, is one of ``Result.notes``.
            name: ``$0`` and the name in messages, for this run alone. None keeps that of the session.
        """
        shell = self.shell
        streams = Streams(stdin, stdout, stderr, overflow, cancel, steps)
        text = Script(script, args or (), env, self._start.name if name is None else name, from_file)
        check_run(text, streams, limits, temporary_files)

        def continued() -> Result:
            run = Run(shell, limits or shell.limits, streams)
            self._state, result = run.continued(
                self._state, self._start, text, keeps_args=args is None, keeps_name=name is None
            )
            return result

        return shell._run_here(continued, cancel, temporary_files)

    async def arun(self, script: str, **arguments: Unpack[SessionArguments]) -> Result:
        """Run without blocking the event loop; see ``Shell.arun``."""
        from sandhook.kernel.threads import call_in_thread

        cancel = arguments["cancel"] = arguments.get("cancel") or Cancellation()
        return await call_in_thread(lambda: self.run(script, **arguments), cancel)

    def stream(self, script: str, **arguments: Unpack[SessionStreamArguments]) -> Stream:
        """Return the output of a run in this session as an asynchronous iterator; see ``Shell.stream``."""
        from sandhook.sessions.stream import Stream

        cancel = arguments["cancel"] = arguments.get("cancel") or Cancellation()
        return Stream(lambda out, err: self.run(script, stdout=out, stderr=err, **arguments), cancel)

    def snapshot(self) -> bytes:
        """Return the session as bytes for ``Shell.restore``: files, variables, functions, options and the rest.

        Jobs, open descriptors and BASH_COMMAND end with a run and are not part of it, nor are sockets and devices.

        Raises:
            SnapshotError: The files are not those of a MemoryFileSystem, or a function cannot be stored as text.
        """
        from sandhook.sessions.snapshot import write_snapshot

        state = self._begun()
        with self.shell._lock:
            return write_snapshot(self.shell, self._start, state, self.shell.limits)

    def diff(self, before: bytes | Snapshot | Session) -> SessionDiff:
        """Return what changed in the files since an earlier state.

        Args:
            before: A snapshot of this session, another session (of which this one is a fork), or the state of a
                MemoryFileSystem (``shell.fs.snapshot()``).

        Raises:
            SnapshotError: The snapshot is malformed, or the files are not those of a MemoryFileSystem.
            TypeError: ``before`` is none of these.
        """
        from sandhook.sessions.changes import files_diff
        from sandhook.sessions.files import state_of
        from sandhook.sessions.snapshot import read_snapshot
        from sandhook.vfs.snapshot import Snapshot

        if isinstance(before, bytes):
            limits = self.shell.limits
            before = read_snapshot(before, limits).file_system(limits).snapshot()
        elif isinstance(before, Session):
            before = state_of(before.shell.fs)
        elif not isinstance(before, Snapshot):
            raise TypeError(f"before: wanted a snapshot or a Session, got {before!r}")
        return files_diff(before, state_of(self.shell.fs))

    def fork(self) -> Session:
        """Return a second session that begins as this one is now, in a Shell of its own.

        The number of files does not matter: they are shared until one of the two needs them. Directories of the machine
        that are mounted for reading remain shared.

        Raises:
            SnapshotError: The files are those of the machine, or of a file system that cannot be copied.
        """
        from copy import copy

        from sandhook.sessions.files import fork_files
        from sandhook.sessions.snapshot import fork_state

        state = self._begun()
        shell = copy(self.shell)
        with self.shell._lock:
            shell.fs, shell.env, shell._lock = fork_files(shell.fs), shell.env.copy(), allocate_lock()
            session = Session(shell, self._start.env, self._start.name)
            session._state = fork_state(state, Run(shell, shell.limits, Streams()), self._start)
        return session

    def _begun(self) -> State:
        """Return the state, that of a session which has run nothing if need be."""
        if self.shell.world is not None:
            raise SnapshotError("files", "they are those of this machine; wanted a MemoryFileSystem")
        if self._state is None:
            with self.shell._lock:
                self._state = Run(self.shell, self.shell.limits, Streams()).new_session(self._start)
        return self._state
