"""sandhook portability: states in lines, in JSON and on a terminal, and the exit status."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminals import in_terminal

Sandhook = Callable[..., Any]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    hooks = [{"command": "./guard.sh", "matcher": "bash"}]
    (made / "crush.json").write_text(json.dumps({"hooks": {"PreToolUse": hooks}}))
    (made / "guard.sh").write_bytes(b"#!/bin/bash\ndeclare -A seen\nexit 2\n")
    (made / "guard.sh").chmod(0o755)
    monkeypatch.chdir(made)
    return made


def test_prints_a_line_for_each_hook_agent_and_system(sandhook: Sandhook, project: Path) -> None:
    ran = sandhook("portability", "crush.json", "--agent", "crush", "--system", "linux", "macos")
    assert (ran.status, ran.stderr) == (1, "")
    assert [line.split(maxsplit=4) for line in ran.stdout.splitlines()] == [
        ["runs", "PreToolUse[0]", "crush", "linux"],
        ["fails", "PreToolUse[0]", "crush", "macos",
         "guard.sh:2: an associative array (-A) needs bash 4.0: macOS has 3.2"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("--agent", "crush", "--system", "linux"), 0),
        (("--agent", "crush", "--system", "macos"), 1),
        (("--agent", "goose", "--system", "windows"), 3),
        (("--agent", "nosuch"), 2),
        (("--system", "solaris"), 2),
    ],
)
def test_exit_status(sandhook: Sandhook, project: Path, arguments: tuple[str, ...], status: int) -> None:
    assert sandhook("portability", "crush.json", *arguments).status == status


def test_a_configuration_with_a_fault_is_reported(sandhook: Sandhook, project: Path) -> None:
    (project / "crush.json").write_text('{"hooks": {"PreToolUse": [{"command": 1}]}}')
    ran = sandhook("portability", "crush.json", "--contract", "crush")
    assert (ran.status, ran.stdout) == (2, "") and "hooks.PreToolUse[0].command" in ran.stderr


def test_without_a_file_the_agents_files_are_read(sandhook: Sandhook, project: Path) -> None:
    ran = sandhook("portability", "--contract", "crush", "--agent", "crush", "--system", "linux")
    assert (ran.status, ran.stdout.split()[:2]) == (0, ["runs", "PreToolUse[0]"])
    (project / "crush.json").unlink()
    ran = sandhook("portability", "--contract", "crush")
    assert ran.status == 0 and ran.stdout.startswith("no hooks: none of the ")


def test_json_has_all_reasons(sandhook: Sandhook, project: Path) -> None:
    ran = sandhook("portability", "crush.json", "--format", "json", "--system", "macos", "--agent", "crush")
    value = json.loads(ran.stdout)
    assert (value["version"], value["command"]) == (1, "portability")
    (result,) = value["results"]
    assert result["state"] == "fails" and result["reasons"] == [
        {
            "state": "fails",
            "aspect": "shell",
            "message": "an associative array (-A) needs bash 4.0: macOS has 3.2",
            "file": f"{project.as_posix()}/guard.sh",
            "line": 2,
        }
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals of this kind")
@pytest.mark.parametrize("columns", [50, 120])
def test_a_terminal_shows_a_table_and_each_reason_once(project: Path, columns: int) -> None:
    shown = in_terminal("portability", "crush.json", cwd=project, columns=columns)
    assert shown.status == 1
    assert all(len(line) <= columns for line in shown.text.splitlines())
    assert " ".join(shown.text.split()).count("guard.sh:2: an associative array") == 1
    if columns == 120:
        rows = [line.split() for line in shown.text.splitlines()]
        assert ["linux", "macos", "git-bash", "windows"] in rows
        assert ["crush", "runs", "fails", "differs", "fails"] in rows
