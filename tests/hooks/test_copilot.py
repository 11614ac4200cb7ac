"""GitHub Copilot: its files, faults with their lines, two sets of names, lines of progress, and the way back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandhook.hooks import (
    Event,
    HookEngine,
    PromptSubmit,
    RunResult,
    SandboxRunner,
    Stop,
    ToolCall,
    ToolPost,
    ToolPre,
)
from sandhook.hooks.contracts import ContractError, Document, get, recognise
from sandhook.hooks.decode import DecodeError, decode
from sandhook.hooks.model import LayerName, Operation
from sandhook.vfs.path import VirtualPath
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.hooktools import Scripted, said

COPILOT = get("copilot")


def config(event: str = "preToolUse", **more: Any) -> dict[str, Any]:
    hook = {"type": "command", "bash": "x", **more}
    return {"version": 1, "hooks": {event: [{key: item for key, item in hook.items() if item is not None}]}}


CALL = ToolPre("bash", {"command": "ls"}, session_id="s")


def test_layers() -> None:
    assert paths("copilot", "/w", {"HOME": "/h"}) == [
        "managed /etc/github-copilot/policy.d/*.json",
        "user /h/.copilot/hooks/*.json",
        "user /h/.copilot/settings.json",
        "project /w/.github/hooks/*.json",
        "project /w/.claude/settings.json",
        "local /w/.claude/settings.local.json",
        "project /w/.github/copilot/settings.json",
        "local /w/.github/copilot/settings.local.json",
    ]
    assert len(paths("copilot", "/w", {"COPILOT_HOME": "/c"}, "win32")) == 7


def test_the_command_of_the_system_counts_before_others() -> None:
    for more, wanted in (
        ({"linux": "l", "command": "c"}, "l"), ({"bash": "b", "command": "c"}, "b"), ({"osx": "o", "bash": "b"}, "b"),
    ):  # fmt: skip
        made = HookEngine.load(config(**{"bash": None, **more}), "copilot", runner=Scripted(said()))
        assert made.hooks[0].executor.text == wanted


@pytest.mark.parametrize("key", ["osx", "windows", "powershell"])
def test_a_command_of_another_system_alone_refuses(key: str) -> None:
    made = HookEngine.load(config(bash=None, **{key: "x"}), "copilot", runner=Scripted(said()))
    assert made.fire(CALL).refused and "cannot run here" in made.diagnostics[0]


def switched(**settings: Any) -> list[str]:
    """Return the commands that remain of one in each file, whose own settings are added."""
    files: list[tuple[LayerName, str, str]] = [
        ("managed", "m", "/etc/github-copilot/policy.d/m.json"),
        ("user", "u", "/h/.copilot/hooks/u.json"),
        ("project", "p", "/w/.github/hooks/p.json"),
        ("project", "c", "/w/.claude/settings.json"),
        ("local", "l", "/w/.github/copilot/settings.local.json"),
    ]
    compat = settings.pop("compat", "better")
    documents = [
        Document({**config(bash=name), **settings.get(name, {})}, path, layer=layer)
        for layer, name, path in files
    ]
    made = HookEngine.load(
        documents, "copilot", runner=Scripted(said()), trust=lambda spec: True, compat=compat
    )
    return [spec.executor.text for spec in made.hooks]


def test_settings_of_the_repository_switch_off_all_but_the_organisations_hooks() -> None:
    off, on = {"disableAllHooks": True}, {"disableAllHooks": False}
    assert switched(c=off, compat="strict") == ["m"]
    assert switched(c=off) == ["m", "u"]
    assert switched(c=off, l=on) == ["m", "u", "p", "c", "l"]
    assert switched(c=on, l=off, compat="strict") == ["m"]


def test_any_other_file_switches_off_its_own_hooks() -> None:
    off = {"disableAllHooks": True}
    assert switched(p=off) == ["m", "u", "c", "l"] == switched(p=off, compat="strict")
    assert switched(u=off) == ["m", "p", "c", "l"]
    assert switched(m=off) == ["u", "p", "c", "l"]


def test_a_prompt_can_be_replaced() -> None:
    decision = fired(
        "copilot", config("userPromptSubmitted"), PromptSubmit("hi"), said('{"modifiedPrompt": "another"}')
    )
    assert decision.apply_to_prompt("hi") == "another"
    event = COPILOT.event("userPromptTransformed", {"prompt": "hi", "transformedPrompt": "hi!"})
    output = said('{"modifiedTransformedPrompt": "another"}')
    assert (
        fired("copilot", config("userPromptTransformed"), event, output).apply_to_prompt("hi!") == "another"
    )


def test_ten_faults_are_ten_problems_with_their_lines() -> None:
    text = """{"version": 2,
 "hooks": {
  "preToolUse": [
   5,
   {"type": 7, "bash": "x"},
   {"type": "shell", "bash": "x"},
   {"type": "command"},
   {"type": "command", "powershell": 5},
   {"type": "command", "bash": 5},
   {"type": "command", "bash": "x", "timeoutSec": "soon"},
   {"type": "command", "bash": "x", "env": {"A": 1}},
   {"type": "command", "bash": "x", "matcher": "("},
   {"type": "command", "exec": "x", "args": [1]}
  ]}
}"""
    hook = "hooks.preToolUse"
    assert faults("copilot", text, "h.json") == [
        ("h.json:1", "version"),
        ("h.json:4", f"{hook}[0]"),
        ("h.json:5", f"{hook}[1].type"),
        ("h.json:6", f"{hook}[2].type"),
        ("h.json:7", f"{hook}[3]"),
        ("h.json:8", f"{hook}[4].powershell"),
        ("h.json:9", f"{hook}[5].bash"),
        ("h.json:10", f"{hook}[6].timeoutSec"),
        ("h.json:11", f"{hook}[7].env.A"),
        ("h.json:12", f"{hook}[8].matcher"),
        ("h.json:13", f"{hook}[9].args[0]"),
    ]


@pytest.mark.parametrize(
    ("event", "pattern", "tool", "wanted"),
    [
        ("preToolUse", "bash", "bash", True), ("preToolUse", "ba", "bash", False),
        ("preToolUse", "bash|edit", "edit", True), ("preToolUse", "Bash", "bash", False),
        ("PreToolUse", "Bash", "bash", True), ("PreToolUse", "Write|Edit", "create", True),
        ("PreToolUse", "Write", "bash", False), ("PreToolUse", "^B", "bash", False),
        ("PreToolUse", "B.*", "bash", True), ("PreToolUse", "b.*", "bash", False), ("PreToolUse", "bash", "bash", True),
    ],
)  # fmt: skip
def test_matchers(event: str, pattern: str, tool: str, wanted: bool) -> None:
    assert fired("copilot", config(event, matcher=pattern), ToolPre(tool), said("", 1)).refused == wanted


def test_payloads_in_both_cases() -> None:
    runner = Scripted(said())
    made = HookEngine.load(config(), "copilot", runner=runner)
    made.fire(CALL.with_(cwd="/w"))
    assert decode(runner.requests[0].stdin.decode()).value == {
        "sessionId": "s", "timestamp": 0, "cwd": "/w", "toolName": "bash", "toolArgs": {"command": "ls"},
    }  # fmt: skip
    runner = Scripted(said())
    made = HookEngine.load(config("PreToolUse"), "copilot", runner=runner)
    made.fire(CALL.with_(cwd="/w"))
    snake = decode(runner.requests[0].stdin.decode()).value
    assert snake == {
        "session_id": "s", "timestamp": 0, "cwd": "/w", "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "hook_event_name": "PreToolUse",
    }  # fmt: skip
    event = COPILOT.event("PreToolUse", snake)
    assert event.tool == ToolCall("bash", {"command": "ls"}) and event.session_id == "s"


def test_claude_codes_groups_are_read() -> None:
    value = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]}}
    assert fired("copilot", value, CALL, said("", 2, "no")).reason == "no"


def test_where_and_with_what_a_hook_runs() -> None:
    runner = Scripted(said())
    value = config(bash=None, exec="./check", args=["a b"], cwd="scripts", env={"A": "1"}, timeoutSec=3)
    HookEngine.load(value, "copilot", runner=runner).fire(CALL.with_(cwd="/w"))
    request = runner.requests[0]
    assert request.spec.executor.text == "./check 'a b'" and dict(request.spec.executor.env) == {"A": "1"}
    assert (request.cwd, request.spec.timeout) == ("/w/scripts", 3)


@pytest.mark.parametrize(
    "ran", [said("", 1), said("", 2), said("", 127), RunResult(failure="no"), RunResult(137, limit="steps")]
)
def test_before_a_call_every_failure_refuses(ran: RunResult) -> None:
    assert fired("copilot", config(), CALL, ran).permission == "deny"


def test_a_timeout_never_refuses() -> None:
    late = RunResult(124, limit="wall_seconds")
    assert not fired("copilot", config(), CALL, late).refused
    assert fired("copilot", config(), CALL, late, fail_closed=True).refused


def test_lines_of_progress_are_left_out() -> None:
    text = (
        '{"type":"progress","message":"1"}\n{"permissionDecision":"deny",\n"permissionDecisionReason":"no"}\n'
    )
    assert fired("copilot", config(), CALL, said(text)).reason == "no"


def test_an_agent_is_kept_eight_times() -> None:
    block = said('{"decision":"block","reason":"test"}')
    for count, goes_on in ((7, True), (8, False)):
        event = Stop(extras={"stop_count": count})
        assert fired("copilot", config("agentStop"), event, block).force_continue == goes_on


def test_context_is_cut() -> None:
    long = said('{"additionalContext":"' + "a" * 20_000 + '"}')
    decision = fired("copilot", config("userPromptSubmitted"), PromptSubmit("a"), long)
    assert len(decision.context[0][0]) == 10_000 and "cut" in decision.diagnostics[0]


def test_an_unknown_event_is_named() -> None:
    with pytest.raises(ContractError, match="unknown event 'nosuch'"):
        COPILOT.event("nosuch", {})


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("preToolUse", CALL, {"permission": "deny", "reason": "no"}),
        ("preToolUse", CALL, {"permission": "ask"}),
        ("preToolUse", CALL, {"permission": "allow", "input": (Operation("replace", {"command": "pwd"}),)}),
        ("permissionRequest", Event("permission.request", tool=ToolCall("bash", {})), {"permission": "allow"}),
        ("permissionRequest", Event("permission.request", tool=ToolCall("bash", {})),
         {"permission": "deny", "reason": "no"}),
        ("postToolUse", ToolPost("bash", {}, result="r"), {"result": (Operation("replace", "no"),)}),
        ("agentStop", Stop(), {"force_continue": True, "reason": "more"}),
        ("userPromptSubmitted", PromptSubmit("hi"), {"context": (("c", "prompt"),)}),
    ],
)  # fmt: skip
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("copilot", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_conversion() -> None:
    value = config(matcher="bash|edit", timeoutSec=7, env={"A": "1"})
    specs = HookEngine.load(value, "copilot", runner=Scripted(said())).hooks
    assert COPILOT.render(specs) == (value, ())
    crush = {"hooks": {"PreToolUse": [{"command": "x", "matcher": "ba"}]}}
    specs = HookEngine.load(crush, "crush", runner=Scripted(said())).hooks
    assert COPILOT.render(specs)[0]["hooks"]["preToolUse"][0]["matcher"] == ".*(?:ba).*"


def test_whose_file_it_is() -> None:
    assert recognise([Document(config())]).name == "copilot"
    plain = {"version": 1, "hooks": {"preToolUse": [{"type": "command", "command": "x"}]}}
    assert recognise([Document(plain, "/w/.github/hooks/a.json")]).name == "copilot"
    with pytest.raises(ContractError, match="fits cursor, copilot"):
        recognise([Document(plain)])


@pytest.mark.parametrize(("compat", "ran", "permission"), [("strict", 1, "ask"), ("better", 2, "deny")])
def test_an_ask_ends_the_chain_in_strict_mode(compat: str, ran: int, permission: str) -> None:
    ask, deny = (
        {"type": "command", "bash": f'echo \'{{"permissionDecision": "{word}"}}\''}
        for word in ("ask", "deny")
    )
    engine = HookEngine.load({"version": 1, "hooks": {"preToolUse": [ask, deny]}}, "copilot", compat=compat)
    decision = engine.fire(ToolPre("bash", {"command": "ls"}))
    assert decision.permission == permission
    assert len([each for each in decision.outcomes if each.run]) == ran


def test_hooks_know_the_project() -> None:
    command = 'echo "$COPILOT_PROJECT_DIR $CLAUDE_PROJECT_DIR $COPILOT_CLI" >&2; exit 1'
    hook = {"type": "command", "bash": command}
    engine = HookEngine.load({"version": 1, "hooks": {"preToolUse": [hook]}}, "copilot")
    event = ToolPre("bash", {"command": "ls"}, cwd="/workspace", project_dir="/p")
    assert engine.fire(event).reason == "/p /p 1"


@pytest.mark.parametrize("compat", ["strict", "better"])
def test_under_copilots_own_name_the_nested_form_can_only_refuse(compat: str) -> None:
    nested = {"hookSpecificOutput": {"permissionDecision": "deny", "updatedInput": {"command": "x"}}}
    hook = {"type": "command", "bash": f"echo '{json.dumps(nested)}'"}
    engine = HookEngine.load({"version": 1, "hooks": {"preToolUse": [hook]}}, "copilot", compat=compat)
    decision = engine.fire(ToolPre("bash", {"command": "ls"}))
    assert (decision.refused, decision.input) == (compat == "better", ())


@pytest.mark.parametrize(
    ("command", "mode"),
    [
        ("/w/a.sh", 0o644),
        ("/w/a.sh # why", 0o644),
        ("/w/a.sh", 0o755),
        ("cd /; /w/a.sh", 0o644),  # which fails, and a failed hook refuses
    ],
)
def test_a_script_without_execute_permission_runs_in_strict_mode(command: str, mode: int) -> None:
    runner = SandboxRunner(files={"/w/a.sh": "#!/bin/sh\necho ran >/w/ran\nexit 2\n"})
    runner.fs.chmod(VirtualPath("/w/a.sh"), mode)
    engine = HookEngine.load(
        config(bash=command), "copilot", compat="strict", runner=runner, shared_files=True
    )
    assert engine.fire(CALL).refused
    assert runner.fs.exists("/w/ran") is not command.startswith("cd")
    assert runner.fs.stat(VirtualPath("/w/a.sh")).mode & 0o777 == mode


def test_a_reason_that_is_no_text_is_written_as_javascript_does() -> None:
    for value, text in ((["a", ["b", None], 1], "a,b,,1"), ({"a": 1}, "[object Object]"), (True, "true")):
        output = {"permissionDecision": "deny", "permissionDecisionReason": value}
        assert fired("copilot", config(), CALL, RunResult(0, json.dumps(output).encode())).reason == text


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("/h/.copilot/settings.json", True),
        ("/w/.claude/settings.json", False),
        ("/w/.github/hooks/a.json", False),
    ],
)
def test_its_own_settings_are_json5(name: str, read: bool) -> None:
    text = """// why
    {hooks: {'preToolUse': [{type: 'command', "bash": "echo '//' /* x */", 'comment': 'it\\'s "http://x"',},],},}
    """
    if not read:
        with pytest.raises(DecodeError):
            get("copilot").parse(text, name, {})
        return
    document = get("copilot").parse(text, name, {})
    assert document.value == {
        "hooks": {
            "preToolUse": [{"type": "command", "bash": "echo '//' /* x */", "comment": 'it\'s "http://x"'}]
        }
    }
