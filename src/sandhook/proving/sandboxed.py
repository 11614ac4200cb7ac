"""Runs a try of a guard in the sandbox, over a copy of the project."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from posixpath import basename
from typing import TypeAlias

from sandhook.builtins import NAMES as BUILTIN_NAMES
from sandhook.command.own import OwnUtility, utility
from sandhook.conformance.expectations.project import WORKSPACE, namespace_of
from sandhook.dispatch.shebang import READ, program_of
from sandhook.errors import TrustError
from sandhook.hooks.contracts import Contract
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.evidence import Evidence, examine
from sandhook.hooks.loading import Group
from sandhook.hooks.model import Decision, HookSpec, Request, RunResult
from sandhook.hooks.runner import SandboxRunner
from sandhook.host.hashing import hash_in
from sandhook.interp.beginning import DEFAULT_ENVIRONMENT
from sandhook.interp.lookup import SHELLS
from sandhook.limits import Limits
from sandhook.proving.trial import Trial
from sandhook.record import Record
from sandhook.text.quoting import in_single_quotes
from sandhook.utilities import is_utility
from sandhook.vfs.base import FileSystem
from sandhook.vfs.initial import superuser
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath

#: The interpreter is slower than bash: a guard has these seconds more than its timeout, if that is a second or more.
_GRACE = 30.0

#: Output of a hook for agents that have no bound of their own.
_OUTPUT_BYTES = 16 << 20

#: Directories of programs; another path names a script.
_SYSTEM = ("/bin/", "/usr/", "/sbin/")

#: A file with a NUL among its first bytes is no script for bash.
_HEAD = 128

#: The exit status of a program that the system killed.
_KILLED = 137

_LIMITS = Limits(
    input_bytes=128 << 20,
    memory_bytes=1 << 30,
    fs_bytes=64 << 20,
    steps=200_000_000,
    fields=1_000_000,
    script_bytes=16 << 20,
)


class Surroundings(Record):
    """What a guard sees.

    Attributes:
        project: The directory of the host that is shown as the project.
        files: Files that are added to it: contents by path; None removes one.
        env: Variables of the agent.
        fail_closed: Whoever runs the guard refuses if it could not run.
    """

    project: str
    files: Mapping[str, str | None] = {}
    env: Mapping[str, str] = {}
    fail_closed: bool = False


class _Machine:
    """The files of the sandbox, see ``evidence.Machine``."""

    def __init__(self, fs: FileSystem) -> None:
        self._fs = fs

    def read(self, path: str) -> bytes | None:
        try:
            return self._fs.read_bytes(VirtualPath(path))
        except OSError:
            return None

    def hashed(self, path: str, most: int) -> tuple[str, int] | None:
        return hash_in(self._fs, VirtualPath(path), most)

    def names(self, path: str) -> list[str] | None:
        try:
            return [entry.name for entry in self._fs.listdir(VirtualPath(path))]
        except OSError:
            return None

    def resolve(self, path: str) -> str:
        try:
            return str(self._fs.realpath(VirtualPath(path)))
        except OSError:
            return path


def examined(spec: HookSpec, contract: Contract, around: Surroundings) -> Evidence | None:
    """Return what a guard executes in the sandbox; None if it is too complex to be followed."""
    _, namespace = namespace_of(around.project, around.files)
    try:
        return examine(spec, contract.name, WORKSPACE, DEFAULT_ENVIRONMENT["HOME"], _Machine(namespace))
    except TrustError:
        return None


def programs_of(evidence: Evidence | None) -> tuple[str, ...]:
    """Return the names of the programs that a guard starts, which the sandbox has as utilities."""
    names = dict.fromkeys(basename(name) for name in (() if evidence is None else evidence.commands))
    return tuple(name for name in names if is_utility(name) and name not in BUILTIN_NAMES)


def lacking_of(evidence: Evidence | None) -> tuple[str, ...]:
    """Return the names of the programs that a guard starts, or is written for, and that the sandbox lacks."""
    if evidence is None:
        return ()
    names = [basename(name) for name in evidence.commands if "/" not in name or name.startswith(_SYSTEM)]
    names += [program for each in evidence.files if (program := program_of(each.data[:READ])) is not None]
    names += [each.path for each in evidence.files if each.sha256 or b"\0" in each.data[:_HEAD]]
    return tuple(
        name
        for name in dict.fromkeys(names)
        if not (is_utility(name) or name in BUILTIN_NAMES or name in SHELLS)
    )


#: Fires the event of a try at its guard alone. It raises NotTriedError for a try that is impossible.
Decide: TypeAlias = "Callable[[Trial, Surroundings], Decision]"


def decide(trial: Trial, around: Surroundings) -> Decision:
    """Fire the event of a try at the guard alone, as its agent would read the result.

    Raises:
        ProjectError: The project cannot be shown.
    """
    overlay, namespace = namespace_of(around.project, around.files)
    with superuser(overlay) as view:
        for name, data in trial.scripts.items():
            if not name.startswith(f"{WORKSPACE}/"):
                continue
            path = VirtualPath(name.removeprefix(WORKSPACE))
            new = trial.replaced.get(name, data)
            if new is None:
                view.unlink(path)
                continue
            if new != data:
                view.write_bytes(path, new)
            if trial.mode is not None:
                view.chmod(path, trial.mode)
    if trial.disk == "read-only":
        namespace.read_only = True
    if trial.disk == "full":
        for files in (overlay.upper, namespace.root):
            if isinstance(files, MemoryFileSystem):
                _, entries, limit = files.quota_left
                files.quota_left = 0, entries, limit
    sandbox = SandboxRunner(
        namespace,
        limits=_LIMITS,
        utilities=_ended(trial),
        without=trial.without,
        isolation="thread",
    )

    def run(request: Request) -> RunResult:
        if (unstarted := trial.unstarted) is not None:
            return unstarted
        request = patient(request)
        limits = {**(request.limits or {})}
        if "output_bytes" not in trial.contract.own_limits:
            limits["output_bytes"] = _OUTPUT_BYTES
        return sandbox(
            request._replace(
                stdin=trial.payload(request.stdin), limits=limits, strict=not trial.through_sandhook
            )
        )

    engine = HookEngine(
        [Group(trial.contract, (prefixed(trial.spec, trial.before or trial.inside),))],
        runner=run,
        compat="strict",
        fail_closed=around.fail_closed,
        env=around.env,
        shared_files=True,
    )
    return engine.fire(trial.event.with_(cwd=WORKSPACE, project_dir=WORKSPACE))


def patient(request: Request) -> Request:
    """Return a request for the sandbox with the time that the interpreter needs."""
    timeout = request.spec.timeout
    seconds = timeout + _GRACE if timeout >= 1 else timeout
    return request._replace(limits={**(request.limits or {}), "wall_seconds": seconds})


def prefixed(spec: HookSpec, text: str) -> HookSpec:
    """Return a hook with shell text that runs before it."""
    if not text:
        return spec
    executor = spec.executor
    if not executor.argv:
        return spec._replace(executor=executor._replace(text=f"{text}\n{executor.text}"))
    argv = executor.argv
    if argv[1:2] == ("-c",) and basename(argv[0]) in ("bash", "sh"):
        argv = (*argv[:2], f"{text}\n{argv[2]}", *argv[3:])
    else:
        argv = ("bash", "-c", f"{text}\n{' '.join(map(in_single_quotes, argv))}")
    return spec._replace(executor=executor._replace(argv=argv))


def _ended(trial: Trial) -> list[OwnUtility] | None:
    """Return commands that end as if the system killed them, in place of the programs that a try names."""
    return [utility(name=name)(lambda ctx: _KILLED) for name in sorted(trial.ended)] or None
