"""``sandhook fire`` says first which hooks are not in force, and its exit status says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.hooks.test_silencing import GUARDS


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(GUARDS["claude_code"]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


FIRE = ("fire", "PreToolUse", "--contract", "claude_code", "--tool", "Bash", "--input", "{}")


def test_the_first_line(sandhook: Any, project: Path) -> None:
    ran = sandhook(*FIRE, "--store", project / "store")
    assert ran.status == 3
    first, *_, last = ran.stdout.splitlines()
    assert first.startswith("not in force: PreToolUse[0]: not trusted: ")
    assert last == "decision: proceed (1 not in force)"


def test_json(sandhook: Any, project: Path) -> None:
    ran = sandhook(*FIRE, "--store", project / "store", "--format", "json")
    assert ran.status == 3
    (withheld,) = json.loads(ran.stdout)["withheld"]
    assert withheld["hook_id"] == "PreToolUse[0]"
    assert withheld["why"].startswith("not trusted: ")


def test_fail_closed(sandhook: Any, project: Path) -> None:
    ran = sandhook(*FIRE, "--store", project / "store", "--fail-closed")
    assert ran.status == 2
    assert ran.stdout.splitlines()[-2].startswith("decision: refused (fail closed) (1 not in force)")


def test_as_a_hook(sandhook: Any, project: Path) -> None:
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, "session_id": "s"}
    fire = ("fire", "--contract", "claude_code", "--as-hook", "claude_code", "--store", project / "store")
    ran = sandhook(*fire, stdin=json.dumps(payload).encode())
    assert ran.status == 0
    assert "not trusted" in ran.stderr
    ran = sandhook(*fire, "--fail-closed", stdin=json.dumps(payload).encode())
    assert "is not in force: not trusted" in ran.stdout + ran.stderr
    assert ran.status == 2 or json.loads(ran.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
