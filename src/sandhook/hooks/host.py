"""HostRunner: runs trusted hooks on this machine, with its files and its programs.

Each hook has its own shell, so hooks may run at the same time. Shell text and argv run in the same way: by
the interpreter, the dispatcher and the supervisor of ``sandhook.host``. ``HookEngine.load(host=...)`` decides
which hooks run here.
"""

# pathlib costs the command line 10 ms.
# ruff: noqa: PTH100, PTH112, PTH118
from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import ExitStack
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sandhook.errors import SandhookError
from sandhook.hooks.contracts import needs_trust
from sandhook.hooks.evidence import PROJECT_VARIABLES
from sandhook.hooks.model import HookSpec, Request, RunResult
from sandhook.hooks.runner import (
    HEAD,
    Runner,
    RunnerAdapter,
    as_ran,
    internal,
    not_a_program,
    not_parsed,
    script_of,
    with_split_note,
)
from sandhook.hooks.through import through
from sandhook.text.quoting import in_single_quotes

if TYPE_CHECKING:
    from sandhook.command.own import Utilities
    from sandhook.host.approved import ApprovedFiles
    from sandhook.host.world import Host
    from sandhook.interp.program import TreeStore
    from sandhook.isolation.arguments import Isolation
    from sandhook.limits import Limits

#: Returns whether a hook runs on the host.
Select = Callable[[HookSpec], bool]

#: The project's directory when the event does not name one; it need not exist on the machine.
_WORKSPACE = "/workspace"


class HostRunner:
    """Runs shell text and argv on this machine; may be called from several threads at once.

    Args:
        host: What may be used of the machine, and how.
        select: Which hooks run here; None selects trusted hooks, see ``trusted``.
        workspace: Native directory for hooks whose event names no directory; the process's own by default.
        env: The environment that hooks inherit from, by their own policy; None for this process's.
        limits: The default ``Limits``; a request's own limits override them.
        utilities: Additional commands, as for ``Shell``.
        keep_env: Variables that are passed on although they can make programs load other code, such as
            NODE_OPTIONS.
        parse_cache: Stores parsed scripts between processes.
    """

    concurrent = True

    def __init__(
        self,
        host: Host | None = None,
        *,
        select: Select | None = None,
        workspace: str | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        utilities: Utilities | None = None,
        keep_env: Iterable[str] = (),
        parse_cache: TreeStore | None = None,
    ) -> None:
        self.select: Select = select or trusted
        self._host = host
        self._workspace = os.path.abspath(os.getcwd() if workspace is None else workspace)  # noqa: PTH109
        self._env = env
        self._limits = limits
        self._utilities = utilities
        self._keep = tuple(keep_env)
        self._parse_cache = parse_cache

    def __call__(self, request: Request) -> RunResult:
        """Run a request. Never raises: every error is in the result."""
        return through(request, self._call, on_host=True)

    def _call(self, request: Request) -> RunResult:
        try:
            with ExitStack() as resources:
                approved = self._approved(request)
                if approved is not None:
                    resources.enter_context(approved)
                written: Mapping[str, str] = {}
                if request.files:
                    directory = resources.enter_context(TemporaryDirectory(prefix="sandhook-"))
                    written = _written(request.files, directory)
                return self._run(request, written, approved)
        except SandhookError as error:
            return RunResult(failure=str(error))
        except OSError as error:
            return RunResult(failure=f"cannot run on the host: {error.strerror or error}")
        except Exception as error:  # an internal error must not look like a decision
            return RunResult(failure=internal(error), failure_is_ours=True)

    def resolve(self, path: str, base: str) -> str | None:
        """Return the canonical path of an existing file, or None; ``path`` may be relative to ``base``."""
        try:
            place = os.path.realpath(os.path.join(self._place(base), path), strict=True)
        except (OSError, ValueError):
            return None
        return place.replace("\\", "/") if os.sep == "\\" else place

    def _place(self, directory: str) -> str:
        """Return the native directory for a contract's directory."""
        if directory == _WORKSPACE and not os.path.isdir(_WORKSPACE):
            return self._workspace
        return directory

    def _approved(self, request: Request) -> ApprovedFiles | None:
        """Return the approved files of a hook, compared with those of the machine; None without any.

        Raises:
            NotAsApproved: One differs.
        """
        spec = request.spec
        if not (spec.snapshot or spec.hashed or spec.absent or spec.links):
            return None
        from sandhook.host.approved import ApprovedFiles

        places = [request.env[name] for name in PROJECT_VARIABLES if name in request.env]
        bases = [self._place(place) for place in (request.cwd, *places)]
        if _is_below(bases[0], self._workspace):  # a hook of Antigravity runs in the directory of its file
            bases.append(self._workspace)
        existing = [base for base in bases if os.path.isdir(base)]
        return ApprovedFiles(spec.snapshot, spec.absent, existing, spec.links, spec.hashed)

    def _run(self, request: Request, written: Mapping[str, str], approved: ApprovedFiles | None) -> RunResult:
        from sandhook.host.environment import build
        from sandhook.host.files import WINDOWS
        from sandhook.host.shell import HostShell
        from sandhook.limits import Limits

        spec = request.spec
        cwd = self._place(request.cwd)
        places = {_WORKSPACE: cwd, **written}
        own = {name: places.get(value, value) for name, value in request.env.items()}
        env = build(
            spec.env_policy,
            {**os.environ, **request.inherited} if self._env is None else {**self._env, **request.inherited},
            names=spec.env_names,
            without=spec.env_except,
            keep=self._keep,
            extra=own,
            windows=WINDOWS,
        )
        limits = self._limits or Limits.generous()
        if request.limits:
            limits = limits.with_(**request.limits)
        by_argv = spec.executor.type == "argv"
        text = script_of(spec)
        if spec.env_policy == "allow" and "PATH" not in map(str.upper, spec.env_names):
            # the agent finds the program along its own PATH, which the program does not inherit
            text = f"PATH={in_single_quotes(env.pop('PATH', ''))}\n{text}"
        needs_bit = request.by_execve or (request.strict and not WINDOWS)
        shell = HostShell(
            host=_with_executable_bit(self._host) if needs_bit else self._host,
            env=env,
            cwd=cwd,
            limits=limits,
            utilities=self._utilities,
            parse_cache=self._parse_cache,
            approved=approved,
            dispatches_scripts=request.dispatches_scripts,
            crlf=not request.strict,
        )
        if (unparsed := not_parsed(request, text)) is not None:
            return unparsed
        if (refused := not_a_program(request, lambda path: _head(os.path.join(cwd, path)))) is not None:
            return refused
        ran = as_ran(
            shell.run(
                text, stdin=request.stdin, name="bash", overflow=request.overflow, cancel=request.cancel
            ),
            in_process=request.dispatches_scripts,
            argv=by_argv,
        )
        ran = with_split_note(ran, spec, env)
        notes = approved.notes if approved is not None else ()
        return ran._replace(diagnostics=(*notes, *ran.diagnostics)) if notes else ran


def _with_executable_bit(host: Host | None) -> Host:
    """Return a host where a script needs permission to be executed, as where no shell is between."""
    from sandhook.host.world import Host

    return (host or Host())._replace(executable_bit=True)


class MixedRunner:
    """Runs the hooks that a HostRunner selects on the host, and all others in the sandbox.

    Args:
        bundled: Sources whose hooks never run on the host: capabilities that contribute hooks.
    """

    concurrent = True

    def __init__(self, host: HostRunner, sandbox: Runner, *, bundled: frozenset[str] = frozenset()) -> None:
        self._host = host
        self._bundled = bundled
        self._sandbox = sandbox
        self.resolve = host.resolve
        self.fs = RunnerAdapter(sandbox).fs
        self.files_of = RunnerAdapter(sandbox).files_of

    def __call__(self, request: Request) -> RunResult | Awaitable[RunResult]:
        """Run a request on the host or in the sandbox."""
        return (self._host if self._on_host(request.spec) else self._sandbox)(request)

    def isolation_of(self, spec: HookSpec) -> Isolation | None:
        """Return where a hook runs in the sandbox; None for one that runs on the host."""
        known = RunnerAdapter(self._sandbox).isolation_of
        return None if known is None or self._on_host(spec) else known(spec)

    def _on_host(self, spec: HookSpec) -> bool:
        return spec.source not in self._bundled and self._host.select(spec)


def trusted(spec: HookSpec) -> bool:
    """Return whether a hook is trusted: its layer is trusted, or the caller's ``trust`` approved it."""
    return not needs_trust(spec.layer) or spec.approved


def _is_below(directory: str, above: str) -> bool:
    return directory.replace("\\", "/").startswith(above.replace("\\", "/").rstrip("/") + "/")


def _written(files: Iterable[tuple[str, bytes]], directory: str) -> dict[str, str]:
    """Write a request's files to a directory; return the native path of each."""
    places: dict[str, str] = {}
    for number, (name, data) in enumerate(files):
        path = os.path.join(directory, f"{number}-{name.rpartition('/')[2]}")
        with open(path, "wb", opener=_private) as file:
            file.write(data)
        places[name] = path
    return places


def _head(path: str) -> bytes | None:
    """Return the first bytes of a regular file, None for another. Raises OSError."""
    from sandhook.hooks.sources import read_regular

    return read_regular(path, HEAD)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
