"""sandhook check: findings on the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sandhook = Callable[..., Any]


def claude(command: str) -> dict[str, Any]:
    """Return settings of Claude Code."""
    handler = {"type": "command", "command": command}
    return {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "guard.sh").write_bytes(b"#!/bin/sh\nfrobnicate\nexit 1\n")
    (tmp_path / "guard.sh").chmod(0o755)
    value = {"hooks": {"PreToolUse": [{"command": "./guard.sh"}, {"command": "./gone.sh"}]}}
    (tmp_path / "crush.json").write_text(json.dumps(value, indent=0))
    (tmp_path / "clean.json").write_text('{"hooks": {"PreToolUse": [{"command": "exit 2"}]}}')
    return tmp_path


def test_names_place_rule_and_hook(sandhook: Sandhook, project: Path) -> None:
    ran = sandhook("check", "crush.json", "--contract", "crush")
    script = project.as_posix() + "/guard.sh"
    assert ran.status == 1 and ran.stderr == ""
    assert sorted(ran.stdout.splitlines()) == sorted(
        [
            f"{script}:2: warning W-COMMAND: the sandbox lacks frobnicate (hook PreToolUse[0])",
            (
                "crush.json:7: hooks.PreToolUse[1]: error E-FILE: ./gone.sh: there is no such file, or it cannot "
                "be read (hook PreToolUse[1])"
            ),
            (
                "crush.json: note N-STATE: nobody approved 2 hooks, and sandhook runs them only after: sandhook "
                "trust crush.json"
            ),
            "1 error, 1 warning, 1 note in 2 hooks of crush.json",
        ]
    )


def test_as_json(sandhook: Sandhook, project: Path) -> None:
    value = json.loads(sandhook("check", "crush.json", "--contract", "crush", "--format", "json").stdout)[
        "findings"
    ]
    assert [(each["severity"], each["rule"], each["line"]) for each in value if each["line"] == 7] == [
        ("error", "E-FILE", 7)
    ]


def test_strict_fails_on_warnings(sandhook: Sandhook, project: Path) -> None:
    (project / "gone.sh").write_bytes(b"exit 2\n")
    (project / "gone.sh").chmod(0o755)
    base = ("check", "crush.json", "--contract", "crush")
    assert sandhook(*base).status == 0
    assert sandhook(*base, "--strict").status == 1
    assert sandhook("check", "clean.json", "--contract", "crush", "--strict") == (
        0,
        "nothing found in 1 hook of clean.json\n",
        "",
    )


def test_every_file_is_checked(sandhook: Sandhook, project: Path) -> None:
    (project / "odd.json").write_text('{"a": 1}')
    (project / "broken.json").write_text("{")
    ran = sandhook("check", "odd.json", "broken.json", "missing.json", "clean.json")
    assert ran.status == 2
    lines = ran.stdout.splitlines()
    assert lines[0].startswith("odd.json: error E-CONTRACT: fits none of the known contracts")
    assert lines[1].startswith("broken.json: error E-CONFIG: ")
    assert lines[2] == "missing.json: error E-CONFIG: No such file or directory"
    assert lines[3] == "3 errors in 1 hook of odd.json, broken.json, missing.json and 1 more"
    assert sandhook("check", "odd.json", "broken.json", "clean.json").status == 1


def test_what_several_agents_read_is_reported_once(
    sandhook: Sandhook, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = project / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for directory, name, text in (
        (project / ".claude", "settings.json", json.dumps(claude("polish && exit 2"))),
        (home / ".grok", "config.toml", "[cli]\n"),
    ):
        directory.mkdir(parents=True)
        (directory / name).write_text(text)
    ran = sandhook("check")
    assert "config.toml" in ran.stdout.splitlines()[-1]  # Grok Build reads Claude Code's file, too
    assert len([line for line in ran.stdout.splitlines() if "the sandbox lacks polish" in line]) == 1


def test_without_a_file_the_agents_own_are_checked(sandhook: Sandhook, project: Path) -> None:
    ran = sandhook("check", "--contract", "crush", "--store", "store")
    assert ran.status == 1
    assert ran.stdout.count("note N-STATE: not trusted") == 2
    assert ran.stdout.count(f"`sandhook trust {project.as_posix()}/crush.json` approves it") == 2
    assert "E-FILE" in ran.stdout


def test_from_a_directory_below_the_project_is_found(
    sandhook: Sandhook, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = project / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    arguments = ("check", "--contract", "crush", "--store", "store")
    ran = sandhook(*arguments)
    assert (
        ran.stdout.splitlines()[-1]
        == f"1 error, 1 warning, 2 notes in 2 hooks of {project.as_posix()}/crush.json"
    )
    assert sandhook(*arguments, "--cwd", ".").stdout.startswith("no hooks: none of the ")
    (below.parent / ".git").mkdir()  # the root of another repository
    assert sandhook(*arguments).stdout.startswith("no hooks: none of the ")


def test_what_was_looked_for_is_in_the_summary(
    sandhook: Sandhook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = sandhook("check", "--contract", "claude_code")
    assert ran == (
        0,
        f"no hooks: none of the 5 files that agents read exists (project: {tmp_path.as_posix()})\n",
        "",
    )


def test_a_directory_that_does_not_exist(sandhook: Sandhook, project: Path) -> None:
    for command in (("check", "crush.json"), ("list",), ("fire", "PreToolUse", "--hooks", "crush.json")):
        ran = sandhook(*command, "--cwd", "/nosuch", "--contract", "crush")
        status = 1 if command[0] == "fire" else 2
        assert (ran.status, ran.stderr) == (status, "sandhook: --cwd /nosuch: there is no such directory\n")


def test_on_this_machine(sandhook: Sandhook, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = project / "bin"
    tools.mkdir()
    program = tools / ("frobnicate.exe" if sys.platform == "win32" else "frobnicate")
    program.write_bytes(b"")
    program.chmod(0o755)
    assert "the sandbox lacks frobnicate" in sandhook("check", "crush.json", "--contract", "crush").stdout
    arguments = ("check", "crush.json", "--contract", "crush", "--host")
    assert "this machine lacks frobnicate" in sandhook(*arguments).stdout
    monkeypatch.setenv("PATH", str(tools))
    assert "lacks frobnicate" not in sandhook(*arguments).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="files there have no permission to be executed")
def test_a_script_that_is_not_executable(sandhook: Sandhook, project: Path) -> None:
    (project / "guard.sh").chmod(0o644)
    handler = {"type": "command", "command": "./guard.sh"}
    (project / "settings.json").write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}))
    checked = sandhook("check", "--contract", "claude_code", "settings.json")
    assert "error E-MODE: ./guard.sh is not executable" in checked.stdout
    assert "E-MODE" not in sandhook("check", "crush.json").stdout  # Crush reads the file itself


def test_a_matcher_that_never_matches_is_reported_once(sandhook: Sandhook, project: Path) -> None:
    hooks = [{"type": "command", "command": "exit 2", "if": "Bash(rm *)"}]
    groups = {"PreToolUse": [{"matcher": "(Bash", "hooks": [{"type": "command", "command": "exit 2"}]}]}
    value = {"hooks": {**groups, "Stop": [{"hooks": hooks}]}}
    (project / "never.json").write_text(json.dumps(value))
    ran = sandhook("check", "never.json", "--contract", "claude_code")
    assert [line.split(" ")[3] for line in ran.stdout.splitlines()[:-1]] == ["W-NEVER:", "W-NEVER:"]


def test_a_file_that_cannot_be_read_is_one_that_exists(sandhook: Sandhook, project: Path) -> None:
    (project / "crush.json").write_text(" ")
    ran = sandhook("check", "--contract", "crush")
    file = project.as_posix() + "/crush.json"
    assert ran.stdout.splitlines() == [
        f"{file}: error E-CONFIG: it is empty, and wanted is JSON",
        f"1 error in 0 hooks of {file}",
    ]


def test_a_script_below_the_top_of_the_repository_is_checked(sandhook: Sandhook, project: Path) -> None:
    (project / ".git").mkdir()
    (project / ".git/HEAD").write_bytes(b"ref: refs/heads/main\n")
    command = 'bash "$(git rev-parse --show-toplevel)/{}"'
    hooks = [{"command": command.format(name)} for name in ("guard.sh", "gone.sh")]
    (project / "top.json").write_text(json.dumps({"hooks": {"PreToolUse": hooks}}))
    ran = sandhook("check", "top.json", "--contract", "crush")
    assert f"{project.as_posix()}/gone.sh: there is no such file" in ran.stdout
    assert "the sandbox lacks frobnicate" in ran.stdout


def test_a_directory_is_no_configuration(sandhook: Sandhook, project: Path) -> None:
    (project / "hooks").mkdir()
    ran = sandhook("check", "hooks")
    assert ran.status == 1
    assert ran.stdout.splitlines()[0] == (
        "hooks: error E-CONFIG: is a directory; name a file, or check the files of the project there with --cwd"
    )
