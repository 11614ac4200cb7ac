"""What contracts share that are mostly tables: their modules by name, and events as rows.

Such a contract is a package with ``names`` (events and bounds), ``config`` (layers, loader, schema,
conversion), ``wire`` (payloads and outputs) and ``facts``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from sandhook.hooks.contracts import Contract, ContractError
from sandhook.hooks.contracts._packaged import PackagedContract
from sandhook.hooks.contracts._payload import an_object, directory, kind_of_event, look, text_field
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, Json, JsonObject, ToolCall, ToolResult
from sandhook.hooks.model import Compat, HookSpec, Request

if TYPE_CHECKING:
    from sandhook.hooks.event import EventFields
    from sandhook.hooks.model import Decision

#: Bytes of each output stream for agents that have no bound of their own.
MAX_OUTPUT = 4 << 20


class Agent(PackagedContract, shared=True):
    """A contract in fewer modules: ``wire`` has payload and result, ``config`` the schema and conversion too.

    Attributes:
        title: The agent's name as people write it.
        recorded: The version whose runs are in conformance/hooks, or "".
        agreeing: Other versions that did the same in these runs, or in the part of them that was repeated.
    """

    title = ""
    recorded = ""
    agreeing: tuple[str, ...] = ()
    refusable: frozenset[str] = frozenset()
    _homes: Mapping[str, str] = {"payload": "wire", "result": "wire", "render": "config", "schema": "config"}

    def at(self, version: str) -> Contract:
        """Return the contract as the recorded version has it; ContractError for another one."""
        if version in (self.recorded, *self.agreeing):
            return self
        return super().at(version)

    def message(self, decision: Decision, event: Event) -> str:
        return decision.reason or f"{self.title}: a hook refused"


# Requests and configurations.


def asking(
    spec: HookSpec, event: Event, text: str, compat: Compat, *, env: Mapping[str, str] = {}, cwd: str = ""
) -> Request:
    """Return the request of a hook that reads its payload from standard input.

    Args:
        text: The payload; better mode ends it with a newline, for `read -r`.
        env: The agent's own variables; the hook's own override them.
        cwd: Where the hook runs; the agent's directory when "".
    """
    return Request(
        spec=spec,
        env={**env, **dict(spec.executor.env)} if spec.executor.env else env,
        stdin=text.encode() + (b"" if compat == "strict" else b"\n"),
        cwd=cwd or directory(event),
        limits={"wall_seconds": spec.timeout, "output_bytes": MAX_OUTPUT},
        payload=text,
        overflow="drop",
    )


# Payloads.

#: The places of a payload's keys, for the agents that use snake case.
SNAKE = {
    "session_id": "session_id",
    "transcript_path": "transcript_path",
    "cwd": "cwd",
    "turn_id": "turn_id",
    "agent_id": "agent_id",
    "tool_name": "tool.name",
    "tool_input": "tool.input",
    "tool_use_id": "tool.call_id",
    "tool_response": "result",
    "prompt": "prompt",
    "stop_hook_active": "stop_active",
    "reason": "reason",
}

#: Values of a payload's keys that the event does not have; null for others.
_ABSENT: JsonObject = {
    "session_id": "",
    "prompt": "",
    "tool.name": "",
    "tool.input": {},
    "stop_active": False,
}

_TOOL_KINDS = ("tool.pre", "tool.post", "tool.fail", "permission.request")


def payload(
    event: Event, fields: Iterable[str], places: Mapping[str, str], absent: Mapping[str, Json] = {}
) -> JsonObject:
    """Return the payload with these keys; "?" after a key omits it when the event has no value.

    Args:
        absent: Values of keys that the event does not have.

    Raises:
        DecodeError: Arguments of a tool that are not JSON.
    """
    result: JsonObject = {}
    for field in fields:
        key = field.rstrip("?")
        place = places.get(key, f"extra.{key}")
        value = look(event, place)
        if value is None:
            if field != key:
                continue
            value = absent.get(key, _ABSENT.get(place))
        result[key] = value
    return result


def agent_event(name: str, payload: Json, events: Mapping[str, str], places: Mapping[str, str]) -> Event:
    """Return the event that a payload describes; the payload may repeat its name as ``hook_event_name``.

    Args:
        events: The agent's names of events, and their neutral kinds.
        places: The places of the payload's keys.

    Raises:
        ContractError: The agent has no such event, or the payload does not describe one.
    """
    return event_of(kind_of_event(name, events), payload, places, ignored=("hook_event_name",))


def event_of(kind: str, payload: Json, places: Mapping[str, str], *, ignored: Iterable[str] = ()) -> Event:
    """Return the event that a payload describes; keys without a place become extras.

    Args:
        ignored: Keys that say nothing about the event.

    Raises:
        ContractError: A field has the wrong type, or a tool is missing.
    """
    value = an_object(payload)
    at = {place: key for key, place in places.items() if key in value}  # the last key of a place counts

    def text(place: str) -> str | None:
        return text_field(value, at[place]) if place in at else None

    known = {*places, *ignored}
    extras = {key: item for key, item in value.items() if key not in known}
    extras.update({place[6:]: value[key] for place, key in at.items() if place.startswith("extra.")})
    common: EventFields = {
        "session_id": text("session_id"),
        "turn_id": text("turn_id"),
        "agent_id": text("agent_id"),
        "cwd": text("cwd"),
        "transcript_path": text("transcript_path"),
        "reason": text("reason"),
        "prompt": text("prompt"),
        "stop_active": "stop_active" in at and value[at["stop_active"]] is True,
        "extras": extras or None,
    }
    if kind == "prompt.submit":
        common["prompt"] = common["prompt"] or ""
    name, call_id = text("tool.name"), text("tool.call_id")
    if kind in _TOOL_KINDS or name is not None:
        if name is None:
            missing = next((key for key, place in places.items() if place == "tool.name"), "tool_name")
            raise ContractError(f"the payload has no {missing}")
        arguments = value[at["tool.input"]] if "tool.input" in at else None
        common["tool"] = ToolCall(name, {} if arguments is None else arguments, call_id)
    has_result = any(place in at for place in ("result", "result.value", "result.error"))
    if has_result or kind in ("tool.post", "tool.fail"):
        common["result"] = _result(value, at)
    return Event(kind, **common)


def _result(value: JsonObject, at: Mapping[str, str]) -> ToolResult:
    key = at.get("result.value") or at.get("result")
    error = value[at["result.error"]] if "result.error" in at else None
    if error is not None and not isinstance(error, str):
        error = encode(error)
    return ToolResult(None if key is None else value[key], error)
