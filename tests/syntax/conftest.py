"""--oracle: ask the real bash (5.2) as well; asked for and absent is a failure."""

from __future__ import annotations

import shutil
import subprocess

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--oracle", False):
        return
    asked = [item for item in items if "bash" in getattr(item, "fixturenames", ())]
    asked = [item for item in asked if "tests/syntax" in item.nodeid or item.path.parent.name == "syntax"]
    if asked:
        config.hook.pytest_deselected(items=asked)
        items[:] = [item for item in items if item not in asked]


class Bash:
    """The oracle: what bash 5.2 makes of a script that it does not run."""

    def __init__(self, program: str, directory) -> None:
        self.program = program
        self.path = directory / "script"

    def check(self, script: str, extglob: bool = False) -> tuple[bool, list[str]]:
        """Return whether bash accepts the script, and its complaints as "line N: text"."""
        self.path.write_bytes(script.encode("utf-8", "surrogateescape"))
        options = ["-O", "extglob"] if extglob else []
        done = subprocess.run(
            [self.program, *options, "-n", str(self.path)], capture_output=True, stdin=subprocess.DEVNULL
        )
        lines = done.stderr.decode("utf-8", "replace").replace(f"{self.path}: ", "").splitlines()
        complaints = [
            line
            for line in lines
            if line.startswith("line ")
            and "warning: " not in line
            and not line.endswith("not a valid identifier")
        ]
        return done.returncode == 0 and not complaints, complaints

    def pretty(self, script: str) -> str:
        self.path.write_bytes(script.encode("utf-8", "surrogateescape"))
        done = subprocess.run([self.program, "--pretty-print", str(self.path)], capture_output=True)
        return done.stdout.decode("utf-8", "surrogateescape")

    def run(self, script: str) -> str:
        done = subprocess.run([self.program, "-c", script], capture_output=True)
        return (done.stdout + done.stderr).decode("utf-8", "surrogateescape")


@pytest.fixture
def bash(tmp_path) -> Bash:
    program = shutil.which("bash")
    assert program, "--oracle needs bash"
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    assert "version 5.2" in version, f"the oracle is bash 5.2, this is {version.splitlines()[0]}"
    return Bash(program, tmp_path)
