"""A misspelt key of a configuration is reported with the key that was meant, in every contract."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandhook.hooks import HookEngine
from sandhook.hooks.contracts import Document, get, names
from sandhook.hooks.diagnostic import Diagnostic
from tests.hooks.test_silencing import GUARDS

#: The keys by which the guard of a contract is found: that of all hooks, that of its event, that of its command.
KEYS = {
    "everruns": ("hooks", "event", "command"),
    "mistral_vibe": ("hooks", "command"),
    "kimi": ("hooks", "event", "command"),
    "docker_agent": ("agents", "hooks", "pre_tool_use", "command"),
    "antigravity": ("PreToolUse", "command"),
    "copilot": ("hooks", "preToolUse"),
}


def keys_of(contract: str) -> tuple[str, ...]:
    event = next(name for name, kind in get(contract).events.items() if kind == "tool.pre")
    return KEYS.get(contract, ("hooks", event, "command"))


def misspelt(key: str) -> str:
    """Return a key without its last letter but one."""
    return key[:-2] + key[-1]


def messages(contract: str, value: Any) -> list[str]:
    engine = HookEngine.load(Document(value, "hooks.json"), contract)
    return [
        f"{each.path}: {each.message}" if isinstance(each, Diagnostic) else str(each)
        for each in (*engine.diagnostics, *engine.problems)
    ]


@pytest.mark.parametrize(("contract", "key"), [(name, key) for name in names() for key in keys_of(name)])
def test_a_hint_at_the_key(contract: str, key: str) -> None:
    text = json.dumps(GUARDS[contract])
    assert f'"{key}":' in text
    changed = json.loads(text.replace(f'"{key}":', f'"{misspelt(key)}":'))
    hints = [each for each in messages(contract, changed) if f"did you mean {key}?" in each]
    assert hints and all(misspelt(key) in each for each in hints), messages(contract, changed)
    assert not any("did you mean" in each for each in messages(contract, GUARDS[contract]))


@pytest.mark.parametrize("contract", ["claude_code", "gemini", "codex", "qwen"])
def test_settings_without_hooks_are_silent(contract: str) -> None:
    value = {"hideBanner": True, "history": {"size": 3}, "theme": "dark", "homepage": "x"}
    assert messages(contract, value) == []


def test_no_hint_at_a_key_that_is_there() -> None:
    value = {"hooks": {"PreToolUse": [{"command": "true", "comand": "x"}]}}
    assert [each for each in messages("crush", value) if "comand" in each] == [
        "hooks.PreToolUse[0].comand: unknown field, ignored"
    ]
