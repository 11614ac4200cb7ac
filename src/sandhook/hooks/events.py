"""One constructor per kind of event: ``ToolPre(tool="bash", input={"command": "ls"}, session_id="s1")``.

Each receives the fields of its kind, and the other fields of ``Event`` by keyword.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sandhook.hooks.arguments import check_fields, check_input, check_text
from sandhook.hooks.event import Event, Json, JsonLike, ToolCall, ToolResult

if TYPE_CHECKING:
    from typing import Self, Unpack

    from sandhook.hooks.event import CommonFields, EventFields


class _KindOfEvent(Event, init=False):
    """Base of the constructors, whose arguments are those of ``__new__``."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, *args: object, **fields: object) -> None: ...

    def __new__(cls, kind: str, /, **fields: Unpack[EventFields]) -> Self:
        """Return an event. Raises TypeError for a field of a wrong type, or one that no event has."""
        event = super().__new__(cls, kind, **fields)
        check_fields(event, f"{cls.__name__}: ")
        return event


class SessionStart(_KindOfEvent, init=False):
    """A session began."""

    __slots__ = ()

    def __new__(cls, **common: Unpack[CommonFields]) -> SessionStart:
        return super().__new__(cls, "session.start", **common)


class SessionEnd(_KindOfEvent, init=False):
    """A session ended; ``reason`` says why, in the agent's words."""

    __slots__ = ()

    def __new__(cls, reason: str | None = None, **common: Unpack[CommonFields]) -> SessionEnd:
        return super().__new__(cls, "session.end", reason=reason, **common)


class PromptSubmit(_KindOfEvent, init=False):
    """The user sent a message that the model has not seen yet."""

    __slots__ = ()

    def __new__(cls, prompt: str, **common: Unpack[CommonFields]) -> PromptSubmit:
        check_text("PromptSubmit: prompt", prompt)
        return super().__new__(cls, "prompt.submit", prompt=prompt, **common)


class ToolPre(_KindOfEvent, init=False):
    """The model wants to call a tool; ``input`` None stands for an empty object."""

    __slots__ = ()

    def __new__(
        cls,
        tool: str,
        input: JsonLike = None,
        *,
        call_id: str | None = None,
        raw_input: str | None = None,
        **common: Unpack[CommonFields],
    ) -> ToolPre:
        return super().__new__(cls, "tool.pre", tool=_call(cls, tool, input, call_id, raw_input), **common)


class ToolPost(_KindOfEvent, init=False):
    """A tool was called; ``error`` is None when it succeeded."""

    __slots__ = ()

    def __new__(
        cls,
        tool: str,
        input: JsonLike = None,
        *,
        result: JsonLike = None,
        error: str | None = None,
        call_id: str | None = None,
        raw_input: str | None = None,
        **common: Unpack[CommonFields],
    ) -> ToolPost:
        call = _call(cls, tool, input, call_id, raw_input)
        check_text("ToolPost: error", error, optional=True)
        return super().__new__(
            cls, "tool.post", tool=call, result=ToolResult(cast(Json, result), error), **common
        )


class ToolFail(_KindOfEvent, init=False):
    """A tool call failed, for agents that distinguish that from ToolPost."""

    __slots__ = ()

    def __new__(
        cls,
        tool: str,
        input: JsonLike = None,
        *,
        error: str,
        result: JsonLike = None,
        call_id: str | None = None,
        raw_input: str | None = None,
        **common: Unpack[CommonFields],
    ) -> ToolFail:
        call = _call(cls, tool, input, call_id, raw_input)
        check_text("ToolFail: error", error)
        return super().__new__(
            cls, "tool.fail", tool=call, result=ToolResult(cast(Json, result), error), **common
        )


class TurnStart(_KindOfEvent, init=False):
    """The agent begins to work on a message."""

    __slots__ = ()

    def __new__(cls, **common: Unpack[CommonFields]) -> TurnStart:
        return super().__new__(cls, "turn.start", **common)


class TurnEnd(_KindOfEvent, init=False):
    """The agent's turn ended, with or without success."""

    __slots__ = ()

    def __new__(cls, success: bool = True, **common: Unpack[CommonFields]) -> TurnEnd:
        return super().__new__(cls, "turn.end", success=success, **common)


class Stop(_KindOfEvent, init=False):
    """The agent wants to stop; ``stop_active`` when a stop hook already made it continue."""

    __slots__ = ()

    def __new__(cls, stop_active: bool = False, **common: Unpack[CommonFields]) -> Stop:
        return super().__new__(cls, "stop", stop_active=stop_active, **common)


def _call(
    cls: type[_KindOfEvent], tool: str, input: JsonLike, call_id: str | None, raw_input: str | None
) -> ToolCall:
    owner = cls.__name__
    check_text(f"{owner}: tool", tool)
    check_input(f"{owner}: input", input)
    check_text(f"{owner}: call_id", call_id, optional=True)
    check_text(f"{owner}: raw_input", raw_input, optional=True)
    return ToolCall(tool, {} if input is None else cast(Json, input), call_id, raw_input)
