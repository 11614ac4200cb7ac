"""Sessions in which one event changes what later ones receive: a refused call, a stop that is refused once, a second prompt."""

from __future__ import annotations

import json

from sandhook.hooks import contracts
from tools.agents.cases.shapes import EVENTS, decision, layer_of
from tools.agents.cases.terminal import step
from tools.agents.cases.terminal.claude_code import keeping
from tools.agents.cases.terminal.copilot import READY as COPILOT_READY
from tools.agents.grid import printing
from tools.agents.records import Json, Object

_STOPS = {"gemini": "AfterAgent", "copilot": "agentStop", "hermes": "pre_verify"}
#: Events that other settings than a session bring about, or that hooks change by their presence.
_LEFT_OUT = ("WorktreeCreate", "WorktreeRemove")
_ONCE = '[ -e "$PROBE/once" ] || { touch "$PROBE/once"; %s; }'
_REFUSED = "echo no >&2; exit 2"
#: How a user asks a second time; an agent that is not here takes one prompt, or turns of a conversation.
_AGAIN: dict[str, Object] = {
    "claude_code": {"turns": ["do it", "again"]},
    "qwen": {"turns": ["do it", "again"]},
    "droid": {"turns": ["do it", "again"]},
    "copilot": {
        "keys": [COPILOT_READY, step("again\r", 3, requests=2), step("/exit\r", 2, requests=3), step("\r")]
    },
}


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    if agent == "cline":  # which has no event of a stop
        return []
    before, stop = EVENTS.get(agent, "PreToolUse"), _STOPS.get(agent, "Stop")
    refused, again = _REFUSED, _ONCE % "echo again >&2; exit 2"
    if agent in ("copilot", "hermes"):  # whose exit status 2 refuses nothing
        refused = printing(decision(agent)("deny", "no"))
        again = _ONCE % printing({"decision": "block", "reason": "again"})
    refusing = {"refused": {before: refused}, "stopped": {stop: again}}
    refusing["both"] = {**refusing["refused"], **refusing["stopped"]}
    scenes: dict[str, tuple[dict[str, str], Object]] = {name: (ends, {}) for name, ends in refusing.items()}
    if agent in _AGAIN:
        scenes["again"] = (refusing["refused"], _AGAIN[agent])
        scenes["stopped-again"] = (refusing["stopped"], _AGAIN[agent])
    found: list[Object] = []
    for name, (ends, scene) in scenes.items():
        own: Object = {"limit": 120} if agent in ("hermes", "openhands") else {}
        hooks = placed(agent, _commands(agent, ends))
        found.append({"id": f"sessions.{name}", "event": "*", **hooks, **own, **scene})
    return found


def _commands(agent: str, ends: dict[str, str]) -> dict[str, str]:
    """Return a command for each event, which keeps the payload of each time that it runs."""
    names = (name for name in contracts.get(agent).events if name not in _LEFT_OUT)
    if agent == "copilot":  # its other names are those of another format of the payload
        names = (name for name in names if name[0].islower())
    return {event: f"{keeping(event)}; {ends.get(event, 'exit 0')}" for event in names}


def placed(agent: str, commands: dict[str, str]) -> Object:
    """Return the layers of a hook for each event, and the files that they need, as fields of a case."""
    if agent == "cline":  # whose hooks are files
        return {
            "layers": {},
            "files": {f"project/.cline/hooks/{event}": f"{text}\n" for event, text in commands.items()},
        }
    if agent != "hermes":
        return {"layers": {layer_of(agent): configured(agent, commands)}}
    # it starts no shell
    files: Object = {f"project/{event}.sh": f"#!/bin/sh\n{text}\n" for event, text in commands.items()}
    scripts = {event: f"@P@/{event}.sh" for event in commands}
    return {"layers": {layer_of(agent): configured(agent, scripts)}, "files": files}


def configured(agent: str, commands: dict[str, str]) -> Json:
    """Return the configuration of a hook for each event, in the agent's format."""
    if agent == "kimi":
        items = (
            f"[[hooks]]\nevent = \"{event}\"\ncommand = '''{text}'''\n" for event, text in commands.items()
        )
        return "".join(items)
    if agent == "hermes":
        lines = (f"  {event}:\n  - command: {json.dumps(text)}\n" for event, text in commands.items())
        return "hooks:\n" + "".join(lines)
    if agent == "copilot":
        flat: Object = {event: [{"type": "command", "bash": text}] for event, text in commands.items()}
        return {"version": 1, "hooks": flat}
    return {
        "hooks": {
            event: [{"hooks": [{"type": "command", "command": text}]}] for event, text in commands.items()
        }
    }
