"""Run the command line inside this process."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sandhook.cli import main


class RunResult(NamedTuple):
    """What one command line gave."""

    status: int
    stdout: str
    stderr: str


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the empty home of the user, on every system: configurations and approvals are below it."""
    made = tmp_path / "home"
    made.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(made))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    return made


@pytest.fixture
def sandhook(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path, home: Path
) -> Callable[..., RunResult]:
    """Return ``sandhook(*argv, stdin=b"")``; the cache is in a temporary directory."""
    monkeypatch.setenv("SANDHOOK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("SANDHOOK_DEBUG", raising=False)

    def run(*argv: str | Path, stdin: bytes = b"") -> RunResult:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        status = main([str(word) for word in argv])
        out, err = capsysbinary.readouterr()
        return RunResult(
            status, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape")
        )

    return run


@pytest.fixture
def hooks(tmp_path: Path) -> Callable[..., Path]:
    """Return ``hooks(*raw hooks, name="hooks.json", **more)``: a written configuration's path."""

    def write(*raw: Any, name: str = "hooks.json", **more: Any) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps({"hooks": list(raw), **more}), encoding="utf-8")
        return path

    return write
