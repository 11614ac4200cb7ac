"""Asking bash, grep and sed what they make of a pattern."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable

import pytest

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="session")
def real(oracle: bool) -> Run | None:
    """Run a real program in the C.UTF-8 locale; None unless ``--oracle`` is given.

    Asked for and absent is a failure.
    """
    if not oracle:
        return None

    def run(*argv: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        program = shutil.which(argv[0])
        assert program is not None, f"{argv[0]} is not installed"
        return subprocess.run(
            list(argv),
            executable=program,
            input=stdin,
            capture_output=True,
            env={"LC_ALL": "C.UTF-8"},
            check=False,
        )

    version = run("bash", "--version").stdout
    assert b"version 5." in version, "the oracle is bash 5.2"
    return run
