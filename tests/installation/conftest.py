"""Run the commands of installation inside this process, with a home and a project of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from sandhook.cli import main
from tests.installation.installtools import GUARD


class Ran(NamedTuple):
    """What one command line printed."""

    status: int
    stdout: str
    stderr: str


@pytest.fixture
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory with a home, a project (the working directory), and a guard to install."""
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SANDHOOK_NO_CACHE", "1")
    monkeypatch.delenv("SANDHOOK_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path / "project")
    (tmp_path / "guard.json").write_text(json.dumps(GUARD))
    return tmp_path


@pytest.fixture
def sandhook(around: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Ran]:
    """Return ``sandhook(*argv)``."""

    def run(*argv: str | Path) -> Ran:
        status = main([str(word) for word in argv])
        out, err = capsysbinary.readouterr()
        return Ran(status, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape"))

    return run
