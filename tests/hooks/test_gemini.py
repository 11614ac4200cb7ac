"""Gemini CLI: its settings, faults with their lines, chains, both streams, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, PromptSubmit, SessionStart, Stop, ToolPost, ToolPre
from sandhook.hooks.contracts import Document, get, recognise
from sandhook.hooks.decode import decode, encode
from sandhook.hooks.model import LayerName, Operation
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.hooktools import Scripted, said


def config(event: str = "BeforeTool", matcher: str | None = None, **more: Any) -> dict[str, Any]:
    group: dict[str, Any] = {"hooks": [{"type": "command", "command": "x", **more}]}
    if matcher is not None:
        group["matcher"] = matcher
    return {"hooks": {event: [group]}}


CALL = ToolPre("write_file", {"path": "a", "content": "b"}, session_id="s")


def test_layers() -> None:
    assert paths("gemini", "/w", {"HOME": "/h"}) == [
        "managed /etc/gemini-cli/system-defaults.json",
        "managed /etc/gemini-cli/settings.json",
        "user /h/.gemini/settings.json",
        "project /w/.gemini/settings.json",
    ]
    assert paths("gemini", "/w", {"USERPROFILE": "C:/u"}, "win32")[2] == "user C:/u/.gemini/settings.json"
    assert paths("gemini", "/w", {"GEMINI_CLI_SYSTEM_SETTINGS_PATH": "/s/x"}, "darwin")[:2] == [
        "managed /s/system-defaults.json",
        "managed /s/x",
    ]


def layered(*names: tuple[LayerName, str], **settings: Any) -> HookEngine:
    documents = [
        Document({**config(command=name), **settings.get(name, {})}, name, layer=layer)
        for layer, name in names
    ]
    return HookEngine.load(documents, "gemini", runner=Scripted(said()), trust=lambda spec: True)


def test_hooks_run_in_the_order_in_which_files_are_joined() -> None:
    made = layered(
        ("bundle", "e"),
        ("managed", "system-defaults.json"),
        ("managed", "m"),
        ("project", "p"),
        ("user", "u"),
    )
    assert [spec.executor.text for spec in made.hooks] == ["system-defaults.json", "u", "p", "m", "e"]


def test_the_strongest_file_with_a_switch_decides() -> None:
    off, on = ({"hooksConfig": {"enabled": enabled}} for enabled in (False, True))
    assert [spec.executor.text for spec in layered(("user", "u"), ("project", "p"), u=off, p=on).hooks] == [
        "u",
        "p",
    ]
    made = layered(("user", "u"), ("project", "p"), ("managed", "m"), p=off)
    assert [spec.executor.text for spec in made.hooks] == ["u", "m"]
    assert any("has no effect on hooks of the managed layer" in str(note) for note in made.diagnostics)
    assert layered(("user", "u"), ("project", "p"), ("managed", "m"), m=off).hooks == ()


def test_a_hook_of_an_extension_knows_where_it_is() -> None:
    value = config(command="${extensionPath}/check.sh")
    for name, layer, wanted in (
        ("/h/.gemini/extensions/one/hooks/hooks.json", "bundle", "/h/.gemini/extensions/one/check.sh"),
        ("/w/.gemini/settings.json", "project", "${extensionPath}/check.sh"),
    ):
        document = Document(value, name, layer=layer)
        made = HookEngine.load(document, "gemini", runner=Scripted(said()), trust=lambda spec: True)
        assert made.hooks[0].executor.text == wanted


def test_a_matcher_sees_the_value_that_the_payload_has_without_one_of_the_host() -> None:
    for event, value in (("SessionStart", "startup"), ("SessionEnd", "other"), ("PreCompress", "auto")):
        made = HookEngine.load(config(event, value), "gemini", runner=Scripted(said()))
        assert made.fire(get("gemini").event(event, {})).outcomes[0].matched, event


def test_eight_faults_are_eight_problems_with_their_lines() -> None:
    text = """{"hooks": {
 "BeforeTool": [
  5,
  {"matcher": 5, "hooks": []},
  {"sequential": "yes", "hooks": [{"type": "command", "command": "x"}]},
  {"hooks": [
   {"command": "x"},
   {"type": "shell", "command": "x"},
   {"type": "command"},
   {"type": "command", "command": 5},
   {"type": "command", "command": "x", "timeout": "soon"},
   {"type": "command", "command": "x", "timeout": -1},
   {"type": "command", "command": "x", "name": 5}
  ]}
 ]
}}"""
    group = "hooks.BeforeTool[3].hooks"
    assert sorted(faults("gemini", text, "h.json"), key=lambda each: int(each[0][7:])) == [
        ("h.json:3", "hooks.BeforeTool[0]"),
        ("h.json:4", "hooks.BeforeTool[1].matcher"),
        ("h.json:7", f"{group}[0].type"),
        ("h.json:8", f"{group}[1].type"),
        ("h.json:9", f"{group}[2].command"),
        ("h.json:10", f"{group}[3].command"),
        ("h.json:11", f"{group}[4].timeout"),
        ("h.json:12", f"{group}[5].timeout"),
    ]


def test_a_sequential_or_a_name_of_another_type_is_a_note_and_the_hook_runs() -> None:
    """As recorded: settings.group-sequential, settings.name-number and settings.env-text."""
    hook = {"type": "command", "command": "x", "name": 5, "env": {"A": 5}}
    value = {"hooks": {"BeforeTool": [{"sequential": "yes", "hooks": [hook]}]}}
    made = HookEngine.load(value, "gemini", runner=Scripted(said()))
    assert not made.problems and len(made.hooks) == 1
    assert sum("it is ignored" in str(note) for note in made.diagnostics) == 3


@pytest.mark.parametrize(
    ("pattern", "tool", "wanted"),
    [
        ("", "a", True), ("*", "a", True), ("write_.*|replace", "write_file", True), ("file", "write_file", True),
        ("^mcp_", "write_file", False), ("(", "(", True), ("(", "a", False),
    ],
)  # fmt: skip
def test_matchers(pattern: str, tool: str, wanted: bool) -> None:
    assert fired("gemini", config(matcher=pattern), ToolPre(tool), said("", 2, "no")).refused == wanted


def test_matchers_of_a_session_are_texts() -> None:
    made = HookEngine.load(config("SessionStart", "startup"), "gemini", runner=Scripted(said()))
    for source, wanted in (("startup", True), ("startup2", False)):
        event = SessionStart(extras={"source": source})
        assert made.fire(event).outcomes[0].matched == wanted


def two(sequential: bool) -> dict[str, Any]:
    hooks = [{"type": "command", "command": word} for word in "ab"]
    other = {"type": "command", "command": "c"}
    return {"hooks": {"BeforeTool": [{"hooks": hooks, "sequential": sequential}, {"hooks": [other]}]}}


@pytest.mark.parametrize(("sequential", "seen"), [(True, {"n": 1}), (False, {"n": 0})])
def test_one_sequential_group_chains_all(sequential: bool, seen: dict[str, int]) -> None:
    runner = Scripted(said(encode({"hookSpecificOutput": {"tool_input": {"n": 1}}})), said(), said())
    made = HookEngine.load(two(sequential), "gemini", runner=runner)
    decision = made.fire(ToolPre("t", {"n": 0}))
    inputs = [decode(request.stdin.decode()).value["tool_input"] for request in runner.requests]
    assert inputs[-1] == seen and decision.apply_to({"n": 0}) == {"n": 1}


def test_a_group_that_does_not_match_chains_nothing() -> None:
    value = two(True)
    value["hooks"]["BeforeTool"][0]["matcher"] = "other"
    value["hooks"]["BeforeTool"][1]["hooks"] *= 2
    value["hooks"]["BeforeTool"][1]["hooks"][1] = {"type": "command", "command": "d"}
    runner = Scripted(said(encode({"hookSpecificOutput": {"tool_input": {"n": 1}}})), said())
    HookEngine.load(value, "gemini", runner=runner).fire(ToolPre("t", {"n": 0}))
    assert decode(runner.requests[1].stdin.decode()).value["tool_input"] == {"n": 0}


def test_the_same_hook_runs_once() -> None:
    hook = {"type": "command", "command": "x"}
    runner = Scripted(said())
    groups = [{"hooks": [hook]}, {"hooks": [hook]}, {"hooks": [{**hook, "name": "other"}]}]
    HookEngine.load({"hooks": {"BeforeTool": groups}}, "gemini", runner=runner).fire(CALL)
    assert len(runner.requests) == 2


def test_hooks_that_are_switched_off() -> None:
    value = {**config(name="guard"), "hooksConfig": {"disabled": ["guard"]}}
    made = HookEngine.load(value, "gemini", runner=Scripted(said()))
    assert made.hooks == () and [each.why for each in made.withheld] == ["is listed as disabled"]
    value = {**config(), "hooksConfig": {"enabled": False}}
    assert len(HookEngine.load(value, "gemini", runner=Scripted(said())).withheld) == 1


def test_the_payload_and_the_variables() -> None:
    runner = Scripted(said())
    made = HookEngine.load(config(timeout=1500), "gemini", runner=runner)
    made.fire(CALL.with_(cwd="/w", project_dir="/p", timestamp="2026-01-01T00:00:00Z"))
    request = runner.requests[0]
    assert decode(request.stdin.decode()).value == {
        "session_id": "s", "transcript_path": "", "cwd": "/w", "hook_event_name": "BeforeTool",
        "timestamp": "2026-01-01T00:00:00Z", "tool_name": "write_file",
        "tool_input": {"path": "a", "content": "b"},
    }  # fmt: skip
    assert request.env["GEMINI_PROJECT_DIR"] == request.env["CLAUDE_PROJECT_DIR"] == "/p"
    assert request.spec.timeout == 1.5


def test_a_tools_result_has_its_parts() -> None:
    runner = Scripted(said())
    HookEngine.load(config("AfterTool"), "gemini", runner=runner).fire(ToolPost("t", {}, error="bad"))
    response = decode(runner.requests[0].stdin.decode()).value["tool_response"]
    assert response == {"llmContent": "bad", "returnDisplay": "bad", "error": {"message": "bad"}}


def test_standard_error_is_read_when_there_is_no_output() -> None:
    assert fired("gemini", config(), CALL, said("", 0, '{"decision":"deny","reason":"r"}')).reason == "r"
    assert fired("gemini", config(), CALL, said(encode('{"decision":"block"}'))).refused


@pytest.mark.parametrize(
    ("ran", "better", "strict"),
    [
        (said("", 2), True, False),
        (said('{"decision":"allow"}', 2), True, False),
        (said("", 3), False, False),
        (said("", 3, "words"), True, True),
        (said("words", 1), False, False),
    ],
)
def test_statuses_in_both_modes(ran: Any, better: bool, strict: bool) -> None:
    assert fired("gemini", config(), CALL, ran).refused == better
    assert fired("gemini", config(), CALL, ran, compat="strict").refused == strict


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("BeforeTool", CALL, {"permission": "deny", "reason": "no"}),
        ("BeforeTool", CALL, {"permission": "ask"}),
        (
            "BeforeTool",
            CALL,
            {"permission": "allow", "input": (Operation("replace", {"path": "z", "content": "b"}),)},
        ),
        ("BeforeTool", CALL, {"halt": True, "reason": "no"}),
        ("BeforeAgent", PromptSubmit("hi"), {"block": True, "reason": "no"}),
        ("BeforeAgent", PromptSubmit("hi"), {"context": (("c", "prompt"),)}),
        ("AfterAgent", Stop(), {"force_continue": True, "reason": "more"}),
        ("AfterTool", ToolPost("t", {}, result="r"), {"result": (Operation("replace", "no"),)}),
        ("BeforeModel", Event("model.pre"), {"block": True, "reason": "no"}),
        ("BeforeToolSelection", Event("x.BeforeToolSelection"), {"extras": {"toolConfig": {"mode": "ANY"}}}),
        ("SessionStart", SessionStart(), {"system_message": "hello"}),
    ],
)
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("gemini", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_conversion() -> None:
    value = config(matcher="^a$", timeout=2500, name="n")
    specs = HookEngine.load(value, "gemini", runner=Scripted(said())).hooks
    rendered, lost = get("gemini").render(specs)
    assert rendered == {
        "hooks": {"BeforeTool": [{"matcher": "^a$", "hooks": [
            {"type": "command", "command": "x", "timeout": 2500, "name": "n"}
        ]}]}
    }  # fmt: skip
    assert lost == ()


def test_whose_file_it_is() -> None:
    assert recognise([Document(config())]).name == "gemini"
    assert recognise([Document(config("SessionStart"), "/w/.gemini/settings.json")]).name == "gemini"
    assert recognise([Document({**config("SessionStart"), "hooksConfig": {}})]).name == "gemini"


def test_settings_have_comments() -> None:
    text = '// mine\n{"hooks": {"BeforeTool": [/* all */ {"hooks": [{"type": "command", "command": "a // b"}]}]}}'
    (spec,) = HookEngine.load(get("gemini").parse(text, "settings.json", {}), prestart=False).hooks
    assert spec.executor.text == "a // b"
