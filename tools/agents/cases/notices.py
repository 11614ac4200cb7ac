"""What an event does with ``continue``, ``stopReason``, ``systemMessage`` and ``suppressOutput``: the keys that agents share.

The scene of an event is that of a recorded run of it, so that an event has cases as soon as it has one run.
"""

from __future__ import annotations

import importlib
from typing import cast

from sandhook.hooks import contracts
from tools.agents.cases.sessions import configured
from tools.agents.cases.shapes import EVENTS, layer_of, layers_of
from tools.agents.changes import known_cases, scene_of
from tools.agents.grid import printing, probe
from tools.agents.records import Agent, Json, Object, mapping

OUTPUTS: dict[str, Object] = {
    "halt": {"continue": False, "stopReason": "over"},
    "halt-noreason": {"continue": False},
    "halt-system": {"continue": False, "stopReason": "over", "systemMessage": "a notice"},
    "halt-text": {"continue": "false", "stopReason": "over"},
    "halt-hidden": {"continue": False, "stopReason": "over", "suppressOutput": True},
    "goes-on": {"continue": True, "stopReason": "over"},
    "system": {"systemMessage": "a notice"},
    "system-number": {"systemMessage": 5},
    "suppress": {"suppressOutput": True, "systemMessage": "a notice"},
    "suppress-text": {"suppressOutput": "yes"},
}
#: A run in a terminal takes half a minute.
_TYPED = ("halt", "halt-noreason", "suppress")
#: What the command has that notes that the hook ran.
_NOTED = ("$PROBE/a.stdin", 'echo a >>"$PROBE/ran"')


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    titles = contracts.get(agent).events
    known = [each for each in known_cases(agent) if _has_hook(each["layers"]) or agent in ("kimi", "hermes")]
    found: list[Object] = []
    for event in (*titles, *sorted({str(each["event"]) for each in known} - set(titles))):
        scene = next((each for each in known if _shows(each, event)), None)
        if scene is None and event == EVENTS.get(agent, "PreToolUse"):
            scene = {"id": "", "event": event, "layers": _plain(agent)}
        if scene is None:
            continue
        typed = "keys" in mapping(scene.get("scene"))
        for name, value in OUTPUTS.items():
            if not typed or name in _TYPED:
                identifier = f"notices.{event}.{name}"
                found.append(_case(agent, identifier, scene, printing(value)))
    return found


def _plain(agent: str) -> Object:
    """Return the layers of a hook before every call, by their paths."""
    names = cast(Agent, importlib.import_module(f"tools.agents.{agent}")).LAYERS
    return {names[layer]: value for layer, value in layers_of(agent, {"command": probe("a")}).items()}


def _shows(case: Object, event: str) -> bool:
    """Return whether a recorded case brings its event about for a hook that changes nothing."""
    ending = str(case["id"]).rsplit(".", 1)[-1]
    named = case["event"] == event and str(case["id"]).startswith(f"{event}.") and ending in _ENDINGS
    return named and bool(mapping(case.get("did")).get("ran"))


_ENDINGS = ("silent", "text", "exit1", "exit2", "context", "block", "pass", "halt")


def _case(agent: str, identifier: str, known: Object, body: str) -> Object:
    event = str(known["event"])
    description = cast(Agent, importlib.import_module(f"tools.agents.{agent}"))
    case = {**scene_of(description, known), "id": identifier}
    command = probe("a", body)
    if agent == "hermes":
        case["files"] = {"project/hook.sh": f"#!/bin/sh\n{command}\n"}
        command = "@P@/hook.sh"
    if agent in ("kimi", "hermes"):
        case["layers"] = {layer_of(agent): configured(agent, {event: command})}
        return case
    case["layers"] = _replaced(case["layers"], command)
    return case


def _has_hook(value: Json) -> bool:
    """Return whether a text of a value is the command of the hook that this replaces."""
    if isinstance(value, (dict, list)):
        return any(_has_hook(each) for each in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and any(words in value for words in _NOTED)


def _replaced(value: Json, command: str) -> Json:
    """Return layers with another command in place of the one that keeps its payload."""
    if isinstance(value, dict):
        return {key: _replaced(each, command) for key, each in value.items()}
    if isinstance(value, list):
        return [_replaced(each, command) for each in value]
    return command if _has_hook(value) and isinstance(value, str) else value
