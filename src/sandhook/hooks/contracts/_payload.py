"""What the payload encoders of several contracts share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.decode import DecodeError, encode
from sandhook.hooks.event import Event, Json, JsonObject, ToolResult
from sandhook.hooks.model import HookSpec

_HTML = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def go_json(value: Json) -> str:
    """Return compact JSON as Go's encoding/json writes it: HTML's characters escaped.

    Raises DecodeError for a value that is not JSON.
    """
    return encode(value).translate(_HTML)


def directory(event: Event) -> str:
    """Return the directory in which hooks run: the agent's directory if it is absolute, else /workspace.

    ``C:\\x`` and ``C:/x`` are absolute too; each runner translates them for its system.
    """
    cwd = event.cwd or ""
    return cwd if cwd[:1] == "/" or cwd[1:3] in (":\\", ":/") else "/workspace"


def variable(text: str) -> str:
    """Return a text for an environment variable, without NUL and lone surrogates."""
    text = text.replace("\0", "")
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def plugin_root(spec: HookSpec, name: str) -> dict[str, str]:
    """Return the variable with the directory of a plugin, from the file of its hook; {} for any other hook."""
    above, _, _ = spec.file.replace("\\", "/").rpartition("/")
    if spec.layer != "bundle" or not above:
        return {}
    return {name: variable(above.removesuffix("/hooks"))}


def text_field(payload: JsonObject, key: str) -> str | None:
    """Return a payload's string, or None when it is absent; ContractError for another type."""
    value = payload.get(key)
    if value is not None and not isinstance(value, str):
        raise ContractError(f"the payload's {key} must be a string")
    return value


def kind_of_event(name: str, events: Mapping[str, str]) -> str:
    """Return the neutral kind of an agent's event; ContractError for a name that it does not have."""
    if name not in events:
        from sandhook.text.nearest import hint

        raise ContractError(f"unknown event {name!r}; {hint(name, events)}")
    return events[name]


def an_object(payload: Json) -> JsonObject:
    """Return a payload that is an object; ContractError for another."""
    if not isinstance(payload, dict):
        raise ContractError("the payload must be a JSON object")
    return payload


def look(event: Event, place: str) -> Json:
    """Return the value of an event at a place: "tool.name", "result", a field, or one of its extras.

    Raises:
        DecodeError: Arguments of a tool that are not JSON.
    """
    part, dot, name = place.partition(".")
    if part == "tool":
        return _of_tool(event, name)
    if part == "result":
        result = event.result or ToolResult()
        if dot:
            return result.error if name == "error" else result.value
        return result.value if result.error is None else result.error
    if part == "extra":
        return (event.extras or {}).get(name)
    if part == "cwd":
        return event.cwd or "/workspace"
    return _FIELDS[part](event)


#: Fields of an event that payloads copy.
_FIELDS: Mapping[str, Callable[[Event], Json]] = {
    "session_id": lambda event: event.session_id,
    "transcript_path": lambda event: event.transcript_path,
    "turn_id": lambda event: event.turn_id,
    "agent_id": lambda event: event.agent_id,
    "prompt": lambda event: event.prompt,
    "stop_active": lambda event: event.stop_active,
    "reason": lambda event: event.reason,
}


def _of_tool(event: Event, name: str) -> Json:
    if event.tool is None:
        return None
    if name == "input":
        if event.tool.raw_input is not None:
            raise DecodeError("the tool's arguments are not JSON")
        return event.tool.input
    return event.tool.name if name == "name" else event.tool.call_id
