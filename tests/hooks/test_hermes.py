"""Hermes Agent: its config.yaml, programs without a shell, the policy for failures, both modes, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, RunResult, SandboxRunner, Stop, ToolPost, ToolPre
from sandhook.hooks.contracts import Document, get, recognise
from sandhook.hooks.decode import decode, encode
from sandhook.hooks.model import Operation
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.hooktools import Scripted, said


def config(event: str = "pre_tool_call", **more: Any) -> dict[str, Any]:
    return {"hooks": {event: [{"command": "x", **more}]}}


CALL = ToolPre("terminal", {"command": "ls"}, session_id="s", call_id="c")


def test_the_users_file_is_the_only_one() -> None:
    assert paths("hermes", "/w", {"HOME": "/h"}) == ["user /h/.hermes/config.yaml"]
    assert paths("hermes", "/w", {"HERMES_HOME": "/k"}) == ["user /k/config.yaml"]
    windows = {"LOCALAPPDATA": "C:/u/l", "USERPROFILE": "C:/u"}
    assert paths("hermes", "/w", windows, "win32") == ["user C:/u/l/hermes/config.yaml"]


def test_faults_are_problems_with_their_lines() -> None:
    text = """model: m
hooks:
  output_spill: {}
  pre_tool_call:
    - 5
    - matcher: terminal
    - command: 5
    - command: "it's"
  post_tool_call: text
"""
    assert faults("hermes", text, "config.yaml") == [
        ("config.yaml:5", "hooks.pre_tool_call[0]"),
        ("config.yaml:6", "hooks.pre_tool_call[1]"),
        ("config.yaml:7", "hooks.pre_tool_call[2].command"),
        ("config.yaml:8", "hooks.pre_tool_call[3].command"),
        ("config.yaml:9", "hooks.post_tool_call"),
    ]


def test_what_is_unusual_is_noted() -> None:
    value = {"hooks": {
        "transform_tool_result": [{"command": "x"}],
        "pre_tool": [],
        "post_tool_call": [{"command": "x", "fail_closed": True, "failclosed": 1}],
        "pre_llm_call": [{"command": "x", "matcher": "terminal"}],
        "pre_tool_call": [{"command": "x", "matcher": 5}, {"command": "a | b && $C"}],
    }}  # fmt: skip
    made = HookEngine.load(value, "hermes", runner=Scripted(said()))
    assert len(made.hooks) == 4
    for part in (
        "plugins in Python", "is not an event", "has no effect on post_tool_call", "unknown field",
        "has no meaning on pre_llm_call", "is not a text", "| is an argument: there is no shell",
    ):  # fmt: skip
        assert sum(part in note for note in made.diagnostics) == 1, part


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("~/hooks/a.sh --x", "~/hooks/a.sh --x"),
        ("~/'my hooks'/a.sh", "~/'my hooks/a.sh'"),
        ("a.sh 'b c' \"$D\"", "a.sh 'b c' '$D'"),
        ("cat x | grep y", "cat x '|' grep y"),
        ("bash -c 'exit 2'", "bash -c 'exit 2'"),
    ],
)
def test_a_command_has_no_shell(command: str, text: str) -> None:
    made = HookEngine.load(config(command=command), "hermes", runner=Scripted(said()))
    assert made.hooks[0].executor.text == text


def test_a_pipe_is_an_argument_when_it_runs() -> None:
    made = HookEngine.load(config(command="echo a | exit 2"), "hermes", runner=SandboxRunner())
    assert made.fire(CALL).outcomes[0].stdout == "a | exit 2\n"


@pytest.mark.parametrize(
    ("written", "seconds", "noted"),
    [(None, 60, False), (5, 5, False), ("7", 7, False), (0, 60, True), ("x", 60, True), (301, 300, True)],
)
def test_timeouts(written: Any, seconds: int, noted: bool) -> None:
    value = config() if written is None else config(timeout=written)
    made = HookEngine.load(value, "hermes", runner=Scripted(said()))
    assert made.hooks[0].timeout == seconds and bool(made.diagnostics) == noted


def test_the_policy_has_two_names() -> None:
    for more, compat, wanted in (
        ({"fail_closed": True}, "strict", "block"), ({"failClosed": True}, "strict", "block"),
        ({"fail_closed": False, "failClosed": True}, "strict", "warn"), ({"fail_closed": "yes"}, "strict", "warn"),
        ({"fail_closed": "yes"}, "better", "block"), ({}, "better", "warn"),
    ):  # fmt: skip
        made = HookEngine.load(config(**more), "hermes", runner=Scripted(said()), compat=compat)  # type: ignore[arg-type]
        assert made.hooks[0].on_error == wanted, more


@pytest.mark.parametrize(
    ("pattern", "tool", "wanted"),
    [
        ("", "a", True), (" terminal ", "terminal", True), ("term", "terminal", False), ("term.*", "terminal", True),
        ("write_file|patch", "patch", True), ("write_file|patch", "patches", False),
    ],
)  # fmt: skip
def test_matchers(pattern: str, tool: str, wanted: bool) -> None:
    assert fired("hermes", config(matcher=pattern), ToolPre(tool), said("", 2)).refused == wanted


def test_a_matcher_that_does_not_compile_is_a_name_upstream() -> None:
    assert fired("hermes", config(matcher="*"), CALL, said("", 2)).refused
    assert not fired("hermes", config(matcher="*"), CALL, said("", 2), compat="strict").refused
    assert fired("hermes", config(matcher="("), ToolPre("("), said("", 2), compat="strict").refused


#: How a run ended, and whether it is refused: by default in both modes, closed in better, closed in strict mode.
ENDS = [
    (said(), False, False, False),
    (said("{}"), False, False, False),
    (said("", 2), True, True, True),
    (said('{"action":"block"}', 1), True, True, True),
    (said('{"decision":"block"}'), True, True, True),
    (said("text"), False, True, True),
    (said("[1]"), False, True, True),
    (said("", 1), False, True, False),
    (said("{}", 1), False, True, False),
    (RunResult(124, limit="wall_seconds"), False, True, True),
    (RunResult(failure="no such file"), False, True, True),
    (RunResult(127, missing="x: command not found"), False, True, True),
    (RunResult(None, signal="KILL"), False, True, False),
]


@pytest.mark.parametrize(("ran", "default", "better", "strict"), ENDS)
def test_the_policy_for_failures(ran: Any, default: bool, better: bool, strict: bool) -> None:
    for compat, closed in (("better", better), ("strict", strict)):
        assert fired("hermes", config(), CALL, ran, compat=compat).refused == default
        assert fired("hermes", config(fail_closed=True), CALL, ran, compat=compat).refused == closed


@pytest.mark.parametrize(
    ("printed", "reason"),
    [
        ({"action": "block", "message": "m", "reason": "r"}, "m"),
        ({"decision": "block", "message": "m", "reason": "r"}, "r"),
        ({"action": "block", "reason": "r"}, "r"),
        ({"action": "block", "message": 5}, "Blocked by shell hook."),
    ],
)
def test_reasons(printed: Any, reason: str) -> None:
    assert fired("hermes", config(), CALL, said(encode(printed))).reason == reason


def test_the_reason_of_the_status_2() -> None:
    assert fired("hermes", config(), CALL, said("", 2)).reason == "Blocked by shell hook."
    assert fired("hermes", config(), CALL, said("", 2, "w" * 500)).reason == "w" * 400
    assert fired("hermes", config(), CALL, said('{"message":"m"}', 2, "w")).reason == "m"


def test_what_only_better_mode_refuses() -> None:
    for printed in (
        {"decision": "deny"},
        {"continue": False},
        {"hookSpecificOutput": {"permissionDecision": "deny"}},
    ):
        assert fired("hermes", config(), CALL, said(encode(printed))).refused
        assert not fired("hermes", config(), CALL, said(encode(printed)), compat="strict").refused
    ran = said('{"action":"approve","message":"sure?"}')
    assert fired("hermes", config(), CALL, ran).permission == "ask"
    assert fired("hermes", config(), CALL, ran, compat="strict").permission == "none"


def test_a_call_is_changed() -> None:
    for printed in ({"action": "modify", "args": {"a": 1}}, {"decision": "modify", "tool_input": {"a": 1}}):
        assert fired("hermes", config(), CALL, said(encode(printed))).apply_to({}) == {"a": 1}
    hooks = [{"command": "x"}, {"command": "y"}]
    runner = Scripted(said('{"action":"modify","args":{"a":1}}'), said("", 2))
    decision = HookEngine.load({"hooks": {"pre_tool_call": hooks}}, "hermes", runner=runner).fire(CALL)
    assert decision.refused and decision.input == ()


def test_all_hooks_run_and_the_first_refusal_gives_the_reason() -> None:
    hooks = [{"command": "a"}, {"command": "b"}, {"command": "b"}, {"command": "b", "matcher": "terminal"}]
    runner = Scripted(said("", 2, "first"), said("", 2, "second"))
    decision = HookEngine.load({"hooks": {"pre_tool_call": hooks}}, "hermes", runner=runner).fire(CALL)
    assert decision.reason == "first" and len(runner.requests) == 3


def test_other_events() -> None:
    model = Event("model.pre", prompt="hi")
    assert fired("hermes", config("pre_llm_call"), model, said('{"context":"c"}')).context == (
        ("c", "prompt"),
    )
    assert (
        fired("hermes", config("pre_verify"), Stop(), said('{"decision":"Block","reason":"r"}')).reason == "r"
    )
    silent = said('{"action":"continue"}')
    assert fired("hermes", config("pre_verify"), Stop(), silent).force_continue
    assert not fired("hermes", config("pre_verify"), Stop(), silent, compat="strict").force_continue
    assert fired("hermes", config("post_tool_call"), ToolPost("t", {}, result="r"), said("", 2)).result == ()


def test_safe_mode_switches_all_off() -> None:
    made = HookEngine.load(config(), "hermes", runner=Scripted(said()), env={"HERMES_SAFE_MODE": "1"})
    assert made.hooks == () and [each.why for each in made.withheld] == [
        "hooks are switched off (HERMES_SAFE_MODE)"
    ]


def test_the_payload() -> None:
    runner = Scripted(said())
    HookEngine.load(config(), "hermes", runner=runner).fire(CALL.with_(cwd="/w", extras={"task_id": "t"}))
    payload = decode(runner.requests[0].stdin.decode()).value
    assert payload == {
        "hook_event_name": "pre_tool_call", "tool_name": "terminal", "tool_input": {"command": "ls"},
        "session_id": "s", "cwd": "/w", "profile": "default",
        "extra": {"task_id": "t", "tool_call_id": "c", "turn_id": "", "api_request_id": ""},
    }  # fmt: skip
    again = get("hermes").event("pre_tool_call", payload)
    assert again.tool == CALL.tool and again.session_id == "s"
    runner = Scripted(said())
    post = ToolPost("t", {"a": 1}, error="bad")
    HookEngine.load(config("post_tool_call"), "hermes", runner=runner).fire(post)
    payload = decode(runner.requests[0].stdin.decode()).value
    assert (payload["extra"]["result"], payload["extra"]["status"]) == ("bad", "error")
    runner = Scripted(said())
    HookEngine.load(config("on_session_start"), "hermes", runner=runner).fire(Event("session.start"))
    payload = decode(runner.requests[0].stdin.decode()).value
    assert (payload["tool_name"], payload["tool_input"]) == (None, None)


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("pre_tool_call", CALL, {"permission": "deny", "reason": "no"}),
        ("pre_tool_call", CALL, {"permission": "ask"}),
        ("pre_tool_call", CALL, {"input": (Operation("replace", {"a": 1}),)}),
        ("pre_verify", Stop(), {"force_continue": True, "reason": "more"}),
        ("pre_llm_call", Event("model.pre"), {"context": (("c", "prompt"),)}),
    ],
)
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("hermes", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_conversion() -> None:
    value = config(command="~/a.sh 'b c'", matcher="terminal", timeout=5, fail_closed=True)
    specs = HookEngine.load(value, "hermes", runner=Scripted(said())).hooks
    assert get("hermes").render(specs) == (value, ())
    group = {"matcher": "^a$", "hooks": [{"type": "command", "command": "jq . | cat", "timeout": 400}]}
    specs = HookEngine.load({"hooks": {"PreToolUse": [group]}}, "codex", runner=Scripted(said())).hooks
    rendered, lost = get("hermes").render(specs)
    assert rendered == {
        "hooks": {"pre_tool_call": [{"command": "bash -c 'jq . | cat'", "timeout": 300, "matcher": "a"}]}
    }
    assert any("cut to 300" in line for line in lost)


def test_whose_file_it_is() -> None:
    assert recognise([Document(config())]).name == "hermes"
    assert recognise([Document(config(), "/h/.hermes/config.yaml")]).name == "hermes"
    assert recognise([Document({"hooks": {"pre_tool_call": [{"command": ["x"]}]}})]).name == "ub"
