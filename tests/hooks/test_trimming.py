"""What stands around the object of an output: each agent's language trims its own blanks, and anything else voids the object."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandhook.hooks import HookEngine, ToolPre
from sandhook.hooks.contracts._reading.languages import Reader, as_read
from sandhook.hooks.model import RunResult

OBJECT = '{"decision": "deny"}'


def read(text: str, reader: Reader, **more: Any) -> str:
    return as_read(RunResult(0, text.encode()), reader, **more).stdout.decode()


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("blanks", ["", " \n", "\v", "\f", "\xa0", "\u2028", " \ufeff", "\ufeff\ufeff"])
def test_javascript_trims_its_blanks_and_leaves_one_mark(blanks: str, strict: bool) -> None:
    text = read(f"{blanks}{OBJECT}", "javascript", strict=strict)
    assert text.strip() == ("\ufeff" if "\ufeff" in blanks else "") + OBJECT


@pytest.mark.parametrize("sign", ["\x1c", "\x1e", "\x1f", "\x85"])
def test_in_strict_mode_signs_that_the_language_does_not_trim_void_the_object(sign: str) -> None:
    for text in (f"{sign}{OBJECT}", f"{OBJECT}{sign}", f"{OBJECT} {sign}\n"):
        assert read(text, "javascript", strict=True).strip() != OBJECT
        assert (read(text, "rust", strict=True).strip() != OBJECT) == (sign != "\x85")
        assert read(text, "python", strict=True).strip() == OBJECT


@pytest.mark.parametrize("agent", ["claude_code", "codex", "droid", "qwen", "gemini"])
@pytest.mark.parametrize("text", ["\x1c{}", "\x1e{}", "{}\x1f", "\x85{}", "{} \x85"])
def test_in_better_mode_a_refusal_next_to_such_a_sign_counts(agent: str, text: str) -> None:
    inner = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}
    output: dict[str, Any] = {"hookSpecificOutput": inner}
    event, output = ("BeforeTool", {"decision": "deny"}) if agent == "gemini" else ("PreToolUse", output)
    command = f"printf '%s' '{text.replace('{}', json.dumps(output))}'"
    config = {"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}}
    engine = HookEngine.load(config, agent, compat="better")
    assert engine.fire(ToolPre("Bash", {"command": "ls"})).refused


def test_the_language_that_trims_may_be_another_than_the_one_that_reads() -> None:
    assert read(f"\x85{OBJECT}", "rust", strict=True, trimmer="javascript").strip() != OBJECT
    assert read(f" \ufeff{OBJECT}", "rust", strict=True, trimmer="javascript") == f"\ufeff{OBJECT}"


@pytest.mark.parametrize("compat", ["strict", "better"])
@pytest.mark.parametrize("word", ["deny", "allow"])
@pytest.mark.parametrize("text", ["\v{}", "\f {}", "\xa0{}", "{}\u2028", "\u3000{}"])
def test_droid_parses_what_it_does_not_trim_and_an_approval_never_counts(
    text: str, word: str, compat: Any
) -> None:
    printed = json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": word}})
    command = f"printf '%s' '{text.replace('{}', printed)}'"
    config = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}
    decision = HookEngine.load(config, "droid", compat=compat).fire(ToolPre("Execute", {"command": "ls"}))
    assert decision.permission == ("deny" if (word, compat) == ("deny", "better") else "none")
