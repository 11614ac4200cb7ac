"""Crush: where it looks for files, the crushrc, faults, the way back to a hook's own output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import Decision, HookEngine, PromptSubmit, RunResult, ToolPre
from sandhook.hooks.contracts import Document, get
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.model import ContextFile, HookSpec, Operation
from tests.hooks.hooktools import Scripted, hook, said

CRUSH = get("crush")


def engine(config: Any, *answers: RunResult, **options: Any) -> HookEngine:
    return HookEngine.load(config, "crush", runner=Scripted(*(answers or (said(),))), **options)


def test_layers_weakest_first() -> None:
    env = {"HOME": "/home/me", "CRUSH_PROJECT_ROOT": "/p"}
    paths = [layer.path for layer in CRUSH.layers("/p/a/b", env, "linux")]
    assert paths[:4] == [
        "/etc/crush/crush.json",
        "/home/me/.config/crush/crush.json",
        "/home/me/.config/crush/crushrc",
        "/home/me/.local/share/crush/crush.json",
    ]
    assert paths[4:8] == ["/p/crush.json", "/p/.crush.json", "/p/crushrc", "/p/.crushrc"]
    assert paths[8] == "/p/a/crush.json" and paths[12] == "/p/a/b/crush.json"
    assert paths[-1] == "/p/a/b/.crush/crush.json"
    layers = [layer.name for layer in CRUSH.layers("/p", {"HOME": "/h"}, "darwin")]
    assert layers == ["managed", *["user"] * 3, *["project"] * 4, "local"]


def test_layers_on_windows_and_with_variables() -> None:
    env = {"USERPROFILE": "C:/me", "LOCALAPPDATA": "C:/me/local", "CRUSH_GLOBAL_CONFIG": "D:/crush"}
    paths = [layer.path for layer in CRUSH.layers("C:/p", env, "win32")]
    assert paths[:3] == ["D:/crush/crush.json", "D:/crush/crushrc", "C:/me/local/crush/crush.json"]
    assert "C:/p/crush.json" in paths


def test_layers_make_one_list() -> None:
    documents = [
        Document({"hooks": {"PreToolUse": [{"command": "one"}]}}, "a", layer="user"),
        Document(
            {"hooks": {"pre_tool_use": [{"command": "two"}], "PreToolUse": [{"command": "three"}]}}, "b"
        ),
    ]
    made = engine(documents)
    assert [(spec.id, spec.executor.text) for spec in made.hooks] == [
        ("PreToolUse[0]", "one"), ("PreToolUse[1]", "three"), ("PreToolUse[2]", "two")
    ]  # fmt: skip


def test_ten_faults_are_ten_problems_with_their_lines() -> None:
    text = """{"hooks": {"PreToolUse": [
 {"matcher": "a"},
 {"command": ""},
 {"command": 5},
 {"command": "x", "timeout": 1.5},
 {"command": "x", "timeout": "9"},
 {"command": "x", "matcher": "("},
 {"command": "x", "matcher": ["a"]},
 {"command": "x", "name": 7},
 "x",
 {"command": "x", "include_sub_agents": "yes"}
]}}"""
    made = engine(CRUSH.parse(text, "crush.json", {}))
    assert [str(problem).split(":")[:3] for problem in made.problems] == [
        ["crush.json", str(line + 2), f" hooks.PreToolUse[{line}]{path}"]
        for line, path in enumerate(
            [
                "",
                "",
                ".command",
                ".timeout",
                ".timeout",
                ".matcher",
                ".matcher",
                ".name",
                "",
                ".include_sub_agents",
            ]
        )
    ]
    assert made.hooks == ()


def test_what_is_odd_is_noted() -> None:
    made = engine(
        {"hooks": {"PostToolUse": [{"command": "x"}], "Nosuch": [], "PreToolUse": [{"command": "x", "z": 1}]}}
    )
    assert made.diagnostics == (
        "hooks.PostToolUse: is planned upstream: its hooks never run",
        "hooks.Nosuch: is not an event of Crush: its hooks never run",
        "hooks.PreToolUse[0].z: unknown field, ignored",
    )


@pytest.mark.parametrize("timeout", [0, -3, None])
def test_a_timeout_of_nothing_is_the_default(timeout: int | None) -> None:
    assert engine({"hooks": {"PreToolUse": [{"command": "x", "timeout": timeout}]}}).hooks[0].timeout == 30


def test_a_crushrc_is_run_for_its_hooks() -> None:
    text = """
provider add x --type openai; model large x
for tool in bash edit; do
  hook add PreToolUse --matcher "^$tool\\$" --command "echo $tool" --name $tool --timeout=5
done
hook add pre_tool_use --command 'gone' --name gone
hook rm PreToolUse --name gone
"""
    value = CRUSH.parse(text, "/p/.crushrc", {}).value
    assert value == {
        "hooks": {
            "PreToolUse": [
                {"matcher": f"^{tool}$", "command": f"echo {tool}", "name": tool, "timeout": 5}
                for tool in ("bash", "edit")
            ]
        }
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hook add PreToolUse", "hook: add: --command is required"),
        ("hook add", "hook: add: an event is required"),
        ("hook", "hook: wanted add or remove"),
        ("hook add PreToolUse --comand x", "unknown option '--comand'"),
        ("hook add PreToolUse --command x --timeout soon", "'soon' is not a number of seconds"),
        ("if", "syntax error"),
        ("while :; do :; done", "limit reached"),
    ],
)
def test_a_crushrc_that_fails(text: str, message: str) -> None:
    with pytest.raises(DecodeError, match=message):
        CRUSH.parse(text, "crushrc", {})


# The way back: what a hook prints for a decision is read as that decision.


@pytest.mark.parametrize(
    "decision",
    [
        Decision("tool.pre", permission="deny", reason="why"),
        Decision("tool.pre", permission="deny", halt=True, reason="stop"),
        Decision("tool.pre", permission="allow"),
        Decision("tool.pre"),
        Decision("tool.pre", input=(Operation("merge", {"command": "y"}),), context=(("c", "result"),)),
        Decision("tool.pre", context_files=(ContextFile("README.md", "why"),)),
    ],
)
def test_an_answer_says_the_decision_again(decision: Decision) -> None:
    event = ToolPre("bash", {"command": "x", "k": 1})
    answer = CRUSH.answer(decision, event)
    spec = engine({"hooks": {"PreToolUse": [{"command": "x"}]}}).hooks[0]
    verdict = CRUSH.decode(spec, event, RunResult(answer.exit_status, answer.stdout, answer.stderr), "better")
    assert (verdict.permission, verdict.halt, verdict.reason) == (
        decision.permission, decision.halt, decision.reason
    )  # fmt: skip
    changed = (
        verdict.input.apply(event.tool.input) if verdict.input and event.tool else {"command": "x", "k": 1}
    )
    assert changed == decision.apply_to({"command": "x", "k": 1})
    assert verdict.context == decision.context and verdict.context_files == decision.context_files


def test_a_rewritten_prompt_is_said_again() -> None:
    decision = Decision("prompt.submit", prompt=(Operation("replace", "new"),))
    assert json.loads(CRUSH.answer(decision, PromptSubmit("old")).stdout) == {"updated_prompt": "new"}


def test_hooks_of_another_contract_as_a_crush_json() -> None:
    raw = [
        hook(id="a", command="./guard.sh", matcher={"tool_name": "bash"}, on_error="block", timeout_ms=2500),
        hook(id="b", command="x", matcher={"tool_name": "bash", "args_jsonpath": "$.a", "match_regex": "x"}),
        hook("turn_end", id="c", command="y"),
        hook(id="d", matcher={"tool_name_glob": "mcp_*|view"}),
    ]
    specs = HookEngine.load({"hooks": raw}, "everruns", runner=Scripted(said())).hooks
    value, lost = CRUSH.render(specs)
    assert value["hooks"]["PreToolUse"][0] == {"matcher": "^bash$", "command": "./guard.sh", "timeout": 3}
    assert value["hooks"]["PreToolUse"][2] == {"matcher": "^(mcp_|view$)", "command": "true", "timeout": 5}
    assert [line.split(":")[1] for line in lost] == ["a", "a", "b", "c"]
    assert engine(value).problems == ()


def test_a_schema_names_every_field() -> None:
    schema: Any = CRUSH.schema()
    spec: HookSpec = engine({"hooks": {"PreToolUse": [{"command": "x"}]}}).hooks[0]
    assert set(schema["$defs"]["hook"]["properties"]) >= {"name", "matcher", "command", "timeout"}
    assert spec.timeout == schema["$defs"]["hook"]["properties"]["timeout"]["default"]


def test_an_empty_file_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "crush.json").write_text("")
    (tmp_path / ".crush.json").write_text('{"hooks": {"PreToolUse": [{"command": "exit 2"}]}}')
    engine = HookEngine.load([tmp_path / "crush.json", tmp_path / ".crush.json"], "crush")
    assert engine.fire(ToolPre("bash", {})).refused
    assert not engine.messages
