"""Facts about Antigravity, Kimi Code and Qwen Code that their documents state and no record of a run shows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, SessionStart, Stop, ToolPre, ToolResult
from sandhook.hooks.contracts import Document, get
from sandhook.hooks.decode import DecodeError, decode, encode
from tests.hooks.agenttools import fired
from tests.hooks.hooktools import Scripted, said

BOTH = pytest.mark.parametrize("compat", ["better", "strict"])


def one(agent: str, value: Any, **options: Any) -> HookEngine:
    return HookEngine.load(value, agent, runner=Scripted(said()), **options)


# Antigravity


def bundle(event: str, *hooks: Any) -> dict[str, Any]:
    return {"guards": {event: list(hooks)}}


@BOTH
@pytest.mark.parametrize("event", ["Stop", "SessionStart", "PreInvocation", "PostInvocation"])
def test_antigravity_has_flat_lists_for_events_without_a_tool(event: str, compat: Any) -> None:
    made = one("antigravity", bundle(event, {"command": "a"}, {"command": "b"}), compat=compat)
    assert [(spec.native_event, spec.executor.text) for spec in made.hooks] == [(event, "a"), (event, "b")]
    assert not made.problems


@BOTH
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_antigravity_has_groups_for_events_of_tools(event: str, compat: Any) -> None:
    made = one("antigravity", bundle(event, {"command": "a"}), compat=compat)
    assert not made.hooks and "here it never runs" in str(made.problems[0])


def test_a_comment_makes_antigravity_drop_the_file() -> None:
    with pytest.raises(DecodeError):
        get("antigravity").parse('{"g": {} // mine\n}', "hooks.json", {})


@BOTH
def test_a_prompt_hook_of_antigravity_needs_its_model(compat: Any) -> None:
    prompt = {"type": "prompt", "prompt": "is it safe?", "model": "m", "timeout": 5}
    group = {"matcher": "run_command", "hooks": [prompt, {"command": "a"}]}
    made = one("antigravity", bundle("PreToolUse", group), compat=compat)
    assert [(spec.executor.type, spec.executor.text) for spec in made.hooks] == [
        ("prompt", "is it safe?"),
        ("bash", "a"),
    ]
    assert any("hooks of the type prompt need an executor of the host" in note for note in made.diagnostics)


def test_a_hook_of_antigravity_has_thirty_seconds() -> None:
    made = one("antigravity", bundle("Stop", {"command": "a"}, {"command": "b", "timeout": 7}))
    assert [spec.timeout for spec in made.hooks] == [30, 7]


def test_what_hooks_of_antigravity_receive_at_the_end() -> None:
    runner = Scripted(said())
    made = HookEngine.load(bundle("Stop", {"command": "a"}), "antigravity", runner=runner)
    extras = {"executionNum": 2, "terminationReason": "ERROR", "fullyIdle": False, "error": "e"}
    made.fire(Stop(session_id="s", cwd="/w", extras=extras))
    payload = decode(runner.requests[0].stdin.decode()).value
    assert {key: payload[key] for key in extras} == extras
    assert not {"hook_event_name", "event", "session_id", "cwd"} & set(payload)


def test_what_hooks_of_antigravity_receive_after_a_call() -> None:
    runner = Scripted(said("{}"))
    group = {"matcher": "", "hooks": [{"command": "a"}]}
    made = HookEngine.load(bundle("PostToolUse", group), "antigravity", runner=runner)
    tool = ToolPre("run_command", {"CommandLine": "ls"}).tool
    failed = Event("tool.post", tool=tool, result=ToolResult(None, "no such file"))
    assert made.fire(failed).result == ()
    payload = decode(runner.requests[0].stdin.decode()).value
    assert (payload["toolCall"]["name"], payload["error"]) == ("run_command", "no such file")


@BOTH
@pytest.mark.parametrize(("word", "asked"), [("ask", None), ("force_ask", "force_ask")])
def test_antigravity_asks_in_two_ways(word: str, asked: str | None, compat: Any) -> None:
    group = {"hooks": [{"command": "a"}]}
    ran = said(encode({"decision": word, "reason": "r"}))
    call = ToolPre("run_command", {"CommandLine": "ls"})
    decision = fired("antigravity", bundle("PreToolUse", group), call, ran, compat=compat)
    assert decision.permission == "ask"
    assert (decision.extras or {}).get("decision") == asked


@BOTH
def test_names_of_antigravitys_tools_are_compared_as_they_are(compat: Any) -> None:
    group = {"matcher": "^(run_command|write_to_file)$", "hooks": [{"command": "a"}]}
    for tool, runs in (
        ("run_command", True),
        ("write_to_file", True),
        ("Run_Command", False),
        ("bash", False),
    ):
        decision = fired(
            "antigravity", bundle("PreToolUse", group), ToolPre(tool, {}), said("{}"), compat=compat
        )
        assert decision.refused == runs


# Kimi Code


def kimi(event: str, **more: Any) -> dict[str, Any]:
    return {"hooks": [{"event": event, "command": "x", **more}]}


def test_kimi_code_has_twenty_events() -> None:
    contract = get("kimi")
    assert len(contract.events) == 20
    assert {"PermissionRequest", "PermissionResult", "Interrupt", "TurnStarted"} < set(contract.events)
    for event in contract.events:
        assert len(one("kimi", kimi(event)).hooks) == 1


@BOTH
@pytest.mark.parametrize(
    ("event", "fired_event", "matching"),
    [
        ("SessionStart", SessionStart(extras={"source": "startup"}), "startup"),
        ("SessionEnd", Event("session.end", reason="exit"), "exit"),
        ("SubagentStart", Event("subagent.start", extras={"agent_name": "explore"}), "explore"),
        ("Notification", Event("notification", extras={"notification_type": "task.completed"}), "task"),
        ("PreCompact", Event("compact.pre", extras={"trigger": "manual"}), "manual"),
        ("StopFailure", Event("x.StopFailure", extras={"error_type": "rate_limit"}), "rate"),
    ],
)
def test_what_matchers_of_kimi_code_look_at(
    event: str, fired_event: Event, matching: str, compat: Any
) -> None:
    for pattern, runs in ((matching, True), ("nosuch", False), ("", True)):
        made = one("kimi", kimi(event, matcher=pattern), compat=compat)
        assert any(outcome.run is not None for outcome in made.fire(fired_event).outcomes) == runs


@BOTH
@pytest.mark.parametrize(
    "words",
    [
        {"permissionDecision": "allow"},
        {"permissionDecision": "ask"},
        {"permissionDecision": "allow", "updatedInput": {"command": "true"}},
    ],
)
def test_kimi_code_has_no_approval_question_or_change(words: dict[str, Any], compat: Any) -> None:
    ran = said(json.dumps({"hookSpecificOutput": words}))
    decision = fired("kimi", kimi("PreToolUse"), ToolPre("Bash", {"command": "ls"}), ran, compat=compat)
    assert (decision.permission, decision.input) == ("none", ())


def test_kimi_code_starts_hooks_by_the_systems_shell() -> None:
    launch = get("kimi").launch()
    assert (launch.unix, launch.windows) == ("sh", "cmd")


# Qwen Code


def qwen(event: str = "PreToolUse", matcher: str | None = None, **more: Any) -> dict[str, Any]:
    group: dict[str, Any] = {"hooks": [{"type": "command", "command": "x", **more}]}
    return {"hooks": {event: [group if matcher is None else {**group, "matcher": matcher}]}}


@BOTH
@pytest.mark.parametrize("type_", ["http", "prompt", "function"])
def test_other_types_of_qwen_code_do_not_run(type_: str, compat: Any) -> None:
    other = {"type": type_, "url": "https://example.com", "prompt": "p"}
    groups = [{"hooks": [other, {"type": "command", "command": "a"}]}]
    made = one("qwen", {"hooks": {"PreToolUse": groups}}, compat=compat)
    assert [spec.executor.text for spec in made.hooks if spec.executor.type == "bash"] == ["a"]
    assert made.problems or made.diagnostics


@BOTH
def test_a_group_of_qwen_code_may_make_all_hooks_wait(compat: Any) -> None:
    value = qwen()
    value["hooks"]["PreToolUse"].append({"sequential": True, "hooks": [{"type": "command", "command": "y"}]})
    hooks = one("qwen", value, compat=compat).hooks
    event = ToolPre("write_file", {})
    assert get("qwen").fold_for(hooks, event).parallel is False
    assert get("qwen").fold_for(hooks[:1], event).parallel is True


@pytest.mark.parametrize(
    "event", ["SessionStart", "PreCompact", "PostCompact", "SubagentStop", "StopFailure"]
)
def test_events_of_qwen_code_that_hooks_watch(event: str) -> None:
    assert get("qwen").events[event]
    assert len(one("qwen", qwen(event)).hooks) == 1


def test_variables_of_the_project_are_left_to_bash() -> None:
    """The guide of an older version replaces them in the text; 0.24.4 does so for cmd and PowerShell alone."""
    runner = Scripted(said())
    HookEngine.load(qwen(command='"$QWEN_PROJECT_DIR"/x.sh'), "qwen", runner=runner).fire(
        ToolPre("write_file", {}, cwd="/a b")
    )
    request = runner.requests[0]
    assert request.spec.executor.text == '"$QWEN_PROJECT_DIR"/x.sh'
    assert {request.env[f"{name}_PROJECT_DIR"] for name in ("QWEN", "CLAUDE", "GEMINI")} == {"/a b"}


@BOTH
def test_a_question_of_qwen_code_is_not_an_approval(compat: Any) -> None:
    words = {"hookEventName": "PreToolUse", "permissionDecision": "ask", "permissionDecisionReason": "r"}
    ran = said(encode({"hookSpecificOutput": words}))
    assert fired("qwen", qwen(), ToolPre("write_file", {}), ran, compat=compat).permission == "ask"


def test_hooks_of_a_project_of_qwen_code_want_a_trusted_folder() -> None:
    document = Document(qwen(), "/w/.qwen/settings.json", layer="project")
    assert (
        not HookEngine.load(document, "qwen", runner=Scripted(said("", 2))).fire(ToolPre("edit", {})).refused
    )
