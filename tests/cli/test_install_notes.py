"""Notes of ``sandhook install`` about hooks that another project cannot run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sandhook = Callable[..., Any]


@pytest.mark.parametrize(
    ("command", "scope", "noted"),
    [
        ("./hooks/guard.sh", "user", True),
        ('"$CLAUDE_PROJECT_DIR"/hooks/guard.sh', "user", True),
        ("./hooks/guard.sh", "project", False),
        ("{}/hooks/guard.sh", "user", False),
        ("exit 2", "user", False),
    ],
)
def test_a_file_of_one_project_in_the_configuration_of_the_user(
    sandhook: Sandhook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, scope: str, noted: bool
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    (project / "hooks").mkdir(parents=True)
    home.mkdir(exist_ok=True)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(project)
    (project / "hooks/guard.sh").write_bytes(b"#!/bin/sh\nexit 2\n")
    (project / "hooks/guard.sh").chmod(0o755)
    handler = {"type": "command", "command": command.replace("{}", project.as_posix())}
    value = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}}
    (project / "hooks.json").write_text(json.dumps(value))
    ran = sandhook("install", "hooks.json", "--agent", "claude_code", "--scope", scope, "--dry-run")
    assert ran.status == 0, ran.stderr
    assert ("run in every project, and execute hooks/guard.sh of" in ran.stderr) is noted
