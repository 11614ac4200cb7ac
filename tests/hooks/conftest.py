"""Run hooks in the sandbox, and on the host's bash with --oracle."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import HookEngine, Request, RunResult


class HostFiles:
    """A directory of the host in the place of /workspace, as far as tests look at files."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def _path(self, path: str) -> Path:
        assert path == "/workspace" or path.startswith("/workspace/")
        return self.root / path[len("/workspace/") :]

    def exists(self, path: str) -> bool:
        return self._path(path).exists()

    def read_bytes(self, path: str) -> bytes:
        return self._path(path).read_bytes()

    def write_bytes(self, path: str, data: bytes, **_: Any) -> None:
        self._path(path).parent.mkdir(parents=True, exist_ok=True)
        self._path(path).write_bytes(data)

    def listdir(self, path: str) -> Iterable[Path]:
        return list(self._path(path).iterdir())


class HostRunner:
    """Runs shell text with the host's bash 5; /workspace is a temporary directory."""

    def __init__(self, root: Path) -> None:
        self.fs = HostFiles(root)
        self.root = root

    def __call__(self, request: Request) -> RunResult:
        where = str(self.root)
        for name, content in request.files:
            self.fs.write_bytes(name, content)
        env = {name: text.replace("/workspace", where) for name, text in request.env.items()}
        script = request.spec.executor.text.replace("/workspace", where)
        started = time.monotonic()
        try:
            done = subprocess.run(
                ["bash", "-c", script],
                env=env,
                input=request.stdin,
                capture_output=True,
                cwd=where,
                timeout=request.spec.timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return RunResult(limit="wall_seconds")
        finally:
            for name, _ in request.files:
                (self.root / name[len("/workspace/") :]).unlink(missing_ok=True)
        return RunResult(done.returncode, done.stdout, done.stderr, time.monotonic() - started)


@pytest.fixture
def load(oracle: bool, tmp_path: Path) -> Callable[..., HookEngine]:
    """Return ``load(config, **options)``: an engine in the sandbox, or on the host with --oracle."""

    def make(*sources: Any, **options: Any) -> HookEngine:
        if oracle and "runner" not in options:
            assert shutil.which("bash") and shutil.which("jq"), "--oracle: bash and jq must be installed"
            options["runner"] = HostRunner(tmp_path)
        return HookEngine.load(list(sources), "everruns", **options)

    return make
