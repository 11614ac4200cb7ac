"""The event of a case: in neutral words, or as an agent's own payload."""

from __future__ import annotations

from sandhook.conformance.expectations.section import Section, near
from sandhook.hooks import contracts
from sandhook.hooks.checks.matchers import tool_advice
from sandhook.hooks.contracts import Contract, ContractError
from sandhook.hooks.contracts._vocabulary import TOOL_CLASSES
from sandhook.hooks.decode import DecodeError, type_name
from sandhook.hooks.event import Event, JsonObject, ToolCall, ToolResult

#: Ids of events that do not name theirs.
SESSION, TURN, CALL = "test-session", "test-turn", "test-call"

#: Keys that describe an event, by the kinds of events that have them.
_FIELDS = {
    "tool": ("tool.pre", "tool.post", "tool.fail", "permission.request"),
    "input": ("tool.pre", "tool.post", "tool.fail", "permission.request"),
    "result": ("tool.post", "tool.fail"),
    "error": ("tool.post", "tool.fail"),
    "prompt": ("prompt.submit",),
    "stop_active": ("stop", "subagent.stop"),
}


def event_of(top: Section, case: Section, contract: Contract) -> Event:
    """Return the event of a case; faults are reported."""
    name = case.text("event", top.text("event"))
    payload = case.values.get("payload")
    if not name and isinstance(payload, dict):
        try:
            name = contract.event_name(payload, {})
        except ContractError as error:
            case.add("payload", f"{error}; or write the key event")
            return Event("tool.pre")
    if not name:
        case.add("event", "is missing: wanted tool.pre or another event")
        return Event("tool.pre")
    try:
        native, kind = contracts.kind_of(contract, name)
    except ContractError as error:
        names = [word for pair in contract.events.items() for word in pair]
        hint = near(name, names)
        place = case if "event" in case.values else top
        place.add("event", f"{contract.name} has no event {name!r}{hint}" if hint else str(error))
        return Event("tool.pre")
    if payload is not None:
        return _of_payload(case, contract, native, kind)
    for key, kinds in _FIELDS.items():
        if key in case.values and kind not in kinds:
            case.add(key, f"does not go with {name}")
    event = Event(kind, session_id=SESSION, turn_id=TURN)
    if kind in _FIELDS["tool"]:
        event = event.with_(tool=_tool(top, case, contract))
    if kind in _FIELDS["result"]:
        failure = case.text("error") or (None if kind == "tool.post" else "failed")
        event = event.with_(result=ToolResult(case.values.get("result"), failure))
    if kind == "prompt.submit":
        event = event.with_(prompt=case.text("prompt", required=True))
    if kind == "turn.end":
        event = event.with_(success=True)
    return event.with_(stop_active=case.flag("stop_active", False))


def _of_payload(case: Section, contract: Contract, native: str, kind: str) -> Event:
    for key in _FIELDS:
        if key in case.values:
            case.add(key, "does not go with payload")
    payload = case.values["payload"]
    if not isinstance(payload, dict):
        case.add("payload", f"wanted a mapping, got {type_name(payload)}")
        return Event(kind)
    try:
        event = contract.event(native, payload)
    except (ContractError, DecodeError) as error:
        case.add("payload", str(error))
        return Event(kind)
    session = SESSION if event.session_id is None else event.session_id
    return event.with_(session_id=session, turn_id=TURN if event.turn_id is None else event.turn_id)


def _tool(top: Section, case: Section, contract: Contract) -> ToolCall:
    name = case.text("tool", top.text("tool"))
    if not name:
        case.add("tool", "is missing: wanted shell or another class, or the agent's name of a tool")
    value = case.values.get("input")
    arguments: JsonObject = {}
    if isinstance(value, dict):
        arguments = value
    elif value is not None:
        case.add("input", f"wanted a mapping, got {type_name(value)}")
    return ToolCall(_tool_name(case, name, contract), arguments, CALL)


def _tool_name(case: Section, name: str, contract: Contract) -> str:
    """Return the agent's name of a tool; ``name`` may be a class of tools."""
    vocabulary = contract.vocabulary()
    if name in vocabulary.tools:
        return name
    if name not in TOOL_CLASSES:
        exact = next((each for each in vocabulary.tools if each.lower() == name.lower()), "")
        if exact or near(name, TOOL_CLASSES):
            known = f"; did you mean {exact}?" if exact else near(name, TOOL_CLASSES)
            case.add("tool", f"{contract.name} has no tool {name}{known}")
        elif vocabulary.complete and (advice := tool_advice(name, contract)):
            case.add("tool", f"{contract.name} has no tool {name}{advice}")
        return name
    names = next((vocabulary.of_class(each) for each in TOOL_CLASSES if each == name), ())
    if not names and vocabulary.tools:
        case.add("tool", f"no tool of {contract.name} is known for {name}; write the agent's own name")
    return names[0] if names else name
