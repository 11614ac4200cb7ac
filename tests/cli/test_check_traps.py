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
