"""Kimi Code: its list of hooks, one fault that drops all of them, matchers, both modes, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, PromptSubmit, Stop, ToolPost, ToolPre
from sandhook.hooks.contracts import Document, get, recognise
from sandhook.hooks.decode import decode, encode
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.hooktools import Scripted, said


def config(event: str = "PreToolUse", **more: Any) -> dict[str, Any]:
    return {"hooks": [{"event": event, "command": "x", **more}]}


def denies(reason: str = "no") -> str:
    return encode({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": reason}})


CALL = ToolPre("Bash", {"command": "ls"}, session_id="s", call_id="c")


def test_the_users_file_is_the_only_one() -> None:
    assert paths("kimi", "/w", {"HOME": "/h"}) == ["user /h/.kimi-code/config.toml"]
    assert paths("kimi", "/w", {"KIMI_CODE_HOME": "/k"}) == ["user /k/config.toml"]


def test_faults_are_problems_with_their_lines() -> None:
    text = """[[hooks]]
event = "PreToolUse"

[[hooks]]
event = "preToolUse"
command = "x"

[[hooks]]
event = "Stop"
command = 5

[[hooks]]
event = "PreToolUse"
command = "x"
matcher = "("
"""
    assert faults("kimi", text, "config.toml") == [
        ("config.toml:1", "hooks[0]"),
        ("config.toml:5", "hooks[1].event"),
        ("config.toml:10", "hooks[2].command"),
        ("config.toml:15", "hooks[3].matcher"),
    ]


def test_a_list_after_a_key_of_its_name_is_no_toml() -> None:
    with pytest.raises(ValueError, match="hooks"):
        get("kimi").parse('hooks = []\n[[hooks]]\nevent = "Stop"\n', "config.toml", {})


@pytest.mark.parametrize(
    ("fault", "runs"),
    [
        ({"fail_mode": "closed"}, 2), ({"name": "n"}, 2), ({"timeout": 601}, 2), ({"timeout": 1.5}, 2),
        ({"timeout": 0}, 2), ({"timeout": "5"}, 1), ({"event": "BeforeTool"}, 1), ({"command": ""}, 1),
        ({"matcher": 5}, 1),
    ],
)  # fmt: skip
def test_one_fault_drops_all_hooks_of_the_file(fault: dict[str, Any], runs: int) -> None:
    """Sandhook leaves out the hook at most, and says what Kimi Code does."""
    value = {
        "hooks": [{"event": "PreToolUse", "command": "x", **fault}, {"event": "PreToolUse", "command": "y"}]
    }
    other = Document(config(), "other.toml")
    better = HookEngine.load([Document(value, "a.toml"), other], "kimi", runner=Scripted(said()))
    assert len(better.hooks) == runs + 1
    assert better.problems or any("drops all hooks of the file" in note for note in better.diagnostics)
    strict = HookEngine.load(
        [Document(value, "a.toml"), other], "kimi", runner=Scripted(said()), compat="strict"
    )
    assert [spec.file for spec in strict.hooks] == ["other.toml"]
    assert "Kimi Code drops all hooks of the file: hooks[0]" in str(strict.problems[-1])


def test_a_timeout_out_of_bounds_is_the_bound() -> None:
    for written, seconds in ((601, 600), (0, 1), (5, 5)):
        made = HookEngine.load(config(timeout=written), "kimi", runner=Scripted(said()))
        assert made.hooks[0].timeout == seconds
    assert HookEngine.load(config(), "kimi", runner=Scripted(said())).hooks[0].timeout == 30


@pytest.mark.parametrize(
    ("pattern", "tool", "wanted"),
    [
        ("", "a", True), ("Bash", "Bash", True), ("Bash", "BashOutput", True), ("^Bash$", "BashOutput", False),
        ("Write|Edit", "Edit", True), ("bash", "Bash", False), (".*", "a", True),
    ],
)  # fmt: skip
def test_matchers(pattern: str, tool: str, wanted: bool) -> None:
    assert fired("kimi", config(matcher=pattern), ToolPre(tool), said("", 2, "no")).refused == wanted


def test_a_star_matches_all_and_in_strict_mode_nothing() -> None:
    assert fired("kimi", config(matcher="*"), CALL, said("", 2)).refused
    made = HookEngine.load(config(matcher="*"), "kimi", runner=Scripted(said("", 2)), compat="strict")
    assert not made.fire(CALL).refused
    assert any("'*' is no regular expression" in note for note in made.diagnostics)


def test_matchers_of_a_prompt_and_of_an_event_without_a_value() -> None:
    made = HookEngine.load(config("UserPromptSubmit", matcher="secret"), "kimi", runner=Scripted(said("", 2)))
    assert made.fire(PromptSubmit("a secret")).refused
    assert not made.fire(PromptSubmit("hello")).refused
    assert fired("kimi", config("Stop", matcher="x"), Stop(), said("", 2)).force_continue
    assert not fired("kimi", config("Stop", matcher="x"), Stop(), said("", 2), compat="strict").force_continue


@pytest.mark.parametrize(
    ("ran", "better", "strict"),
    [
        (said("", 2), True, True),
        (said(denies()), True, True),
        (said(denies(), 1), False, False),
        (said("", 1, "no"), False, False),
        (said('{"decision":"block","reason":"no"}'), True, False),
        (said('{"continue":false}'), True, False),
        (said('{"message":{},' + denies()[1:]), True, True),
        (said('{"message":5,' + denies()[1:]), True, True),
        (said('{"hookSpecificOutput":{"permissionDecision":"ask"}}'), False, False),
        (said(denies() + " more"), False, False),
    ],
)
def test_outputs_in_both_modes(ran: Any, better: bool, strict: bool) -> None:
    assert fired("kimi", config(), CALL, ran).refused == better
    assert fired("kimi", config(), CALL, ran, compat="strict").refused == strict


def test_the_reasons() -> None:
    assert fired("kimi", config(), CALL, said("", 2)).reason == "Blocked by PreToolUse hook"
    assert fired("kimi", config(), CALL, said("", 2, " no \n")).message == "no"
    hooks = [{"event": "PreToolUse", "command": word} for word in "ab"]
    runner = Scripted(said("", 2, "first"), said("", 2, "second"))
    assert HookEngine.load({"hooks": hooks}, "kimi", runner=runner).fire(CALL).reason == "first"


def test_the_same_command_runs_once() -> None:
    runner = Scripted(said())
    HookEngine.load({"hooks": config()["hooks"] * 2}, "kimi", runner=runner).fire(CALL)
    assert len(runner.requests) == 1


def test_a_hook_makes_the_agent_continue_once() -> None:
    assert fired("kimi", config("Stop"), Stop(), said("", 2, "go on")).force_continue
    assert not fired("kimi", config("Stop"), Stop(stop_active=True), said("", 2, "go on")).force_continue


def test_other_events_are_only_observed() -> None:
    decision = fired("kimi", config("PostToolUse"), ToolPost("t", {}, result="r"), said("", 2, "no"))
    assert decision.result == () and any("only observe" in note for note in decision.diagnostics)
    assert not fired(
        "kimi", config("PermissionRequest"), Event("permission.request", tool=CALL.tool), said("", 2)
    ).refused


def test_context_of_a_prompt() -> None:
    ask = PromptSubmit("p")
    assert fired("kimi", config("UserPromptSubmit"), ask, said("text")).context == (("text", "prompt"),)
    assert fired("kimi", config("UserPromptSubmit"), ask, said('{"message":"m"}')).context == (
        ("m", "prompt"),
    )
    assert fired("kimi", config(), CALL, said("text")).context == ()


def test_the_payload() -> None:
    runner = Scripted(said())
    HookEngine.load(config(), "kimi", runner=runner).fire(CALL.with_(cwd="/w", extras={"client_type": "cli"}))
    assert decode(runner.requests[0].stdin.decode()).value == {
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/w", "client_type": "cli",
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_call_id": "c",
    }  # fmt: skip
    runner = Scripted(said())
    HookEngine.load(config("PostToolUse"), "kimi", runner=runner).fire(ToolPost("t", {}, result="a" * 3000))
    assert len(decode(runner.requests[0].stdin.decode()).value["tool_output"]) == 2000
    runner = Scripted(said())
    HookEngine.load(config("UserPromptSubmit"), "kimi", runner=runner).fire(PromptSubmit("hi"))
    payload = decode(runner.requests[0].stdin.decode()).value
    assert payload["prompt"] == [{"type": "text", "text": "hi"}]
    assert get("kimi").event("UserPromptSubmit", payload).prompt == "hi"


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("PreToolUse", CALL, {"permission": "deny", "reason": "no"}),
        ("UserPromptSubmit", PromptSubmit("hi"), {"block": True, "reason": "no"}),
        ("UserPromptSubmit", PromptSubmit("hi"), {"context": (("c", "prompt"),)}),
        ("Stop", Stop(), {"force_continue": True, "reason": "more"}),
    ],
)
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("kimi", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_conversion() -> None:
    group = {"matcher": "^a$", "hooks": [{"type": "command", "command": "x", "timeout": 700}]}
    specs = HookEngine.load({"hooks": {"PreToolUse": [group]}}, "qwen", runner=Scripted(said())).hooks
    _, lost = get("kimi").render(specs)
    assert lost == ("PreToolUse[0]: its timeout of 700 seconds is cut to 600",)
    specs = HookEngine.load(config(matcher="^a$", timeout=5), "kimi", runner=Scripted(said())).hooks
    assert get("kimi").render(specs) == (
        {"hooks": [{"event": "PreToolUse", "matcher": "^a$", "command": "x", "timeout": 5}]}, ()
    )  # fmt: skip


def test_whose_file_it_is() -> None:
    assert recognise([Document(config())]).name == "kimi"
    assert recognise([Document(config(), "/h/.kimi-code/config.toml")]).name == "kimi"
    everruns = {"hooks": [{"event": "pre_tool_use", "executor": {"type": "bash", "command": "x"}}]}
    assert recognise([Document(everruns)]).name == "everruns"


def test_continue_false_on_a_stop_lets_the_agent_stop() -> None:
    decision = fired("kimi", config("Stop"), Stop(), said('{"continue":false,"stopReason":"over"}'))
    assert not decision.force_continue
    assert any("continue is not looked at" in note for note in decision.diagnostics)
