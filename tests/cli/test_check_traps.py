"""sandhook check and doctor name what an agent drops without a word."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sandhook = Callable[..., Any]

_DENY = {"type": "command", "command": "echo no >&2; exit 2"}
_FILES = {
    "codex": ".codex/hooks.json",
    "copilot": ".github/hooks/hooks.json",
    "droid": ".factory/settings.json",
    "gemini": ".gemini/settings.json",
    "goose": ".agents/plugins/guard/hooks/hooks.json",
    "grok": ".grok/hooks/hooks.json",
    "openhands": ".openhands/hooks.json",
    "qwen": ".qwen/settings.json",
    "claude_code": ".claude/settings.json",
}


def grouped(event: str, *groups: Any) -> str:
    return json.dumps({"hooks": {event: [*groups]}})


def group(**keys: Any) -> dict[str, Any]:
    return {"hooks": [{**_DENY, **keys}]}


_SOUND = grouped("PreToolUse", group())
_TWICE = '{"hooks": {"PreToolUse": [], "PreToolUse": ' + json.dumps([group()]) + "}}"
_COPILOT = '{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "exit 2"}]}}'

MARK = "begins with a byte order mark"
TRAPS = [
    ("codex", "\ufeff" + _SOUND, MARK),
    ("goose", "\ufeff" + _SOUND, MARK),
    ("grok", "\ufeff" + _SOUND, MARK),
    ("droid", "\ufeff" + _SOUND, MARK),
    ("gemini", "\ufeff" + _SOUND.replace("PreToolUse", "BeforeTool"), MARK),
    ("copilot", "\ufeff" + _COPILOT, MARK),
    ("codex", _TWICE, "Codex drops the file: duplicate field PreToolUse"),
    ("goose", _TWICE.replace('{"hooks"', '{"hooks": {}, "hooks"', 1), "duplicate field hooks"),
    ("codex", grouped("PreToolUse", ["", [_DENY]]), "the agent reads it as the object of a group"),
    ("codex", grouped("PreToolUse", {"hooks": [["command", "exit 2"]]}), "the object of a hook"),
    ("codex", grouped("PreToolUse", group(statusMessage=5)), "Codex drops the file"),
    ("droid", grouped("PreToolUse", group(timeout=2147484)), "the agent ends the hook at once"),
    ("gemini", grouped("BeforeTool", group(timeout=3_000_000_000)), "the agent ends the hook at once"),
    ("qwen", grouped("PreToolUse", group(timeout=10**12)), "the agent ends the hook at once"),
    ("openhands", grouped("PreToolUse", group(timeout=2147484)), "the agent ends the hook at once"),
    ("goose", grouped("PreToolUse", group(timeout=0)), "goose ends the hook at once"),
    ("gemini", grouped("BeforeTool", {"matcher": ["a"], **group()}), "runs no hook of the event"),
    ("qwen", grouped("PreToolUse", {"matcher": 5, **group()}), "runs no hook of the event"),
    ("claude_code", grouped("PreToolUse", {"matcher": None, **group()}), "drops the whole file"),
    ("droid", grouped("PreToolUse", group(timeout=None)), "Droid drops the whole file"),
    ("grok", grouped("PreToolUse", group(timeout=1.5)), "Grok Build does not load the file"),
]


def checked(
    sandhook: Sandhook, directory: Path, monkeypatch: pytest.MonkeyPatch, agent: str, text: str
) -> Any:
    """Return what ``sandhook check`` says of an agent's file with this text."""
    monkeypatch.chdir(directory)
    file = directory / _FILES[agent]
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode())
    return sandhook("check", _FILES[agent], "--contract", agent)


@pytest.mark.parametrize(("agent", "text", "said"), TRAPS)
def test_check_names_the_trap(
    sandhook: Sandhook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, text: str, said: str
) -> None:
    ran = checked(sandhook, tmp_path, monkeypatch, agent, text)
    assert said in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        ("claude_code", "\ufeff" + _SOUND),
        ("qwen", "\ufeff" + _SOUND),
        ("droid", grouped("PreToolUse", group(timeout=2147483))),
        ("qwen", grouped("PreToolUse", group(timeout=900))),
        ("goose", grouped("PreToolUse", group(timeout=5))),
        ("qwen", grouped("PreToolUse", {"matcher": "run_shell_command", **group()})),
        ("droid", "// why\n" + _SOUND),
    ],
)
def test_a_sound_neighbour_has_no_such_finding(
    sandhook: Sandhook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, text: str
) -> None:
    ran = checked(sandhook, tmp_path, monkeypatch, agent, text)
    lines = [line for line in ran.stdout.splitlines() if "N-STATE" not in line]
    assert ran.status == 0 and not [line for line in lines if "error" in line or "note N" in line], ran.stdout


def test_doctor_names_a_file_that_the_agent_does_not_read(
    sandhook: Sandhook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    file = home / ".codex" / "hooks.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(("\ufeff" + _SOUND).encode())
    monkeypatch.chdir(home)
    ran = sandhook("doctor")
    assert MARK in ran.stdout, ran.stdout


CONTINUE = "Continue's cn reads hooks and starts none of them"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project, next to a home of its own."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.delenv("CONTINUE_GLOBAL_DIR", raising=False)
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    return project


def put(file: Path, text: str = _SOUND) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    "name",
    [".continue/settings.json", ".continue/settings.local.json", "../home/.continue/settings.json"],
)
def test_a_file_whose_hooks_nothing_starts_is_a_fault(sandhook: Sandhook, place: Path, name: str) -> None:
    put(place / name)
    for command, said in (
        (["check"], "error E-CONFIG"),
        (["check", name], "error E-CONFIG"),
        (["list"], "invalid"),
        (["doctor"], "not on"),
        (["explain", "PreToolUse", "--tool", "Bash", "--input", "{}"], "invalid"),
    ):
        ran = sandhook(*command)
        assert ran.status == 1 and CONTINUE in ran.stdout and said in ran.stdout, (command, ran)


def test_the_directory_that_a_variable_names_is_looked_at(
    sandhook: Sandhook, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTINUE_GLOBAL_DIR", str(place / "own"))
    put(place / "own" / "settings.json")
    assert CONTINUE in sandhook("check").stdout


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".continue/settings.json", "{}"),
        (".continue/settings.json", '{"hooks": {}}'),
        (".continue/settings.json", '{"permissions": {"allow": []}}'),
        (".continue/settings.json", "not JSON"),
        (".continue/hooks.json", _SOUND),
        (".claude/settings.local.json", _SOUND),
    ],
)
def test_a_neighbour_of_such_a_file_has_no_such_fault(
    sandhook: Sandhook, place: Path, name: str, text: str
) -> None:
    put(place / name, text)
    for command in (["check"], ["list"], ["check", name]):
        assert CONTINUE not in sandhook(*command).stdout


def test_whoever_names_the_agent_of_such_a_file_gets_its_checks_alone(
    sandhook: Sandhook, place: Path
) -> None:
    name = put(place / ".continue" / "settings.json")
    for command in (["check", name, "--contract", "claude_code"], ["list", "--contract", "claude_code"]):
        assert CONTINUE not in sandhook(*command).stdout


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("continue", CONTINUE),
        ("Continue-CLI", CONTINUE),
        ("cn", CONTINUE),
        ("auggie", "Auggie"),
        ("continues", "unknown contract"),
    ],
)
def test_an_agent_without_a_contract_is_an_error_that_says_why(
    sandhook: Sandhook, place: Path, name: str, said: str
) -> None:
    for command in (["check", "--contract", name], ["doctor", "--agent", name], ["schema", name]):
        ran = sandhook(*command)
        assert ran.status == 2 and said in ran.stderr, (command, ran)
