"""Event: what happened in an agent, in neutral terms.

An agent's own words (``pre_tool_use``, ``PreToolUse``, ``pre_tool_call``) stay in its contract; the
core uses ``tool.pre``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sandhook.record import Record, short_repr
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime
    from typing import TypedDict, Unpack

#: A JSON value. What was decoded has lists and dictionaries; what is encoded may have tuples and mappings too.
Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]

#: A JSON object that was decoded, or is being built.
JsonObject = dict[str, Json]

#: A JSON value as a caller has it: type checkers infer ``dict[str, object]`` for a dictionary with values of several
#: types. A value that is not JSON is a DecodeError when a contract encodes it.
JsonLike = Json | Mapping[str, object] | Sequence[object]

#: Neutral names of the events that contracts map their own to; what one agent alone has is
#: "x." and its own name.
KINDS = (
    "session.start",
    "session.end",
    "prompt.submit",
    "tool.pre",
    "tool.post",
    "tool.fail",
    "turn.start",
    "turn.end",
    "stop",
    "permission.request",
    "notification",
    "subagent.start",
    "subagent.stop",
    "compact.pre",
    "compact.post",
    "model.pre",
    "model.post",
)


class ToolCall(Record):
    """A tool call as the model requested it.

    Attributes:
        name: The tool's name in the agent, case-sensitive.
        input: Its arguments, any JSON value; usually an object.
        call_id: The call's id, or None without one.
        raw_input: The model's own text of the arguments when it was not valid JSON, else None.
    """

    name: str
    input: Json = None
    call_id: str | None = None
    raw_input: str | None = None


class ToolResult(Record):
    """What a tool returned: a value, or an error text. A call that hooks blocked has an error too."""

    value: Json = None
    error: str | None = None

    @property
    def ok(self) -> bool:
        return self.error is None


class Event(Record):
    """Something that happened in the agent. ``sandhook.hooks.events`` has a constructor per kind.

    Attributes:
        kind: One of KINDS, or "x." and an agent's own name.
        session_id, turn_id, org_id, agent_id: The agent's ids; None when unknown.
        timestamp: An aware ``datetime``, an RFC 3339 text that is passed on unchanged, or None for now.
        cwd: Working directory of the agent, as its own path text.
        project_dir: Root of the project, as its own path text.
        transcript_path: The agent's transcript, as its own path text.
        is_sub_agent: The event happened below the top-level agent.
        depth: Agents above the one that acts (0 for the top-level agent).
        tool: The tool call; None on events without one.
        result: The tool's result, on tool.post and tool.fail.
        prompt: The user's message, on prompt.submit.
        attachments: The message's attachments, as JSON values.
        stop_active: A stop hook already made the agent continue in this turn.
        success: Whether the turn succeeded; None when unknown.
        tool_calls: The turn's tool calls, as JSON values, on turn.end.
        turn: Number of the turn (0-based), for contracts that count turns.
        reason: Why the session ended.
        extras: Further values, under the contract's own keys.
    """

    kind: str
    session_id: str | None = None
    turn_id: str | None = None
    org_id: str | None = None
    agent_id: str | None = None
    timestamp: datetime | str | None = None
    cwd: str | None = None
    project_dir: str | None = None
    transcript_path: str | None = None
    is_sub_agent: bool = False
    depth: int = 0
    tool: ToolCall | None = None
    result: ToolResult | None = None
    prompt: str | None = None
    attachments: tuple[Json, ...] = ()
    stop_active: bool = False
    success: bool | None = None
    tool_calls: tuple[Json, ...] = ()
    turn: int = 0
    reason: str | None = None
    extras: Mapping[str, Json] | None = None

    def __repr__(self) -> str:
        return short_repr(self)

    def with_(self, **changes: Unpack[EventFields]) -> Event:
        """Return a copy with some fields changed; a ToolPre stays a ToolPre."""
        return self._replace(**changes)


if TYPE_CHECKING:

    class CommonFields(TypedDict, total=False):
        """Fields that an event of any kind may have."""

        session_id: str | None
        turn_id: str | None
        org_id: str | None
        agent_id: str | None
        timestamp: datetime | str | None
        cwd: str | None
        project_dir: str | None
        transcript_path: str | None
        is_sub_agent: bool
        depth: int
        attachments: tuple[Json, ...]
        tool_calls: tuple[Json, ...]
        turn: int
        extras: Mapping[str, Json] | None

    class EventFields(CommonFields, total=False):
        """All fields of Event but its kind, for code that collects them one by one."""

        tool: ToolCall | None
        result: ToolResult | None
        prompt: str | None
        stop_active: bool
        success: bool | None
        reason: str | None
