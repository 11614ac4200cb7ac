"""Whatever a configuration, a payload or a hook's output holds, the engine answers."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandhook.hooks import HookEngine, PromptSubmit, ToolCall, ToolPost, ToolPre
from sandhook.hooks.contracts.everruns.names import EVENTS, MATCHER_FIELDS
from sandhook.hooks.report import to_json, to_text
from tests.hooks.hooktools import Scripted, config, engine, hook, said

#: The first text that is drawn costs a second, on a machine that has other work.
relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

WORDS = st.sampled_from(
    [
        *(
            "hooks",
            "event",
            "matcher",
            "executor",
            "type",
            "bash",
            "command",
            "env",
            "timeout_ms",
            "on_error",
        ),
        *(
            "capabilities",
            "ref",
            "user_hooks",
            "config",
            "definition",
            "name",
            "disabled",
            "disabled_contributions",
        ),
        *(
            "decision",
            "block",
            "mutate",
            "allow",
            "reason",
            "patch",
            "arguments",
            "message",
            "user:a",
            "$.a",
            "(",
            "*",
        ),
        *EVENTS,
        *MATCHER_FIELDS,
    ]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(), inner, max_size=5),
    max_leaves=25,
)
HOOKS = st.fixed_dictionaries(
    {"event": st.sampled_from(list(EVENTS)), "executor": st.just({"type": "bash", "command": "x"})},
    optional={
        "id": st.text(),
        "matcher": st.dictionaries(st.sampled_from(MATCHER_FIELDS), st.text() | WORDS, max_size=3),
        "timeout_ms": st.integers(0, 40_000),
        "on_error": st.sampled_from(["block", "warn", "allow", "x"]),
    },
)


@relaxed
@given(VALUES, st.sampled_from(["better", "strict"]))
def test_any_configuration_is_loaded_or_told_why_not(value: Any, compat: str) -> None:
    source = value if isinstance(value, dict) else {"hooks": value}
    made = HookEngine.load(source, "everruns", runner=Scripted(said()), compat=compat)
    assert all(str(problem) for problem in made.problems)
    assert made.fire(ToolPre("bash")).proceed


@relaxed
@given(st.lists(HOOKS, max_size=4), VALUES)
def test_every_hook_is_loaded_or_is_a_problem(hooks: list[Any], arguments: Any) -> None:
    made = HookEngine.load(config(*hooks), "everruns", runner=Scripted(said()))
    faulty = {problem.path.split(".")[0] for problem in made.problems}
    assert {spec.path for spec in made.hooks} | faulty == {f"hooks[{number}]" for number in range(len(hooks))}
    assert {spec.path for spec in made.hooks} & faulty == set()
    decision = made.fire(ToolPre("bash")._replace(tool=ToolCall("bash", arguments)))
    assert all(outcome.why for outcome in decision.outcomes)


@relaxed
@given(
    st.binary() | VALUES.map(repr).map(str.encode), st.integers(0, 255), st.sampled_from(["block", "warn"])
)
def test_any_output_is_read(stdout: bytes, status: int, on_error: str) -> None:
    for native, event in (
        ("pre_tool_use", ToolPre("bash", {"a": 1})),
        ("user_prompt_submit", PromptSubmit("p")),
        ("post_tool_use", ToolPost("bash", result={"a": 1})),
    ):
        made, _ = engine(hook(native, on_error=on_error), answers=(said(stdout, status),))
        decision = made.fire(event)
        assert decision.outcomes[0].verdict.label in ("allow", "block", "mutate", "error")
        assert to_json(decision)["event"] == native
        # A space of another width is drawn as it is: French and Japanese write it in prose.
        shown = "".join(to_text(decision, output=True))
        assert all(c.isprintable() or c.isspace() for c in shown)
        assert not any(c in shown for c in "\r\x0b\x0c\x1c\x85\u2028\u2029")


@relaxed
@given(st.text() | VALUES)
def test_any_arguments_reach_the_hook(arguments: Any) -> None:
    made, runner = engine(hook(matcher={"args_jsonpath": "$.", "match_regex": ""}))
    made.fire(ToolPre("bash")._replace(tool=ToolCall("bash", arguments, "c")))
    assert len(runner.requests) == 1
