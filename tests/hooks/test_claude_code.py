"""Claude Code: settings and their switches, handlers, payloads, versions, and the ways back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from sandhook.hooks import (
    ContractError,
    Decision,
    Event,
    HookEngine,
    PromptSubmit,
    RunResult,
    SessionEnd,
    SessionStart,
    Stop,
    ToolPost,
    ToolPre,
    ToolResult,
)
from sandhook.hooks.contracts import Document, LoadOptions, get, recognise
from sandhook.hooks.contracts._claude_shape import substitute, terminal_sequence
from sandhook.hooks.contracts.claude_code import ClaudeCode
from sandhook.hooks.contracts.claude_code.accepted_fields import PERMISSION, SPECIFIC, TOP
from sandhook.hooks.contracts.claude_code.names import EVENTS, ROWS
from sandhook.hooks.contracts.claude_code.profile import CHANGES, NEWEST
from sandhook.hooks.contracts.claude_code.stops import cap, continuation
from sandhook.hooks.model import Operation
from sandhook.hooks.report import to_text
from sandhook.hooks.sources import discover
from tests.hooks.hooktools import Scripted, said

CLAUDE = get("claude_code")
X = {"type": "command", "command": "x"}


def settings(event: str, *handlers: Mapping[str, Any], matcher: str = "", **more: Any) -> dict[str, Any]:
    return {"hooks": {event: [{"matcher": matcher, "hooks": list(handlers)}]}, **more}


def engine(*documents: Any, contract: str = "claude_code", **options: Any) -> HookEngine:
    options.setdefault("runner", Scripted(said()))
    return HookEngine.load(list(documents), contract, **options)


def document(value: Any, layer: str, name: str = "") -> Document:
    return Document(value, name, layer=layer)


# Files, layers, switches.


def test_the_files_of_each_system() -> None:
    env = {"HOME": "/h", "USERPROFILE": "C:/u", "CLAUDE_PLUGIN_ROOT": "/plug"}
    assert [each[:2] for each in CLAUDE.layers("/p", env, "linux")] == [
        ("bundle", "/plug/hooks/hooks.json"),
        ("user", "/h/.claude/settings.json"),
        ("project", "/p/.claude/settings.json"),
        ("local", "/p/.claude/settings.local.json"),
        ("managed", "/etc/claude-code/managed-settings.json"),
        ("managed", "/etc/claude-code/managed-settings.d/*.json"),
    ]
    assert CLAUDE.layers("/p", {"USERPROFILE": "C:/u"}, "win32")[0].path == "C:/u/.claude/settings.json"
    assert CLAUDE.layers("/p", {"CLAUDE_CONFIG_DIR": "/c"}, "linux")[0].path == "/c/settings.json"


def test_project_files_want_to_be_approved(tmp_path: Any) -> None:
    for place in ("h", "p"):
        (tmp_path / place / ".claude").mkdir(parents=True)
        (tmp_path / place / ".claude" / "settings.json").write_text(json.dumps(settings("Stop", X)))
    found, problems = discover(CLAUDE, f"{tmp_path}/p", {"HOME": f"{tmp_path}/h"}, "linux")
    made = engine(*found)
    assert ([spec.layer for spec in made.hooks], problems) == (["user"], [])
    assert [why.split(":")[0] for why in (each.why for each in made.withheld)] == ["not trusted"]


@pytest.mark.parametrize(
    ("documents", "kept"),
    [
        ([("user", {"disableAllHooks": True}), ("managed", {})], ["managed"]),
        ([("user", {"disableAllHooks": True}), ("", {"disableAllHooks": False})], ["user", ""]),
        ([("user", {}), ("", {"disableAllHooks": True})], []),
        ([("user", {}), ("managed", {"disableAllHooks": True})], []),
        ([("user", {}), ("managed", {"allowManagedHooksOnly": True})], ["managed"]),
        ([("user", {"allowManagedHooksOnly": True})], ["user"]),
        ([("user", {}), ("managed", {"strictPluginOnlyCustomization": ["hooks"]})], ["managed"]),
        ([("user", {}), ("managed", {"strictPluginOnlyCustomization": ["skills"]})], ["user", "managed"]),
    ],
)
def test_switches(documents: list[tuple[str, dict[str, Any]]], kept: list[str]) -> None:
    made = engine(
        *(
            document(settings("Stop", {**X, "command": f"x {layer}"}, **switch), layer, f"{layer}.json")
            for layer, switch in documents
        )
    )
    assert [spec.layer for spec in made.hooks] == kept
    assert len(made.withheld) == len(documents) - len(kept)


@pytest.mark.parametrize(("compat", "kept"), [("better", ["user"]), ("strict", [])])
def test_a_repository_does_not_switch_off_the_user_s_guards(compat: str, kept: list[str]) -> None:
    made = engine(
        document(settings("Stop", X), "user"),
        document(settings("Stop", X, disableAllHooks=True), "project"),
        compat=compat,
        trust=lambda spec: True,
    )
    assert [spec.layer for spec in made.hooks] == kept


@pytest.mark.parametrize("compat", ["better", "strict"])
def test_hooks_of_the_organisation_run_first_and_end_the_event_if_they_refuse(compat: str) -> None:
    refuses = [
        document(settings("PreToolUse", {**X, "command": f"echo {layer} >&2; exit {status}"}), layer, layer)
        for layer, status in (("user", 2), ("managed", 2))
    ]
    made = HookEngine.load(refuses, "claude_code", compat=compat)
    decision = made.fire(ToolPre("Bash", {"command": "x"}))
    strict = compat == "strict"
    assert decision.reason == ("managed" if strict else "user\nmanaged")
    assert [each.state for each in decision.outcomes] == ["skipped" if strict else "selected", "selected"]
    allows = document(settings("PreToolUse", {**X, "command": "exit 0"}), "managed", "managed")
    made = HookEngine.load([refuses[0], allows], "claude_code", compat=compat)
    assert made.fire(ToolPre("Bash", {"command": "x"})).reason == "user"


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize(
    ("others", "kept"),
    [
        ([("project", False)], ["user"]),
        ([("local", False)], ["user"]),
        ([("project", True), ("local", False)], ["user"]),
        ([("project", False), ("local", True)], []),
        ([("project", False), ("managed", True)], []),
    ],
)
def test_a_repository_can_switch_hooks_on_that_the_user_switched_off(
    compat: str, others: list[tuple[Any, bool]], kept: list[str]
) -> None:
    made = engine(
        document(settings("Stop", X, disableAllHooks=True), "user"),
        *(document({"disableAllHooks": off}, layer, f"{layer}.json") for layer, off in others),
        compat=compat,
    )
    assert [spec.layer for spec in made.hooks] == kept


@pytest.mark.parametrize(("compat", "count"), [("better", 1), ("strict", 2)])
def test_a_repository_does_not_widen_the_list_of_urls(compat: str, count: int) -> None:
    hooks = [{"type": "http", "url": f"https://{name}.example/"} for name in "ab"]
    made = engine(
        document(settings("Stop", *hooks, allowedHttpHookUrls=["https://a.example/"]), "user"),
        document({"allowedHttpHookUrls": ["https://b.example/"]}, "project"),
        compat=compat,
    )
    assert len([spec for spec in made.hooks if "forbidden" not in (spec.extras or {})]) == count


@pytest.mark.parametrize("compat", ["strict", "better"])
@pytest.mark.parametrize("closed", [True, False])
def test_a_hook_whose_url_is_forbidden_refuses_when_failures_do(closed: bool, compat: str) -> None:
    hook = {"type": "http", "url": "https://a.example/", **({"onFailure": "block"} if closed else {})}
    config = settings("PreToolUse", hook, allowedHttpHookUrls=["https://b.example/*"])
    decision = engine(config, compat=compat).fire(ToolPre("Bash", {"command": "ls"}))
    assert decision.refused == (closed and compat == "better")
    assert not decision.refused or "does not allow its URL" in str(decision.reason)


def test_urls_and_variables_of_http_hooks_are_bounded() -> None:
    http = {"type": "http", "allowedEnvVars": ["A", "B"]}
    made = engine(
        settings(
            "Stop",
            {**http, "url": "https://a.example/x"},
            {**http, "url": "https://b.example/x"},
            allowedHttpHookUrls=["https://a.example/*"],
            httpHookAllowedEnvVars=["B"],
        ),
        compat="strict",
    )
    assert [(spec.executor.text, spec.env_names) for spec in made.hooks] == [("https://a.example/x", ("B",))]
    assert "allowedHttpHookUrls" in made.withheld[0].why


def test_ten_faults_are_ten_problems_with_their_lines() -> None:
    text = """{"hooks": {"PreToolUse": [
 {"matcher": 5},
 {"hooks": {}},
 "x",
 {"hooks": [
  {"command": "x"},
  {"type": "shell"},
  {"type": "command"},
  {"type": "command", "command": "x", "timeout": 0},
  {"type": "command", "command": "x", "args": ["a", 5]},
  {"type": "command", "command": "x", "if": "a && b"},
  {"type": "http"}
 ]}
]}, "disableAllHooks": "no"}"""
    made = engine(CLAUDE.parse(text, "s.json", {}))
    path = "hooks.PreToolUse"
    assert [tuple(str(problem).split(": ")[:2]) for problem in made.problems] == [
        ("s.json:14", "disableAllHooks"),
        ("s.json:2", f"{path}[0].matcher"),
        ("s.json:3", f"{path}[1].hooks"),
        ("s.json:4", f"{path}[2]"),
        ("s.json:6", f"{path}[3].hooks[0]"),
        ("s.json:7", f"{path}[3].hooks[1].type"),
        ("s.json:8", f"{path}[3].hooks[2].command"),
        ("s.json:9", f"{path}[3].hooks[3].timeout"),
        ("s.json:10", f"{path}[3].hooks[4].args[1]"),
        ("s.json:11", f"{path}[3].hooks[5].if"),
        ("s.json:12", f"{path}[3].hooks[6].url"),
    ]
    assert made.hooks == ()


def test_what_is_skipped_is_said() -> None:
    made = engine(
        {
            "hooks": {
                "pre_tool_use": [{"hooks": [X]}],
                "SessionStart": [{"hooks": [{"type": "prompt", "prompt": "p"}]}],
                "Stop": [{"matcher": "x", "hooks": [{**X, "once": True, "color": 1}]}],
                "PreToolUse": [{"matcher": "(?<=x)", "hooks": [X]}, {"matcher": "mcp__a", "hooks": [X]}],
            }
        }
    )
    notes = "\n".join(made.diagnostics)
    for part in (
        *("did you mean PreToolUse?", "prompt hooks are not run on SessionStart", "has no effect outside"),
        *("every Stop matches", "color: unknown field", "lookbehind", "'mcp__a' is a server"),
    ):
        assert part in notes
    assert [spec.native_event for spec in made.hooks] == ["PreToolUse", "PreToolUse", "Stop"]


def test_plugins_know_their_directory_and_options() -> None:
    runner = Scripted(said())
    exec_form = {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x", "args": ["${user_config.key}"]}
    made = HookEngine.load(
        document(settings("Stop", exec_form), "bundle", "/plug/hooks/hooks.json"),
        "claude_code",
        runner=runner,
        trust=lambda spec: True,
        env={"CLAUDE_PLUGIN_DATA": "/data", "CLAUDE_PLUGIN_OPTION_key": "v"},
    )
    made.fire(Stop())
    request = runner.requests[0]
    assert request.spec.executor.argv == ("/plug/x", "v")
    for name, value in (("ROOT", "/plug"), ("DATA", "/data"), ("OPTION_key", "v")):
        assert request.env[f"CLAUDE_PLUGIN_{name}"] == value
    shell = {"type": "command", "command": "x ${user_config.key}"}
    assert "exec form" in str(engine(settings("Stop", shell)).problems[0])


def test_placeholders_are_filled_in_once() -> None:
    values = {"A": "${B}", "B": "b"}
    assert substitute("${A} ${B} ${C} $A ${A", values) == "${B} b ${C} $A ${A"


def test_a_result_stays_as_it_was_changed_when_another_hook_ends_the_turn() -> None:
    new = {"hookEventName": "PostToolUse", "updatedToolOutput": "[x]"}
    made = engine(
        settings("PostToolUse", X, {**X, "command": "y"}),
        runner=Scripted(said(json.dumps({"hookSpecificOutput": new})), said('{"continue": false}')),
    )
    decision = made.fire(ToolPost("Bash", {}, result="secret"))
    assert decision.halt and decision.apply_to_result(ToolResult("secret")).value == "[x]"


def test_heads_of_skills_and_agents() -> None:
    text = "---\nname: x\nhooks:\n  Stop:\n    - hooks:\n        - {type: command, command: x, once: true}\n---\nStop\n"
    skill = engine(CLAUDE.parse(text, "s/SKILL.md", {})).hooks[0]
    agent = engine(CLAUDE.parse(text, "agents/a.md", {})).hooks[0]
    assert (skill.native_event, skill.once) == ("Stop", True)
    assert (agent.native_event, agent.once) == ("SubagentStop", False)
    assert engine(CLAUDE.parse("no head", "a.md", {})).hooks == ()


@pytest.mark.parametrize(
    ("event", "handler", "seconds"),
    [
        ("PreToolUse", X, 600.0),
        ("PreToolUse", {**X, "timeout": 0.5}, 0.5),
        ("PreToolUse", {"type": "prompt", "prompt": "p"}, 30.0),
        ("PreToolUse", {"type": "agent", "prompt": "p"}, 60.0),
        ("UserPromptSubmit", X, 30.0),
        ("UserPromptSubmit", {**X, "timeout": 90}, 90.0),
        ("MessageDisplay", X, 10.0),
        ("SessionEnd", X, 1.5),
        ("SessionEnd", {**X, "timeout": 20}, 20.0),
        ("SessionEnd", {**X, "timeout": 90}, 60.0),
    ],
)
def test_timeouts(event: str, handler: dict[str, Any], seconds: float) -> None:
    assert [spec.timeout for spec in engine(settings(event, handler)).hooks] == [seconds]


def test_the_time_of_a_session_s_end_is_shared() -> None:
    shared = settings("SessionEnd", X, {**X, "command": "y", "timeout": 9})
    assert [spec.timeout for spec in engine(shared).hooks] == [9.0, 9.0]
    said_so = {"CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS": "2500"}
    assert [spec.timeout for spec in engine(shared, env=said_so).hooks] == [2.5, 2.5]


# Versions.


def test_a_version_is_a_contract_of_its_own() -> None:
    old = get("claude_code@2.1.150")
    assert (old.name, get(old.name).name) == ("claude_code@2.1.150", old.name)
    assert set(EVENTS) - set(old.events) == {
        *("MessageDisplay", "DirectoryAdded", "PreModelSwitch", "PostModelSwitch")
    }
    made = engine(settings("DirectoryAdded", X), contract="claude_code@2.1.218")
    assert made.hooks == () and "known since 2.1.219" in made.diagnostics[0]
    for wrong in ("claude_code@2.0.9", "claude_code@x", "claude_code@2.1", "jcode@1"):
        with pytest.raises(ContractError):
            get(wrong)
    numbers = [tuple(map(int, change.version.split("."))) for change in CHANGES]
    assert numbers == sorted(numbers) and CHANGES[-1].version == NEWEST


PAGE = Path(__file__).parents[2] / "docs" / "contracts" / "claude_code.md"

_TWO = {
    "deny": "denies the call",
    "block": "blocks",
    "go": "goes on working",
    "feedback": "a word to the model",
    "halt": "stops the loop",
    "notice": "a notice for the user",
    "ignored": "nothing",
}


def test_the_page_lists_every_event() -> None:
    wanted = []
    for name, row in ROWS.items():
        counts = ["continue"] * row.stops + ["decision"] * row.blocks + list(row.specific)
        matched = f"`{row.matched}`" if row.matched else ""
        said = ", ".join(f"`{key}`" for key in counts)
        wanted.append(f"| {name} | `{row.kind}` | {matched} | {_TWO[row.on_exit_2]} | {said} |")
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.split(" | ")[0].removeprefix("| ") in ROWS] == wanted


def test_the_page_lists_every_change() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = [f"| {change.version} | {change.text} |" for change in CHANGES]
    assert [line for line in page.splitlines() if line.startswith("| 2.")] == rows


@pytest.mark.parametrize(
    ("version", "matcher", "hit"),
    [
        ("2.1.190", "Edit,Write", False),  # an expression, found nowhere
        ("2.1.191", "Edit,Write", True),
        ("2.1.194", "a-Edit|it-b", False),
        ("2.1.194", "no-Edit|Edit", True),
    ],
)
def test_matchers_of_older_versions(version: str, matcher: str, hit: bool) -> None:
    made = engine(settings("PreToolUse", X, matcher=matcher), contract=f"claude_code@{version}")
    assert made.fire(ToolPre("Edit")).outcomes[0].matched is hit
    made = engine(settings("PreToolUse", X, matcher="my-tool"), contract=f"claude_code@{version}")
    assert made.fire(ToolPre("not-my-tool2")).outcomes[0].matched  # an expression is found anywhere
    assert (
        not engine(settings("PreToolUse", X, matcher="my-tool"))
        .fire(ToolPre("not-my-tool2"))
        .outcomes[0]
        .matched
    )


def test_what_older_versions_do_not_have() -> None:
    exec_form = {**X, "args": ["a"], "onFailure": "block"}
    old = engine(settings("PreToolUse", exec_form), contract="claude_code@2.1.138")
    assert (old.hooks[0].executor.type, old.hooks[0].on_error) == ("bash", "warn")
    new = engine(settings("PreToolUse", exec_form))
    assert (new.hooks[0].executor.argv, new.hooks[0].on_error) == (("x", "a"), "block")


# What a hook is given.


@pytest.mark.parametrize("name", EVENTS)
def test_a_payload_comes_back(name: str) -> None:
    given: dict[str, Any] = {
        "session_id": "s", "transcript_path": "/t", "cwd": "/w", "hook_event_name": name, "agent_id": "a1",
        "permission_mode": "plan", "prompt_id": "p1", "effort": {"level": "high"},
    }  # fmt: skip
    values: dict[str, Any] = {"tool_input": {"a": 1}, "tool_calls": [{"a": 1}], "stop_hook_active": True}
    values |= {"index": 1, "final": False, "content": {"x": 1}, "tool_response": {"stdout": "é"}}
    for key in ROWS[name].fields:
        given[key.rstrip("?")] = values.get(key.rstrip("?"), f"the {key}")
    spec = engine(settings(name, {**X, "type": "command"})).hooks[0]
    request = CLAUDE.request(spec, CLAUDE.event(name, given), "better")
    assert json.loads(request.stdin) == given
    assert request.stdin.endswith(b"}\n") and request.env["CLAUDE_EFFORT"] == "high"
    assert CLAUDE.event_name(given, {}) == name
    assert ("CLAUDE_ENV_FILE" in request.env) == (
        name in ("SessionStart", "Setup", "CwdChanged", "FileChanged")
    )


def test_what_the_host_does_not_say_is_filled_in_or_left_out() -> None:
    runner = Scripted(said())
    every = {name: [{"hooks": [X]}] for name in ("PreToolUse", "SessionStart", "SessionEnd", "PostToolUse")}
    made = HookEngine.load({"hooks": every}, "claude_code", runner=runner)
    made.fire(ToolPre("Bash", {"command": "ls"}))
    made.fire(SessionStart())
    made.fire(SessionEnd("clear"))
    made.fire(ToolPost("Bash", {}, result={"stdout": ""}, error="e"))
    common = {"session_id": "", "transcript_path": "", "cwd": "/workspace"}
    assert [json.loads(request.payload) for request in runner.requests] == [
        {**common, "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Bash",
         "tool_input": {"command": "ls"}},
        {**common, "hook_event_name": "SessionStart", "source": "startup"},
        {**common, "hook_event_name": "SessionEnd", "reason": "clear"},
        {**common, "permission_mode": "default", "hook_event_name": "PostToolUse", "tool_name": "Bash",
         "tool_input": {}, "tool_response": {"stdout": ""}},
    ]  # fmt: skip


def test_other_handlers_are_filled_in() -> None:
    runner = Scripted(said('{"ok": true}'))
    made = HookEngine.load(
        settings(
            "PreToolUse",
            {
                "type": "mcp_tool",
                "server": "s",
                "tool": "t",
                "input": {"c": "run ${tool_input.command}!", "n": ["${tool_input.args.1}"], "x": "${gone}"},
            },
            {"type": "prompt", "prompt": "is \\$5 ok? $ARGUMENTS"},
            {"type": "agent", "prompt": "look"},
            {
                "type": "http",
                "url": "https://x.example",
                "headers": {"A": "Bearer $TOKEN"},
                "allowedEnvVars": ["TOKEN"],
            },
        ),
        "claude_code",
        executors=dict.fromkeys(("mcp_tool", "prompt", "agent", "http"), runner),
        env={"TOKEN": "t", "OTHER": "o"},
    )
    made.fire(ToolPre("Bash", {"command": "ls", "args": ["a", "b"]}))
    tool, prompt, agent, http = (request.spec.executor for request in runner.requests)
    assert (tool.config or {})["input"] == {"c": "run ls!", "n": ["b"], "x": "${gone}"}
    assert prompt.text == "is $5 ok? " + runner.requests[1].payload
    assert agent.text == "look\n\n" + runner.requests[2].payload
    assert (http.config or {})["headers"] == {"A": "Bearer $TOKEN"}
    assert runner.requests[3].inherited == {"TOKEN": "t"}


def test_a_type_without_an_executor_could_not_run() -> None:
    config = settings("PreToolUse", {"type": "prompt", "prompt": "p"})
    made = engine(config)
    assert "no executor is registered for the type 'prompt'" in made.diagnostics[0]
    decision = made.fire(ToolPre("Bash"))
    assert (decision.refused, decision.could_not_run) == (False, ("PreToolUse[0]",))
    assert engine(config, fail_closed=True).fire(ToolPre("Bash")).refused


# What a hook says.


@pytest.mark.parametrize(
    ("event", "fields", "reply", "wanted"),
    [
        ("PreToolUse", {}, '{"ok": true}', {}),
        (
            "PreToolUse",
            {},
            '{"ok": false, "reason": "r"}',
            {"permission": "deny", "halt": True, "reason": "r"},
        ),
        ("PreToolUse", {"continueOnBlock": True}, '{"ok": false}', {"permission": "deny", "halt": False}),
        ("Stop", {}, '{"ok": false, "reason": "r"}', {"force_continue": True, "reason": "r"}),
        ("Stop", {}, '{"ok": false, "impossible": true}', {"force_continue": False}),
        ("UserPromptSubmit", {}, '{"ok": false, "reason": "r"}', {"block": True, "user_message": "r"}),
        ("PermissionRequest", {}, '{"ok": false, "reason": "r"}', {"permission": "none"}),
        (
            "PostToolUse",
            {"continueOnBlock": True},
            '{"ok": false, "reason": "r"}',
            {"context": (("r", "result"),)},
        ),
        ("PostToolUse", {}, '{"ok": false, "reason": "r"}', {"halt": True}),
        ("PreToolUse", {}, "yes", {"permission": "none"}),
        ("PreToolUse", {}, '{"ok": "no"}', {"permission": "none"}),
        ("PreToolUse", {}, "{}", {"permission": "none"}),
    ],
)
def test_replies_of_models(event: str, fields: dict[str, Any], reply: str, wanted: dict[str, Any]) -> None:
    made = engine(
        settings(event, {"type": "prompt", "prompt": "p", **fields}),
        executors={"prompt": Scripted(said(reply))},
    )
    payload = {"tool_name": "Bash", "tool_input": {}, "tool_response": "x", "prompt": "p"}
    decision = made.fire(CLAUDE.event(event, payload))
    assert {key: getattr(decision, key) for key in wanted} == wanted


def test_answers_of_http_hooks() -> None:
    config = settings("PreToolUse", {"type": "http", "url": "u"})
    for body, note in (("", None), ("fine", "the answer is not a JSON object"), ("{}", None)):
        decision = engine(config, executors={"http": Scripted(said(body))}).fire(ToolPre("Bash"))
        assert not decision.refused and decision.outcomes[0].verdict.undecodable == note
    deny = '{"decision": "block", "reason": "r"}'
    assert engine(config, executors={"http": Scripted(said(deny))}).fire(ToolPre("Bash")).reason == "r"
    made = engine(settings("WorktreeCreate", {"type": "http", "url": "u"}), executors={"http": Scripted(
        said('{"hookSpecificOutput":{"hookEventName":"WorktreeCreate","worktreePath":"/w"}}')
    )})  # fmt: skip
    assert made.fire(CLAUDE.event("WorktreeCreate", {"name": "n"})).extras == {"worktreePath": "/w"}


def test_texts_are_cut_and_the_run_keeps_them() -> None:
    long = "x" * 10_001
    decision = engine(settings("UserPromptSubmit", X), runner=Scripted(said(long))).fire(PromptSubmit("p"))
    assert decision.context == (("x" * 10_000, "prompt"),)
    assert decision.outcomes[0].stdout == long and "cut at 10000" in decision.diagnostics[0]


def test_a_background_hook_is_heard_at_the_next_event() -> None:
    output = json.dumps(
        {
            "systemMessage": "m",
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "additionalContext": "c",
            },
        }
    )
    made = engine(settings("PreToolUse", {**X, "async": True}), runner=Scripted(said(output)))
    first = made.fire(ToolPre("Bash"))
    assert not first.refused
    assert first.outcomes[0].why.startswith("skipped: runs in the background")
    assert made.wait(10)
    second = made.fire(PromptSubmit("p"))
    assert (second.context[-1], second.system_message, second.refused) == (("c", "result"), "m", False)
    assert any("decides nothing" in note for note in second.background[0].verdict.diagnostics)


def test_an_exit_status_of_2_wakes_the_model() -> None:
    made = engine(
        settings("PreToolUse", {**X, "async": True, "asyncRewake": True}),
        runner=Scripted(said("", 2, "build broke")),
    )
    assert not made.fire(ToolPre("Bash")).refused
    assert made.wait(10)
    assert made.fire(SessionStart()).context == (("build broke", "wake"),)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("\x1b]2;title\x1b\\", "\x1b]2;title\x1b\\"),
        ("\x1b]777;notify;a;b\x07\x07", "\x1b]777;notify;a;b\x07\x07"),
        ("\x1b]8;;http://x\x07", "\x07"),  # a link
        ("\x1b]52;c;aGk=\x07", "\x07"),  # the clipboard
        ("\x1b[2J\x1bc", ""),
        ("\x1b]0;a\x1b[2Jb\x07", "\x07"),
        ("\x1b]0;" * 1000, ""),
    ],
)
def test_sequences_for_the_terminal(text: str, kept: str) -> None:
    assert terminal_sequence(text) == kept


def test_a_report_says_that_the_agent_goes_on() -> None:
    made = engine(settings("Stop", X), runner=Scripted(said("", 2, "run the tests")))
    assert to_text(made.fire(Stop()))[-2:] == [
        "decision: go on working",
        "  message: Stop hook feedback: run the tests",
    ]


def test_stops_are_refused_eight_times() -> None:
    made = engine(settings("Stop", X), runner=Scripted(said("", 2, "go on")))
    for env, laps in (({}, 8), ({"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "3"}, 3)):
        turn = continuation(lambda active: made.fire(Stop(stop_active=active)), env)
        count = 0
        while turn.next() is not None:
            count += 1
        assert (count, turn.ended) == (laps, "exhausted")
    assert cap({"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0"}) is None


# The ways back.


def bash(**fields: Any) -> tuple[Event, Decision]:
    return ToolPre("Bash", {"command": "x"}), Decision("tool.pre", **fields)


@pytest.mark.parametrize(
    ("event", "decision"),
    [
        bash(),
        bash(permission="allow"),
        bash(permission="ask", context=(("c", "result"),)),
        bash(permission="defer"),
        bash(permission="deny", reason="r", system_message="m"),
        bash(permission="deny", reason="r", halt=True),
        bash(permission="allow", input=(Operation("replace", {"command": "y"}),)),
        (PromptSubmit("p"), Decision("prompt.submit", block=True, reason="r", user_message="r")),
        (PromptSubmit("p"), Decision("prompt.submit", context=(("c", "prompt"),), extras={"sessionTitle": "t"})),
        (Stop(), Decision("stop", force_continue=True, reason="r")),
        (Stop(), Decision("stop", halt=True, reason="r")),
        (ToolPost("Bash", {}, result="a"), Decision("tool.post", result=(Operation("replace", "b"),))),
        (CLAUDE.event("PermissionRequest", {"tool_name": "Bash"}), Decision("permission.request", permission="deny", reason="r")),
        (CLAUDE.event("PermissionRequest", {"tool_name": "Bash"}), Decision("permission.request", permission="allow", extras={"updatedPermissions": []})),
        (CLAUDE.event("PreCompact", {}), Decision("compact.pre", block=True, reason="r")),
        (CLAUDE.event("ConfigChange", {"source": "skills"}), Decision("x.ConfigChange", block=True, reason="r")),
        (CLAUDE.event("TaskCreated", {}), Decision("x.TaskCreated", block=True, reason="r")),
        (CLAUDE.event("TaskCompleted", {}), Decision("x.TaskCompleted", block=True, reason="r")),
        (CLAUDE.event("TeammateIdle", {}), Decision("x.TeammateIdle", force_continue=True, reason="r")),
        (CLAUDE.event("PreModelSwitch", {}), Decision("x.PreModelSwitch", permission="ask")),
        (CLAUDE.event("Elicitation", {}), Decision("x.Elicitation", block=True, extras={"action": "cancel"})),
        (CLAUDE.event("WorktreeCreate", {}), Decision("x.WorktreeCreate", extras={"worktreePath": "/w"})),
        (CLAUDE.event("WorktreeCreate", {}), Decision("x.WorktreeCreate", block=True, reason="r")),
    ],
)  # fmt: skip
def test_an_answer_is_read_as_the_decision(event: Event, decision: Decision) -> None:
    answer = CLAUDE.answer(decision, event)
    name = next(name for name, kind in EVENTS.items() if kind == event.kind)
    spec = engine(settings(name, X)).hooks[0]
    ran = RunResult(answer.exit_status, answer.stdout, answer.stderr)
    got = CLAUDE.decode(spec, event, ran, "better")
    for field in ("block", "halt", "force_continue", "reason", "user_message", "context", "extras"):
        assert getattr(got, field) == getattr(decision, field), field
    assert got.system_message == decision.system_message
    assert (got.permission, got.diagnostics) == (decision.permission, ())
    for operation in ("input", "result"):
        wanted = getattr(decision, operation)
        assert getattr(got, operation) == (wanted[-1] if wanted else None)


def test_a_changed_prompt_is_said_as_context_or_refused() -> None:
    def answered(after: str) -> Any:
        changed = Decision("prompt.submit", prompt=(Operation("replace", after),))
        return json.loads(CLAUDE.answer(changed, PromptSubmit("fix it")).stdout or b"{}")

    assert answered("be kind\nfix it")["hookSpecificOutput"]["additionalContext"] == "be kind"
    assert answered("fix it\nplease")["hookSpecificOutput"]["additionalContext"] == "please"
    assert answered("fix it") == {}
    assert answered("fix [secret]")["decision"] == "block"


def test_rendering_keeps_everything_of_its_own() -> None:
    config = {
        "hooks": {
            "PreToolUse": [
                {"matcher": "Bash", "hooks": [{**X, "if": "Bash(rm *)", "timeout": 5, "args": ["a"]}]},
                {"matcher": "^mcp__", "hooks": [{"type": "http", "url": "u", "onFailure": "block"}]},
            ],
            "Stop": [{"hooks": [{**X, "asyncRewake": True}]}],
        }
    }
    assert CLAUDE.render(engine(config).hooks) == (config, ())


def test_hooks_of_another_contract_as_settings() -> None:
    crush = HookEngine.load(
        {
            "hooks": {
                "PreToolUse": [
                    {"matcher": "^(edit|write)$", "command": "a", "name": "n", "timeout": 5},
                    {"matcher": "bash", "command": "b"},
                ]
            }
        },
        "crush",
        runner=Scripted(said()),
    )
    value, lost = CLAUDE.render(crush.hooks)
    assert lost == ()
    made = engine(value)
    assert (made.problems, made.diagnostics) == ((), ())
    for tool in ("edit", "xedit", "bash", "my-bash"):
        wanted = [each.matched for each in crush.fire(ToolPre(tool)).outcomes]
        assert [each.matched for each in made.fire(ToolPre(tool)).outcomes] == wanted
    assert made.hooks[0].description == "n" and made.hooks[0].timeout == 5


def test_what_settings_cannot_say_is_listed() -> None:
    everruns = HookEngine.load(
        {"hooks": [{"id": "a", "event": "turn_end", "executor": {"type": "bash", "command": "x"}}]},
        "everruns",
        runner=Scripted(said()),
    )
    assert CLAUDE.render(everruns.hooks) == (
        {"hooks": {}}, ("user:a: Claude Code has no event turn.end (turn_end)",)
    )  # fmt: skip


def test_the_schema_knows_every_event_and_type() -> None:
    schema = CLAUDE.schema()
    assert list(schema["properties"]["hooks"]["properties"]) == list(EVENTS)
    assert "MessageDisplay" not in get("claude_code@2.1.100").schema()["properties"]["hooks"]["properties"]
    json.dumps(schema)


# Whose file it is.


@pytest.mark.parametrize(
    ("value", "name", "contract"),
    [
        (settings("PreToolUse", X, matcher="Bash"), "", "claude_code"),
        (settings("PreToolUse", X, matcher="mcp__x__.*"), "", "claude_code"),
        (settings("PreToolUse", X), "/p/.claude/settings.json", "claude_code"),
        (settings("PreToolUse", X), "C:\\p\\.claude\\settings.local.json", "claude_code"),
        (settings("PreToolUse", {**X, "command": "$CLAUDE_PROJECT_DIR/x"}), "", "claude_code"),
        (settings("PreToolUse", {**X, "if": "Bash"}), "", "claude_code"),
        (settings("TaskCompleted", X), "", "claude_code"),
        (settings("PreToolUse", X, permissions={}), "", "claude_code"),
        ({"disableAllHooks": True}, "", "claude_code"),
        ({"permissions": {"allow": ["Bash(ls)"]}, "hooks": {}}, "", "claude_code"),
        (settings("PreToolUse", X, matcher="execute"), "", "jcode"),
        (settings("PreToolUse", X), "/p/.jcode/hooks.json", "jcode"),
        (settings("PreToolUse", {"command": "x"}), "", "jcode"),
        (settings("PreToolUse", {**X, "command": "echo $JCODE_CWD"}), "", "jcode"),
    ],
)
def test_recognised(value: Any, name: str, contract: str) -> None:
    assert recognise([Document(value, name)]).name == contract


def test_what_fits_several_alike_is_read_as_claude_codes_with_a_note() -> None:
    document = Document(settings("PreToolUse", X), "hooks.json")
    assert recognise([document]).name == "claude_code"
    engine = HookEngine.load([document], prestart=False)
    assert engine.contracts[0].name == "claude_code"
    assert engine.diagnostics == (
        "hooks.json: fits jcode, codex too: read as claude_code; --contract names another agent",
    )
    assert HookEngine.load([document], "codex", prestart=False).diagnostics == ()
    sure = Document(settings("PreToolUse", X, matcher="Bash"), "hooks.json")
    assert HookEngine.load([sure], prestart=False).diagnostics == ()


def test_a_loader_of_a_version_is_stateless() -> None:
    one = ClaudeCode().load([Document(settings("Stop", X))], LoadOptions())
    assert one == ClaudeCode().load([Document(settings("Stop", X))], LoadOptions())


_WORDS = st.sampled_from([*SPECIFIC, *TOP, *PERMISSION, "hookEventName", "x", "ok"])
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(["allow", "deny", "block", "approve", "accept", "", "\x1b]0;t\x07", *EVENTS]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_WORDS, inner, max_size=4),
    max_leaves=12,
)


@given(
    name=st.sampled_from(list(EVENTS)),
    top=st.dictionaries(_WORDS, _VALUES, max_size=5),
    specific=st.none() | st.dictionaries(_WORDS, _VALUES, max_size=5),
    status=st.sampled_from([0, 1, 2]),
)
@hypothesis_settings(max_examples=150, deadline=None)
def test_no_output_breaks_the_decoder_and_exit_2_is_never_an_allow(
    name: str, top: dict[str, Any], specific: dict[str, Any] | None, status: int
) -> None:
    output = dict(top)
    if specific is not None:
        output["hookSpecificOutput"] = {**specific, "hookEventName": name}
    spec = engine(settings(name, X)).hooks[0]
    event = CLAUDE.event(name, {"tool_name": "Bash", "tool_input": {}, "tool_response": "r", "prompt": "p"})
    verdict = CLAUDE.decode(spec, event, RunResult(status, json.dumps(output).encode()), "better")
    if status == 2 and ROWS[name].on_exit_2 in ("deny", "block", "go", "halt"):
        assert verdict.intervenes
        assert verdict.permission in ("none", "deny") and verdict.input is None
    if verdict.permission == "allow":
        assert name in ("PreToolUse", "PermissionRequest", "PreModelSwitch")


def test_equal_commands_with_different_rules_are_two_hooks() -> None:
    rules: list[dict[str, Any]] = [{"if": "Bash(ls *)"}, {"if": "Bash(* x)"}, {"if": "Bash(ls *)"}]
    hooks = [{"type": "command", "command": "exit 0", **rule} for rule in rules]
    made = HookEngine.load({"hooks": {"PreToolUse": [{"hooks": hooks}]}}, "claude_code")
    decision = made.fire(ToolPre("Bash", {"command": "ls x"}))
    assert [each.state for each in decision.outcomes] == ["selected", "selected", "skipped"]


def test_stop_hooks_run_once_more_after_the_last_refusal() -> None:
    fired: list[bool] = []
    again = {"type": "command", "command": "echo more >&2; exit 2"}
    made = HookEngine.load({"hooks": {"Stop": [{"hooks": [again]}]}}, "claude_code")

    def stop(active: bool) -> Decision:
        fired.append(active)
        return made.fire(Stop(stop_active=active))

    turn = continuation(stop, {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "2"})
    laps = [turn.next() for _ in range(3)]
    assert [lap is not None for lap in laps] == [True, True, False]
    assert (fired, turn.ended) == ([False, True, True], "exhausted")


@pytest.mark.parametrize("answer", ["plain", '{"decision":', "[]"])
def test_an_http_hook_whose_answer_is_no_object_has_failed(answer: str) -> None:
    handler = {"type": "http", "url": "https://x.example", "onFailure": "block"}
    for more, refused in ((handler, True), ({**handler, "onFailure": "continue"}, False)):
        made = HookEngine.load(
            settings("PreToolUse", more), "claude_code", executors={"http": Scripted(said(answer))}
        )
        assert made.fire(ToolPre("Bash", {"command": "ls"})).refused == refused
    made = HookEngine.load(
        settings("PreToolUse", handler), "claude_code", executors={"http": Scripted(said(""))}
    )
    assert not made.fire(ToolPre("Bash", {"command": "ls"})).refused


_DENY = """printf '%s\\n' '{"decision": "block", "reason": "no"}'"""
_ALLOW = """printf '%s\\n' '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'"""


@pytest.mark.parametrize("compat", ["strict", "better"])
@pytest.mark.parametrize(
    ("body", "refused"),
    [
        ("echo err >&2; (sleep 9) & exit 2", True),
        (f"{_DENY}; (sleep 9) & exit 0", True),
        (f"{_DENY}; (sleep 0.7) & exit 0", True),
        (f"{_ALLOW}; (sleep 9) & exit 0", True),  # which a later line could have taken back
        (f"{_ALLOW}; (sleep 9) >/dev/null 2>&1 & exit 0", False),
        ("(sleep 9) & exit 0", False),
        ("(sleep 9) & sleep 8; exit 2", False),
    ],
)
def test_a_child_that_keeps_the_output_open_takes_no_refusal_away(
    compat: Any, body: str, refused: bool
) -> None:
    made = HookEngine.load(
        settings("PreToolUse", {"type": "command", "command": body, "timeout": 1}),
        "claude_code",
        compat=compat,
    )
    assert made.fire(ToolPre("Bash", {"command": "ls"})).refused is refused


@pytest.mark.parametrize("compat", ["strict", "better"])
def test_a_matcher_without_a_linear_equivalent_matches_every_tool(compat: Any) -> None:
    hook = {"matcher": "Bash(?!x)", "hooks": [{"type": "command", "command": "exit 2"}]}
    for agent, event in (("claude_code", "PreToolUse"), ("gemini", "BeforeTool"), ("droid", "PreToolUse")):
        made = HookEngine.load({"hooks": {event: [hook]}}, agent, compat=compat)
        decision = made.fire(ToolPre("run_shell_command", {"command": "ls"}))
        assert [outcome.state for outcome in decision.outcomes] == ["selected"]
