"""The effects of the exit status 2, and of a valid JSON object, on each event."""

from __future__ import annotations

from sandhook.hooks.contracts._outcome import permission_of
from sandhook.hooks.contracts.claude_code.accepted_fields import capped, carried
from sandhook.hooks.contracts.claude_code.names import NO_REASON, ROWS
from sandhook.hooks.contracts.claude_code.profile import Profile
from sandhook.hooks.decode import object_of, text_of
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Context, Operation, Placement, Verdict

#: Tools that ask the user themselves: an allow counts only with the answers in the input.
_ASKING = ("AskUserQuestion", "ExitPlanMode")


#: Events on which the agent does not look at ``continue: false``.
_NEVER_STOP = (
    *("PermissionRequest", "PostToolUseFailure", "SubagentStart", "SubagentStop", "PreCompact"),
    *("PreModelSwitch", "TaskCompleted"),
)


def place(name: str) -> Placement:
    """Return where an event's context goes."""
    row = ROWS[name]
    if row.kind == "session.start" or name in ("Setup", "SubagentStart", "PostModelSwitch"):
        return "session"
    return "prompt" if name in ("UserPromptSubmit", "UserPromptExpansion") else "result"


def effect(name: str, event: Event, reason: str | None, notes: list[str]) -> Verdict:
    """Return the verdict of the exit status 2."""
    two = ROWS[name].on_exit_2
    if two == "deny":
        return Verdict("deny", True, permission="deny", reason=reason)
    if two == "block":
        shown = reason if name in ("UserPromptSubmit", "UserPromptExpansion") else None
        extras = {"action": "decline"} if name.startswith("Elicitation") else None
        if name == "ConfigChange" and (event.extras or {}).get("source") == "policy_settings":
            notes.append("policy settings cannot be blocked")
            return Verdict("error")
        return Verdict("block", True, block=True, reason=reason, user_message=shown, extras=extras)
    if two == "go":
        return Verdict("block", True, force_continue=True, reason=reason)
    if two == "halt":
        return Verdict("halt", True, halt=True, reason=reason)
    if two == "feedback":
        context: Context = ((reason, place(name)),) if reason else ()
        return Verdict("feedback", True, reason=reason, context=context)
    if two == "notice":
        notes.append(f"on {name} exit status 2 refuses nothing: the user sees a notice")
        return Verdict("notice", system_message=reason)
    notes.append(f"there is nothing to refuse on {name}")
    return Verdict("error")


def obeyed(name: str, event: Event, value: JsonObject, profile: Profile, notes: list[str]) -> Verdict:
    """Return the verdict of a valid object on an event."""
    row = ROWS[name]
    specific = object_of(value, "hookSpecificOutput")
    if specific.get("hookEventName", name) != name:
        notes.append(
            f"hookSpecificOutput is about {specific['hookEventName']}, and this is {name}: it has no effect"
        )
        value, specific = {**value, "hookSpecificOutput": {}}, {}
        if value.get("decision") != "block" and (profile.strict or value.get("continue") is not False):
            return Verdict("error", undecodable=f"hookSpecificOutput is not about {name}")  # as the agent
    verdict = _decision(name, event, value, specific, notes)
    extras = {**carried(name, value, notes, profile), **(verdict.extras or {})}
    if "classifierContext" in extras and not profile.has("classifierContext"):
        notes.append(f"classifierContext is not looked at in version {profile.version}")
        del extras["classifierContext"]
    verdict = verdict._replace(extras=extras or None)
    text = text_of(specific, "additionalContext") if "additionalContext" in row.specific else None
    if text is not None and name == "Setup" and profile.has("setup_context"):
        notes.append("additionalContext on Setup does not reach the model")
    elif text is not None:
        verdict = _with_context(
            name, verdict, capped(text, "additionalContext", notes, profile), profile, notes
        )
    if name == "PostToolUse":
        verdict = _with_result(event, verdict, specific, notes)
    note = text_of(value, "systemMessage")
    if row.shows_system_message and note is not None:
        verdict = verdict._replace(system_message=capped(note, "systemMessage", notes, profile))
    if value.get("continue") is False and row.stops:
        if _goes_on(name, profile):
            notes.append(f"continue: false on {name} does not keep Claude Code from going on")
            late: JsonObject = {"continue": False} if name == "PreToolUse" else {}
            return verdict._replace(decided=True, extras={**(verdict.extras or {}), **late} or None)
        reason = text_of(value, "stopReason") or verdict.reason
        verdict = verdict._replace(
            label="halt", decided=True, halt=True, force_continue=False, reason=reason or None, input=None
        )
    return verdict


def _goes_on(name: str, profile: Profile) -> bool:
    """Return whether ``continue: false`` comes too late, as upstream: a call is made, and then the turn ends."""
    if name == "PreToolUse":
        return profile.reproduces("call_before_halt")
    if name == "SessionStart":
        return profile.reproduces("start_goes_on")
    return name in _NEVER_STOP and profile.reproduces("event_goes_on")


def _decision(name: str, event: Event, value: JsonObject, specific: JsonObject, notes: list[str]) -> Verdict:
    row = ROWS[name]
    if name == "PermissionRequest" and "decision" in specific:
        return _permission_request(object_of(specific, "decision"), notes)
    if name in ("PreToolUse", "PreModelSwitch"):
        return _permission(name, event, value, specific, notes)
    if name.startswith("Elicitation") and "action" in specific:
        action = str(specific["action"])
        return Verdict(action, True, block=action != "accept")
    if value.get("decision") == "block" and row.blocks:
        reason = text_of(value, "reason")
        if reason is None:
            notes.append("decision: block without a reason: the reason is lost")
            reason = NO_REASON if row.on_exit_2 in ("feedback", "go") else None
        return effect(name, event, reason, notes)
    return Verdict(decided=value.get("decision") == "approve" or "continue" in value)


def _permission(
    name: str, event: Event, value: JsonObject, specific: JsonObject, notes: list[str]
) -> Verdict:
    """Read PreToolUse's and PreModelSwitch's permission, and the older form of it."""
    word = permission_of(specific, "permissionDecision")
    reason = text_of(specific, "permissionDecisionReason")
    if "decision" in value and (word is None or (word != "deny" and value["decision"] == "block")):
        word = "deny" if value["decision"] == "block" else "allow"
        reason = text_of(value, "reason")
        if name == "PreToolUse":
            notes.append("decision is the old form: hookSpecificOutput.permissionDecision is the new one")
    elif word == "deny" and reason is None:
        reason = text_of(value, "reason")
    change = specific.get("updatedInput") if name == "PreToolUse" else None
    tool = event.tool.name if event.tool is not None else ""
    if word == "allow" and tool in _ASKING and change is None:
        notes.append(f"allow without updatedInput is not an answer for {tool}: the user is asked")
        word = None
    if change is not None and word in ("deny", "defer"):
        notes.append(f"updatedInput with {word} has no effect")
        change = None
    operation = Operation("replace", change) if change is not None else None
    if word is None:
        return Verdict("rewrite" if operation else "none", "continue" in value, input=operation)
    return Verdict(word, True, permission=word, reason=reason, input=operation)


def _permission_request(decision: JsonObject, notes: list[str]) -> Verdict:
    extras: JsonObject = {
        key: decision[key] for key in ("updatedPermissions", "interrupt") if key in decision
    }
    if decision["behavior"] == "deny":
        for key in ("updatedInput", "updatedPermissions"):
            if key in decision:
                notes.append(f"{key} with deny has no effect")
        extras.pop("updatedPermissions", None)
        return Verdict(
            "deny",
            True,
            permission="deny",
            halt=decision.get("interrupt") is True,
            reason=text_of(decision, "message"),
            extras=extras or None,
        )
    for key in ("message", "interrupt"):
        if key in decision:
            notes.append(f"{key} with allow has no effect")
    extras.pop("interrupt", None)
    change = decision.get("updatedInput")
    return Verdict(
        "allow",
        True,
        permission="allow",
        input=None if change is None else Operation("replace", change),
        extras=extras or None,
    )


def _with_context(name: str, verdict: Verdict, text: str, profile: Profile, notes: list[str]) -> Verdict:
    if name not in ("Stop", "SubagentStop"):
        return verdict._replace(context=(*verdict.context, (text, place(name))))
    if not profile.has("stop_context"):
        notes.append(f"additionalContext is not looked at on {name} in version {profile.version}")
        return verdict
    if verdict.force_continue:
        return verdict._replace(context=((text, "result"),))
    return verdict._replace(label="feedback", decided=True, force_continue=True, reason=text)


def _with_result(event: Event, verdict: Verdict, specific: JsonObject, notes: list[str]) -> Verdict:
    tool = event.tool.name if event.tool is not None else ""
    new = specific.get("updatedToolOutput")
    if "updatedMCPToolOutput" in specific:
        if tool.startswith("mcp__"):
            new = specific["updatedMCPToolOutput"] if new is None else new
        else:
            notes.append(f"updatedMCPToolOutput is not looked at for {tool}, which is not an MCP tool")
    if new is None:
        return verdict
    was = event.result.value if event.result is not None else None
    if not tool.startswith("mcp__") and not _fits(new, was):
        notes.append(f"updatedToolOutput has not the form of a result of {tool}: it has no effect")
        return verdict
    word = "rewrite" if verdict.label == "none" else verdict.label
    return verdict._replace(label=word, result=Operation("replace", new))


def _fits(new: Json, was: Json) -> bool:
    """Return whether a new result has the form of the old one: all keys of an object, with values of their types."""
    if isinstance(was, dict):
        return isinstance(new, dict) and all(
            key in new and isinstance(new[key], type(item)) for key, item in was.items() if item is not None
        )
    return was is None or isinstance(new, type(was))
