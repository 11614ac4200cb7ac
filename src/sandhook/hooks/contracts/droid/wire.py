"""The payloads and outputs of Factory Droid's hooks: an exit status 2 or 3, or one JSON object with any status."""

from __future__ import annotations

from sandhook.hooks.contracts._agent import SNAKE, agent_event, asking, payload
from sandhook.hooks.contracts._outcome import (
    accidents,
    broken,
    counts_in_javascript,
    in_javascript,
    printed,
    refusal,
    without_approval,
    words_of,
)
from sandhook.hooks.contracts._payload import directory, variable
from sandhook.hooks.contracts._reading.languages import as_read
from sandhook.hooks.contracts.droid.names import (
    ABORT,
    COMMON,
    DENIED,
    EVENTS,
    FEEDBACK,
    NO_PLUGIN,
    NO_REASON,
    ROWS,
    STOPPED,
)
from sandhook.hooks.decode import encode, object_of, text_of
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Compat, HookSpec, Operation, Placement, Request, RunResult, Verdict

_PLACES = {**SNAKE, "tool_response": "result.value"}

_ABSENT: JsonObject = {
    "transcript_path": "",
    "permission_mode": "off",
    "source": "startup",
    "reason": "other",
    "trigger": "auto",
    "message": "",
    "notification_type": "idle_prompt",
}

#: Where context goes; on other events it reaches nobody.
_CONTEXTS: dict[str, Placement] = {
    "SessionStart": "session",
    "UserPromptSubmit": "prompt",
    "PostToolUse": "result",
}


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook, whose plain values are variables, too. Raises DecodeError for what is not JSON."""
    native = spec.native_event
    fields = payload(event, (*COMMON, *ROWS[native].fields), _PLACES, _ABSENT)
    fields["hook_event_name"] = native
    project = variable(directory(event))
    env = {f"{name}_PROJECT_DIR": project for name in ("FACTORY", "DROID", "CLAUDE")}
    env |= dict.fromkeys(("DROID_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"), NO_PLUGIN)
    for key, value in fields.items():
        if isinstance(value, (str, bool, int, float)):
            env[key] = variable(value if isinstance(value, str) else encode(value))
    return asking(spec, event, encode(fields), compat, env=env)


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    return agent_event(name, payload, EVENTS, _PLACES)


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    better = compat != "strict"
    return as_read(
        ran,
        "javascript",
        lambda each: _decoded(spec, event, each, better=better),
        strict=not better,
        trimmer="json",
    )


def _decoded(spec: HookSpec, event: Event, ran: RunResult, *, better: bool) -> Verdict:
    """Return what a run means whose output is as Droid reads it."""
    native, notes = spec.native_event, list(ran.diagnostics)
    why = broken(ran)
    if ran.failure is not None or (ran.limit is not None and better):
        return Verdict("error", could_not_run=why, diagnostics=tuple(notes))
    text = "" if ran.truncated else ran.stdout.decode("utf-8", "replace").strip()
    output = printed(text)
    value, odd = output.value, output.odd
    status = ran.exit_status if ran.signal is None and ran.limit is None else 1
    verdict = _verdict_of(native, event, value, (status, words_of(ran)), notes, better=better)
    if verdict.intervenes:
        if status in (2, ABORT):
            notes += accidents(ran, words_of(ran), status)
        return verdict._replace(
            could_not_run=why if ran.signal or ran.limit else None, diagnostics=tuple(notes)
        )
    why = ran.could_not_run or output.could_not_run
    if why is not None and better and ran.signal is not None:
        kept = without_approval(_with_context(native, verdict, value, "", status, notes), why)
        return kept._replace(undecodable=odd, exceeded_bound=output.exceeded_bound, diagnostics=tuple(notes))
    if why is not None and better:
        return Verdict(
            "error",
            could_not_run=why,
            undecodable=odd,
            exceeded_bound=output.exceeded_bound,
            diagnostics=tuple(notes),
        )
    if status:
        notes.append(f"exit status {status} refuses nothing on {native}")
    verdict = _with_context(native, verdict, value, text if odd else "", status, notes)
    return verdict._replace(
        label="error" if why is not None or (status and verdict.label == "none") else verdict.label,
        could_not_run=why,
        undecodable=odd if native not in ("SessionStart", "UserPromptSubmit") else None,
        exceeded_bound=output.exceeded_bound,
        diagnostics=tuple(notes),
    )


def _verdict_of(
    native: str,
    event: Event,
    value: JsonObject,
    ended: tuple[int | None, str],
    notes: list[str],
    *,
    better: bool,
) -> Verdict:
    """Return what an object and an exit status with standard error decide."""
    status, words = ended
    specific = object_of(value, "hookSpecificOutput")
    if native in ("Notification", "SessionStart", "SessionEnd", "SubagentStop"):
        if status in (2, ABORT) or value.get("continue") is False:
            notes.append(f"a refusal is ignored on {native}: hooks only observe it")
        return Verdict("none")
    if value.get("continue") is False and native != "PreCompact":
        reason = text_of(value, "stopReason") or (words if native == "UserPromptSubmit" else "") or STOPPED
        if native == "UserPromptSubmit":
            return refusal(event.kind, reason, notes)
        return Verdict("halt", True, halt=True, reason=reason)
    if status == ABORT and native not in ("PreCompact", "UserPromptSubmit"):
        return Verdict("halt", True, halt=True, reason=words or f"Agent aborted by {native} hook")
    word = specific.get("permissionDecision") if native == "PreToolUse" else None
    if word == "deny":
        written = specific.get("permissionDecisionReason")
        reason = (in_javascript(written) or "") if counts_in_javascript(written) else DENIED
        return refusal(event.kind, reason, notes)._replace(overrides=status != 2)
    if value.get("decision") in ("block", "deny"):
        counts = native == "Stop" and value["decision"] == "block" and text_of(value, "reason")
        if counts or (better and native in ("PreToolUse", "Stop", "UserPromptSubmit")):
            if not counts:
                notes.append("decision is not looked at here: Droid lets this pass")
            return refusal(event.kind, text_of(value, "reason") or NO_REASON[native], notes)
    if status == 2 or (status == ABORT and native in ("PreCompact", "UserPromptSubmit")):
        reason = words or NO_REASON.get(native, "blocked by hook")
        if native == "PostToolUse":
            return Verdict("feedback", True, reason=reason, context=((FEEDBACK + reason, "result"),))
        return refusal(event.kind, reason, notes)
    changed = specific.get("updatedInput")
    verdict = (
        Verdict("allow", True, permission="allow", overrides=True) if word == "allow" else Verdict("none")
    )
    if word == "ask":
        notes.append("permissionDecision ask is not looked at: Droid asks as it would without the hook")
        verdict = Verdict("ask", True, permission="ask") if better else Verdict("none", True, overrides=True)
    if word not in ("allow", "ask") and counts_in_javascript(word):
        notes.append(f"permissionDecision {encode(word)} is not known: the hook changes nothing")
        if better:
            return Verdict("none", True)
        verdict = Verdict("none", True, overrides=True)
    if native == "PreToolUse" and isinstance(changed, dict):
        verdict = verdict._replace(input=Operation("merge", changed))
    elif (
        native == "PreToolUse" and word == "allow" and "updatedInput" in specific
    ):  # later hooks change nothing
        verdict = verdict._replace(input=Operation("merge", {}))
    return verdict


def _with_context(
    native: str, verdict: Verdict, value: JsonObject, text: str, status: int | None, notes: list[str]
) -> Verdict:
    """Add what reaches the model and the user."""
    context = text_of(object_of(value, "hookSpecificOutput"), "additionalContext")
    place = _CONTEXTS.get(native)
    if context is None and text and not status and native in ("SessionStart", "UserPromptSubmit"):
        context = text
    if context and place is None:
        notes.append(f"additionalContext is not looked at on {native}")
    elif context and place is not None and not (status and native != "PostToolUse"):
        verdict = verdict._replace(context=(*verdict.context, (context, place)))
    return verdict._replace(system_message=text_of(value, "systemMessage"))
