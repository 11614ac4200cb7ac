"""Who runs the workloads: bash, sandhook, and the in-process peers that are installed."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.workloads import Workload

WORKSPACE = "/workspace"
BASE_ENV = {"LC_ALL": "C"}
SECONDS = 120  #: what a single run may take, for everybody
COUNT = 10**9  #: commands and loop turns, where a peer limits them


class Output(NamedTuple):
    """What a run gave; runners must agree on it."""

    stdout: str
    status: int


#: Runs one workload once, in a sandbox made for that run.
Run = Callable[[], Output]


@contextlib.contextmanager
def bash(workload: Workload) -> Iterator[Run]:
    """The bash on PATH, one process for each run, as an agent without sandhook starts it."""
    with tempfile.TemporaryDirectory() as directory:
        for name, text in workload.files.items():
            Path(directory, name).write_text(text)
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", **BASE_ENV, **workload.env}
        argv = [shutil.which("bash") or "bash", "--norc", "-c", workload.script]

        def run() -> Output:
            done = subprocess.run(
                argv, env=env, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
            )
            return Output(done.stdout.decode(), done.returncode)

        yield run


@contextlib.contextmanager
def sandhook(workload: Workload) -> Iterator[Run]:
    """A new Shell for each run; the parse cache and the jq worker are warm after the first."""
    from sandhook.limits import Limits
    from sandhook.shell import Shell

    limits = Limits(wall_seconds=SECONDS, steps=COUNT)
    env = BASE_ENV | workload.env
    files = {f"{WORKSPACE}/{name}": text for name, text in workload.files.items()}

    def run() -> Output:
        result = Shell(files=files, env=env, cwd=WORKSPACE, limits=limits).run(workload.script)
        return Output(result.stdout, result.exit_status)

    yield run


@contextlib.contextmanager
def bashkit(workload: Workload) -> Iterator[Run]:
    """bashkit's Bash: Rust, in process; a new one for each run."""
    from bashkit import Bash

    env = BASE_ENV | workload.env
    files: dict[str, Any] = {f"{WORKSPACE}/{name}": text for name, text in workload.files.items()}

    def run() -> Output:
        shell = Bash(
            cwd=WORKSPACE,
            env=env,
            files=files,
            max_commands=COUNT,
            max_loop_iterations=COUNT,
            timeout_seconds=SECONDS,
        )
        result = shell.execute_sync(workload.script)
        return Output(result.stdout, result.exit_code)

    yield run


@contextlib.contextmanager
def just_bash(workload: Workload) -> Iterator[Run]:
    """just-bash's Bash: Python, in process; a new one for each run."""
    from just_bash import Bash, ExecutionLimits

    env = BASE_ENV | workload.env
    files: dict[str, Any] = {f"{WORKSPACE}/{name}": text for name, text in workload.files.items()}
    limits = ExecutionLimits(
        max_command_count=COUNT, max_loop_iterations=COUNT, max_awk_iterations=COUNT, max_sed_iterations=COUNT
    )

    def run() -> Output:
        result = Bash(cwd=WORKSPACE, env=env, files=files, limits=limits).run(workload.script)
        return Output(result.stdout, result.exit_code)

    yield run


RUNNERS: dict[str, Callable[[Workload], contextlib.AbstractContextManager[Run]]] = {
    "bash": bash,
    "sandhook": sandhook,
    "bashkit": bashkit,
    "just-bash": just_bash,
}


def installed() -> list[str]:
    """Return the runners that this machine has, in the order of RUNNERS."""
    there = {
        "bash": shutil.which("bash") is not None,
        "sandhook": True,
        "bashkit": find_spec("bashkit") is not None,
        "just-bash": find_spec("just_bash") is not None,
    }
    return [name for name in RUNNERS if there[name]]


def processor_clock(name: str) -> Callable[[], float | None]:
    """Return the clock of the processor time that a runner uses: its children's for bash, else this process's."""
    return _children_time if name == "bash" else time.process_time


def _children_time() -> float | None:
    """Return the user and system seconds of ended children; None where the system has no such figure."""
    if find_spec("resource") is None:
        return None
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
