"""Directories of a Windows host in the sandbox are found by the names that agents and hooks use."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks.runner import working_directory
from sandhook.host.drives import HostPaths, sandbox_path
from sandhook.shell import Shell
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath
from tests.vfs.contract import fails


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/workspace/C:\\Users\\me/f", "/c/Users/me/f"),
        ("/workspace/C:/Users/me", "/c/Users/me"),
        ("/workspace/d:\\", "/d"),
        ("/workspace/C:", "/c"),
        ("/C:\\a/D:\\b", "/d/b"),
        ("/workspace/a:b", "/workspace/a:b"),
        ("/workspace/C:a", "/workspace/C:a"),
        ("/workspace/a\\b", "/workspace/a\\b"),
        ("/workspace/12:30", "/workspace/12:30"),
    ],
)
def test_a_drive_begins_anew(path: str, place: str) -> None:
    assert sandbox_path(path) == place


@pytest.mark.parametrize(
    ("cwd", "place"),
    [("C:\\work", "/c/work"), ("d:/work/", "/d/work"), ("/work", "/work"), ("C:work", "C:work"), ("", "")],
)
def test_where_a_hook_runs(cwd: str, place: str) -> None:
    assert working_directory(cwd) == place


@pytest.fixture
def shown() -> HostPaths:
    """Return a namespace as ``--workspace`` makes it of C:\\proj, with a hook in it."""
    project = MemoryFileSystem(bare=True)
    project.write_bytes(VirtualPath("/.agent/hook.sh"), b'echo "$0 $1"; pwd\r\n', mode=0o755, parents=True)
    table = HostPaths(MemoryFileSystem())
    table.mount(VirtualPath("/workspace"), project)
    table.mount(sandbox_path("C:\\proj"), project)
    return table


def test_a_script_uses_the_hosts_names(shown: HostPaths) -> None:
    script = """
        cd "$ROOT"; pwd
        . "$ROOT"/.agent/hook.sh x
        [ -d "$ROOT\\.agent" ] && ls "$ROOT/.agent" && cat < 'C:\\proj\\.agent\\hook.sh' | wc -l
        echo new > "C:/proj/made"; rm 'c:\\proj\\.agent\\hook.sh'; ls -A /workspace
    """
    result = Shell(fs=shown, env={"ROOT": "C:\\proj"}, cwd=working_directory("C:\\proj")).run(script)
    assert result.stderr == ""
    assert result.stdout.splitlines()[-4:] == ["hook.sh", "1", ".agent", "made"]


def test_nothing_else_is_shown(shown: HostPaths) -> None:
    fails(errno.ENOENT, shown.stat, "/workspace/C:\\Windows")
    fails(errno.ENOENT, shown.stat, "/c/other")
    assert [entry.name for entry in shown.listdir(VirtualPath("/c"))] == ["proj"]


@pytest.mark.skipif(sys.platform != "win32", reason="shows a directory of a Windows host")
def test_the_workspace_is_found_by_its_own_name(sandhook: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "f").write_text("text\n", newline="\n")
    ran = sandhook(
        "hook", "--contract", "crush", "--workspace", tmp_path, "--env", f"ROOT={tmp_path}",
        "--", "-c", 'cat "$ROOT/f" "$ROOT"\\\\f',
    )  # fmt: skip
    assert ran.stdout == "text\ntext\n"
