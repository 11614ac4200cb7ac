"""Hooks before a call, in the form of each agent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from tools.agents.records import Json, Object


def _nested(word: Json, reason: Json) -> Object:
    inner: Object = {"permissionDecision": word, "permissionDecisionReason": reason}
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **inner}}


def _flat(word: Json, reason: Json) -> Object:
    return {"decision": word, "reason": reason}


def _flat_block(word: Json, reason: Json) -> Object:
    return _flat("block" if word == "deny" else word, reason)


def _copilot(word: Json, reason: Json) -> Object:
    return {"permissionDecision": word, "permissionDecisionReason": reason}


def _vibe(word: Json, reason: Json) -> Object:
    return {"decision": "deny" if word == "block" else word, "reason": reason}


def _hermes(word: Json, reason: Json) -> Object:
    words: Object = {"deny": "block", "ask": "approve"}
    return {"action": words.get(word, word) if isinstance(word, str) else word, "message": reason}


def _cline(word: Json, reason: Json) -> Object:
    cancels: Object = {"deny": True, "block": True, "allow": False}
    return {"cancel": cancels.get(word, word) if isinstance(word, str) else word, "errorMessage": reason}


#: The decision of each agent, as an object.
DECISIONS: dict[str, Callable[[Json, Json], Object]] = {
    "gemini": _flat,
    "copilot": _copilot,
    "goose": _flat_block,
    "grok": _flat,
    "hermes": _hermes,
    "openhands": _flat,
    "cline": _cline,
    "mistral_vibe": _vibe,
}
#: The event before a call, where it has another name.
EVENTS = {
    "gemini": "BeforeTool",
    "copilot": "preToolUse",
    "hermes": "pre_tool_call",
    "mistral_vibe": "pre_tool",
}


def decision(agent: str) -> Callable[[Json, Json], Object]:
    """Return how the agent writes a decision: a function of a word and a reason."""
    return DECISIONS.get(agent, _nested)


def script(label: str, body: str, first: str = "#!/bin/sh") -> str:
    """Return a script that notes its label and ends as the body says."""
    return f'{first}\ncat >/dev/null; echo {label} >>"$PROBE/ran"\n{body}\n'


def layers_of(agent: str, *hooks: Object, event: str = "") -> Object:
    """Return hooks of an event, or before every call, in the agent's format; a hook has ``command`` and other keys."""
    event = event or EVENTS.get(agent, "PreToolUse")
    if agent == "kimi":
        return {"user": "".join(f'[[hooks]]\nevent = "{event}"\n{_pairs(hook, " = ")}\n' for hook in hooks)}
    if agent == "mistral_vibe":
        return {"project": _named_tables(event, hooks)}
    if agent == "hermes":
        items = "".join(f"  - {_pairs(hook, ': ', '    ')}\n" for hook in hooks)
        return {"user": f"hooks:\n  {event}:\n{items}"}
    if agent == "cline":  # whose hooks are files, in the order of their paths
        return {name: _file(str(hook["command"])) for name, hook in zip("abc", hooks, strict=False)}
    if agent == "copilot":
        renamed = {"command": "bash", "timeout": "timeoutSec"}
        listed: list[Json] = [
            {"type": "command", **{renamed.get(key, key): value for key, value in hook.items()}}
            for hook in hooks
        ]
        return {"project": {"version": 1, "hooks": {event: listed}}}
    handlers: list[Json] = [{"type": "command", **hook} for hook in hooks]
    return {layer_of(agent): {"hooks": {event: [{"hooks": handlers}]}}}


def _named_tables(event: str, hooks: tuple[Object, ...]) -> str:
    """Return tables of hooks with names of their own; only the keys that Mistral Vibe knows have other names."""
    tables: list[str] = []
    for number, hook in enumerate(hooks):
        fields = {{"matcher": "match"}.get(key, key): value for key, value in hook.items()}
        pairs = _pairs({"name": f"h{number}", "type": event, **fields}, " = ")
        tables.append(f"[[hooks]]\n{pairs}\n")
    return "".join(tables)


def _file(command: str) -> str:
    """Return a script that is a command; a script alone is what the file becomes."""
    return f"exec {command}\n" if re.fullmatch(r"@P@/\w+\.\w+", command) else f"{command}\n"


def layer_of(agent: str) -> str:
    """Return the layer of the project, or of the user if a project has no hooks."""
    if agent in ("kimi", "hermes"):
        return "user"
    return "project-settings" if agent == "droid" else "project"


def limited(agent: str, seconds: Json) -> Object:
    """Return a timeout in the agent's unit; values that are not numbers stay."""
    number = isinstance(seconds, (int, float)) and not isinstance(seconds, bool)
    return {"timeout": seconds * 1000 if number and agent == "gemini" else seconds}  # type: ignore[operator]


def _pairs(hook: Object, sign: str, indent: str = "") -> str:
    return f"\n{indent}".join(f"{key}{sign}{json.dumps(value)}" for key, value in hook.items())
