"""ub: where it looks for files, their variables, durations, faults, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Decision, HookEngine, RunResult, ToolCall, ToolPre
from sandhook.hooks.contracts import Document, get
from sandhook.hooks.contracts.ub.config import duration, expand
from tests.hooks.hooktools import Scripted, hook, said

UB = get("ub")


def engine(*hooks: Any, event: str = "pre_tool_call", **options: Any) -> HookEngine:
    runner = options.pop("runner", Scripted(said()))
    return HookEngine.load({"hooks": {event: list(hooks)}}, "ub", runner=runner, **options)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5s", 5),
        ("50ms", 0.05),
        ("1m30s", 90),
        ("1.5h", 5400),
        ("-2s", -2),
        ("0", 0),
        ("100us", 1e-4),
        (".5s", 0.5),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "5", "s", "5 s", "5x", "1s2", "1" * 70 + "s"])
def test_what_is_no_duration(text: str) -> None:
    assert duration(text) is None


@pytest.mark.parametrize(
    ("given", "seconds"),
    [("61s", 60), ("0s", 10), ("-1s", 10), (None, 10), (2_000_000_000, 2), ("50ms", 0.05)],
)
def test_timeouts_are_kept_in_their_bounds(given: Any, seconds: float) -> None:
    assert engine({"command": ["x"], "timeout": given}).hooks[0].timeout == pytest.approx(seconds)


def test_variables_of_a_file() -> None:
    env = {"A": "1", "EMPTY": ""}
    text = "${A} ${B} ${EMPTY:-d} ${A:-d} ${C:-} $$ $A ${lower} $$$$ ${A"
    assert expand(text, env) == ("1  d 1  $ $A ${lower} $$ ${A", ("${B} is not set: it becomes empty",))


def test_layers() -> None:
    paths = [layer.path for layer in UB.layers("/a/b/c/d/e/f/g", {"HOME": "/h"}, "linux")]
    assert paths[0] == "/h/.config/ub/config.yaml" and len(paths) == 7
    assert paths[1] == "/a/b/.ub/config.yaml" and paths[-1] == "/a/b/c/d/e/f/g/.ub/config.yaml"
    assert [layer.path for layer in UB.layers("/a", {"XDG_CONFIG_HOME": "/x"}, "linux")] == [
        "/x/ub/config.yaml", "/.ub/config.yaml", "/a/.ub/config.yaml"
    ]  # fmt: skip


def test_the_nearest_project_file_alone_counts() -> None:
    def document(layer: str, word: str) -> Document:
        return Document({"hooks": {"pre_tool_call": [{"command": [word]}]}}, word, layer=layer)

    documents = [document("user", "u"), document("project", "far"), document("project", "near")]
    made = HookEngine.load(documents, "ub", runner=Scripted(said()), trust=lambda spec: True)
    assert [(spec.id, spec.executor.argv) for spec in made.hooks] == [
        ("pre_tool_call[0]", ("u",)), ("pre_tool_call[1]", ("near",))
    ]  # fmt: skip


def test_ten_faults_are_ten_problems_with_their_lines() -> None:
    text = """hooks:
  pre_tool_call:
    - command: x
    - command: [1, 2]
    - command: [x]
      tools: bash
    - command: [x]
      tools: [[a]]
    - command: [x]
      timeout: soon
    - command: [x]
      timeout: [1]
    - command: [x]
      on_failure: 5
    - command: [x]
      env: {A: b}
    - text
"""
    made = HookEngine.load(UB.parse(text, "c.yaml", {}), "ub", runner=Scripted(said()))
    where = [tuple(str(problem).split(": ")[:2]) for problem in made.problems]
    path = "hooks.pre_tool_call"
    assert where == [
        ("c.yaml:3", f"{path}[0].command"),
        ("c.yaml:4", f"{path}[1].command[0]"),
        ("c.yaml:4", f"{path}[1].command[1]"),
        ("c.yaml:6", f"{path}[2].tools"),
        ("c.yaml:8", f"{path}[3].tools[0]"),
        ("c.yaml:10", f"{path}[4].timeout"),
        ("c.yaml:12", f"{path}[5].timeout"),
        ("c.yaml:14", f"{path}[6].on_failure"),
        ("c.yaml:16", f"{path}[7].env"),
        ("c.yaml:17", f"{path}[8]"),
    ]
    assert made.hooks == ()


def test_what_is_odd_is_noted() -> None:
    made = engine(
        {"command": [], "on_failure": "deny", "timeout": "2m", "env": ["A=b"], "cwd": "/"},
    )
    path = "hooks.pre_tool_call[0]"
    assert made.diagnostics == (
        f"{path}.cwd: unknown field, ignored",
        f"{path}.command: is empty: the hook never runs, and never blocks",
        f"{path}.on_failure: 'deny' means warn; only block blocks",
        f"{path}.env[0]: is a name of a variable; values cannot be given",
        f"{path}.timeout: 120 seconds are shortened to 60",
    )
    notes = engine(
        {"command": ["x"], "on_failure": "block", "tools": ["a"]}, event="post_user_turn"
    ).diagnostics
    assert [note.partition(": ")[2] for note in notes] == [
        "has no meaning on this event", "only pre_tool_call can block"
    ]  # fmt: skip


@pytest.mark.parametrize(("compat", "refused"), [("better", True), ("strict", False)])
def test_arguments_that_are_no_json_keep_the_hook_from_running(compat: str, refused: bool) -> None:
    made = engine({"command": ["x"], "on_failure": "block"}, compat=compat)
    event = ToolPre("bash").with_(tool=ToolCall("bash", {}, None, "{broken"))
    decision = made.fire(event)
    assert (decision.refused, len(decision.could_not_run)) == (refused, 1)


def test_an_answer_says_the_decision_again() -> None:
    event = ToolPre("bash", {})
    spec = engine({"command": ["x"], "on_failure": "block"}).hooks[0]
    for decision in (Decision("tool.pre", permission="deny", reason="why"), Decision("tool.pre")):
        answer = UB.answer(decision, event)
        verdict = UB.decode(
            spec, event, RunResult(answer.exit_status, answer.stdout, answer.stderr), "better"
        )
        assert (verdict.permission, verdict.reason) == (decision.permission, decision.reason)


def test_hooks_of_another_contract_as_a_config_of_ub() -> None:
    raw = [hook(id="a", command="./x", matcher={"tool_name": "bash"}), hook("session_start", id="b")]
    specs = HookEngine.load({"hooks": raw}, "everruns", runner=Scripted(said())).hooks
    value, lost = UB.render(specs)
    assert value == {
        "hooks": {
            "pre_tool_call": [
                {
                    "command": ["bash", "-c", "./x"], "tools": ["bash"], "timeout": "5s",
                    "on_failure": "block", "env": ["PATH", "HOME"],
                }
            ]
        }
    }  # fmt: skip
    assert [line.split(": ")[0] for line in lost] == ["user:a", "user:b"]
    assert HookEngine.load(value, runner=Scripted(said())).contracts == (UB,)


@pytest.mark.parametrize("text", ["$x ${Y} $$ $$$ $${Z} $", "$${", "${", "$$$${A:-b}", "plain"])
def test_a_literal_text_is_read_as_it_is(text: str) -> None:
    assert expand(get("ub").literal(text), {"Y": "no", "Z": "no", "A": "no"})[0] == text
