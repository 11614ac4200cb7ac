"""The name that a person meant, and where commands ask for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook.cli import main
from sandhook.hooks import contracts
from sandhook.recipes.catalogue import NAMES
from sandhook.text.nearest import hint, nearest

EVENTS = ["PreToolUse", "PostToolUse", "SessionStart"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("pre_tool_use", "PreToolUse"),
        ("pretooluse", "PreToolUse"),
        ("PreTolUse", "PreToolUse"),
        ("session-start", "SessionStart"),
        ("Stop", None),
        ("", None),
        ("___", None),
    ],
)
def test_the_nearest_name(name: str, found: str | None) -> None:
    assert nearest(name, EVENTS) == found


@pytest.mark.parametrize("name", ["pre_tool_us", "PreToolUs", "pre-tool-us"])
def test_of_names_with_the_same_letters_the_spelling_counts(name: str) -> None:
    spellings = {"pre_tool_us": "pre_tool_use", "PreToolUs": "PreToolUse", "pre-tool-us": "pre-tool-use"}
    assert nearest(name, spellings.values()) == spellings[name]


def test_without_a_near_name_all_are_listed() -> None:
    assert hint("Stop", iter(EVENTS)) == "known are PreToolUse, PostToolUse, SessionStart"
    assert hint("claude-code", contracts.names()) == "did you mean claude_code?"


Capture = Callable[[], Any]


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (("chek",), "check"),
        (("list", "--contract", "claude-code"), "claude_code"),
        (("list", "--formt", "json"), "--format"),
        (("list", "--format", "jsn"), "json"),
        (("schema", "mistral"), "mistral_vibe"),
        (("schema", "--output", "lst"), "list"),
        (("install", "x", "--agent", "codx"), "codex"),
        (("status", "--agent", "kuro"), "kiro"),
        (("portability", "--agent", "crsh"), "crush"),
        (("portability", "--system", "macOS"), "macos"),
        (("init", "--agent", "gemni"), "gemini"),
        (("init", "--agent", "crush", "--recipe", NAMES[0][:-1]), NAMES[0]),
        (("explain", "PreTolUse", "--contract", "crush", "--tool", "bash"), "PreToolUse"),
        (("explain", "PreTolUse", "--tool", "bash"), "PreToolUse"),
        (("fire", "PreTolUse", "--contract", "crush", "--tool", "bash"), "PreToolUse"),
        (("completion", "powrshell"), "powershell"),
        (("test", "--shell", "sandhok", "a.test.sh"), "sandhook"),
    ],
)  # fmt: skip
def test_every_command_asks_for_the_nearest_name(
    arguments: tuple[str, ...],
    near: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_text('{"hooks": {"PreToolUse": [{"command": "true", "matcher": "bash"}]}}')
    (tmp_path / "a.test.sh").write_text("#### a\ntrue\n")
    assert main(arguments) in (1, 2)
    assert capsys.readouterr().err.strip().endswith(f"did you mean {near}?")
