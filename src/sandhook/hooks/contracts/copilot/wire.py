"""The payloads and outputs of Copilot hooks: one JSON document after lines of progress."""

from __future__ import annotations

import posixpath

from sandhook.hooks.contracts._agent import asking, event_of, payload
from sandhook.hooks.contracts._outcome import (
    GOES_ON,
    accidents,
    in_javascript,
    printed,
    refusal,
    stronger,
    unreadable,
    with_misfit,
    words_of,
)
from sandhook.hooks.contracts._payload import an_object, directory, kind_of_event, look, variable
from sandhook.hooks.contracts._reading.languages import as_read
from sandhook.hooks.contracts.copilot.names import (
    ALIASES,
    BLOCKED,
    CLOSED_BY_POLICY,
    EVENTS,
    FAILED,
    MAX_CONTEXT,
    NO_REASON,
    PERMISSION_DENIED,
    PERMISSION_FAILED,
    PLACES,
    POLICY_FAILED,
    ROWS,
    SNAKE_ROWS,
    STOPS,
    TOOLS,
    snake,
)
from sandhook.hooks.decode import DecodeError, decode_object, encode, object_of, text_of
from sandhook.hooks.decode import decode as decode_json
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Compat, HookSpec, Operation, Placement, Request, RunResult, Verdict

_COMMON = ("sessionId", "timestamp", "cwd")

_SNAKE = {snake(key): place for key, place in PLACES.items()}


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    native, written = spec.native_event, str((spec.extras or {}).get("name"))
    absent: JsonObject = {"timestamp": 0, "source": "new", "reason": "complete", "transcriptPath": ""}
    own = ROWS[native].fields if written not in ALIASES else SNAKE_ROWS.get(native, ROWS[native].fields)
    if event.kind.startswith("subagent."):
        absent["agentType"] = look(event, "extra.agentName")
        absent["agentName"] = look(event, "extra.agentType")
    if native == "notification":
        absent["hook_event_name"] = "Notification"
    fields = payload(event, (*_COMMON, *own), PLACES, absent)
    stamp = event.timestamp
    if stamp is not None:
        fields["timestamp"] = stamp if isinstance(stamp, str) else int(stamp.timestamp() * 1000)
    if native == "postToolUseFailure" and event.result is not None:
        fields["error"] = event.result.error or ""
    if native == "permissionRequest":  # in camel case under either name
        fields = {"hookName": native, **fields}
    elif written in ALIASES:
        fields = {snake(key): value for key, value in fields.items()}
        if "tool_name" in fields:
            fields["tool_name"] = TOOLS.get(str(fields["tool_name"]), fields["tool_name"])
        fields = {"hook_event_name": written, **fields}
    text = encode(fields)
    where = directory(event)
    project = variable(event.project_dir or where)
    env = {"CLAUDE_PROJECT_DIR": project, "COPILOT_PROJECT_DIR": project, "COPILOT_CLI": "1"}
    if "/" in spec.file and spec.layer != "managed":
        env["COPILOT_HOOK_DIR"] = variable(posixpath.dirname(spec.file))
    below = (spec.extras or {}).get("cwd")
    return asking(
        spec,
        event,
        text,
        compat,
        env=env,
        cwd=posixpath.normpath(posixpath.join(where, below)) if isinstance(below, str) and below else where,
    )


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes, in camel or in snake case."""
    native = ALIASES.get(name, name)
    kind = kind_of_event(ALIASES.get(name, name), EVENTS)
    fields = an_object(payload)
    keys = (*_COMMON, *PLACES, *(key.rstrip("?") for key in ROWS[native].fields))
    back = {snake(key): key for key in keys}
    camel: JsonObject = {back.get(key, key): item for key, item in fields.items()}
    if "toolName" in camel and "tool_name" in fields:
        names = {other: tool for tool, other in TOOLS.items()}
        tool = camel["toolName"]
        camel["toolName"] = names.get(tool, tool) if isinstance(tool, str) else tool
    described = event_of(
        kind, camel, PLACES, ignored=("hook_event_name", "hookEventName", "hookName", "timestamp")
    )
    if native == "postToolUseFailure" and described.result is not None:
        error = (described.extras or {}).get("error")
        described = described.with_(
            result=described.result._replace(error=error if isinstance(error, str) else "")
        )
    return described


#: The keys with another text of the prompt.
_PROMPTS = {"userPromptSubmitted": "modifiedPrompt", "userPromptTransformed": "modifiedTransformedPrompt"}

#: Events whose context reaches nobody.
_WITHOUT_CONTEXT = ("userPromptTransformed",)

#: Where context goes on events other than those of tools.
_PLACES: dict[str, Placement] = {"sessionStart": "session", "userPromptSubmitted": "prompt"}


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event: before a call any status but 0 refuses, and a timeout never."""
    strict = compat == "strict"
    return as_read(
        ran, "rust", lambda each: _decode(spec, event, each, compat), strict=strict, trimmer="javascript"
    )


def _decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    native, notes, words = spec.native_event, list(ran.diagnostics), words_of(ran)
    if ran.timed_out or ran.cancelled:
        return Verdict("error", could_not_run=ran.could_not_run, diagnostics=tuple(notes))
    why = ran.could_not_run
    if why is not None and spec.executor.type in ("http", "prompt"):  # only a command that failed refuses
        return Verdict("error", could_not_run=why, diagnostics=tuple(notes))
    if native == "preToolUse" and (why is not None or ran.exit_status):
        reason = words or f"hook {spec.id} failed: {why or f'exit status {ran.exit_status}'}"
        if compat == "strict":  # standard error does not reach the model
            said = printed(_without_progress(ran.stdout.decode("utf-8", "replace"))).value
            own = in_javascript(said.get("permissionDecisionReason"))
            reason = (own or "hook exited with code 2") if ran.exit_status == 2 else FAILED
        notes += accidents(ran, words, ran.exit_status) if ran.exit_status else []
        return refusal(event.kind, reason, notes)._replace(could_not_run=why, decided=why is None)
    failed = POLICY_FAILED if spec.layer == "managed" else PERMISSION_FAILED
    if native == "permissionRequest" and (why is not None or ran.exit_status):
        reason = PERMISSION_DENIED if ran.exit_status == 2 else failed
        reason = reason if compat == "strict" else words or reason
        return refusal(event.kind, reason, notes)._replace(could_not_run=why, decided=why is None)
    if failed == POLICY_FAILED and event.kind in CLOSED_BY_POLICY and (why or ran.exit_status not in (0, 2)):
        reason = f"{BLOCKED}{failed}" if event.kind == "tool.post" else failed
        closed = refusal(event.kind, reason, notes)
        return closed._replace(label="policy failed", could_not_run=why, decided=why is None)
    if why is not None:
        return Verdict("error", could_not_run=why, diagnostics=tuple(notes))
    spoke = (
        ran.exit_status == 2 and event.kind in (*GOES_ON, "prompt.submit", "tool.post") and ran.stdout.strip()
    )
    if ran.exit_status and not spoke:
        meant = "a warning" if ran.exit_status == 2 else "logged"
        notes.append(f"exit status {ran.exit_status} is {meant} on {native}, and refuses nothing")
        return Verdict(
            "error", warnings=(words or f"exit status {ran.exit_status}",), diagnostics=tuple(notes)
        )
    text = _without_progress(ran.stdout.decode("utf-8", "replace"))
    if not text:
        return Verdict("none", diagnostics=tuple(notes))
    output = printed(text)
    value, odd = output.value, output.odd
    if odd is not None:
        notes.append(odd)
        unread = unreadable(odd, notes, exceeded_bound=output.exceeded_bound)
        if native != "permissionRequest" or unread.exceeded_bound or _is_array(text):
            return unread
        return refusal(event.kind, failed, notes)._replace(undecodable=odd)
    notes += output.diagnostics
    better = compat != "strict"
    if native == "preToolUse" and (spec.extras or {}).get("name") == native:
        value = _without_specific(value, notes, better=better)
    return _verdict_of(native, event, value, notes, better=better)


def _without_specific(value: JsonObject, notes: list[str], *, better: bool) -> JsonObject:
    """Return the output of a hook under Copilot's own name, in which ``hookSpecificOutput`` can only refuse."""
    specific = object_of(value, "hookSpecificOutput")
    if not specific:
        return value
    notes.append("hookSpecificOutput is not looked at on preToolUse: PreToolUse reads it")
    if better and specific.get("permissionDecision") == "deny":
        return value
    return {key: item for key, item in value.items() if key != "hookSpecificOutput"}


def _is_array(text: str) -> bool:
    """Return whether a text is an array, which is no decision of a request for permission and no failure."""
    try:
        return isinstance(decode_json(text).value, list)
    except DecodeError:
        return False


def _without_progress(text: str) -> str:
    """Return the output without the lines that report progress."""
    kept = []
    for line in text.splitlines():
        if line.lstrip().startswith("{") and '"progress"' in line:
            try:
                if decode_object(line.strip()).value.get("type") == "progress":
                    continue
            except DecodeError:
                pass
        kept.append(line)
    return "\n".join(kept).strip()


def _verdict_of(native: str, event: Event, value: JsonObject, notes: list[str], *, better: bool) -> Verdict:
    specific = object_of(value, "hookSpecificOutput")
    verdict = _decided(native, event, value, specific, notes, better=better)
    changed = value.get("modifiedArgs", specific.get("updatedInput"))
    if native == "preToolUse" and verdict.permission != "deny":
        if isinstance(changed, dict):
            verdict = verdict._replace(input=Operation("replace", changed))
        elif "modifiedArgs" in value:
            verdict = with_misfit(verdict, "modifiedArgs", changed, notes, better=better)
    if native == "postToolUse" and "modifiedResult" in value and verdict.result is None:
        verdict = verdict._replace(result=Operation("replace", value["modifiedResult"]))
    prompt = text_of(value, _PROMPTS.get(native, ""))
    if prompt is not None and not verdict.refuses:
        verdict = verdict._replace(prompt=Operation("replace", prompt))
    context = text_of(value, "additionalContext")
    if native == "preToolUse":
        context = context or text_of(specific, "additionalContext")
    elif "additionalContext" in specific:
        notes.append(
            f"additionalContext in hookSpecificOutput is not looked at on {native}: it is at the top"
        )
    if context is not None and native in _WITHOUT_CONTEXT:
        notes.append(f"additionalContext is not looked at on {native}: Copilot CLI drops it")
    elif context is not None:
        if len(context) > MAX_CONTEXT:
            notes.append(f"additionalContext is cut at {MAX_CONTEXT} characters")
        verdict = verdict._replace(context=((context[:MAX_CONTEXT], _PLACES.get(native, "result")),))
    extras = {key: value[key] for key in ("modifiedResponse", "interrupt") if key in value}
    return verdict._replace(extras=extras or None, diagnostics=tuple(notes))


def _decided(
    native: str,
    event: Event,
    value: JsonObject,
    specific: JsonObject,
    notes: list[str],
    *,
    better: bool,
) -> Verdict:
    key = "behavior" if native == "permissionRequest" else "permissionDecision"
    top, inner = value.get(key), specific.get(key) or object_of(specific, "decision").get(key)
    if native == "permissionRequest" and inner is not None and not (better and inner == "deny"):
        notes.append("hookSpecificOutput is not looked at on permissionRequest: behavior is at the top")
        inner = None
    word = stronger((top, inner)) if better else top or inner
    if native in ("preToolUse", "permissionRequest"):
        reason = text_of(value, "permissionDecisionReason", "message", "reason") or text_of(
            specific, "permissionDecisionReason"
        )
        written = value.get("permissionDecisionReason")
        if reason is None and written is not None and not isinstance(written, str):
            reason = in_javascript(written)
        blocks = better and value.get("decision") in ("block", "deny")
        if word == "deny" or blocks or (better and value.get("continue") is False):
            return refusal(event.kind, reason or ("" if written == "" else NO_REASON))
        if word == "allow":
            return Verdict("allow", True, permission="allow", reason=reason)
        if word == "ask" and native == "preToolUse":
            return Verdict("ask", True, permission="ask", reason=reason)
        if word is not None:
            notes.append(f"{key} {encode(word)} is not an opinion (allow, ask and deny are known)")
            return Verdict("none", undecodable=f"{key} {encode(word)} is not known")
        return Verdict("none")
    if event.kind in GOES_ON and value.get("decision") == "block":
        if not better and not text_of(value, "reason"):
            notes.append("decision: block without a reason has no effect in Copilot CLI")
            return Verdict("none")
        count = (event.extras or {}).get("stop_count")
        if isinstance(count, int) and count >= STOPS:
            notes.append(f"the agent was kept from stopping {STOPS} times already: it stops")
            return Verdict("none", True)
        return refusal(event.kind, text_of(value, "reason") or "blocked by hook")
    if native in ("userPromptSubmitted", "postToolUse") and value.get("decision") == "block":
        reason = text_of(value, "reason")
        if not better and not reason:
            notes.append("decision: block without a reason has no effect in Copilot CLI")
            return Verdict("none")
        reason = reason or "blocked by hook"
        return refusal(event.kind, reason if native != "postToolUse" else f"{BLOCKED}{reason}")
    if word is not None or value.get("decision") == "block":
        notes.append(f"a decision is ignored on {native}: there is nothing to refuse")
    return Verdict("none")
