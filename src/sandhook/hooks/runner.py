"""Executors: the runners of a hook's ``type``, and the one that every contract shares, the sandbox.

An executor takes a Request and returns a RunResult (an ``async def`` one too); it never raises for a hook's failure. Hosts add their own under further names (``HookEngine.load(executors={"webhook":
call})``). A runner whose attribute ``concurrent`` is true is called from several
threads at once for hooks that an agent runs in parallel.
"""

from __future__ import annotations

from _thread import RLock
from collections.abc import Awaitable, Callable, Collection, Mapping

from sandhook.errors import SandhookError
from sandhook.hooks.contracts import needs_trust
from sandhook.hooks.model import HookSpec, Request, RunResult
from sandhook.hooks.through import through
from sandhook.isolation.arguments import check, obstacle
from sandhook.typed import TYPE_CHECKING, Literal
from sandhook.vfs.errors import reason
from sandhook.vfs.initial import superuser, write_file
from sandhook.vfs.locked import LockedFileSystem
from sandhook.vfs.path import VirtualPath, join, normalize

if TYPE_CHECKING:
    from sandhook.command.own import Utilities
    from sandhook.command.utility import Utility
    from sandhook.errors import IsolationError
    from sandhook.hooks.manifest.hold import Begins, Hold
    from sandhook.interp.program import TreeStore
    from sandhook.interp.result import Result
    from sandhook.interp.steps import Steps
    from sandhook.isolation.arguments import Isolation
    from sandhook.limits import Limits
    from sandhook.net.network import Network
    from sandhook.vfs.base import FileSystem

#: Bytes of a file that show whether it is a program.
HEAD = 256

#: Runs one hook once. A runner may have the attributes of RunnerAdapter in addition.
Runner = Callable[[Request], RunResult | Awaitable[RunResult]]

#: Variables of an agent's environment that name directories of the host.
_PLACES = frozenset({"HOME", "OLDPWD", "PATH", "PWD", "SHELL", "TEMP", "TMP", "TMPDIR", "USERPROFILE"})


#: Variables that a shell exports of its own accord.
_OF_A_SHELL = ("OLDPWD", "PWD", "SHLVL")


class RunnerAdapter:
    """A runner and the attributes that it may have; the one place that looks for them.

    Attributes:
        call: The runner.
        files_of: Returns the files that the hooks of a source see, or None; None for a runner without files.
        isolation_of: Returns where a hook runs; None for a runner that does not know.
        concurrent: May be called from several threads at once, for hooks that an agent runs in parallel.
        resolve: Returns the canonical path of an existing file, or None; None for a runner without files.
        fs: The files that its hooks share, or None.
    """

    __slots__ = ("call", "concurrent", "files_of", "fs", "isolation_of", "resolve")

    def __init__(self, runner: Runner) -> None:
        self.call = runner
        self.concurrent = bool(getattr(runner, "concurrent", False))
        self.resolve: Callable[[str, str], str | None] | None = getattr(runner, "resolve", None)
        self.fs: FileSystem | None = getattr(runner, "fs", None)
        self.files_of: Callable[[str], FileSystem] | None = getattr(runner, "files_of", None)
        self.isolation_of: Callable[[HookSpec], Isolation | None] | None = getattr(
            runner, "isolation_of", None
        )


class SandboxRunner:
    """Runs shell text and argv in the sandbox: a new shell for every hook, over files that persist.

    Several threads may call: no hook waits for another. Hooks of one source see each other's changes, as
    processes of one machine do.

    Args:
        fs: The files; a new memory file system when None.
        view: Returns the files for the hooks of a source; the runner never uses two of them at once. When None,
            they see ``fs`` with changes of their own, up to the limits ``fs_bytes`` and ``fs_inodes``.
        files: Files to begin with: name (below /workspace, or absolute) and contents.
        limits: The default ``Limits``; a request's own limits override them.
        utilities, without: Additional commands, and names that scripts do not find, as for ``Shell``.
        network: What ``curl`` and ``wget`` may reach; nothing without it.
        git_writes: ``git`` may change repositories, as for ``Shell``.
        keep_logs: Write each run's output to the log file that its contract names.
        parse_cache: Stores parsed scripts between processes.
        isolation: "process" runs hooks in worker processes that the system confines, "thread" in the thread that
            calls. When None, hooks that others wrote (of bundles, and of layers that anybody may write) run in
            workers if they can, and all others in the thread.
        steps: Note what each command of a hook does (``RunResult.steps``).
        holder: Holds hooks to a manifest (``hooks.manifest.hold.Holder``).

    Attributes:
        obstacle: Why no hook runs in a worker, or None.

    Raises:
        IsolationError: ``isolation`` is "process", and a worker cannot have the utilities, or none can be started.
        ValueError: ``git_writes`` with files of the host that scripts may change.
    """

    def __init__(
        self,
        fs: FileSystem | None = None,
        *,
        view: Callable[[str], FileSystem] | None = None,
        files: Mapping[str, str | bytes] | None = None,
        limits: Limits | None = None,
        utilities: Utilities | None = None,
        without: Collection[str] = (),
        network: Network | None = None,
        git_writes: bool = False,
        keep_logs: bool = False,
        parse_cache: TreeStore | None = None,
        isolation: Isolation | None = None,
        steps: bool = False,
        holder: Begins | None = None,
    ) -> None:
        self._holder = holder
        if files or limits is not None or utilities is not None or fs is not None or network is not None:
            from sandhook.interp.arguments import check_shell

            check_shell(
                files=files, env=None, cwd="", limits=limits, utilities=utilities, fs=fs, network=network
            )
        self._isolation = isolation
        self._steps = steps
        self.obstacle: IsolationError | None = None
        if isolation is None:
            self.obstacle = obstacle(utilities=utilities)
        else:
            check(isolation, utilities=utilities)
        if fs is None:
            from sandhook.vfs.memory import MemoryFileSystem

            fs = MemoryFileSystem()
        self.fs: FileSystem = fs
        if git_writes:
            from sandhook.vfs.in_memory import check_in_memory

            check_in_memory(fs, "git_writes")
        self._limits = limits
        self._network = network
        self._git_writes = git_writes
        self._utilities = _by_name(utilities)
        self._without = frozenset(without)
        self._keep_logs = keep_logs
        self._parse_cache = parse_cache
        self._lock = RLock()
        self._shared = LockedFileSystem(fs, self._lock)
        self._view = view
        self._views: dict[str, FileSystem] = {"": self._shared}
        for name, content in (files or {}).items():
            data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
            path = VirtualPath(name if name[:1] == "/" else f"/workspace/{name}")
            write_file(self.fs, path, data, 0o755 if data[:2] == b"#!" else 0o644)

    def __call__(self, request: Request) -> RunResult:
        """Run a request's shell text. Never raises: every error is in the result."""
        return through(request, lambda inner: self._call(inner, request.spec))

    def _call(self, request: Request, named: HookSpec) -> RunResult:
        notes: list[str] = []
        if request.spec.absent or request.spec.hashed:
            from sandhook.hooks.evidence.approved import ended

            if (why := ended(request.spec, self._shared, working_directory(request.cwd))) is not None:
                return RunResult(failure=why)
        fs = self.files_of(request.source)
        if (why := _write_snapshot(fs, request)) is not None:
            return RunResult(failure=why, failure_is_ours=True)
        hold: Hold | None = None
        if self._holder is not None:
            begun = self._holder.begin(request._replace(spec=named), fs, working_directory(request.cwd))
            if isinstance(begun, str):
                return RunResult(failure=begun, failure_is_ours=True, drift=(begun.removeprefix("drift: "),))
            hold = begun
        try:
            ran = self._run(fs, request, hold)
        except SandhookError as error:
            ran = RunResult(failure=str(error), failure_is_ours=True)
        except OSError as error:  # the directory of the event cannot exist in these files
            where = error.filename or working_directory(request.cwd)
            ran = RunResult(failure=f"{where}: {reason(error)}", failure_is_ours=True)
        except Exception as error:  # an internal error must not look like a decision
            ran = RunResult(failure=internal(error), failure_is_ours=True)
        if hold is not None and hold.drift:
            ran = with_drift(ran, tuple(hold.drift))
        if self._keep_logs and request.log:
            _write_log(fs, request.log, ran, notes)
        if notes:
            ran = ran._replace(diagnostics=(*notes, *ran.diagnostics))
        return ran

    def wants_process(self, spec: HookSpec) -> bool:
        """Return whether a hook belongs in a worker process."""
        if self._isolation is not None:
            return self._isolation == "process"
        return is_foreign(spec)

    def isolation_of(self, spec: HookSpec) -> Isolation:
        """Return where a hook runs."""
        return "process" if self.obstacle is None and self.wants_process(spec) else "thread"

    def resolve(self, path: str, base: str) -> str | None:
        """Return the canonical path of an existing file, or None; ``path`` may be relative to ``base``."""
        try:
            place = self.fs.realpath(normalize(path if path[:1] == "/" else f"{base}/{path}"))
            return str(place) if self.fs.exists(place) else None
        except (OSError, ValueError):
            return None

    def files_of(self, source: str) -> FileSystem:
        """Return the files that hooks of a source see."""
        with self._lock:
            known = self._views.get(source)
            if known is None:
                known = self._views[source] = self._new_view(source)
            return known

    def _new_view(self, source: str) -> FileSystem:
        return LockedFileSystem(self._overlay(source), self._lock)

    def _overlay(self, source: str) -> FileSystem:
        if self._view is not None:
            return self._view(source)
        from sandhook.limits import Limits
        from sandhook.vfs.overlay import OverlayFileSystem

        limits = self._limits or Limits()
        return OverlayFileSystem(self._shared, quota_bytes=limits.fs_bytes, quota_inodes=limits.fs_inodes)

    @staticmethod
    def _environment(request: Request) -> Mapping[str, str]:
        """Return a hook's variables, without the agent's variables that name directories of the host."""
        if request.spec.env_policy == "fresh":
            return request.env
        from sandhook.interp.beginning import DEFAULT_ENVIRONMENT

        inherited = {name: text for name, text in request.inherited.items() if name not in _PLACES}
        own: Mapping[str, str] = DEFAULT_ENVIRONMENT
        if request.spec.env_policy == "allow":
            own = {name: text for name, text in own.items() if name in request.spec.env_names}
        return {**own, **inherited, **request.env}

    def _run(self, fs: FileSystem, request: Request, hold: Hold | None) -> RunResult:
        from sandhook.kernel.settings import Restrictions
        from sandhook.limits import DEFAULT_LIMITS
        from sandhook.shell import Shell

        network = self._network
        if hold is not None:
            fs = hold.files(fs)
            network = hold.network(network)
        environment = self._environment(request)
        restrictions = Restrictions(missing=self._without) if self._without else None
        if hold is not None:
            seen = self._environment(request._replace(inherited=hold.variables(request.inherited)))
            restrictions = hold.restrictions(self._without, environment.keys() - seen.keys())
            environment = seen
        limits = self._limits or DEFAULT_LIMITS
        if request.limits:
            limits = limits.with_(**request.limits)
        shell = Shell(
            fs=fs,
            env=environment,
            cwd=working_directory(request.cwd),
            limits=limits,
            utilities=self._utilities,
            network=network,
            git_writes=self._git_writes and hold is None,
            parse_cache=self._parse_cache,
            start_files=False,
            dispatches_scripts=request.dispatches_scripts,
            crlf=not request.strict,
            isolation=self.isolation_of(request.spec),
            restrictions=restrictions,
        )
        text = script_of(request.spec)
        if (unparsed := not_parsed(request, text)) is not None:
            return unparsed
        cwd = working_directory(request.cwd)
        refused = not_a_program(request, lambda path: fs.read_bytes(join(normalize(cwd), path))[:HEAD])
        if refused is not None:
            return refused
        steps = self._new_steps()
        ran = as_ran(
            shell.run(
                text,
                stdin=request.stdin,
                name="bash",
                overflow=request.overflow,
                cancel=request.cancel,
                temporary_files=request.files,
                steps=steps,
            ),
            in_process=request.dispatches_scripts,
            argv=request.spec.executor.type == "argv",
        )
        if hold is not None and restrictions is not None:
            hold.note(restrictions)
        return self._with_steps(with_split_note(ran, request.spec, environment), steps)

    def _with_steps(self, ran: RunResult, steps: Steps | None) -> RunResult:
        if steps is None:
            return ran
        noted = steps.steps
        if not noted and (ran.limit or ran.failure):
            note = "what its commands did is not known: its worker process ended before it reported them"
            return ran._replace(diagnostics=(*ran.diagnostics, note))
        return ran._replace(steps=noted)

    def _new_steps(self) -> Steps | None:
        """Return what collects the steps of a hook; None where nobody asked."""
        if not self._steps:
            return None
        from sandhook.interp.steps import Steps

        return Steps()


def _by_name(utilities: Utilities | None) -> Mapping[str, Utility] | None:
    if not utilities:
        return None
    from sandhook.command.own import by_name

    return by_name(utilities)


def with_drift(ran: RunResult, drift: tuple[str, ...]) -> RunResult:
    """Return the result of a run that did what its manifest does not declare: it could not run."""
    return ran._replace(
        failure=f"drift: not in the manifest: {', '.join(drift)}", failure_is_ours=True, drift=drift
    )


def is_foreign(spec: HookSpec) -> bool:
    """Return whether somebody else than the user wrote a hook: of a bundle, or of a layer that anybody may write."""
    return spec.contributed or needs_trust(spec.layer)


def _write_log(fs: FileSystem, name: str, ran: RunResult, notes: list[str]) -> None:
    try:
        write_file(fs, VirtualPath(name), ran.stdout + ran.stderr, 0o600)
    except (OSError, ValueError) as error:
        notes.append(f"cannot write {name}: {reason(error)}")


def _write_snapshot(fs: FileSystem, request: Request) -> str | None:
    """Write the approved bytes to the places of the hook's files, whatever is there; return why that failed.

    Without them another script would run, or none, and the status of a missing one lets most actions pass.
    """
    for name, data in request.spec.snapshot:
        path = normalize(name if name[:1] == "/" else f"{working_directory(request.cwd)}/{name}")
        try:
            with superuser(fs) as view:
                if not fs.access(path, 4) or view.read_bytes(path) != data:
                    view.write_bytes(path, data, parents=True)
                    view.chmod(path, 0o755)
        except (OSError, ValueError) as error:
            return f"cannot write the approved {path}: {reason(error)}"
    return None


def working_directory(cwd: str) -> str:
    r"""Return an agent's directory as a path of the sandbox: ``C:\work`` becomes /c/work."""
    if cwd[1:3] not in (":\\", ":/"):
        return cwd
    from sandhook.host.names import to_virtual

    try:
        return to_virtual(cwd)
    except OSError:
        return cwd


def script_of(spec: HookSpec) -> str:
    """Return the text that runs a hook: its own, or for an argv one that replaces the shell by the program."""
    executor = spec.executor
    if executor.type != "argv" or not executor.argv:
        return executor.text
    from sandhook.text.quoting import in_single_quotes

    # variables of the shell are no variables of the program, unless the hook inherits them
    own = [] if spec.env_policy == "inherit" else [name for name in _OF_A_SHELL if name not in spec.env_names]
    hidden = f"export -n {' '.join(own)}; " if own else ""
    return f"{hidden}exec -- {' '.join(map(in_single_quotes, executor.argv))}"


def not_a_program(request: Request, head: Callable[[str], bytes | None]) -> RunResult | None:
    """Return the result of an argv whose file is text without a "#!" line, None for any other.

    Args:
        head: Returns the first HEAD bytes of a file, None for what is no regular file; may raise OSError.
    """
    argv = request.spec.executor.argv
    if not (request.by_execve and argv and "/" in argv[0]):
        return None
    from sandhook.dispatch.plan import is_binary

    try:
        data = head(argv[0])
    except (OSError, ValueError):  # missing, or a utility: starting it shows that
        return None
    if data is None or data[:2] == b"#!" or is_binary(data):
        return None
    return RunResult(exit_status=126, missing=f"{argv[0]}: exec format error", spawned=False)


def not_parsed(request: Request, text: str) -> RunResult | None:
    """Return the result of a text that does not parse, None if the lines before the error run.

    Only a shell in the agent's process parses a whole text first. In better mode the lines run there, too: one
    of them may refuse.
    """
    if not (request.dispatches_scripts and request.strict):
        return None
    from sandhook.errors import LimitExceeded, ShellSyntaxError
    from sandhook.syntax.parser import Parser

    parser = Parser(text, "")
    try:
        while parser.next_unit() is not None:
            pass
    except ShellSyntaxError as error:
        return RunResult(exit_status=1, stderr=f"bash: {error}\n".encode(), syntax_error=str(error))
    except LimitExceeded:  # the run reports it
        return None
    return None


#: Exit statuses of a shell that did not find a command, or could not execute it.
_NOT_STARTED = (126, 127)


def with_split_note(ran: RunResult, spec: HookSpec, variables: Mapping[str, str]) -> RunResult:
    """Return a result with a note if its command was not found, and its path may be split at a blank."""
    if (ran.missing is None and ran.exit_status not in _NOT_STARTED) or spec.executor.type != "bash":
        return ran
    from sandhook.hooks.checks.splitting import split_note

    note = split_note(spec.executor.text, variables)
    return ran if note is None else ran._replace(diagnostics=(*ran.diagnostics, note))


def as_ran(result: Result, *, in_process: bool = False, argv: bool = False) -> RunResult:
    """Return the RunResult for a ``sandhook.shell.Result``.

    Args:
        in_process: The agent's shell is part of its process: a text that does not parse has the status 1.
        argv: The text was that of ``script_of`` an argv.
    """
    syntax, defect = result.syntax_error, result.defect
    return RunResult(
        exit_status=1 if in_process and syntax is not None else result.exit_status,
        stdout=result.stdout_bytes,
        stderr=result.stderr_bytes,
        duration=result.duration,
        limit=result.limit,
        truncated=result.stdout_truncated,
        stderr_truncated=result.truncated,
        syntax_error=None if syntax is None else str(syntax),
        signal=result.signal,
        script_status=result.script_status,
        missing=result.not_started,
        spawned=not (argv and result.not_started is not None and result.outermost),
        failure=result.failure if defect is None else internal(defect),
        failure_is_ours=defect is not None or result.failure is not None,
        diagnostics=result.notes,
        interrupted=result.interrupted,
    )


def internal(error: Exception) -> str:
    return f"internal error: {error.__class__.__name__}: {error}"


def unknown_executor(request: Request) -> RunResult:
    """Return a failure for an unregistered type, so that the engine skips no hook silently."""
    return RunResult(failure=f"no executor is registered for the type {request.spec.executor.type!r}")


def prestart_worker(kind: Literal["jq", "shell"]) -> None:
    """Start a worker in the background; harmless when it runs already or cannot start."""
    if kind == "jq":
        from sandhook.worker.client import prestart
    else:
        from sandhook.isolation.pool import prestart
    try:
        prestart()
    except SandhookError:
        return  # the hook that needs it will report that
