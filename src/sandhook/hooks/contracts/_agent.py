"""What contracts have in common that are mostly tables: their parts by name, and events as rows.

Such a contract is a package with ``names`` (events and bounds), ``config`` (layers, loader, schema,
conversion), ``wire`` (payload, what hooks print, the way back) and ``facts``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sandhook.hooks.contracts import (
    ContractError,
    Document,
    Loaded,
)
from sandhook.hooks.contracts._fields import Fields
from sandhook.hooks.contracts._packaged import PackagedContract
from sandhook.hooks.contracts._payload import an_object, directory, text_field
from sandhook.hooks.decode import DecodeError, type_name
from sandhook.hooks.event import Event, Json, ToolCall, ToolResult
from sandhook.hooks.model import HookSpec, Request

if TYPE_CHECKING:
    from sandhook.hooks.model import Decision

#: Bytes of each output stream for agents that have no bound of their own.
MAX_OUTPUT = 1 << 20


class Agent(PackagedContract, shared=True):
    """A contract in fewer modules: ``wire`` has payload and result, ``config`` the schema and conversion too.

    Attributes:
        title: The agent's name as people write it.
    """

    title = ""
    _homes: Mapping[str, str] = {"payload": "wire", "result": "wire", "render": "config", "schema": "config"}

    def message(self, decision: Decision, event: Event) -> str:
        return decision.reason or f"{self.title}: a hook refused"


# Requests and configurations.


def asking(
    spec: HookSpec, event: Event, text: str, compat: str, *, env: Mapping[str, str] = {}, cwd: str = ""
) -> Request:
    """Return the request of a hook that reads its payload from standard input.

    Args:
        text: The payload; better mode ends it with a newline, for `read -r`.
        env: The agent's own variables.
        cwd: Where the hook runs; the agent's directory when "".
    """
    return Request(
        spec=spec,
        env=env,
        stdin=text.encode() + (b"" if compat == "strict" else b"\n"),
        cwd=cwd or directory(event),
        limits={"wall_seconds": spec.timeout, "output_bytes": MAX_OUTPUT},
        payload=text,
        overflow="drop",
    )


def home(env: Mapping[str, str], platform: str) -> str:
    """Return the user's own directory."""
    return env.get("USERPROFILE" if platform == "win32" else "HOME", "")


def gather(
    documents: Sequence[Document],
    events: Iterable[str],
    read: Callable[[Fields, dict[str, Any]], Iterable[HookSpec]],
) -> Loaded:
    """Read documents in order; the hooks of one event stand together, and have their place as id.

    Args:
        read: Yields the hooks of one document that have no fault, and reports faults to its fields.
    """
    found: dict[str, list[HookSpec]] = {name: [] for name in events}
    every = [Fields(document) for document in documents]
    for fields in every:
        value = fields.document.value
        if isinstance(value, dict):
            for spec in read(fields, value):
                found[spec.native_event].append(spec)
        elif value is not None:
            fields.problem("", f"wanted an object, got {type_name(value)}")
    specs = [
        spec._replace(id=f"{name}[{index}]")
        for name, several in found.items()
        for index, spec in enumerate(several)
    ]
    return Loaded(
        tuple(specs),
        tuple(problem for fields in every for problem in fields.problems),
        tuple(note for fields in every for note in fields.notes),
    )


def seconds(
    fields: Fields, raw: dict[str, Any], key: str, path: str, *, default: float, unit: float = 1.0
) -> float:
    """Return a timeout in seconds; one that is not above zero is a fault.

    Args:
        unit: Seconds of one in the file.
    """
    given = fields.get(raw, key, float, path)
    if given is None:
        return default
    if given <= 0:
        fields.problem(f"{path}.{key}", f"wanted a number above zero, got {given:g}")
        return default
    return float(given) * unit


# Payloads.

#: Where a payload's keys come from, for the agents that write them in snake case.
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

#: What stands in a payload for what the event does not say; null for all else.
_ABSENT: dict[str, Json] = {
    "session_id": "",
    "prompt": "",
    "tool.name": "",
    "tool.input": {},
    "stop_active": False,
}

_TOOL_KINDS = ("tool.pre", "tool.post", "tool.fail", "permission.request")


def look(event: Event, place: str) -> Json:
    """Return what an event holds at a place: "tool.name", "result", a field, or else one of its extras."""
    part, dot, name = place.partition(".")
    if part == "tool":
        if event.tool is None:
            return None
        if name == "input" and event.tool.raw_input is not None:
            raise DecodeError("the tool's arguments are no JSON")
        return getattr(event.tool, name)
    if part == "result":
        result = event.result or ToolResult()
        if dot:
            return getattr(result, name)
        return result.value if result.error is None else result.error
    if part == "extra":
        return (event.extras or {}).get(name)
    if part == "cwd":
        return event.cwd or "/workspace"
    return getattr(event, part)


def payload(
    event: Event, fields: Iterable[str], places: Mapping[str, str], absent: Mapping[str, Json] = {}
) -> dict[str, Json]:
    """Return the payload with these keys; "?" behind a key leaves it out when the event has no value.

    Args:
        absent: What stands for a key of which the event says nothing.

    Raises:
        DecodeError: Arguments that the model wrote badly.
    """
    made: dict[str, Json] = {}
    for field in fields:
        key = field.rstrip("?")
        place = places.get(key, f"extra.{key}")
        value = look(event, place)
        if value is None:
            if field != key:
                continue
            value = absent.get(key, _ABSENT.get(place))
        made[key] = value
    return made


def event_of(kind: str, given: Json, places: Mapping[str, str], *, ignored: Iterable[str] = ()) -> Event:
    """Return the event that a payload describes; keys without a place become extras.

    Args:
        ignored: Keys that say nothing of the event.

    Raises:
        ContractError: A field has the wrong type, or a tool is missing.
    """
    value = an_object(given)
    common: dict[str, Any] = {}
    tool: dict[str, Any] = {}
    result: dict[str, Any] = {}
    for key, place in places.items():
        part, _, name = place.partition(".")
        if key not in value:
            continue
        if part == "tool":
            tool[name] = value[key] if name == "input" else text_field(value, key)
        elif part == "result":
            result[name or "value"] = value[key]
        elif part == "stop_active":
            common[part] = value[key] is True
        elif part == "extra":
            common.setdefault("extras", {})[name] = value[key]
        else:
            common[part] = text_field(value, key)
    if kind in _TOOL_KINDS:
        if tool.get("name") is None:
            missing = next((key for key, place in places.items() if place == "tool.name"), "tool_name")
            raise ContractError(f"the payload has no {missing}")
        arguments = tool.get("input")
        common["tool"] = ToolCall(tool["name"], {} if arguments is None else arguments, tool.get("call_id"))
    if result or kind in ("tool.post", "tool.fail"):
        common["result"] = ToolResult(result.get("value"), result.get("error"))
    if kind == "prompt.submit":
        common["prompt"] = common.get("prompt") or ""
    known = {*places, *ignored}
    extras = {key: item for key, item in value.items() if key not in known}
    extras.update(common.pop("extras", {}))
    return Event(kind, extras=extras or None, **common)
