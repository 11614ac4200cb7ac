"""Matchers decide within bounds. One that exceeds a bound matches nothing silently: its hook could not run.

What matchers search is often the model's text, such as a command; their expressions are those of a configuration.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import Decision, Event, HookEngine, RunResult, match_budget
from sandhook.hooks.contracts import Document, get, names
from sandhook.hooks.engine import Group
from sandhook.hooks.events import SessionStart, ToolPre
from sandhook.hooks.flavour import Flavour, compile_search
from sandhook.hooks.matcher import Match
from sandhook.hooks.scan import MAX_VALUE, MAX_VARIABLES, Reader, walk
from sandhook.limits import Budget, Limits, use_budget
from sandhook.pattern.errors import PatternError, SearchTooLong
from sandhook.syntax import parse
from tests.hooks.hooktools import Scripted
from tests.hooks.test_bounds import REFUSABLE
from tests.sandbox.tools import every

#: Its automaton has more states than memory, so that RE2 simulates it at every byte of a text.
STATES = "[ab]*a[ab]{900}c"

#: Contracts whose matchers have no expressions on the tool's name.
OTHERS = {"cline", "everruns", "kiro", "ub"}

WHY = "the matcher could not decide within 5 seconds"


def load(config: Any, contract: str, **options: Any) -> HookEngine:
    """Return an engine whose hooks allow silently."""
    return HookEngine.load(config, contract, runner=Scripted(RunResult(0)), **options)


def could_not_decide(decision: Decision) -> bool:
    """Return whether a decision refuses because a matcher could not decide."""
    reasons = " ".join(outcome.could_not_run or "" for outcome in decision.outcomes)
    return decision.refused and "the matcher could not decide" in reasons


class Undecided:
    """A matcher that exceeds a bound, or fails in another way."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def check(self, event: Event) -> Match:
        raise self.error


FAULTS = {"deadline": SearchTooLong(5.0), "defect": ValueError("odd"), "depth": RecursionError()}


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("label", REFUSABLE)
def test_a_matcher_that_cannot_decide_is_a_refusal(label: str, fault: str, compat: Any) -> None:
    if compat == "strict" and label.startswith("crush:UserPromptSubmit"):
        return  # upstream has no such event yet
    block = REFUSABLE[label]
    runner = Scripted(RunResult(0))
    spec = block.spec()._replace(matcher=Undecided(FAULTS[fault]))
    engine = HookEngine([Group(block.contract, (spec,))], runner=runner, compat=compat)
    decision = engine.fire(block.event())
    assert decision.refused
    assert decision.could_not_run == (spec.id,)
    assert "the matcher could not decide" in str(decision.outcomes[0].could_not_run)
    assert runner.requests == []


def expressions() -> dict[str, Any]:
    """Return for each contract a configuration whose matcher is STATES, on the tool's name."""
    guard = {"hooks": {"PreToolUse": [{"matcher": STATES, "hooks": [{"type": "command", "command": "x"}]}]}}
    specs = HookEngine.load(guard, "claude_code", prestart=False).hooks
    return {name: get(name).render(specs)[0] for name in sorted(set(names()) - OTHERS)}


EXPRESSIONS = expressions()


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_every_contract_bounds_its_expressions(name: str, compat: Any) -> None:
    engine = load(EXPRESSIONS[name], name, compat=compat)
    assert len(engine.hooks) == 1
    decision = engine.fire(ToolPre("a" * 1_000_000))
    assert could_not_decide(decision)
    assert decision.outcomes[0].why == WHY
    assert not engine.fire(ToolPre("Bash")).could_not_run


def claude(rule: str, tool: str = "Bash") -> Any:
    hook = {"type": "command", "command": "x", "if": rule}
    return {"hooks": {"PreToolUse": [{"matcher": tool, "hooks": [hook]}]}}


EVERRUNS: dict[str, Any] = {
    "event": "pre_tool_use",
    "executor": {"type": "bash", "command": "x"},
    "matcher": {"args_jsonpath": "$.command", "match_regex": STATES},
}
KIRO: dict[str, Any] = {"hooks": {"preToolUse": [{"matcher": "*[a]" * 3_000 + "c", "command": "x"}]}}

LONG: dict[str, tuple[str, Any, ToolPre]] = {
    "everruns: an argument": ("everruns", {"hooks": [EVERRUNS]}, ToolPre("t", {"command": "a" * 1_000_000})),
    "everruns: a value as JSON": ("everruns", {"hooks": [EVERRUNS]}, ToolPre("t", {"command": ["a" * 1_000_000]})),
    "kiro: a glob": ("kiro", KIRO, ToolPre("ab" * 100_000)),
    "claude_code: many commands": ("claude_code", claude("Bash(git *)"), ToolPre("Bash", {"command": "a;" * 500_000})),
    "claude_code: many words": ("claude_code", claude("Bash(git *)"), ToolPre("Bash", {"command": "x " * 500_000})),
    "claude_code: backquotes": ("claude_code", claude("Bash(git *)"), ToolPre("Bash", {"command": "`a`;" * 200_000})),
    "claude_code: a path": (
        "claude_code", claude(f"Edit({'*a' * 900}c)", "Edit"), ToolPre("Edit", {"file_path": "a" * 1_000_000}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("compat", every(2, ["better", "strict"]))
@pytest.mark.parametrize("label", LONG)
def test_rules_globs_and_arguments_are_bounded(
    label: str, compat: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_budget, "_LIMITS", Limits(wall_seconds=0.3))
    name, config, event = LONG[label]
    assert could_not_decide(load(config, name, compat=compat).fire(event))


@pytest.mark.parametrize("compat", ["better", "strict"])
def test_a_bound_of_the_parser_is_not_a_command_that_does_not_parse(compat: Any) -> None:
    """The agent has no such bound, so that its rule might match."""
    decision = load(claude("Bash(git *)"), "claude_code", compat=compat).fire(
        ToolPre("Bash", {"command": "( " * 3_000 + "git status" + " )" * 3_000})
    )
    if compat == "strict":
        assert could_not_decide(decision)
    else:
        assert decision.outcomes[0].state == "selected"


def test_a_text_that_doubles_is_not_known() -> None:
    lines = ["x0=aaaaaaaa", *(f"x{i}=$x{i - 1}$x{i - 1}" for i in range(1, 60)), "$x59 status"]
    reader = Reader({}, None)
    reader.learn([node for unit in parse("\n".join(lines)) for node in walk(unit)])
    assert reader.variables["x3"] == "a" * 64
    assert max(map(len, reader.variables.values())) <= MAX_VALUE
    assert "x59" not in reader.variables


def test_all_variables_together_are_bounded() -> None:
    lines = ["x=" + "a" * (MAX_VALUE - 10), *(f"y{i}=$x{i}" for i in range(2_000))]
    lines += [f"z{i}=${{x}}{i}" for i in range(2_000)]
    reader = Reader({}, None)
    reader.learn([node for unit in parse("\n".join(lines)) for node in walk(unit)])
    assert sum(map(len, reader.variables.values())) <= MAX_VARIABLES


def test_the_time_is_that_of_all_matchers_of_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    """A matcher that needs no clock decides also when the time is up."""
    monkeypatch.setattr(match_budget, "_LIMITS", Limits(wall_seconds=0.2))
    config = {
        "hooks": {"preToolUse": [KIRO["hooks"]["preToolUse"][0]] * 3 + [{"matcher": "other", "command": "x"}]}
    }
    decision = load(config, "kiro").fire(ToolPre("ab" * 100_000))
    assert [outcome.state for outcome in decision.outcomes][-1] in ("not_matched", "skipped")
    assert could_not_decide(decision)


def test_the_time_of_runs_is_not_that_of_matchers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_budget, "_LIMITS", Limits(wall_seconds=0.05))
    hook = {"type": "command", "command": "x"}
    group = {"matcher": "Ba.*", "sequential": True, "hooks": [{**hook, "name": str(i)} for i in range(4)]}
    config = {"hooks": {"BeforeTool": [group]}}

    def run(request: object) -> RunResult:
        from time import sleep

        sleep(0.04)
        return RunResult(0)

    decision = HookEngine.load(config, "gemini", runner=run).fire(ToolPre("Bash"))
    assert not decision.could_not_run


@pytest.mark.parametrize("fail_closed", every(2, [True, False]))
def test_a_hook_that_nobody_approved_may_match(fail_closed: bool) -> None:
    """It does not run, and its matcher takes no time of the others."""
    document = Document(claude("Bash(git *)"), name="settings", layer="project", contract="claude_code")
    own = Document(claude("Bash(ls *)"), name="own", layer="user", contract="claude_code")
    engine = load([own, document], "claude_code", fail_closed=fail_closed)
    decision = engine.fire(ToolPre("Bash", {"command": "a;" * 500_000}))
    assert [outcome.state for outcome in decision.outcomes] == ["withheld", "selected"]
    assert could_not_decide(decision)


@pytest.mark.parametrize("name", ["gemini", "qwen"])
def test_a_sequential_group_that_may_match_is_one(name: str) -> None:
    event = "BeforeTool" if name == "gemini" else "PreToolUse"
    group = {"matcher": STATES, "sequential": True, "hooks": [{"type": "command", "command": "x"}]}
    engine = load({"hooks": {event: [group]}}, name)
    contract = get(name)
    assert contract.fold_for(engine.hooks, ToolPre("a" * 1_000_000)).parallel is False
    assert contract.fold_for(engine.hooks, ToolPre("Bash")).parallel is True


def test_a_hook_that_runs_once_in_a_session_did_not_run() -> None:
    hook = {"type": "command", "command": "x", "once": True}
    config = {"hooks": {"PreToolUse": [{"matcher": STATES, "hooks": [hook]}]}}
    engine = load(config, "claude_code")
    for _ in range(2):
        assert could_not_decide(engine.fire(ToolPre("a" * 1_000_000)))


def test_an_event_that_nobody_can_refuse_goes_on_with_a_report() -> None:
    config = {
        "hooks": {"SessionStart": [{"matcher": STATES, "hooks": [{"type": "command", "command": "x"}]}]}
    }
    decision = load(config, "claude_code").fire(SessionStart(extras={"source": "a" * 1_000_000}))
    assert not decision.refused
    assert decision.could_not_run == (decision.outcomes[0].hook_id,)


# Compiling the expressions of a file.


@pytest.mark.parametrize("flavour", ["go", "rust", "js"])
def test_an_expression_for_which_there_is_no_time_is_compiled_when_it_is_needed(flavour: Flavour) -> None:
    outer = use_budget(Budget(Limits(wall_seconds=1e-9)))
    time.sleep(0.05)  # Windows' clock moves every 16 ms
    try:
        search = compile_search("late[0-9]+", flavour)
        broken = compile_search("late[", flavour)
    finally:
        use_budget(outer)
    assert search("late1")
    assert not search("late")
    with pytest.raises(PatternError):
        broken("late")


def test_explain_shows_a_matcher_that_cannot_decide(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from sandhook.cli import main

    settings = tmp_path / "settings.json"
    settings.write_text(json.dumps(claude("Bash(git *)")))
    command = json.dumps({"command": "a;" * 400_000})
    status = main(
        [
            "explain",
            "PreToolUse",
            "--contract",
            "claude_code",
            "--hooks",
            str(settings),
            "--tool",
            "Bash",
            "--input",
            command,
        ]
    )
    assert status == 0
    assert "the matcher could not decide" in capsys.readouterr().out
