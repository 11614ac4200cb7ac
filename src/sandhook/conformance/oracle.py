"""Runs scripts on the real shells of this machine; the only file of this part that starts processes.

Case files are the project's own: nothing that comes from a user is run here.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import cache

from sandhook.conformance.reader import Oracle
from sandhook.conformance.runner import ENVIRONMENT, Observed, Run

#: Seconds that one script may take.
TIMEOUT = 30.0

_VERSIONS = {
    "bash": 'echo "${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}.${BASH_VERSINFO[2]}"',
    "mksh": 'v=${KSH_VERSION#*R}; echo "${v%% *}"',
}


class OracleMissing(Exception):
    """A shell that a case file asks for is not installed, or too old."""


@cache
def version_of(name: str) -> tuple[int, ...]:
    """Return a shell's version; () for dash, which does not tell. Raises OracleMissing."""
    program = shutil.which(name)
    if program is None:
        raise OracleMissing(f"{name} is not installed")
    if name not in _VERSIONS:
        return ()
    text = subprocess.run(
        [program, "-c", _VERSIONS[name]], capture_output=True, text=True, timeout=TIMEOUT, check=True
    ).stdout.strip()
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def runner_of(oracle: Oracle) -> Run:
    """Return what runs a script on a real shell, in an empty directory of its own.

    Raises:
        OracleMissing: It is not installed, or older than the case file asks for.
    """
    version = version_of(oracle.name)
    if oracle.version and version < oracle.version:
        shown, wanted = (".".join(map(str, each)) for each in (version, oracle.version))
        raise OracleMissing(f"{oracle.name} is {shown}, the cases ask for {wanted}")
    program = shutil.which(oracle.name) or oracle.name

    def run(script: str) -> Observed:
        with tempfile.TemporaryDirectory(prefix="oracle-") as directory:
            try:
                done = subprocess.run(
                    [oracle.name, "-c", script],
                    executable=program,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    cwd=directory,
                    env={**ENVIRONMENT, "HOME": directory},
                    timeout=TIMEOUT,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return Observed(124, b"", b"", f"no end after {TIMEOUT} seconds")
        status = done.returncode if done.returncode >= 0 else 128 - done.returncode
        return Observed(status, done.stdout, done.stderr)

    return run
