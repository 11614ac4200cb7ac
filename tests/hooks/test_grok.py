"""Grok Build: its files, faults that drop one, commands that do not run, both modes, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, PromptSubmit, RunResult, Stop, ToolPost, ToolPre, ToolResult
from sandhook.hooks.contracts import Document, get, recognise
from sandhook.hooks.decode import decode
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.hooktools import Scripted, said


def config(event: str = "PreToolUse", matcher: str | None = None, **more: Any) -> dict[str, Any]:
    group: dict[str, Any] = {"hooks": [{"type": "command", "command": "x", **more}]}
    if matcher is not None:
        group["matcher"] = matcher
    return {"hooks": {event: [group]}}


CALL = ToolPre("run_terminal_command", {"command": "ls"}, session_id="s", call_id="c")


def test_layers() -> None:
    assert paths("grok", "/w", {"HOME": "/h"}) == [
        "managed /etc/grok/requirements.toml",
        "managed /etc/grok/managed_config.toml",
        "user /h/.grok/managed_config.toml",
        "user /h/.grok/config.toml",
        "user /h/.grok/hooks/*.json",
        "user /h/.claude/settings.json",
        "user /h/.claude/settings.local.json",
        "project /w/.claude/settings.json",
        "project /w/.claude/settings.local.json",
        "project /w/.grok/hooks/*.json",
    ]
    assert paths("grok", "/w", {"HOME": "/h", "GROK_HOME": "/g"})[3] == "user /g/config.toml"


def test_faults_are_problems_with_their_lines_and_drop_the_file_in_strict_mode() -> None:
    text = """{"hooks": {
 "PreToolUse": [
  5,
  {"hooks": [
   {"command": "x"},
   {"type": "prompt", "command": "x"},
   {"type": "command"},
   {"type": "command", "command": "x", "timeout": "soon"},
   {"type": "command", "command": "x", "env": {"A": 5}},
   {"type": "command", "command": "x"}
  ]}
 ],
 "preToolUses": []
}}"""
    group = "hooks.PreToolUse[1].hooks"
    assert sorted(faults("grok", text, "h.json"), key=lambda each: int(each[0][7:])) == [
        ("h.json:3", "hooks.PreToolUse[0]"),
        ("h.json:5", f"{group}[0].type"),
        ("h.json:6", f"{group}[1].type"),
        ("h.json:7", f"{group}[2].command"),
        ("h.json:8", f"{group}[3].timeout"),
        ("h.json:9", f"{group}[4].env.A"),
    ]
    document = get("grok").parse(text, "h.json", {})
    other = Document(config(command="y"), "o.json")
    better = HookEngine.load([document, other], "grok", runner=Scripted(said()))
    assert len(better.hooks) == 2
    assert any("did you mean PreToolUse" in note for note in better.diagnostics)
    strict = HookEngine.load([document, other], "grok", runner=Scripted(said()), compat="strict")
    assert [spec.file for spec in strict.hooks] == ["o.json"]
    assert "Grok Build does not load the file" in str(strict.problems[-1])


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("guard.sh", "/w/.grok/hooks/guard.sh"),
        ("bin/../guard.sh", "/w/.grok/hooks/guard.sh"),
        ("/opt/guard.sh", "/opt/guard.sh"),
        ("~/guard.sh", "~/guard.sh"),
        ("./guard.sh now", "./guard.sh now"),
        ("true;", "true;"),
        ("it's", "'/w/.grok/hooks/it'\\''s'"),
    ],
)
def test_one_word_is_a_path_next_to_the_file(command: str, text: str) -> None:
    document = Document(config(command=command), "/w/.grok/hooks/guard.json")
    made = HookEngine.load(document, "grok", runner=Scripted(said()))
    assert made.hooks[0].executor.text == text


@pytest.mark.parametrize(
    ("command", "env", "runs"),
    [
        ('"$CLAUDE_PROJECT_DIR/x.sh"', {}, True),
        ("${GROK_SESSION_ID} x", {}, True),
        ("$HOME/x.sh y", {"HOME": "/h"}, True),
        ("$A x", {}, True),
        ("c=$(cat); case $c in *rm*) exit 2;; esac", {}, True),
        ("read -r line; echo $line", {}, True),
        ("echo ${NOSUCH:-d} x", {}, True),
        ("for f in a b; do echo $f; done", {}, False),
        ("echo '$NOSUCH'", {}, False),
        ("$HOME/x.sh y", {}, False),
    ],
)
def test_a_command_with_an_unset_variable(command: str, env: dict[str, str], runs: bool) -> None:
    value = config(command=command, env={"A": "1", "GROK_HOOK_NAME": "mine"})
    strict = HookEngine.load(value, "grok", runner=Scripted(said()), env=env, compat="strict")
    assert len(strict.hooks) == runs and len(strict.withheld) == (not runs)
    better = HookEngine.load(value, "grok", runner=Scripted(said()), env=env)
    assert len(better.hooks) == 1
    assert any("does not run" in note for note in better.diagnostics) == (not runs)
    assert better.hooks[0].executor.env == (("A", "1"),)


@pytest.mark.parametrize(
    ("pattern", "tool", "wanted"),
    [
        ("", "a", True), ("*", "a", True), ("Bash", "run_terminal_command", True), ("Write|Edit", "search_replace", True),
        ("terminal", "run_terminal_command", False), ("term.*", "run_terminal_command", True),
        ("^Read$", "read_file", True), ("Bash", "read_file", False), ("Task|Bash", "spawn_subagent", True),
        ("srv__touch", "srv__touch", True), ("mcp__srv__.*", "srv__touch", True), ("mcp__.*", "read_file", False),
    ],
)  # fmt: skip
def test_matchers(pattern: str, tool: str, wanted: bool) -> None:
    assert fired("grok", config(matcher=pattern), ToolPre(tool), said("", 2)).refused == wanted


def test_a_matcher_with_lookaround_never_matches_upstream() -> None:
    value = config(matcher="^(?!Edit)")
    assert fired("grok", value, CALL, said("", 2)).refused
    assert not fired("grok", value, CALL, said("", 2), compat="strict").refused


@pytest.mark.parametrize(
    ("ran", "better", "strict"),
    [
        (said("", 2, "no"), True, True),
        (said('{"decision":"allow"}', 2), True, True),
        (said('{"decision":"deny"}', 1), True, True),
        (said('{"decision":"deny"}'), True, True),
        (said("text"), False, False),
        (said('{"decision":"deny"'), False, False),
        (said('{"decision":"ask"}'), False, False),
        (said("", 1), False, False),
        (said('{"decision":"block"}'), True, True),
        (said('{"hookSpecificOutput":{"permissionDecision":"deny"}}'), True, True),
        (said('{"decision":"deny","hookSpecificOutput":{"permissionDecision":"allow"}}'), True, False),
        (said('{"decision":"deny","reason":5}'), True, False),
        (said('{"decision":"allow","decision":"deny"}'), True, False),
        (said('{"decision":"defer"}'), False, False),
        (said('{"continue":false}'), True, False),
        (RunResult(None, b'{"decision":"deny"}', signal="TERM"), True, False),
        (RunResult(124, limit="wall_seconds"), False, False),
    ],
)
def test_outputs_in_both_modes(ran: Any, better: bool, strict: bool) -> None:
    assert fired("grok", config(), CALL, ran).refused == better
    assert fired("grok", config(), CALL, ran, compat="strict").refused == strict


def test_the_reason_of_an_exit_status() -> None:
    decision = fired("grok", config(), CALL, said("", 2, "no rm\nsecond line"))
    assert (decision.reason, decision.message) == ("no rm", "Hook denied: no rm")
    assert fired("grok", config(), CALL, said('{"decision":"deny","reason":"r"}', 2, "no")).reason == "r"
    document = Document(config(), "/w/.grok/hooks/guard.json", layer="project")
    made = HookEngine.load(document, "grok", runner=Scripted(said("", 2)), trust=lambda spec: True)
    name = "project/guard:pre_tool_use[0].hooks[0]"
    assert made.fire(CALL).reason == f"denied by hook '{name}' (exit code 2)"
    decision = fired("grok", config(), CALL, said('{"decision":"maybe"}', 2, "no"))
    assert decision.reason == "unknown decision value 'maybe' in 'decision': no"


def test_what_a_hook_says_before_a_call() -> None:
    def saying(more: str, status: int = 0) -> Any:
        return fired("grok", config(), CALL, said(f'{{"hookSpecificOutput":{{{more}}}}}', status))

    changed = saying('"updatedInput":{"command":"other"}')
    assert changed.apply_to(CALL.tool.input) == {"command": "other"}  # type: ignore[union-attr]
    assert saying('"updatedInput":{"command":"other"}', 1).input == ()
    assert saying('"permissionDecision":"defer","updatedInput":{"command":"other"}').input == ()
    assert saying('"additionalContext":"more"').context == (("more", "result"),)
    assert saying('"additionalContext":"more"', 1).context == ()
    assert saying('"permissionDecision":"deny","additionalContext":"more"').context == ()
    long = saying(f'"additionalContext":"{"x" * 10_001}"')
    assert len(long.context[0][0]) == 10_000 and any("cut at 10000" in note for note in long.diagnostics)
    assert fired("grok", config(), CALL, said('{"decision":"ask","reason":"r"}')).permission == "ask"


def test_what_a_hook_says_after_a_call() -> None:
    tool: dict[str, Any] = {"type": "Bash", "output_for_prompt": "secret"}

    def saying(text: str, status: int = 0, name: str = "run_terminal_command", result: Any = tool) -> Any:
        event = ToolPost(name, {}, result=result)
        return fired("grok", config("PostToolUse"), event, said(text, status, "err" if status == 2 else ""))

    assert saying('{"decision":"block","reason":"r"}').context == (("r", "result"),)
    assert saying('{"decision":"block","reason":"r"}', 1).context == (("r", "result"),)
    assert saying("", 2).context == (("err", "result"),)
    shown = '{"hookSpecificOutput":{"updatedToolOutput":{"type":"Bash","output_for_prompt":"-"}}}'
    assert saying(shown).apply_to_result(ToolResult(tool)).value["output_for_prompt"] == "-"
    assert saying(shown, 1).result == ()
    assert saying('{"hookSpecificOutput":{"updatedToolOutput":"x"}}').result == ()
    assert saying('{"hookSpecificOutput":{"updatedMCPToolOutput":"x"}}').result == ()
    other = saying('{"hookSpecificOutput":{"updatedMCPToolOutput":"x"}}', name="srv__touch", result="y")
    assert other.apply_to_result(ToolResult("y")).value == "x"


def test_stops() -> None:
    for ran, better, strict in (
        (said("", 2, "go on"), True, True),
        (said('{"decision":"block","reason":"r"}'), True, True),
        (said('{"continue":false}', 1), False, False),
        (said('{"hookSpecificOutput":{"additionalContext":"run the linter"}}'), True, True),
        (said("{}", 2, "go on"), True, False),
        (said('{"decision":"deny"}'), True, False),
    ):
        assert fired("grok", config("Stop"), Stop(), ran).force_continue == better
        assert fired("grok", config("Stop"), Stop(), ran, compat="strict").force_continue == strict


def test_prompts() -> None:
    for ran, better, strict in (
        (said("context", 2, "no"), True, True),
        (said('{"decision":"block","reason":"no"}', 1), True, True),
        (said('{"decision":"deny"}'), True, False),
        (said('{"hookSpecificOutput":{"additionalContext":"more"}}'), False, False),
    ):
        decision = fired("grok", config("UserPromptSubmit"), PromptSubmit("p"), ran)
        assert decision.refused == better and decision.context == ()
        assert (
            fired("grok", config("UserPromptSubmit"), PromptSubmit("p"), ran, compat="strict").refused
            == strict
        )


def test_other_events_refuse_nothing() -> None:
    started = Event("session.start", extras={"source": "new"})
    decision = fired("grok", config("SessionStart"), started, said("context", 2, "no"))
    assert not decision.refused and decision.context == ()
    assert fired("grok", config("PostToolUse"), ToolPost("t", {}, result="r"), said("", 2)).result == ()


@pytest.mark.parametrize("name", ["preToolUse", "pre_tool_use", "beforeShellExecution", "SubagentEnd"])
def test_other_names_of_events(name: str) -> None:
    made = HookEngine.load(config(name), "grok", runner=Scripted(said()))
    assert [spec.native_event for spec in made.hooks] == [
        "SubagentStop" if name == "SubagentEnd" else "PreToolUse"
    ]


def test_timeouts() -> None:
    def seconds(event: str, **more: Any) -> list[float]:
        return [spec.timeout for spec in HookEngine.load(config(event, **more), "grok").hooks]

    assert [seconds(each) for each in ("PreToolUse", "Stop", "PostToolUse", "UserPromptSubmit", "SessionEnd")] == [
        [5.0], [600.0], [600.0], [30.0], [1.5],
    ]  # fmt: skip
    assert seconds("Stop", timeout=0) == [600.0] and seconds("PreToolUse", timeout=7) == [7.0]


def test_toml_and_the_organisation() -> None:
    text = '[[hooks.PreToolUse]]\nmatcher = "Bash"\nhooks = [{ type = "command", command = "m.sh x" }]\n'
    user = Document(config(), "/h/.grok/hooks/a.json", layer="user")

    def kept(text: str) -> list[str]:
        managed = get("grok").parse(text, "/etc/grok/requirements.toml", {})._replace(layer="managed")
        made = HookEngine.load([managed, user], "grok", runner=Scripted(said()))
        assert all("organisation allows" in each.why for each in made.withheld)
        return [spec.file for spec in made.hooks]

    assert kept(text) == ["/etc/grok/requirements.toml", "/h/.grok/hooks/a.json"]
    for switch in (
        "allow_managed_hooks_only = true",
        "allowManagedHooksOnly = true",
        'allow_managed_hooks_only = "no"',
    ):
        assert kept(f"{switch}\n{text}") == ["/etc/grok/requirements.toml"]
    assert len(kept(f"allow_managed_hooks_only = false\n{text}")) == 2


def test_equal_hooks_run_once() -> None:
    hook = {"type": "command", "command": "x"}
    groups = [{"hooks": [hook]}, {"hooks": [hook]}, {"matcher": "Bash", "hooks": [hook]}]
    runner = Scripted(said())
    HookEngine.load({"hooks": {"PreToolUse": groups}}, "grok", runner=runner).fire(CALL)
    assert len(runner.requests) == 2


def test_the_payload_and_the_variables() -> None:
    runner = Scripted(said())
    document = Document(config(), "/w/.grok/hooks/guard.json")
    HookEngine.load(document, "grok", runner=runner).fire(CALL.with_(cwd="/w/sub", project_dir="/w"))
    request = runner.requests[0]
    payload = decode(request.stdin.decode()).value
    assert payload == {
        "hookEventName": "pre_tool_use", "sessionId": "s", "cwd": "/w/sub", "workspaceRoot": "/w",
        "timestamp": "", "permissionMode": "default", "toolName": "run_terminal_command",
        "toolUseId": "c", "toolInput": {"command": "ls"}, "toolInputTruncated": False,
        "hook_event_name": "PreToolUse", "session_id": "s", "permission_mode": "default",
        "tool_name": "run_terminal_command", "tool_input": {"command": "ls"}, "tool_use_id": "c",
    }  # fmt: skip
    assert request.cwd == "/w"
    assert request.env == {
        "GROK_HOOK_EVENT": "pre_tool_use", "GROK_HOOK_NAME": "global/guard:pre_tool_use[0].hooks[0]", "GROK_SESSION_ID": "s",
        "GROK_WORKSPACE_ROOT": "/w", "CLAUDE_PROJECT_DIR": "/w",
    }  # fmt: skip
    again = get("grok").event("pre_tool_use", payload)
    assert again.tool == CALL.tool and again.session_id == "s"
    assert get("grok").event_name(payload, {}) == "PreToolUse"


def test_a_long_input_is_cut_in_strict_mode() -> None:
    event = CALL.with_(tool=CALL.tool._replace(input={"command": "x" * (200 << 10)}))  # type: ignore[union-attr]
    for compat, wanted in (("better", dict), ("strict", str)):
        runner = Scripted(said())
        HookEngine.load(config(), "grok", runner=runner, compat=compat).fire(event)  # type: ignore[arg-type]
        payload = decode(runner.requests[0].stdin.decode()).value
        assert isinstance(payload["toolInput"], wanted)
        assert payload["toolInputTruncated"] == (compat == "strict")


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("PreToolUse", CALL, {"permission": "deny", "reason": "no"}),
        ("PreToolUse", CALL, {"permission": "ask"}),
        ("PreToolUse", CALL, {"context": (("more", "result"),)}),
        ("UserPromptSubmit", PromptSubmit("p"), {"block": True, "reason": "no"}),
        ("PostToolUse", ToolPost("t", {}, result="r"), {"context": (("more", "result"),)}),
        ("Stop", Stop(), {"force_continue": True, "reason": "more"}),
        ("Stop", Stop(), {"halt": True, "reason": "over"}),
    ],
)
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("grok", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_conversion() -> None:
    value = config(matcher="^a$", timeout=7, env={"A": "1"})
    specs = HookEngine.load(value, "grok", runner=Scripted(said())).hooks
    rendered, lost = get("grok").render(specs)
    assert rendered == {
        "hooks": {"PreToolUse": [{"matcher": "^a$", "hooks": [
            {"type": "command", "command": "x", "timeout": 7, "env": {"A": "1"}}
        ]}]}
    }  # fmt: skip
    assert lost == ()


def test_whose_file_it_is() -> None:
    assert recognise([Document(config(matcher="run_terminal_command"))]).name == "grok"
    assert recognise([Document(config(), "/w/.grok/hooks/a.json")]).name == "grok"
    assert recognise([Document(config(command='"$GROK_WORKSPACE_ROOT/x.sh"'))]).name == "grok"
    assert recognise([Document(config(matcher="Bash"), "/w/.claude/settings.json")]).name == "claude_code"


def test_a_hook_of_a_plugin_knows_where_the_plugin_is() -> None:
    for layer, wanted in (("bundle", "/p/one"), ("user", None)):
        runner = Scripted(said())
        document = Document(config(), "/p/one/hooks/hooks.json", layer=layer)
        made = HookEngine.load(document, "grok", runner=runner, trust=lambda spec: True)
        made.fire(CALL)
        assert runner.requests[0].env.get("GROK_PLUGIN_ROOT") == wanted
