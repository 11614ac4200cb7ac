"""Antigravity: bundles, faults that drop a file, what denies by default, both modes, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, RunResult, Stop, ToolPost, ToolPre
from sandhook.hooks.checks import Surroundings, check
from sandhook.hooks.contracts import ContractError, Document, get, recognise
from sandhook.hooks.decode import decode, encode
from sandhook.hooks.evidence import examine
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.evidencetools import Files
from tests.hooks.hooktools import Scripted, said


def config(event: str = "PreToolUse", matcher: str | None = None, **more: Any) -> dict[str, Any]:
    hook = {"command": "x", **more}
    if event.lower() not in ("pretooluse", "posttooluse"):
        return {"guards": {event: [hook]}}
    return {
        "guards": {event: [{"hooks": [hook]} if matcher is None else {"matcher": matcher, "hooks": [hook]}]}
    }


CALL = ToolPre("run_command", {"CommandLine": "ls"}, session_id="s")


def test_layers() -> None:
    assert paths("antigravity", "/w", {"HOME": "/h"}) == [
        "user /h/.gemini/config/hooks.json",
        "project /w/_agent/hooks.json",
        "project /w/_agents/hooks.json",
        "project /w/.agent/hooks.json",
        "project /w/.agents/hooks.json",
    ]


def test_faults_are_problems_with_their_lines() -> None:
    text = """{"g": {
 "PreToolUse": [
  5,
  {"matcher": 5, "hooks": []},
  {"hooks": [
   {"type": "Command", "command": "x"},
   {"type": "command"},
   {"command": "x", "timeout": "soon"},
   {"command": "x", "timeout": 0}
  ]}
 ],
 "Stop": [
  {"command": 5}
 ]
}}"""
    group = "g.PreToolUse[2].hooks"
    assert sorted(faults("antigravity", text, "h.json"), key=lambda each: int(each[0][7:])) == [
        ("h.json:3", "g.PreToolUse[0]"),
        ("h.json:4", "g.PreToolUse[1].matcher"),
        ("h.json:6", f"{group}[0].type"),
        ("h.json:7", f"{group}[1].command"),
        ("h.json:8", f"{group}[2].timeout"),
        ("h.json:9", f"{group}[3].timeout"),
        ("h.json:13", "g.Stop[0].command"),
    ]


@pytest.mark.parametrize(
    ("value", "runs"),
    [
        ({**config(), "enabled": True}, 1),
        (config(timeout=1.5), 1),
        ({**config(), "other": {"PreToolUse": [{"hooks": [{"type": "Command", "command": "y"}]}]}}, 1),
        ({**config(), "other": 5}, 1),
    ],
)
def test_a_fault_drops_the_file_in_strict_mode(value: Any, runs: int) -> None:
    other = Document(config(command="other"), "other.json")
    better = HookEngine.load([Document(value, "a.json"), other], "antigravity", runner=Scripted(said()))
    assert len(better.hooks) == runs + 1
    assert better.problems or any("drops the whole file" in note for note in better.diagnostics)
    strict = HookEngine.load(
        [Document(value, "a.json"), other], "antigravity", runner=Scripted(said()), compat="strict"
    )
    assert [spec.file for spec in strict.hooks] == ["other.json"]
    assert "Antigravity drops the whole file" in str(strict.problems[-1])


def test_what_vanishes_is_noted() -> None:
    value = {"g": {**config(env={"A": "1"}, cwd="x")["guards"], "PreTool": []}}
    made = HookEngine.load(value, "antigravity", runner=Scripted(said()))
    assert len(made.hooks) == 1
    assert sum("unknown field" in note for note in made.diagnostics) == 2
    assert any("is not an event of Antigravity" in note for note in made.diagnostics)


def test_a_bundle_can_be_switched_off_and_names_have_any_case() -> None:
    value = {
        "a": {"enabled": False, **config()["guards"]},
        "b": {"pretooluse": config()["guards"]["PreToolUse"]},
    }
    made = HookEngine.load(value, "antigravity", runner=Scripted(said()))
    assert [spec.path for spec in made.hooks] == ["b.pretooluse[0].hooks[0]"]
    assert [each.why for each in made.withheld] == ["its bundle is switched off (enabled: false)"]


def test_bundles_of_one_name_do_not_replace_each_other() -> None:
    documents = [
        Document(config(command=name), f"/{name}/hooks.json", layer=layer)
        for layer, name in (("user", "u"), ("project", "p"))
    ]
    for compat in ("better", "strict"):
        made = HookEngine.load(
            documents, "antigravity", runner=Scripted(said()), trust=lambda spec: True, compat=compat
        )
        assert [spec.executor.text for spec in made.hooks] == ["u", "p"]


@pytest.mark.parametrize(
    ("pattern", "tool", "wanted"),
    [
        ("", "a", True),
        ("*", "a", True),
        ("run_command|view_file", "view_file", True),
        ("^file", "view_file", False),
    ],
)
def test_matchers(pattern: str, tool: str, wanted: bool) -> None:
    assert fired("antigravity", config(matcher=pattern), ToolPre(tool), said("{}")).refused == wanted


def test_a_matcher_that_does_not_compile() -> None:
    assert fired("antigravity", config(matcher="("), CALL, said("{}")).refused
    assert not fired("antigravity", config(matcher="("), CALL, said("{}"), compat="strict").refused


#: How a hook before a call ended, and the permission.
ENDS = [
    (said(), "none"),
    (said(" \n"), "none"),
    (said('{"decision":""}'), "none"),
    (said('{"decision":"allow"}'), "none"),
    (said('{"decision":"ask"}'), "ask"),
    (said('{"decision":"force_ask"}'), "ask"),
    (said('{"decision":"deny"}'), "deny"),
    (said("{}"), "deny"),
    (said('{"reason":"fine"}'), "deny"),
    (said('{"decision":null}'), "deny"),
    (said('{"decision":"approve"}'), "deny"),
    (said('{"hookSpecificOutput":{"permissionDecision":"allow"}}'), "deny"),
    (said("checking"), "deny"),
    (said('{"decision":"allow"} done'), "deny"),
    (said('{"decision":"allow"}', 1), "deny"),
    (said("", 1), "deny"),
    (said("", 2, "no"), "deny"),
    (RunResult(124, limit="wall_seconds"), "deny"),
    (RunResult(None, signal="KILL"), "deny"),
    (RunResult(127, missing="x: command not found"), "deny"),
]


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize(("ran", "permission"), ENDS)
def test_all_but_a_decision_denies(ran: Any, permission: str, compat: Any) -> None:
    assert fired("antigravity", config(), CALL, ran, compat=compat).permission == permission


def test_an_object_without_a_decision_is_explained() -> None:
    decision = fired("antigravity", config(), CALL, said("{}"))
    assert decision.reason == "hook PreToolUse[0] printed an object with no decision"
    assert any("print decision allow, or nothing" in note for note in decision.diagnostics)
    assert fired("antigravity", config(), CALL, said("{}"), compat="strict").reason == ""


def test_details_of_a_decision() -> None:
    ran = said(encode({"decision": "force_ask", "reason": "r", "permissionOverrides": ["a"]}))
    assert fired("antigravity", config(), CALL, ran).extras == {
        "decision": "force_ask",
        "permissionOverrides": ["a"],
    }
    hooks = [{"command": word} for word in "abc"]
    runner = Scripted(said(), said("{}"), said())
    value = {"g": {"PreToolUse": [{"hooks": hooks}]}}
    assert HookEngine.load(value, "antigravity", runner=runner).fire(CALL).refused
    assert len(runner.requests) == 2


def test_other_events() -> None:
    stop = config("Stop")
    assert fired("antigravity", stop, Stop(), said('{"decision":"continue","reason":"r"}')).force_continue
    assert not fired("antigravity", stop, Stop(), said("{}", 2)).force_continue
    assert fired("antigravity", stop, Stop(), said('{"decision":"block"}')).force_continue
    assert not fired(
        "antigravity", stop, Stop(), said('{"decision":"block"}'), compat="strict"
    ).force_continue
    after = config("PostToolUse")
    assert (
        fired("antigravity", after, ToolPost("t", {}, result="r"), said('{"decision":"deny"}', 2)).result
        == ()
    )


def test_the_payload_and_the_directory() -> None:
    runner = Scripted(said())
    document = Document(config(), "/w/.agents/hooks.json", layer="user")
    HookEngine.load(document, "antigravity", runner=runner).fire(CALL.with_(cwd="/w"))
    assert decode(runner.requests[0].stdin.decode()).value == {
        "conversationId": "s", "workspacePaths": ["/w"], "transcriptPath": "", "artifactDirectoryPath": "",
        "modelName": "", "toolCall": {"name": "run_command", "args": {"CommandLine": "ls"}}, "stepIdx": 0,
    }  # fmt: skip
    assert runner.requests[0].cwd == "/w/.agents"
    again = get("antigravity").event("PreToolUse", decode(runner.requests[0].stdin.decode()).value)
    assert again.tool == CALL.tool and (again.cwd, again.session_id) == ("/w", "s")


def test_an_approval_covers_the_script_next_to_the_file() -> None:
    made = HookEngine.load(
        Document(config(command="./guard.sh"), "/p/.agents/hooks.json"), "antigravity", prestart=False
    )
    files = Files({"/p/.agents/guard.sh": "exit 2\n", "/p/guard.sh": "exit 0\n"})
    evidence = examine(made.hooks[0], "antigravity", "/p", "/home/me", files)
    assert [each.path for each in evidence.files] == ["/p/.agents/guard.sh"]


def test_the_payload_does_not_name_its_event() -> None:
    contract = get("antigravity")
    assert contract.event_name({"terminationReason": "done"}, {}) == "Stop"
    with pytest.raises(ContractError, match="does not name its event"):
        contract.event_name({"toolCall": {}}, {})
    with pytest.raises(ContractError, match="toolCall must be an object"):
        contract.event("PreToolUse", {})


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("PreToolUse", CALL, {"permission": "deny", "reason": "no"}),
        ("PreToolUse", CALL, {"permission": "ask"}),
        ("PreToolUse", CALL, {"permission": "none"}),
        ("Stop", Stop(), {"force_continue": True, "reason": "more"}),
        ("PostToolUse", ToolPost("t", {}, result="r"), {"result": ()}),
    ],
)
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("antigravity", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_conversion() -> None:
    value = {"g": {**config(matcher="^a$", timeout=5)["guards"], **config("Stop")["guards"]}}
    specs = HookEngine.load(value, "antigravity", runner=Scripted(said())).hooks
    rendered, lost = get("antigravity").render(specs)
    assert rendered == {
        "sandhook": {
            "PreToolUse": [{"matcher": "^a$", "hooks": [{"type": "command", "command": "x", "timeout": 5}]}],
            "Stop": [{"type": "command", "command": "x"}],
        }
    }
    assert lost == ()


def test_whose_file_it_is() -> None:
    assert recognise([Document(config())]).name == "antigravity"
    assert recognise([Document(config("Stop"), "/w/.agents/hooks.json")]).name == "antigravity"
    named = {"hooks": config()["guards"]}
    assert recognise([Document(named, "/h/.gemini/config/hooks.json")]).name == "antigravity"


def test_a_hook_runs_next_to_its_file_also_if_that_is_named_from_the_project() -> None:
    runner = Scripted(said('{"decision":"allow"}'))
    document = Document(config(), ".agents/hooks.json")
    HookEngine.load(document, "antigravity", runner=runner).fire(CALL.with_(cwd="/w"))
    assert runner.requests[0].cwd == "/w/.agents"


def test_checks_look_for_scripts_next_to_the_file() -> None:
    asked: list[str] = []

    def read(path: str) -> None:
        asked.append(path)

    document = Document(config(command="./hooks/x.sh"), ".agents/hooks.json")
    contract = get("antigravity")
    engine = HookEngine.load(document, contract)
    check(engine, contract, [document], Surroundings(project="/w", home="/h", read=read))
    assert asked == ["/w/.agents/hooks/x.sh"]
