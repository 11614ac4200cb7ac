"""The Makefile: when it sets its environments up again. ``make -n`` prints what it would do."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.source import ROOT

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("make") is None, reason="needs make and sh"
)

#: A target, and the environment that it uses.
TARGETS = [
    ("test-bridges", ".venv-bridges"),
    ("bench", ".venv-bench"),
    ("demo", ".venv"),
    ("dist", ".venv"),
    ("test", ".venv"),
]


def recipe(directory: Path, target: str, python: str = sys.executable) -> list[str]:
    """Return the commands for a target."""
    done = subprocess.run(
        ["make", "-n", target, f"PYTHON={python}"], cwd=directory, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("Makefile", "pyproject.toml"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    return tmp_path


def set_up(environment: Path) -> None:
    """Make what setting up leaves."""
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(sys.executable)
    stamp = environment / f".set-up-for-{sys.executable.replace('/', '_')}"
    for suffix in ("", "-dev", "-dist"):
        Path(f"{stamp}{suffix}").touch()


def sets_up(commands: list[str], environment: str) -> bool:
    return any("-m venv --clear" in line and f'"{environment}"' in line for line in commands)


@pytest.mark.parametrize(("target", "environment"), TARGETS)
def test_an_environment_is_set_up_once(checkout: Path, target: str, environment: str) -> None:
    assert sets_up(recipe(checkout, target), environment)
    set_up(checkout / environment)
    assert not sets_up(recipe(checkout, target), environment)


@pytest.mark.parametrize(("target", "environment"), TARGETS)
@pytest.mark.parametrize("loss", ["its programs", "its interpreter", "the interpreter of its link"])
def test_an_environment_that_lost_something_is_set_up_anew(
    checkout: Path, target: str, environment: str, loss: str
) -> None:
    set_up(checkout / environment)
    programs = checkout / environment / "bin"
    if loss == "its programs":
        shutil.rmtree(programs)
    else:
        (programs / "python").unlink()
        if loss == "the interpreter of its link":
            (programs / "python").symlink_to(checkout / "removed" / "python")
    assert sets_up(recipe(checkout, target), environment)


@pytest.mark.parametrize(("target", "environment"), TARGETS)
def test_another_python_sets_up_anew(checkout: Path, target: str, environment: str) -> None:
    set_up(checkout / environment)
    assert sets_up(recipe(checkout, target, "/usr/bin/env"), environment)
