"""Changed arguments of a call: of wrong types, without fields, with more fields, and from two hooks."""

from __future__ import annotations

from tools.agents.cases.shapes import EVENTS, layers_of, script
from tools.agents.grid import printing
from tools.agents.records import Json, Object

_RISK: Object = {"summary": "s", "riskLevel": "low", "riskLevelReason": "r", "timeout": 10}
#: Further arguments that each agent's call has.
MORE: dict[str, Object] = {
    "claude_code": {"description": "t"},
    "codex": {},
    "gemini": {"description": "t"},
    "copilot": {"description": "t"},
    "qwen": {"description": "t", "is_background": False},
    "grok": {"description": "t"},
    "droid": _RISK,
    "cline": {},
    "mistral_vibe": {},
}


def output(agent: str, value: Json, word: str = "allow") -> Object:
    """Return what a hook prints to change the arguments of a call."""
    if agent == "copilot":
        return {"permissionDecision": word, "modifiedArgs": value}
    if agent == "cline":
        value = {**value} if isinstance(value, dict) else value
        if isinstance(value, dict) and "command" in value:
            value["commands"] = [value.pop("command")]
        return {"overrideInput": value}
    if agent == "mistral_vibe":
        return {"decision": word, "reason": "x", "hook_specific_output": {"tool_input": value}}
    if agent == "gemini":
        return {"decision": word, "hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": value}}
    own: Object = {"hookEventName": "PreToolUse", "updatedInput": value}
    if agent == "grok":
        return {"decision": word, "hookSpecificOutput": own}
    return {"hookSpecificOutput": {**own, "permissionDecision": word, "permissionDecisionReason": "x"}}


def cases(agent: str) -> list[Object]:
    """Return the cases of an agent."""
    if agent not in MORE:
        return []
    more, event = MORE[agent], EVENTS.get(agent, "PreToolUse")
    values: dict[str, Json] = {
        "whole": {"command": "touch other", **more},
        "part": {"command": "touch other"},
        "more": {"command": "touch other", **more, "nosuch": 1},
        "empty": {},
        "null": None,
        "text": "touch other",
        "number": 5,
        "list": ["touch other"],
        "false": False,
        "command-number": {**more, "command": 5},
        "command-null": {**more, "command": None},
        "command-missing": {**more, "nosuch": 1},
        "command-empty": {**more, "command": ""},
    }
    hooks: dict[str, list[Json]] = {name: [output(agent, value)] for name, value in values.items()}
    first, second = ({"command": f"touch {name}", **more} for name in ("first", "second"))
    hooks["two"] = [output(agent, first), output(agent, second)]
    hooks["then-nothing"] = [output(agent, first), {}]
    hooks["then-wrong"] = [output(agent, first), output(agent, "touch second")]
    hooks["wrong-then"] = [output(agent, 5), output(agent, second)]
    hooks["then-deny"] = [output(agent, first), output(agent, second, "deny")]
    found: list[Object] = []
    for name, outputs in hooks.items():
        files: Object = {}
        handlers: list[Object] = []
        for label, value in zip("ab", outputs, strict=False):
            wait = "sleep 0.7; " if label == "b" else ""  # some agents keep what comes last
            files[f"project/{label}.sh"] = script(label, wait + printing(value))
            handlers.append({"command": f"@P@/{label}.sh"})
        layers = layers_of(agent, *handlers)
        found.append({"id": f"updates.{name}", "event": event, "layers": layers, "files": files})
    return found
