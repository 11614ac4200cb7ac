"""A studio in this process, and requests to it; without the extra ``serve``, the tests are skipped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.serve.conftest import MISSING, SkippedModule, serve
from tests.studio.studiotools import Studio

__all__ = ["serve"]


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Skip modules by name, before they import what is not installed."""
    return SkippedModule.from_parent(parent, path=module_path) if MISSING else None


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Studio]:
    """Return ``studio(files, home={...}, **options)``: a project and its studio."""
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)

    def make(files: dict[str, str | bytes], *, home: dict[str, str] | None = None, **more: Any) -> Studio:
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
        return Studio(tmp_path, files, home or {}, **more)

    return make
