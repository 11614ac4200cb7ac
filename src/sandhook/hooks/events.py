"""One constructor per kind of event: ``ToolPre(tool="bash", input={"command": "ls"}, session_id="s1")``.

Each receives the fields of its kind, and the other fields of ``Event`` by keyword.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.event import Event, Json, ToolCall, ToolResult

if TYPE_CHECKING:
    from typing import Unpack

    from sandhook.hooks.event import CommonFields


class SessionStart(Event):
    """A session began."""

    __slots__ = ()

    def __new__(cls, **common: Unpack[CommonFields]) -> SessionStart:
        return super().__new__(cls, "session.start", **common)


class SessionEnd(Event):
    """A session ended; ``reason`` says why, in the agent's words."""

    __slots__ = ()

    def __new__(cls, reason: str | None = None, **common: Unpack[CommonFields]) -> SessionEnd:
        return super().__new__(cls, "session.end", reason=reason, **common)


class PromptSubmit(Event):
    """The user sent a message that the model has not seen yet."""

    __slots__ = ()

    def __new__(cls, prompt: str, **common: Unpack[CommonFields]) -> PromptSubmit:
        return super().__new__(cls, "prompt.submit", prompt=prompt, **common)


class ToolPre(Event):
    """The model wants to call a tool; ``input`` None stands for an empty object."""

    __slots__ = ()

    def __new__(
        cls,
        tool: str,
        input: Json = None,
        *,
        call_id: str | None = None,
        raw_input: str | None = None,
        **common: Unpack[CommonFields],
    ) -> ToolPre:
        return super().__new__(cls, "tool.pre", tool=_call(tool, input, call_id, raw_input), **common)


class ToolPost(Event):
    """A tool was called; ``error`` is None when it succeeded."""

    __slots__ = ()

    def __new__(
        cls,
        tool: str,
        input: Json = None,
        *,
        result: Json = None,
        error: str | None = None,
        call_id: str | None = None,
        raw_input: str | None = None,
        **common: Unpack[CommonFields],
    ) -> ToolPost:
        call = _call(tool, input, call_id, raw_input)
        return super().__new__(cls, "tool.post", tool=call, result=ToolResult(result, error), **common)


class ToolFail(Event):
    """A tool call failed, for agents that distinguish that from ToolPost."""

    __slots__ = ()

    def __new__(
        cls,
        tool: str,
        input: Json = None,
        *,
        error: str,
        result: Json = None,
        call_id: str | None = None,
        raw_input: str | None = None,
        **common: Unpack[CommonFields],
    ) -> ToolFail:
        call = _call(tool, input, call_id, raw_input)
        return super().__new__(cls, "tool.fail", tool=call, result=ToolResult(result, error), **common)


class TurnStart(Event):
    """The agent begins to work on a message."""

    __slots__ = ()

    def __new__(cls, **common: Unpack[CommonFields]) -> TurnStart:
        return super().__new__(cls, "turn.start", **common)


class TurnEnd(Event):
    """The agent's turn ended, with or without success."""

    __slots__ = ()

    def __new__(cls, success: bool = True, **common: Unpack[CommonFields]) -> TurnEnd:
        return super().__new__(cls, "turn.end", success=success, **common)


class Stop(Event):
    """The agent wants to stop; ``stop_active`` when a stop hook already made it continue."""

    __slots__ = ()

    def __new__(cls, stop_active: bool = False, **common: Unpack[CommonFields]) -> Stop:
        return super().__new__(cls, "stop", stop_active=stop_active, **common)


def _call(tool: str, input: Json, call_id: str | None, raw_input: str | None) -> ToolCall:
    return ToolCall(tool, {} if input is None else input, call_id, raw_input)
