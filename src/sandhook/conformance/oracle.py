"""Runs scripts on the real shells of this machine; no other module of this package starts shells.

Each script runs in a separate temporary directory, with all permissions of the user: cases are
trusted like any test suite.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from functools import cache
from pathlib import Path
from time import monotonic

from sandhook.conformance.helpers import PROGRAMS
from sandhook.conformance.model import Observation, Oracle
from sandhook.conformance.runner import ENVIRONMENT, TIMEOUT
from sandhook.worker.winjob import close, end_with_host

#: The real shells by name, each with the names of its program in order of preference.
PROGRAM = {
    "ash": ("busybox", "ash"),
    "bash": ("bash",),
    "dash": ("dash",),
    "mksh": ("mksh",),
    "yash": ("yash",),
    "zsh": ("zsh",),
}
_OPTIONS = {"zsh": ("-f",)}

#: Signals that every Python ignores and `subprocess` restores; Windows has none of them.
_IGNORED_BY_PYTHON = [getattr(signal, name, None) for name in ("SIGPIPE", "SIGXFSZ")]

_VERSIONS = {
    "bash": 'echo "${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}.${BASH_VERSINFO[2]}"',
    "mksh": 'v=${KSH_VERSION#*R}; echo "${v%% *}"',
    "yash": 'echo "$YASH_VERSION"',
    "zsh": 'echo "$ZSH_VERSION"',
}


class OracleMissing(Exception):
    """A shell that a case file needs is not installed, or is too old."""


def program_of(name: str) -> str:
    """Return the path of a shell's program. Raises OracleMissing."""
    for program in PROGRAM.get(name, ()):
        path = shutil.which(program)
        if path is not None:
            return path
    raise OracleMissing(f"{name} is not installed")


def installed_shells() -> list[str]:
    """Return the names of the real shells on this machine."""
    return [name for name, programs in PROGRAM.items() if any(map(shutil.which, programs))]


@cache
def version_of(name: str) -> tuple[int, ...]:
    """Return the version of a shell; () if the shell cannot print it. Raises OracleMissing."""
    program = program_of(name)
    if name not in _VERSIONS:
        return ()
    text = subprocess.run(
        [program, *_OPTIONS.get(name, ()), "-c", _VERSIONS[name]],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=True,
    ).stdout.strip()
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def check(oracle: Oracle) -> tuple[int, ...]:
    """Return the version of an installed shell. Raises OracleMissing if it is too old."""
    version = version_of(oracle.name)
    if oracle.version and version < oracle.version:
        current, minimum = (".".join(map(str, numbers)) for numbers in (version, oracle.version))
        raise OracleMissing(f"{oracle.name} is {current}, the cases need {minimum}")
    return version


def restore_signals() -> None:
    """Let the real shells have the default action of signals that are ignored since this command started.

    A shell that starts a command in the background ignores interrupts in it, and nohup ignores SIGHUP. An ignored
    signal stays ignored in a new program; a signal with a handler has its default action there.
    """
    for number in signal.valid_signals():
        if signal.getsignal(number) is signal.SIG_IGN and number not in _IGNORED_BY_PYTHON:
            signal.signal(number, lambda *_: None)


class RealShell:
    """Runs scripts on a real shell, each in an empty directory; use as a context manager.

    Args:
        root: Directory that scripts see as $REPO_ROOT; the current directory when None.
        jobs: Number of scripts that run at once.
        timeout: Limit of one script in seconds, after which all its processes are killed.
    """

    def __init__(
        self, name: str, *, root: str | None = None, jobs: int = 1, timeout: float | None = None
    ) -> None:
        self.name = name
        self.version = self._version()
        self._program = self._find()
        self._root = str(Path(root or ".").absolute())
        self._jobs = jobs
        self._timeout = TIMEOUT if timeout is None else timeout
        self._running: dict[subprocess.Popen[bytes], int] = {}  # each with its job, which only Windows has
        self._is_ending = False  # True when the caller needs no more results
        self._directory = tempfile.TemporaryDirectory(prefix="sandhook-test-", ignore_cleanup_errors=True)
        self._helpers = self._make_helpers(self._directory.name)

    def __enter__(self) -> RealShell:
        return self

    def __exit__(self, *_: object) -> None:
        self._directory.cleanup()

    def _make_helpers(self, directory: str) -> str:
        """Create a directory with the helper programs and a link to the shell; return its path."""
        helpers = Path(directory) / "bin"
        helpers.mkdir()
        for name, text in PROGRAMS.items():
            path = helpers / name
            path.write_text(f"#!{sys.executable} -IS\n{text}", encoding="utf-8")
            path.chmod(0o755)
        if self._program:
            (helpers / self.name).symlink_to(self._program)
        return str(helpers)

    def _version(self) -> tuple[int, ...]:
        return version_of(self.name)

    def _find(self) -> str:
        return program_of(self.name)

    def environment(self, directory: str) -> dict[str, str]:
        """Return the environment of a script that runs in a directory."""
        return {
            **ENVIRONMENT,
            "PATH": f"{self._helpers}:{ENVIRONMENT['PATH']}",
            "HOME": directory,
            "TMP": directory,
            "SH": self.name if self._program else "bash",
            "REPO_ROOT": self._root,
            "TESTBIN": self._helpers,
        }

    def map(
        self, scripts: Sequence[str], counts: Sequence[int] | None = None
    ) -> Generator[Observation, None, None]:
        """Yield the result of each script, in order; ``counts`` has the number of cases of each script."""
        counts = counts or [1] * len(scripts)
        if self._jobs <= 1 or len(scripts) < 2:
            yield from map(self.run, scripts, counts)
            return
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(self._jobs)
        self._is_ending = False
        try:
            yield from pool.map(self.run, scripts, counts)
        finally:
            self._is_ending = True
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(self._running):
                self._kill_group(process)
            pool.shutdown()

    def run(self, script: str, count: int = 1) -> Observation:
        """Run one script with this number of cases."""
        with tempfile.TemporaryDirectory(
            prefix="case-", dir=self._directory.name, ignore_cleanup_errors=True
        ) as directory:
            return self._in(directory, script, self._timeout * count)

    def _in(self, directory: str, script: str, seconds: float) -> Observation:
        start = monotonic()
        process = subprocess.Popen(
            [self.name, *_OPTIONS.get(self.name, ()), "-c", script.encode("utf-8", "surrogateescape")],
            executable=self._program,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=directory,
            env=self.environment(directory),
            start_new_session=True,
        )
        self._running[process] = end_with_host(process.pid)
        if self._is_ending:  # ``map`` killed the others while this one started
            self._kill_group(process)
        trouble = ""
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self._kill_group(process)
            out, err = process.communicate()
            trouble = f"no end after {seconds:g} seconds"
        finally:
            self._kill_group(process)  # including its background processes
            self._running.pop(process, None)
        status = process.returncode if process.returncode >= 0 else 128 - process.returncode
        return Observation(status, out, err, trouble, monotonic() - start)

    def _kill_group(self, process: subprocess.Popen[bytes]) -> None:
        """Kill a shell with all that it started.

        On Windows that is a job. A list of its descendants would lack what they start meanwhile.
        """
        if sys.platform == "win32":
            if job := self._running.pop(process, 0):
                close(job)
            process.kill()
            return
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:  # the group has no member
            if process.poll() is None:
                process.kill()
