"""Exit status, the three shapes of standard output, on_error and patches, on every kind of event."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandhook.hooks import (
    Decision,
    Event,
    PromptSubmit,
    RunResult,
    SessionEnd,
    SessionStart,
    ToolPost,
    ToolPre,
    TurnEnd,
)
from tests.hooks.hooktools import engine, hook, said

EVENTS: dict[str, Event] = {
    "pre_tool_use": ToolPre("bash", {"command": "ls"}),
    "user_prompt_submit": PromptSubmit("hello"),
    "post_tool_use": ToolPost("bash", {"command": "ls"}, result={"out": 1}),
    "session_start": SessionStart(),
    "turn_end": TurnEnd(),
    "session_end": SessionEnd(),
}
REFUSABLE = ("pre_tool_use", "user_prompt_submit")


def fire(
    event: str, ran: RunResult, on_error: str = "warn", compat: str = "better", **options: Any
) -> Decision:
    made, _ = engine(hook(event, id="x", on_error=on_error), answers=(ran,), compat=compat, **options)
    return made.fire(EVENTS[event])


def warnings(decision: Decision) -> tuple[str, ...]:
    return decision.outcomes[0].verdict.warnings


#: Standard output, exit status, the word, and the reason of a block.
SHAPES = [
    ("", 0, "allow", None),
    (" \n\u00a0\u2003", 0, "allow", None),
    ("", 1, "block", "why"),
    ("\n", 127, "block", "why"),
    ("{}", 0, "allow", None),
    ("{}", 1, "allow", None),
    ('{"decision":null}', 1, "allow", None),
    ('{"decision":"allow"}', 2, "allow", None),
    ('{"decision":"block"}', 0, "block", "hook blocked"),
    ('\n {"decision":"block","reason":"no"}\n', 7, "block", "no"),
    ('{"decision":"block","reason":""}', 0, "block", ""),
    ('{"decision":"block","reason":null,"user_message":null,"unknown":[1]}', 0, "block", "hook blocked"),
]


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize(("stdout", "status", "word", "reason"), SHAPES)
def test_a_shape(event: str, stdout: str, status: int, word: str, reason: str | None, compat: str) -> None:
    decision = fire(event, said(stdout, status, " why \n"), compat=compat)
    outcome = decision.outcomes[0]
    assert outcome.verdict.label == word
    assert outcome.could_not_run is None
    blocked = word == "block"
    assert decision.refused == (blocked and event in REFUSABLE)
    if decision.refused:
        assert decision.reason == reason
        expected = f"blocked by pre_tool_use hook: {reason}" if event == "pre_tool_use" else reason
        assert decision.message == expected
    else:
        assert bool(warnings(decision)) == blocked, "a block that can do nothing is a warning"


#: A run that gives an error, and upstream's words for it (or their beginning).
ERRORS = [
    (said("text"), "hook stdout is not JSON (first 80 bytes: text)"),
    (said("é" * 50), "hook stdout is not JSON (first 80 bytes: " + "é" * 40 + ")"),
    (said("x" + "é" * 50), "hook stdout is not JSON (first 80 bytes: x" + "é" * 39 + ")"),
    (said("[]"), "hook stdout is not JSON (first 80 bytes: [])"),
    (said('"block"', 1), 'hook stdout is not JSON (first 80 bytes: "block")'),
    (said("{"), "hook stdout JSON parse failed: "),
    (said("{} x"), "hook stdout JSON parse failed: "),
    (said('{"decision":"block"}{}'), "hook stdout JSON parse failed: "),
    (said("{'a':1}"), "hook stdout JSON parse failed: "),
    (said('{"patch":NaN}'), "hook stdout JSON parse failed: NaN is not JSON"),
    (said('{"patch":1e999}'), "hook stdout JSON parse failed: number out of range"),
    (said('{"reason":"\\ud800"}'), "hook stdout JSON parse failed: a lone surrogate is not text"),
    (said('{"decision":1}'), "hook stdout JSON parse failed: decision: wanted a string, got a number"),
    (said('{"decision":"block","reason":5}'), "hook stdout JSON parse failed: reason: wanted a string"),
    (said('{"user_message":[]}'), "hook stdout JSON parse failed: user_message: wanted a string"),
    (
        said('{"decision":"block","decision":"allow"}'),
        "hook stdout JSON parse failed: duplicate field `decision`",
    ),
    (
        said('{"patch":' + "[" * 512 + "]" * 512 + "}"),
        "hook stdout JSON parse failed: nesting of 512 exceeded",
    ),
    (said(b'{"reason":"\xff"}'), "hook stdout JSON parse failed: invalid UTF-8 at byte 12"),
    (said('{"decision":"Block"}'), "unknown hook decision `Block`"),
    (said('{"decision":"deny"}'), "unknown hook decision `deny`"),
    (said('{"decision":"allow_skip_remaining"}'), "unknown hook decision `allow_skip_remaining` (planned"),
    (said('{"decision":"mutate"}'), "hook decision `mutate` has no patch"),
    (said('{"decision":"mutate","patch":null}'), "hook decision `mutate` has no patch"),
    (said('{"decision":"block"}', limit="wall_seconds"), "hook timed out after 5000 ms"),
    (
        said('{"decision":"block"}', limit="output_bytes"),
        "hook execution error: output is longer than 65536 bytes",
    ),
    (said('{"decision":"block"}', truncated=True), "hook execution error: output is longer than 65536 bytes"),
    (said("", 137, limit="steps"), "hook execution error: limit reached: steps"),
    (said("", 2, syntax_error="1:1: syntax error"), "hook execution error: 1:1: syntax error"),
    (said("", 143, signal="TERM"), "hook execution error: ended by signal TERM"),
    (RunResult(failure="no worker"), "hook execution error: no worker"),
]


#: Parts of messages about bounds, which refuse whatever ``on_error`` is; in strict mode, where upstream has none.
BOUNDS = ("out of range", "surrogate", "duplicate field", "nesting of", "output is longer", "limit reached")


def refused_late(ran: RunResult) -> bool:
    """Return whether a hook refused before its time limit ended it (L-HOOKS-006)."""
    return ran.timed_out and b'"block"' in ran.stdout


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("on_error", ["block", "warn", "allow"])
@pytest.mark.parametrize(("ran", "message"), ERRORS)
def test_bounds_refuse_whatever_on_error_is(event: str, on_error: str, ran: RunResult, message: str) -> None:
    closed = on_error == "block" or any(part in message for part in BOUNDS) or refused_late(ran)
    assert fire(event, ran, on_error).refused == (closed and event in REFUSABLE)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("on_error", ["block", "warn", "allow"])
@pytest.mark.parametrize(("ran", "message"), ERRORS)
def test_on_error(event: str, on_error: str, ran: RunResult, message: str) -> None:
    if "limit reached" in message or ran.truncated:
        return  # upstream has no such bound
    decision = fire(event, ran, on_error, compat="strict")
    outcome = decision.outcomes[0]
    assert outcome.verdict.label == "error"
    assert outcome.could_not_run
    assert decision.could_not_run == ("user:x",)
    assert decision.refused == (on_error == "block" and event in REFUSABLE)
    logged = on_error != "allow" or event not in (*REFUSABLE, "post_tool_use")
    assert bool(warnings(decision)) == logged
    if logged:
        assert warnings(decision)[0].startswith(message)
    if decision.refused:
        assert decision.reason is not None
        assert decision.reason.startswith(f"hook user:x errored: {message}")
    if event == "post_tool_use" and on_error == "block":
        error = decision.apply_to_result(EVENTS[event].result).error
        assert error is not None and error.startswith(f"hook user:x: {message}")
    else:
        assert decision.error == ()


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize(("ran", "message"), ERRORS)
def test_fail_closed_refuses_where_a_hook_can_refuse(event: str, ran: RunResult, message: str) -> None:
    decision = fire(event, ran, "allow", fail_closed=True)
    assert decision.refused == (event in REFUSABLE)
    closed = decision.refused and not refused_late(ran)
    assert decision.fail_closed == (("user:x",) if closed else ())
    if closed:
        assert decision.reason is not None and decision.reason.startswith("hook user:x could not run: ")


@pytest.mark.parametrize(
    ("ran", "closed", "strictly"),
    [
        (said("{}", 7), False, True),
        (said('{"decision":"allow"}', 7), False, False),
        (said("{}", 0), False, False),
        (said("", 0), False, False),
        (said("text", 0), True, True),
    ],
)
def test_fail_closed_strict_wants_a_decision_with_a_failure(
    ran: RunResult, closed: bool, strictly: bool
) -> None:
    assert fire("pre_tool_use", ran, fail_closed=True).refused is closed
    assert fire("pre_tool_use", ran, fail_closed="strict").refused is strictly


# Patches.


def mutate(event: Event, patch: Any, native: str, compat: str = "better") -> Decision:
    answer = said(json.dumps({"decision": "mutate", "patch": patch}))
    made, _ = engine(hook(native, id="x"), answers=(answer,), compat=compat)
    return made.fire(event)


ARGUMENTS = {"command": "old", "keep": 7, "nested": {"old": True}}


@pytest.mark.parametrize("compat", ["better", "strict"])
@pytest.mark.parametrize(
    ("arguments", "patch", "expected"),
    [
        (
            ARGUMENTS,
            {"arguments": {"command": "new", "nested": {"new": True}}, "name": "other", "id": "y"},
            {"command": "new", "keep": 7, "nested": {"new": True}},
        ),
        (None, {"arguments": {"a": 1}}, {"a": 1}),
        ([1], {"arguments": {"a": 1}}, {"a": 1}),
        ("text", {"arguments": {"a": 1}}, {"a": 1}),
        (ARGUMENTS, {"arguments": {}}, ARGUMENTS),
        (ARGUMENTS, {"arguments": [1]}, ARGUMENTS),
        (ARGUMENTS, {"arguments": None}, ARGUMENTS),
        (ARGUMENTS, {"name": "x"}, ARGUMENTS),
        (ARGUMENTS, [1], ARGUMENTS),
        (ARGUMENTS, "x", ARGUMENTS),
        (ARGUMENTS, 0, ARGUMENTS),
    ],
)
def test_a_patch_of_arguments(arguments: Any, patch: Any, expected: Any, compat: str) -> None:
    event = Event("tool.pre", tool=ToolPre("bash").tool._replace(input=arguments))  # type: ignore[union-attr]
    decision = mutate(event, patch, "pre_tool_use", compat)
    assert decision.apply_to(arguments) == expected
    assert decision.proceed
    assert bool(decision.diagnostics) == (not decision.input), "a patch that does nothing is told"


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({"message": "new"}, "new"),
        ({"message": ""}, ""),
        ({"message": 42}, "old"),
        ({}, "old"),
        (["x"], "old"),
    ],
)
def test_a_patch_of_the_prompt(patch: Any, expected: str) -> None:
    assert mutate(PromptSubmit("old"), patch, "user_prompt_submit").apply_to_prompt("old") == expected


@pytest.mark.parametrize(
    ("result", "error", "patch", "expected"),
    [
        ({"a": 1}, None, {"result": {"b": 2}}, ({"b": 2}, None)),
        ({"a": 1}, None, {"result": None}, (None, None)),
        ({"a": 1}, None, {"error": "bad"}, ({"a": 1}, "bad")),
        ({"a": 1}, "bad", {"error": None}, ({"a": 1}, "bad")),
        ({"a": 1}, None, {"error": 5}, ({"a": 1}, None)),
        ({"a": 1}, None, {"additional_context": "c"}, ({"a": 1, "hook_context": "c"}, None)),
        ({"hook_context": "old"}, None, {"additional_context": "c"}, ({"hook_context": "c"}, None)),
        ("text", None, {"additional_context": "c"}, ({"value": "text", "hook_context": "c"}, None)),
        ([1], None, {"additional_context": "c"}, ({"value": [1], "hook_context": "c"}, None)),
        (None, "bad", {"additional_context": "c"}, ({"hook_context": "c"}, "bad")),
        ({"a": 1}, None, {"additional_context": 5}, ({"a": 1}, None)),
        (
            {"a": 1},
            None,
            {"result": "r", "additional_context": "c"},
            ({"value": "r", "hook_context": "c"}, None),
        ),
    ],
)
def test_a_patch_of_the_result(result: Any, error: str | None, patch: Any, expected: Any) -> None:
    event = ToolPost("bash", {}, result=result, error=error)
    decision = mutate(event, patch, "post_tool_use")
    changed = decision.apply_to_result(event.result)  # type: ignore[arg-type]
    assert (changed.value, changed.error) == expected
    assert decision.context == ()  # the model reads it in the result, and must not read it twice


@pytest.mark.parametrize("native", ["session_start", "turn_end", "session_end"])
def test_a_patch_where_nothing_can_change_is_a_warning(native: str) -> None:
    decision = mutate(EVENTS[native], {"message": "x"}, native)
    assert warnings(decision) and decision.proceed and decision.prompt == ()


def test_a_nested_duplicate_key_is_told_and_the_last_counts() -> None:
    ran = said('{"decision":"mutate","patch":{"arguments":{"a":1,"a":2}}}')
    decision = fire("pre_tool_use", ran)
    assert decision.apply_to({}) == {"a": 2}
    assert decision.diagnostics == ("user:x: duplicate key 'a': the last one counts",)


def test_strict_drops_the_message_for_the_user_of_a_tool_call() -> None:
    ran = said('{"decision":"block","reason":"r","user_message":"u"}')
    assert fire("pre_tool_use", ran).user_message == "u"
    assert fire("pre_tool_use", ran, compat="strict").user_message is None
    assert fire("user_prompt_submit", ran, compat="strict").user_message == "u"
    assert fire("user_prompt_submit", ran).message == "u"


def test_a_command_that_is_missing_is_told_and_still_blocks() -> None:
    ran = said(
        "", 127, "bash: line 1: cargo: command not found\n", missing="bash: line 1: cargo: command not found"
    )
    decision = fire("pre_tool_use", ran)
    assert decision.refused
    assert decision.diagnostics == ("user:x: bash: line 1: cargo: command not found (exit status 127)",)


def test_bytes_that_are_no_text_are_replaced_in_a_reason() -> None:
    assert fire("pre_tool_use", said("", 1, b"a\xffb")).reason == "a\ufffdb"
