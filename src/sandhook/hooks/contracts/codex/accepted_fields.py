"""What Codex accepts as the output of a hook, by event; it drops any other output whole.

Source: the schemas in the program 0.171.0, and its recorded runs.
"""

from __future__ import annotations

from sandhook.hooks.contracts._claude_shape import wrong_types
from sandhook.hooks.contracts.codex.names import EVENTS
from sandhook.hooks.decode import object_of, text_of
from sandhook.hooks.event import JsonObject

#: Events on which the status 2 and ``decision: block`` refuse.
BLOCKABLE = ("PreToolUse", "PermissionRequest", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop")

_Types = dict[str, type | frozenset[str]]

_NOTICE: _Types = {"systemMessage": str}
_COMMON: _Types = {**_NOTICE, "continue": bool, "stopReason": str, "suppressOutput": bool}
_WITH_SPECIFIC: _Types = {**_COMMON, "hookSpecificOutput": dict}
_DECIDING: _Types = {**_COMMON, "decision": frozenset({"block", "approve"}), "reason": str}

#: The keys at the top of an output.
_TOP: dict[str, _Types] = {
    "SessionStart": _WITH_SPECIFIC,
    "SubagentStart": _WITH_SPECIFIC,
    "PermissionRequest": _WITH_SPECIFIC,
    "UserPromptSubmit": {**_DECIDING, **_WITH_SPECIFIC},
    "PreToolUse": {**_DECIDING, **_WITH_SPECIFIC},
    "PostToolUse": {**_DECIDING, **_WITH_SPECIFIC},
    "Stop": _DECIDING,
    "SubagentStop": _DECIDING,
    "PreCompact": _COMMON,
    "PostCompact": _COMMON,
    "Interrupt": _NOTICE,
    "SessionEnd": {**_DECIDING, **_WITH_SPECIFIC},  # which Codex does not read
}

_CONTEXT: _Types = {"hookEventName": str, "additionalContext": str}

#: The keys of ``hookSpecificOutput``.
_SPECIFIC: dict[str, _Types] = {
    "PreToolUse": {
        **_CONTEXT,
        "permissionDecision": frozenset({"allow", "deny", "ask"}),
        "permissionDecisionReason": str,
        "updatedInput": object,  # Codex cannot make the call with anything but an object
    },
    "PermissionRequest": {"hookEventName": str, "decision": dict},
    "PostToolUse": _CONTEXT,
    "SessionStart": _CONTEXT,
    "SubagentStart": _CONTEXT,
    "UserPromptSubmit": _CONTEXT,
}

#: The keys of the decision of a PermissionRequest; the last three are reserved, and deny.
_PERMISSION = ("behavior", "message", "interrupt", "updatedInput", "updatedPermissions")

#: Keys that have a default instead of a null.
_NEVER_NULL = ("continue", "suppressOutput")


def without_nulls(name: str, value: JsonObject) -> JsonObject:
    """Return an output without the keys whose null means that they are absent; a key that is not known stays."""
    top, types = _TOP.get(name, {}), _SPECIFIC.get(name, {})
    kept = {
        key: item
        for key, item in value.items()
        if item is not None or key in _NEVER_NULL or (top and key not in top)
    }
    specific = kept.get("hookSpecificOutput")
    if isinstance(specific, dict):
        kept["hookSpecificOutput"] = {
            key: item for key, item in specific.items() if item is not None or (types and key not in types)
        }
    return kept


def reserved(decision: JsonObject) -> list[str]:
    """Return the reserved fields of a permission's decision, which deny."""
    return [key for key in _PERMISSION[2:] if decision.get(key) not in (None, False)]


def fault_of(name: str, value: JsonObject, specific: JsonObject) -> str | None:
    """Return why Codex drops an output whole, or None.

    Args:
        value: The output, without nulls.
        specific: Its ``hookSpecificOutput``, {} when it has none.
    """
    top, types = _TOP[name], _SPECIFIC.get(name, {})
    for key in value:
        if key not in top:
            return f"unknown field {key}"
    for key in specific:
        if key not in types:
            return f"unknown field hookSpecificOutput.{key}"
    wrong = wrong_types(value, top) or wrong_types(specific, types, "hookSpecificOutput.")
    if wrong is not None:
        return wrong
    if "hookSpecificOutput" in value and specific.get("hookEventName") not in EVENTS:
        return "hookSpecificOutput.hookEventName must be the name of an event"
    if "permissionDecision" not in specific:  # which Codex reads first
        if value.get("decision") == "approve":
            return "decision approve is not supported"
        if value.get("decision") == "block" and not (text_of(value, "reason") or "").strip():
            return "decision block needs a reason"
    if name == "PermissionRequest":
        return _fault_of_permission(value, specific)
    return _fault_of_call(value, specific) if name == "PreToolUse" else None


def _fault_of_call(value: JsonObject, specific: JsonObject) -> str | None:
    for key in ("continue", "stopReason", "suppressOutput"):
        if value.get(key) not in (None, key == "continue"):
            return f"{key} is not supported on PreToolUse"
    word = specific.get("permissionDecision")
    if word == "ask":
        return "permissionDecision ask is not supported"
    if word == "deny" and not (text_of(specific, "permissionDecisionReason") or "").strip():
        return "permissionDecision deny needs a permissionDecisionReason"
    if word == "allow" and "updatedInput" not in specific:
        return "permissionDecision allow needs updatedInput"
    if word != "allow" and "updatedInput" in specific:
        return "updatedInput needs permissionDecision allow"
    return None


def _fault_of_permission(value: JsonObject, specific: JsonObject) -> str | None:
    decision = object_of(specific, "decision")
    for key in decision:
        if key not in _PERMISSION:
            return f"unknown field hookSpecificOutput.decision.{key}"
    if "decision" in specific and decision.get("behavior") not in ("allow", "deny"):
        return "hookSpecificOutput.decision.behavior: wanted one of allow, deny"
    for key in reserved(decision):
        return f"hookSpecificOutput.decision.{key} is not supported"
    return None if value.get("continue") is not False else "continue is not supported on PermissionRequest"
