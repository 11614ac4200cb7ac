"""Payloads for the form: what an agent would send, as its contract encodes it, and where in it the usual fields are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.errors import SandhookError
from sandhook.hooks import contracts
from sandhook.hooks.checks.probe import sample
from sandhook.hooks.decode import DecodeError, decode
from sandhook.hooks.event import Event, Json, JsonObject, ToolCall, ToolResult
from sandhook.hooks.model import Executor, HookSpec
from sandhook.studio.bench import StudioError

if TYPE_CHECKING:
    from sandhook.hooks.contracts import Contract
    from sandhook.hooks.contracts._vocabulary import ToolClass

#: Input of a tool of each class, with the keys that most agents have.
_INPUTS: dict[ToolClass, JsonObject] = {
    "shell": {"command": "ls -la"},
    "read": {"file_path": "/workspace/README.md"},
    "write": {"file_path": "/workspace/notes.txt", "content": "A note.\n"},
    "edit": {"file_path": "/workspace/notes.txt", "old_string": "A note", "new_string": "The note"},
    "fetch": {"url": "https://example.com/"},
    "search": {"pattern": "TODO", "path": "/workspace"},
}

#: A text that no payload has by itself.
_MARK = "\N{SECTION SIGN}studio"


def payload_json(contract: Contract, event: str, tool: str | None) -> JsonObject:
    """Return the payload of a sample event, and the paths of the fields that people change.

    Args:
        event: The agent's own name of the event, or the neutral one.
        tool: The agent's name of a tool; its usual one when None.

    Raises:
        StudioError: The contract cannot encode such an event.
    """
    native, kind = contracts.kind_of(contract, event)
    base = _sample(contract, native, kind)
    name, value = _tool(contract, tool)
    shown = base
    if base.tool is not None:
        shown = base.with_(tool=ToolCall(name, value, "call"))
    if base.prompt is not None:
        shown = base.with_(prompt="Fix the failing test")
    return {
        "event": native,
        "kind": kind,
        "refusable": kind in contract.refusable,
        "payload": _encoded(contract, native, shown),
        "fields": _fields(contract, native, base, value),
    }


def _sample(contract: Contract, native: str, kind: str) -> Event:
    """Return a sample event; events of this agent alone have a tool if their payload needs one."""
    base = sample(kind)
    if not kind.startswith("x."):
        return base
    try:
        contract.event(native, _encoded(contract, native, base))
    except (SandhookError, DecodeError):
        return base.with_(tool=sample("tool.pre").tool)
    return base


def _tool(contract: Contract, tool: str | None) -> tuple[str, JsonObject]:
    vocabulary = contract.vocabulary()
    name = tool or (vocabulary.shell or ("Bash",))[0]
    classes = vocabulary.classes_of(name)
    if not classes:
        return name, {} if tool else dict(_INPUTS["shell"])
    return name, dict(_INPUTS[classes[0]])


def _encoded(contract: Contract, native: str, event: Event) -> Json:
    spec = HookSpec("studio", event.kind, native, Executor("bash"))
    try:
        request = contract.request(spec, event, "strict")
        text = request.stdin.decode("utf-8") or request.payload
        return decode(text).value
    except (SandhookError, DecodeError, KeyError) as error:
        raise StudioError(f"{contract.name}: {native} has no payload: {error}") from None


def _fields(contract: Contract, native: str, base: Event, value: JsonObject) -> Json:
    """Return the paths of tool, input, prompt and result in the payload, as the contract places them."""
    marked = base
    if base.tool is not None:
        marked = marked.with_(tool=ToolCall(f"{_MARK}-tool", {f"{_MARK}-input": True}, "call"))
    if base.prompt is not None:
        marked = marked.with_(prompt=f"{_MARK}-prompt")
    if base.result is not None:
        marked = marked.with_(result=ToolResult(f"{_MARK}-result"))
    try:
        payload = _encoded(contract, native, marked)
    except StudioError:
        return {}
    fields: dict[str, Json] = {}
    _find(payload, [], fields)
    return fields


def _find(value: Json, path: list[Json], fields: dict[str, Json]) -> None:
    if isinstance(value, dict):
        if f"{_MARK}-input" in value:
            fields["input"] = list(path)
            return
        for key, each in value.items():
            _find(each, [*path, key], fields)
    elif isinstance(value, list):
        for at, each in enumerate(value):
            _find(each, [*path, at], fields)
    elif isinstance(value, str) and value.startswith(f"{_MARK}-"):
        fields[value.removeprefix(f"{_MARK}-")] = list(path)
