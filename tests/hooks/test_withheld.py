"""Hooks that nobody approved as they are: they do not run, and nobody takes their silence for an approval."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandhook.hooks import Decision, HookEngine, RunResult
from sandhook.hooks.contracts import Document, names
from sandhook.hooks.events import PromptSubmit, SessionStart, ToolPost, ToolPre
from sandhook.hooks.model import HookSpec
from tests.hooks.hooktools import Scripted
from tests.hooks.test_silencing import GUARDS

CALL = ToolPre("Bash", {"command": "ls"})


def fire(name: str, *runs: RunResult, event: Any = CALL, **options: Any) -> Decision:
    """Fire an event at a contract's guard, which comes with a project."""
    document = Document(GUARDS[name], name="settings", layer="project", contract=name)
    return HookEngine.load([document], name, runner=Scripted(*runs), **options).fire(event)


@pytest.mark.parametrize("name", names())
def test_a_guard_that_nobody_approved_is_named(name: str) -> None:
    decision = fire(name)
    assert decision.permission == "none"
    (outcome,) = decision.withheld
    assert (outcome.state, outcome.matched, outcome.run) == ("withheld", True, None)
    assert outcome.why.startswith("not trusted: settings is of the project layer")
    assert decision.outcomes == (outcome,)


@pytest.mark.parametrize("fail_closed", [True, "strict"])
@pytest.mark.parametrize("name", names())
def test_it_refuses_when_the_engine_fails_closed(name: str, fail_closed: Any) -> None:
    decision = fire(name, fail_closed=fail_closed)
    assert decision.refused
    (outcome,) = decision.withheld
    assert decision.fail_closed == (outcome.spec.id,)
    assert f"hook {outcome.spec.id} is not in force: not trusted" in (decision.reason or "")
    assert decision.message


@pytest.mark.parametrize("name", names())
def test_a_guard_that_was_approved_is_not_withheld(name: str) -> None:
    decision = fire(name, RunResult(0), trust=lambda spec: True, fail_closed=True)
    assert decision.withheld == ()
    assert [outcome.state for outcome in decision.outcomes] == ["selected"]


def engine(*commands: tuple[str, str], approved: str = "", fail_closed: bool = True) -> HookEngine:
    """Return an engine for hooks of Claude Code: (event and matcher joined by a blank, text of the hook)."""
    events: dict[str, list[Any]] = {}
    for place, text in commands:
        event, _, matcher = place.partition(" ")
        hook = {"type": "command", "command": text}
        events.setdefault(event, []).append({"matcher": matcher, "hooks": [hook]})
    document = Document({"hooks": events}, layer="project", contract="claude_code")

    def trust(spec: HookSpec) -> bool:
        return spec.executor.text == approved

    return HookEngine.load([document], trust=trust, fail_closed=fail_closed)


def test_only_an_event_that_the_guard_wanted_is_refused() -> None:
    hooks = engine(("PreToolUse Write", "exit 2"))
    assert hooks.fire(CALL) == Decision(
        "tool.pre", "PreToolUse", "claude_code", outcomes=(), fail_closed=(), diagnostics=()
    )
    assert hooks.fire(ToolPre("Write", {})).refused


def test_an_event_that_cannot_be_refused_goes_on() -> None:
    hooks = engine(
        ("SessionStart", "echo hi"), ("PostToolUse Bash", "exit 2"), ("UserPromptSubmit", "exit 2")
    )
    assert not hooks.fire(SessionStart()).refused
    assert len(hooks.fire(SessionStart()).withheld) == 1
    assert len(hooks.fire(ToolPost("Bash", {})).withheld) == 1
    assert hooks.fire(PromptSubmit("x")).block


def test_the_others_run_and_the_refusal_stays() -> None:
    hooks = engine(("PreToolUse *", "exit 2"), ("PreToolUse *", "echo ok"), approved="echo ok")
    decision = hooks.fire(CALL)
    assert decision.refused
    assert [outcome.state for outcome in decision.outcomes] == ["withheld", "selected"]


def test_without_it_the_others_decide() -> None:
    hooks = engine(
        ("PreToolUse *", "exit 2"), ("PreToolUse *", "echo ok"), approved="echo ok", fail_closed=False
    )
    decision = hooks.fire(CALL)
    assert not decision.refused
    assert [outcome.state for outcome in decision.withheld] == ["withheld"]


def test_a_hook_that_the_configuration_switches_off_is_not_in_question() -> None:
    document = Document(
        {"disableAllHooks": True, **GUARDS["claude_code"]}, layer="project", contract="claude_code"
    )
    muted = HookEngine.load([document], trust=lambda spec: True, fail_closed=True)
    assert [each.state for each in muted.withheld] == ["muted"]
    assert muted.fire(CALL).withheld == ()
    assert not muted.fire(CALL).refused


def test_an_audit_names_it() -> None:
    lines: list[str] = []
    document = Document(GUARDS["claude_code"], layer="project", contract="claude_code")
    HookEngine.load([document], audit=lines.append).fire(CALL)
    records = [json.loads(line) for line in lines]
    assert [record["type"] for record in records] == ["hook.warning", "hook.invoked"]
    assert "does not run: not trusted" in records[0]["message"]
