"""One constructor per kind of event: ``ToolPre(tool="bash", input={"command": "ls"}, session_id="s1")``.

Each takes what the event is about, and by keyword whatever else ``Event`` has.
"""

from __future__ import annotations

from typing import Any

from sandhook.hooks.model import Event, Json, ToolCall, ToolResult


class SessionStart(Event):
    """A session began."""

    __slots__ = ()

    def __init__(self, **common: Any) -> None:
        super().__init__("session.start", **common)


class SessionEnd(Event):
    """A session ended; ``reason`` says why, in the agent's words."""

    __slots__ = ()

    def __init__(self, reason: str | None = None, **common: Any) -> None:
        super().__init__("session.end", reason=reason, **common)


class PromptSubmit(Event):
    """The user sent a message that the model has not seen yet."""

    __slots__ = ()

    def __init__(self, prompt: str, **common: Any) -> None:
        super().__init__("prompt.submit", prompt=prompt, **common)


class ToolPre(Event):
    """The model wants to call a tool; ``input`` None stands for an empty object."""

    __slots__ = ()

    def __init__(
        self,
        tool: str,
        input: Json = None,
        *,
        call_id: str | None = None,
        raw_input: str | None = None,
        **common: Any,
    ) -> None:
        super().__init__("tool.pre", tool=_call(tool, input, call_id, raw_input), **common)


class ToolPost(Event):
    """A tool was called; ``error`` is None when it succeeded."""

    __slots__ = ()

    def __init__(
        self,
        tool: str,
        input: Json = None,
        *,
        result: Json = None,
        error: str | None = None,
        call_id: str | None = None,
        raw_input: str | None = None,
        **common: Any,
    ) -> None:
        call = _call(tool, input, call_id, raw_input)
        super().__init__("tool.post", tool=call, result=ToolResult(result, error), **common)


class ToolFail(Event):
    """A tool was called and gave an error, for agents that tell that apart from ToolPost."""

    __slots__ = ()

    def __init__(
        self,
        tool: str,
        input: Json = None,
        *,
        error: str,
        result: Json = None,
        call_id: str | None = None,
        raw_input: str | None = None,
        **common: Any,
    ) -> None:
        call = _call(tool, input, call_id, raw_input)
        super().__init__("tool.fail", tool=call, result=ToolResult(result, error), **common)


class TurnStart(Event):
    """The agent begins to work on a message."""

    __slots__ = ()

    def __init__(self, **common: Any) -> None:
        super().__init__("turn.start", **common)


class TurnEnd(Event):
    """The agent's turn reached its end, well or badly."""

    __slots__ = ()

    def __init__(self, success: bool = True, **common: Any) -> None:
        super().__init__("turn.end", success=success, **common)


class Stop(Event):
    """The agent wants to stop; ``stop_active`` when a stop hook already made it go on."""

    __slots__ = ()

    def __init__(self, stop_active: bool = False, **common: Any) -> None:
        super().__init__("stop", stop_active=stop_active, **common)


def _call(tool: str, input: Json, call_id: str | None, raw_input: str | None) -> ToolCall:
    return ToolCall(tool, {} if input is None else input, call_id, raw_input)
