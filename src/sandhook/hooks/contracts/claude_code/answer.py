"""A decision as the output of a hook for Claude Code, and the text that is shown instead of what was refused."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.contracts.claude_code.accepted_fields import CARRIED
from sandhook.hooks.contracts.claude_code.names import ROWS
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.model import Decision

_REFUSED = "refused"
_REWRITTEN = "A hook changed this prompt, which Claude Code does not take from hooks. It would be:\n"
_KEEP_WORKING = "A hook asked to keep working."


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this."""
    name = native(decision, event)
    extras = decision.extras or {}
    if name == "WorktreeCreate":
        path = extras.get("worktreePath")
        if decision.refused or not isinstance(path, str):
            return _two(decision.reason or "no worktree was made", status=1)
        return Answer(stdout=path.encode("utf-8", "replace") + b"\n")
    by_status = name in ("TaskCompleted", "TeammateIdle") and not decision.halt
    if by_status and (decision.refused or decision.force_continue):
        return _two(decision.reason or _REFUSED)
    reply = output(decision, event)
    return Answer(stdout=encode(reply).encode() + b"\n" if reply else b"")


def _two(reason: str, status: int = 2) -> Answer:
    return Answer(stderr=reason.encode("utf-8", "replace") + b"\n", exit_status=status)


def native(decision: Decision, event: Event) -> str:
    """Return Claude Code's name of a decision's event."""
    return next((name for name, row in ROWS.items() if row.kind == event.kind), decision.event)


def output(decision: Decision, event: Event) -> JsonObject:
    """Return the JSON object that expresses a decision; an empty one is not an opinion."""
    name = native(decision, event)
    if name not in ROWS:
        return {}
    row = ROWS[name]
    reply: JsonObject = {}
    specific: JsonObject = {}
    reason = decision.reason
    if decision.halt and row.stops:
        reply["continue"] = False
        if reason:
            reply["stopReason"] = reason
    if name == "PreToolUse":
        _permission(decision, event, specific)
    elif name == "PermissionRequest":
        _permission_request(decision, event, specific)
    elif name == "PreModelSwitch" and decision.permission in ("allow", "ask"):
        specific["permissionDecision"] = decision.permission
    elif name.startswith("Elicitation"):
        if decision.refused:
            specific["action"] = (decision.extras or {}).get("action", "decline")
    elif row.blocks and (decision.refused or decision.force_continue) and "continue" not in reply:
        keep = _KEEP_WORKING if decision.force_continue else _REFUSED
        reply.update(decision="block", reason=reason or keep)
    texts = [text for text, _ in decision.context]
    if decision.prompt and event.prompt is not None and not decision.refused:
        added = _added(event.prompt, decision.apply_to_prompt(event.prompt))
        if added is None:  # what a hook removed from a prompt must not reach the model
            reply.update(decision="block", reason=_REWRITTEN + decision.apply_to_prompt(event.prompt))
        else:
            texts.append(added)
    context = "\n".join(text for text in texts if text)
    if context and "additionalContext" in row.specific:
        specific["additionalContext"] = context
    if decision.result and event.result is not None and "updatedToolOutput" in row.specific:
        specific["updatedToolOutput"] = decision.apply_to_result(event.result).value
    for key, value in (decision.extras or {}).items():
        if key in CARRIED and key in row.specific:
            specific.setdefault(key, value)
        elif key == "terminalSequence":
            reply[key] = value
    if decision.system_message and row.shows_system_message:
        reply["systemMessage"] = decision.system_message
    if specific:
        reply["hookSpecificOutput"] = {"hookEventName": name, **specific}
    return reply


def _added(before: str, after: str) -> str | None:
    """Return the text that was added to a prompt, or None when the prompt itself was changed."""
    for added in (after.removesuffix(before), after.removeprefix(before)):
        if len(added) < len(after) or not before:
            return added.strip()
    return "" if after == before else None


def _permission(decision: Decision, event: Event, specific: JsonObject) -> None:
    word = "deny" if decision.refused else decision.permission
    if word != "none":
        specific["permissionDecision"] = word
    if word == "deny":
        specific["permissionDecisionReason"] = decision.reason or _REFUSED
    elif decision.input and event.tool is not None and word != "defer":
        changed = decision.apply_to(event.tool.input)
        if isinstance(changed, dict):
            specific["updatedInput"] = changed
        else:  # Claude Code accepts objects only; the change may have made the call harmless
            specific.update(
                permissionDecision="deny", permissionDecisionReason="the changed input is not an object"
            )


def _permission_request(decision: Decision, event: Event, specific: JsonObject) -> None:
    extras = decision.extras or {}
    if decision.refused:
        reply: JsonObject = {"behavior": "deny", "message": decision.reason or _REFUSED}
        if decision.halt:
            reply["interrupt"] = True
        specific["decision"] = reply
    elif decision.permission == "allow":
        reply = {"behavior": "allow"}
        if decision.input and event.tool is not None:
            reply["updatedInput"] = decision.apply_to(event.tool.input)
        if "updatedPermissions" in extras:
            reply["updatedPermissions"] = extras["updatedPermissions"]
        specific["decision"] = reply


def message(decision: Decision, event: Event) -> str:
    """Return the text for the model or the user; sandhook's own wording."""
    name = native(decision, event)
    reason = decision.reason or "no reason was given"
    if decision.halt:
        return f"{name} hook stopped the agent: {reason}"
    if decision.force_continue:
        return f"{name} hook feedback: {reason}"
    if event.tool is not None:
        return f"{name}:{event.tool.name} hook blocked the call: {reason}"
    return f"{name} hook blocked this: {reason}"
