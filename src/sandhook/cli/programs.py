"""The programs of this machine, for ``check --host``: they are looked up, and never run."""

from __future__ import annotations

import os
import sys


def has_program(name: str) -> bool:
    """Return whether PATH has a program, or a path names one."""
    if "/" in name or os.sep in name:
        return is_executable(name) is not False and os.path.isfile(name)  # noqa: PTH113 - pathlib costs 10 ms
    endings = [""]
    if sys.platform == "win32":
        endings += os.environ.get("PATHEXT", ".COM;.EXE;.BAT;.CMD").split(";")
    directories = os.environ.get("PATH", os.defpath).split(os.pathsep)
    candidates = (f"{directory or '.'}/{name}{ending}" for directory in directories for ending in endings)
    return any(os.path.isfile(each) and os.access(each, os.X_OK) for each in candidates)  # noqa: PTH113


def is_executable(path: str) -> bool | None:
    """Return whether a file may be executed; None on Windows, which has no such permission."""
    return None if sys.platform == "win32" else os.access(path, os.X_OK)
