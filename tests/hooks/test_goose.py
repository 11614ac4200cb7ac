"""goose: plugins and their switch, the policy for failures, matchers, both modes, and the way back."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, PromptSubmit, RunResult, Stop, ToolPost, ToolPre
from sandhook.hooks.contracts import Document, get, recognise
from sandhook.hooks.decode import decode
from sandhook.hooks.sources import discover
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.hooktools import Scripted, said


def config(event: str = "PreToolUse", matcher: str | None = None, **more: Any) -> dict[str, Any]:
    group: dict[str, Any] = {"hooks": [{"command": "x", **more}]}
    if matcher is not None:
        group["matcher"] = matcher
    return {"hooks": {event: [group]}}


CALL = ToolPre("shell", {"command": "ls"}, session_id="s", call_id="c")


def test_layers() -> None:
    assert paths("goose", "/w", {"HOME": "/h"}) == [
        "project /w/.config/goose/settings.json",
        "project /w/.agents/plugins/*/hooks/hooks.json",
        "user /h/.config/goose/settings.json",
        "user /h/.agents/plugins/*/hooks/hooks.json",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="the paths of Linux")
def test_the_plugins_of_all_directories_are_found(tmp_path: Path) -> None:
    for place, plugin in (("home", "b"), ("home", "a"), ("work", "c"), ("work", "d"), ("work", "none")):
        path = tmp_path / place / ".agents" / "plugins" / plugin / "hooks" / "hooks.json"
        path.parent.mkdir(parents=True)
        if plugin != "none":
            path.write_text(json.dumps(config(command=plugin)))
    off = tmp_path / "work" / ".config" / "goose" / "settings.json"
    off.parent.mkdir(parents=True)
    off.write_text('{"disabledPlugins": ["a", "c"]}')
    documents, problems = discover(
        get("goose"), str(tmp_path / "work"), {"HOME": str(tmp_path / "home")}, "linux"
    )
    assert problems == []

    def kept(compat: Any) -> list[str]:
        made = HookEngine.load(
            documents, "goose", runner=Scripted(said()), trust=lambda spec: True, compat=compat
        )
        return [spec.executor.text for spec in made.hooks]

    assert kept("better") == ["d", "a", "b"]
    assert kept("strict") == ["d", "b"]
    made = HookEngine.load(documents, "goose", runner=Scripted(said()))
    assert [(each.spec.executor.text, each.state) for each in made.withheld] == [
        ("c", "muted"),
        ("d", "untrusted"),
    ]
    assert any("has no effect on hooks of the user layer" in note for note in made.diagnostics)


def test_faults_are_problems_with_their_lines() -> None:
    text = """{"hooks": {
 "PreToolUse": [
  5,
  {"matcher": "(", "hooks": [{"command": "x"}]},
  {"hooks": [
   {"type": "prompt", "command": "x"},
   {"command": ""},
   {"command": "x", "timeout": "soon"},
   {"command": "x", "on_failure": 5}
  ]}
 ],
 "SubagentStop": []
}}"""
    group = "hooks.PreToolUse[2].hooks"
    assert sorted(faults("goose", text, "h.json"), key=lambda each: int(each[0][7:])) == [
        ("h.json:3", "hooks.PreToolUse[0]"),
        ("h.json:4", "hooks.PreToolUse[1].matcher"),
        ("h.json:6", f"{group}[0].type"),
        ("h.json:7", f"{group}[1].command"),
        ("h.json:8", f"{group}[2].timeout"),
        ("h.json:9", f"{group}[3].on_failure"),
    ]
    made = HookEngine.load(get("goose").parse(text, "h.json", {}), "goose", runner=Scripted(said()))
    assert any("goose never fires this event" in note for note in made.diagnostics)


def test_an_illegal_policy_skips_the_file_and_reads_as_block() -> None:
    hooks = [{"command": "x", "on_failure": "deny"}, {"command": "y"}]
    value = {"hooks": {"PreToolUse": [{"hooks": hooks}]}}
    made = HookEngine.load(value, "goose", runner=Scripted(said("log line")))
    assert [spec.on_error for spec in made.hooks] == ["block", "warn"]
    strict = HookEngine.load(value, "goose", runner=Scripted(said()), compat="strict")
    assert strict.hooks == () and "skips the whole file" in str(strict.problems[-1])


@pytest.mark.parametrize(
    ("pattern", "tool", "wanted"),
    [
        ("", "a", True), (".*", "a", True), ("shell", "developer__shell", True), ("^shell", "developer__shell", False),
        ("developer__(shell|write)", "developer__write", True), ("Shell", "developer__shell", False),
    ],
)  # fmt: skip
def test_matchers(pattern: str, tool: str, wanted: bool) -> None:
    assert fired("goose", config(matcher=pattern), ToolPre(tool), said("", 2, "no")).refused == wanted


def test_a_star_matches_all_and_in_strict_mode_nothing() -> None:
    assert fired("goose", config(matcher="*"), CALL, said("", 2)).refused
    strict = HookEngine.load(config(matcher="*"), "goose", runner=Scripted(said("", 2)), compat="strict")
    assert not strict.fire(CALL).refused
    assert any("'*' is no regular expression" in note for note in strict.diagnostics)


def test_matchers_look_at_the_context_of_the_event() -> None:
    shell = Event("x.BeforeShellExecution", tool=CALL.tool)
    for event, name, pattern, wanted in (
        (shell, "BeforeShellExecution", "^ls$", True),
        (shell, "BeforeShellExecution", "rm", False),
        (Event("x.AfterFileEdit", extras={"matcher_context": "a.py"}), "AfterFileEdit", r"\.py$", True),
        (PromptSubmit("a secret"), "UserPromptSubmit", "secret", True),
    ):
        made = HookEngine.load(config(name, matcher=pattern), "goose", runner=Scripted(said()))
        assert made.fire(event).outcomes[0].matched == wanted


#: How a run ended, and whether it is refused with the default policy and with ``on_failure: block``.
ENDS = [
    (said(), False, False),
    (said('{"decision":"allow"}'), False, False),
    (said("", 2, "no"), True, True),
    (said('{"decision":"allow"}', 2), True, True),
    (said('{"decision":"block"}', 1), True, True),
    (said('{"decision":"block"}', 0), True, True),
    (said("{}"), False, True),
    (said("log line"), False, True),
    (said('{"decision":"allow"}', 1), False, True),
    (said("", 1), False, True),
    (RunResult(0, b'{"decision":"allow","reason":"\xff"}'), False, True),
    (RunResult(124, limit="wall_seconds"), False, True),
    (RunResult(None, signal="KILL"), False, True),
    (RunResult(127, missing="x: command not found"), False, True),
]


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize(("ran", "default", "closed"), ENDS)
def test_the_policy_for_failures(ran: Any, default: bool, closed: bool, compat: str) -> None:
    options: Any = {"compat": compat}
    assert fired("goose", config(), CALL, ran, **options).refused == default
    assert fired("goose", config(on_failure="allow"), CALL, ran, **options).refused == default
    assert fired("goose", config(on_failure="block"), CALL, ran, **options).refused == closed


def test_a_stop_is_always_open() -> None:
    assert fired("goose", config("Stop"), Stop(), said("", 2, "go on")).force_continue
    assert fired("goose", config("Stop"), Stop(), said('{"decision":"block","reason":"r"}', 1)).reason == "r"
    made = HookEngine.load(config("Stop", on_failure="block"), "goose", runner=Scripted(said("", 1)))
    assert not made.fire(Stop()).force_continue
    assert any("has no effect on Stop" in note for note in made.diagnostics)


def test_other_events_refuse_nothing() -> None:
    decision = fired("goose", config("UserPromptSubmit"), PromptSubmit("p"), said("context", 2, "no"))
    assert not decision.refused and decision.context == ()
    assert any("refuses nothing" in note for note in decision.diagnostics)
    assert fired("goose", config("PostToolUse"), ToolPost("t", {}, result="r"), said("", 2)).result == ()


def test_what_only_better_mode_refuses() -> None:
    for ran in (
        said('{"decision":"deny"}'),
        RunResult(0, b'{"decision":"block","reason":"\xff"}'),
    ):
        assert fired("goose", config(), CALL, ran).refused
        assert not fired("goose", config(), CALL, ran, compat="strict").refused


def test_a_refusal_before_a_signal_counts_in_both_modes() -> None:
    ran = RunResult(None, b'{"decision":"block"}', signal="TERM")
    assert fired("goose", config(), CALL, ran).refused
    assert fired("goose", config(), CALL, ran, compat="strict").refused


def test_a_name_of_the_guide_matches_the_tool_in_better_mode_alone() -> None:
    call, refusing = ToolPre("shell", {"command": "ls"}), said("", 2, "no")
    assert fired("goose", config(matcher="^developer__shell$"), call, refusing).refused
    assert not fired("goose", config(matcher="^developer__shell$"), call, refusing, compat="strict").refused
    made = HookEngine.load(config(matcher="^developer__shell$"), "goose", runner=Scripted(said()))
    assert any("matches no tool of goose 1.52.0" in note for note in made.diagnostics)
    made = HookEngine.load(config(matcher="shell"), "goose", runner=Scripted(said()))
    assert made.diagnostics == ()


def test_the_model_reads_which_plugin_refused() -> None:
    document = Document(config(on_failure="block"), "/h/.agents/plugins/guards/hooks/hooks.json")
    made = HookEngine.load(document, "goose", runner=Scripted(said("", 2, "no"), said("{}")))
    assert made.fire(CALL).message == (
        "Tool call denied by policy hook `guards`: no."
        " Do not retry; this is a policy denial, not a transient failure."
    )
    assert made.fire(CALL).message == (
        "Tool call blocked because policy hook `guards` could not complete: the hook exited 0 without an allow or"
        " block decision on stdout. That hook is configured to block on failure."
    )


def test_the_first_refusal_ends_the_chain() -> None:
    hooks = [{"command": word} for word in "abc"]
    runner = Scripted(said(), said("", 2, "second"), said("", 2, "third"))
    made = HookEngine.load({"hooks": {"PreToolUse": [{"hooks": hooks}]}}, "goose", runner=runner)
    assert made.fire(CALL).reason == "second"
    assert len(runner.requests) == 2


def test_the_payload_and_the_variable() -> None:
    runner = Scripted(said())
    document = Document(config(), "/h/.agents/plugins/p/hooks/hooks.json", layer="user")
    HookEngine.load(document, "goose", runner=runner).fire(CALL.with_(cwd="/w"))
    assert decode(runner.requests[0].stdin.decode()).value == {
        "event": "PreToolUse", "session_id": "s", "matcher_context": "shell",
        "tool_call_id": "c", "tool_name": "shell", "tool_input": {"command": "ls"}, "working_dir": "/w",
    }  # fmt: skip
    assert runner.requests[0].spec.executor.env == (("PLUGIN_ROOT", "/h/.agents/plugins/p"),)
    prompt = get("goose").event("UserPromptSubmit", {"event": "UserPromptSubmit", "message": "hi"})
    assert prompt.prompt == "hi"
    result = get("goose").event("PreToolUseResult", {"tool_name": "t", "decision": "deny", "cause": "hook"})
    assert result.tool is not None and (result.extras or {})["decision"] == "deny"


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("PreToolUse", CALL, {"permission": "deny", "reason": "no"}),
        ("Stop", Stop(), {"force_continue": True, "reason": "more"}),
    ],
)
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("goose", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_conversion() -> None:
    value = config(matcher="^a$", timeout=5, on_failure="block")
    specs = HookEngine.load(value, "goose", runner=Scripted(said())).hooks
    rendered, lost = get("goose").render(specs)
    assert rendered == {
        "hooks": {"PreToolUse": [{"matcher": "^a$", "hooks": [
            {"type": "command", "command": "x", "timeout": 5, "on_failure": "block"}
        ]}]}
    }  # fmt: skip
    assert lost == ()


def test_whose_file_it_is() -> None:
    assert recognise([Document(config(on_failure="block"))]).name == "goose"
    assert recognise([Document(config(matcher="developer__shell", type="command"))]).name == "goose"
    assert recognise([Document(config(command='"$PLUGIN_ROOT/x.sh"', type="command"))]).name == "goose"
    assert recognise([Document(config(), "/w/.agents/plugins/p/hooks/hooks.json")]).name == "goose"
    assert recognise([Document({"disabledPlugins": ["p"]})]).name == "goose"
