"""Runs a try of a guard on this machine: by the shell of its agent, over a copy of the project that is broken as the try says."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from sandhook.conformance.expectations.project import WORKSPACE, on_host
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.loading import Group
from sandhook.hooks.model import Decision, HookSpec, Request, RunResult
from sandhook.hooks.through import begun_with
from sandhook.proving.launch import AgentRunner, shell_of
from sandhook.proving.sandboxed import Surroundings, prefixed
from sandhook.proving.trial import NotTriedError, Trial

#: Seconds in which sandhook starts, also on a busy machine.
_START = 5.0

#: A process that cannot make a file longer gets an error, as on a full disk.
_FULL = "trap '' XFSZ; ulimit -f 0"


class Machine:
    """Runs guards as their agents start them.

    The files of the project are copies: no fault reaches a script itself. All else is the machine's, so a guard that is
    tried can do everything that the user can.

    Args:
        env: The environment of the agent.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env

    def decide(self, trial: Trial, around: Surroundings) -> Decision:
        """Fire the event of a try at the guard alone, see ``sandboxed.Decide``.

        Raises:
            NotTriedError: The fault cannot be had here.
            ProjectError: The project cannot be copied.
        """
        with ExitStack() as stack:
            project = stack.enter_context(on_host(around.project, around.files))
            directory = project.directory
            _break_scripts(trial, directory)
            env = {**self._env, **around.env}
            if trial.without or trial.ended:
                programs = stack.enter_context(TemporaryDirectory(prefix="sandhook-programs-"))
                env["PATH"] = _path(trial, Path(programs), env.get("PATH", os.defpath))
            if trial.disk == "read-only":
                stack.callback(_make_removable, Path(directory))
                _make_read_only(Path(directory))
            return self._fire(trial, around, directory, env)

    def _fire(self, trial: Trial, around: Surroundings, directory: str, env: Mapping[str, str]) -> Decision:
        spec = _started(trial, directory)
        # an agent reads to the end of the output, until the timeout
        shell = shell_of(spec, trial.contract.name, env)
        runner = AgentRunner(shell, directory, env, linger=spec.timeout + 1)

        def run(request: Request) -> RunResult:
            if (unstarted := trial.unstarted) is not None:
                return unstarted
            return runner(request._replace(stdin=trial.payload(request.stdin)))

        engine = HookEngine(
            [Group(trial.contract, (spec,))],
            runner=run,
            compat="strict",
            fail_closed=around.fail_closed and not trial.through_sandhook,
            env=env,
            shared_files=True,
        )
        return engine.fire(trial.event.with_(cwd=directory, project_dir=directory))


def _started(trial: Trial, directory: str) -> HookSpec:
    """Return the hook as the agent starts it, with what runs before it."""
    spec, before = trial.spec, trial.before or trial.inside
    if trial.outer is not None:  # the agent waits longer than sandhook, which also has to start
        outer = trial.outer._replace(timeout=min(trial.outer.timeout, spec.timeout + _START))
        spec, before = begun_with(outer, trial.inside, spec.timeout), trial.before
    if trial.disk == "full":
        if sys.platform == "win32":
            raise NotTriedError("Windows has no limit for the size of files")
        before = _FULL
    if spec.file.startswith(f"{WORKSPACE}/"):
        spec = spec._replace(file=directory + spec.file.removeprefix(WORKSPACE))
    return prefixed(spec, before)


def _break_scripts(trial: Trial, directory: str) -> None:
    """Change the copies of the scripts.

    Raises:
        NotTriedError: A script is not in the project, or the system has no such permissions.
    """
    broken = set(trial.scripts) if trial.mode is not None else set(trial.replaced)
    if trial.mode is not None and sys.platform == "win32":
        raise NotTriedError("Windows has no such permission")
    if broken and not any(name.startswith(f"{WORKSPACE}/") for name in broken):
        raise NotTriedError("its scripts are not in the project, and only copies are broken")
    for name in broken:
        path = Path(directory + name.removeprefix(WORKSPACE))
        if not name.startswith(f"{WORKSPACE}/") or not path.is_file():
            continue
        mode = path.stat().st_mode
        path.unlink()  # a link may lead to a file that is no copy
        new = trial.replaced.get(name, trial.scripts[name])
        if new is not None:
            path.write_bytes(new)
            path.chmod(mode if trial.mode is None else trial.mode)


def _path(trial: Trial, programs: Path, path: str) -> str:
    """Return a PATH in which some programs are missing, and others end at once as if the system killed them.

    Raises:
        NotTriedError: This system cannot make links.
    """
    if sys.platform == "win32":
        raise NotTriedError("programs of Windows cannot be hidden by links")
    killed = programs / "killed"
    killed.mkdir()
    for name in trial.ended:
        program = killed / name
        program.write_text("#!/bin/sh\nkill -KILL $$\n")
        program.chmod(0o755)
    return os.pathsep.join(map(str, [killed, *_without(trial, programs, path)]))


def _without(trial: Trial, programs: Path, path: str) -> Iterator[Path]:
    """Yield the directories of PATH; one with a missing program is replaced by one with links to all others."""
    for number, name in enumerate(path.split(os.pathsep)):
        directory = Path(name or ".").absolute()
        if not any((directory / each).exists() for each in trial.without):
            yield directory
            continue
        place = programs / str(number)
        place.mkdir()
        for program in directory.iterdir():
            if program.name not in trial.without:
                (place / program.name).symlink_to(program)
        yield place


def _make_read_only(directory: Path) -> None:
    """Take the permission to write from a copy.

    Raises:
        NotTriedError: Permissions mean nothing for this user.
    """
    if sys.platform == "win32" or os.geteuid() == 0:
        raise NotTriedError("no file of the copy can be made read-only for this user")
    for path in (directory, *directory.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & 0o555)


def _make_removable(directory: Path) -> None:
    directory.chmod(0o700)
    for path in directory.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
