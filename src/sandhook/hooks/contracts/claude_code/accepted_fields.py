"""The fields of a hook's JSON that each event accepts, their types, and their recipients.

Every field that an event does not accept is noted for the hook's author, because it has no effect.
"""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.hooks.contracts._claude_shape import Types, terminal_sequence, wrong_types
from sandhook.hooks.contracts.claude_code.names import MAX_TEXT, PREVIEW, ROWS
from sandhook.hooks.contracts.claude_code.profile import Profile
from sandhook.hooks.decode import object_of, text_of
from sandhook.hooks.event import Json, JsonObject

TOP: Types = {
    "continue": bool,
    "stopReason": str,
    "suppressOutput": bool,
    "decision": frozenset({"approve", "block"}),
    "reason": str,
    "systemMessage": str,
    "terminalSequence": str,
    "hookSpecificOutput": dict,
}
SPECIFIC: Types = {
    "additionalContext": str,
    "permissionDecision": frozenset({"allow", "deny", "ask", "defer"}),
    "permissionDecisionReason": str,
    "updatedInput": dict,
    "initialUserMessage": str,
    "sessionTitle": str,
    "watchPaths": list,
    "reloadSkills": bool,
    "suppressOriginalPrompt": bool,
    "displayContent": str,
    "decision": dict,
    "retry": bool,
    "classifierContext": str,
    "worktreePath": str,
    "action": frozenset({"accept", "decline", "cancel"}),
    "content": dict,
}
PERMISSION: Types = {
    "behavior": frozenset({"allow", "deny"}),
    "updatedInput": dict,
    "updatedPermissions": list,
    "message": str,
    "interrupt": bool,
}

#: Fields that are copied to ``Verdict.extras``.
CARRIED = (
    *("initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills", "suppressOriginalPrompt"),
    *("displayContent", "retry", "classifierContext", "worktreePath", "action", "content"),
)


def invalid(name: str, value: Mapping[str, Json]) -> str | None:
    """Return why an output is invalid on an event, so that all of it is ignored, or None."""
    wrong = wrong_types(value, TOP)
    if wrong is not None or "hookSpecificOutput" not in value:
        return wrong
    specific = object_of(value, "hookSpecificOutput")
    written = specific.get("hookEventName")
    if written is None:
        return "hookSpecificOutput has no hookEventName"
    if written != name:  # the agent ignores it, and obeys the rest
        return None if isinstance(written, str) else "hookSpecificOutput.hookEventName is not a string"
    accepted = ROWS[name].specific
    types = {key: SPECIFIC[key] for key in accepted if key in SPECIFIC}
    wrong = wrong_types(specific, types, "hookSpecificOutput.")
    if wrong is None and "decision" in accepted and "decision" in specific:
        decision = object_of(specific, "decision")
        if "behavior" not in decision:
            return "hookSpecificOutput.decision has no behavior"
        wrong = wrong_types(decision, PERMISSION, "hookSpecificOutput.decision.")
    return wrong


def unheard(name: str, value: Mapping[str, Json]) -> list[str]:
    """Return a line for each field of a valid output that has no effect."""
    row = ROWS[name]
    notes = []
    for key in value:
        if key in TOP:
            continue
        if key in SPECIFIC or key in ("hookEventName", "updatedToolOutput", "updatedMCPToolOutput"):
            notes.append(f"{key} at the top level has no effect: it belongs into hookSpecificOutput")
        else:
            notes.append(f"{key}: unknown, has no effect")
    if value.get("decision") == "block" and not row.blocks:
        notes.append(f"decision is not looked at on {name}")
    if value.get("continue") is False and not row.stops:
        notes.append(f"continue is not looked at on {name}")
    if value.get("systemMessage") and not row.shows_system_message:
        notes.append(f"systemMessage has no effect on {name}")
    if value.get("stopReason") and value.get("continue") is not False:
        notes.append("stopReason has no effect without continue: false")
    if value.get("reason") and "decision" not in value:
        notes.append("reason has no effect without decision")
    if value.get("suppressOutput"):
        notes.append("suppressOutput has no effect")
    if value.get("async") is True:
        notes.append(
            "async: true takes the effect of the output: Claude Code waits for what the hook prints later"
        )
    for key in object_of(value, "hookSpecificOutput"):
        if key != "hookEventName" and key not in row.specific:
            notes.append(f"hookSpecificOutput.{key} is not looked at on {name}")
    return notes


def carried(name: str, value: Mapping[str, Json], notes: list[str], profile: Profile) -> JsonObject:
    """Return the fields that only this agent has, by its own names."""
    extras: JsonObject = {}
    specific = object_of(value, "hookSpecificOutput")
    for key in CARRIED:
        if key in specific and key in ROWS[name].specific:
            item = specific[key]
            extras[key] = capped(item, key, notes, profile) if isinstance(item, str) else item
    sequence = text_of(value, "terminalSequence")
    if sequence is not None:
        kept = terminal_sequence(sequence)
        if kept != sequence:
            notes.append("terminalSequence: only OSC 0, 1, 2, 9, 99 and 777 and BEL are passed on")
        if kept:
            extras["terminalSequence"] = kept
    return extras


def capped(text: str, what: str, notes: list[str], profile: Profile) -> str:
    """Return a text cut at Claude Code's limit; the RunResult keeps all of it."""
    if len(text) <= MAX_TEXT:
        return text
    most = PREVIEW if profile.reproduces("preview") else MAX_TEXT
    notes.append(f"{what}: {len(text)} characters, cut at {most}")
    return text[:most]
