"""sandhook check: findings on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sandhook = Callable[..., Any]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "guard.sh").write_text("#!/bin/sh\nfrobnicate\nexit 1\n")
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
            "1 error, 1 warning",
        ]
    )


def test_as_json(sandhook: Sandhook, project: Path) -> None:
    value = json.loads(sandhook("check", "crush.json", "--contract", "crush", "--format", "json").stdout)
    assert [(each["severity"], each["rule"], each["line"]) for each in value if each["line"] == 7] == [
        ("error", "E-FILE", 7)
    ]


def test_strict_fails_on_warnings(sandhook: Sandhook, project: Path) -> None:
    (project / "gone.sh").write_text("exit 2\n")
    base = ("check", "crush.json", "--contract", "crush")
    assert sandhook(*base).status == 0
    assert sandhook(*base, "--strict").status == 1
    assert sandhook("check", "clean.json", "--contract", "crush", "--strict") == (0, "nothing found\n", "")


def test_every_file_is_checked(sandhook: Sandhook, project: Path) -> None:
    (project / "odd.json").write_text('{"a": 1}')
    (project / "broken.json").write_text("{")
    ran = sandhook("check", "odd.json", "broken.json", "missing.json", "clean.json")
    assert ran.status == 1
    lines = ran.stdout.splitlines()
    assert lines[0].startswith("odd.json: error E-CONTRACT: fits none of the known contracts")
    assert lines[1].startswith("broken.json: error E-CONFIG: ")
    assert lines[2] == "missing.json: error E-CONFIG: No such file or directory"
    assert lines[3] == "3 errors"


def test_without_a_file_the_agents_own_are_checked(sandhook: Sandhook, project: Path) -> None:
    ran = sandhook("check", "--contract", "crush", "--store", "store")
    assert ran.status == 1
    assert ran.stdout.count("note N-STATE: not trusted") == 2
    assert "E-FILE" in ran.stdout
