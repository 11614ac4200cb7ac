"""The constructors of events: a value of a wrong type raises at once, with the name of the field."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

import pytest

from sandhook.hooks import (
    Event,
    PromptSubmit,
    SessionEnd,
    SessionStart,
    Stop,
    ToolFail,
    ToolPost,
    ToolPre,
    TurnEnd,
    TurnStart,
    events,
)

CONSTRUCTORS: dict[Any, dict[str, Any]] = {
    SessionStart: {},
    SessionEnd: {"reason": "exit"},
    PromptSubmit: {"prompt": "hello"},
    ToolPre: {"tool": "Bash", "input": {"command": "ls"}},
    ToolPost: {"tool": "Bash", "input": {"command": "ls"}, "result": "a"},
    ToolFail: {"tool": "Bash", "input": {"command": "ls"}, "error": "e"},
    TurnStart: {},
    TurnEnd: {"success": True},
    Stop: {"stop_active": False},
}

#: For every field a value that it cannot have; the name of the field is in the message.
WRONG: dict[str, tuple[Any, ...]] = {
    "tool": (5, None, b"Bash"),
    "input": ("ls", '{"command": "ls"}', b"ls", 5, True, {1, 2}),
    "call_id": (5, b"c"),
    "raw_input": ({}, b"{"),
    "error": (5, {}),
    "prompt": (5, None, b"hello"),
    "reason": (5, b"exit"),
    "success": ("yes", 1),
    "stop_active": ("no", 0, None),
    "session_id": (5, b"s"),
    "turn_id": (5,),
    "org_id": (5,),
    "agent_id": (5,),
    "timestamp": (5, 1.5),
    "cwd": (5, b"/w"),
    "project_dir": (5, b"/w"),
    "transcript_path": (5,),
    "is_sub_agent": ("no", 0, None),
    "depth": ("1", 1.5, True, None),
    "attachments": ("a", {}, None),
    "tool_calls": ("a", {}, None),
    "turn": ("1", True),
    "extras": ([1], "x"),
}

#: Any JSON value is right.
FREE = {"result"}


def own_arguments(constructor: Any) -> set[str]:
    parameters = signature(constructor.__new__).parameters.values()
    return {each.name for each in parameters if each.kind is not Parameter.VAR_KEYWORD} - {"cls"}


def common() -> set[str]:
    """Return the fields of every event: those that no constructor sets by itself."""
    special = {"kind", "tool", "result", "prompt", "stop_active", "success", "reason"}
    return {*Event._fields} - special


def test_every_constructor_and_every_field_is_here() -> None:
    public = {each for each in vars(events).values() if isinstance(each, type) and issubclass(each, Event)}
    assert {*CONSTRUCTORS} == {each for each in public if each is not Event and each.__name__[0] != "_"}
    own = set[str]().union(*map(own_arguments, CONSTRUCTORS))
    assert own | common() == {*WRONG} | FREE


@pytest.mark.parametrize("constructor", CONSTRUCTORS)
def test_wrong_types_are_named(constructor: Any) -> None:
    arguments = CONSTRUCTORS[constructor]
    constructor(**arguments)
    for name in (own_arguments(constructor) | common()) - FREE:
        for value in WRONG[name]:
            if value is None and name == "success":
                continue
            with pytest.raises(TypeError, match=rf"^{constructor.__name__}: {name} must be .*, not "):
                constructor(**{**arguments, name: value})


@pytest.mark.parametrize("constructor", CONSTRUCTORS)
def test_right_types_are_taken(constructor: Any) -> None:
    many = {
        "cwd": "/w",
        "timestamp": "2026-01-01T00:00:00Z",
        "depth": 1,
        "attachments": [1],
        "extras": {"a": 1},
    }
    made = constructor(**CONSTRUCTORS[constructor], **many)
    assert (made.cwd, made.depth, made.extras) == ("/w", 1, {"a": 1})
    assert type(made.with_(cwd="/x")) is constructor


def test_the_input_of_a_tool() -> None:
    with pytest.raises(TypeError) as caught:
        ToolPre("Bash", "ls")
    assert str(caught.value) == (
        "ToolPre: input must be the tool's arguments, such as {'command': 'ls'}, not 'ls'; raw_input is for a"
        " model's own text"
    )
    for right, value in ((None, {}), ({"a": 1}, {"a": 1}), ([1], [1]), ((1,), (1,))):
        tool = ToolPre("Bash", right).tool
        assert tool is not None and tool.input == value


def test_an_unknown_field_is_named() -> None:
    unknown: Any = ToolPre
    with pytest.raises(TypeError, match="sesion_id"):
        unknown("Bash", sesion_id="s")
