"""The payloads and outputs of Cursor hooks: a permission, messages for the user and the agent, context."""

from __future__ import annotations

from sandhook.hooks.contracts._agent import asking, event_of, payload
from sandhook.hooks.contracts._claude_shape import read_output
from sandhook.hooks.contracts._outcome import accidents, broken, stronger, words_of
from sandhook.hooks.contracts._payload import directory, kind_of_event, plugin_root, variable
from sandhook.hooks.contracts._reading.languages import as_trimmed
from sandhook.hooks.contracts.cursor.names import COMMON, EVENTS, GATES, KINDS, PLACES, ROWS
from sandhook.hooks.decode import encode, object_of, text_of
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Compat, HookSpec, Operation, Placement, Request, RunResult, Verdict

#: Events on which an output refuses that begins like an object and is invalid.
_PERMISSIONS = ("preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile")


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    name = spec.native_event
    where = event.project_dir or event.cwd or "/workspace"
    absent: JsonObject = {
        "model": "",
        "generation_id": "",
        "cursor_version": "",
        "workspace_roots": [where],
        "attachments": list(event.attachments),
        "status": "completed",
        "loop_count": 0,
        "trigger": "auto",
        "error_message": "",
    }
    fields = payload(event, (*COMMON, *ROWS[name].fields), PLACES, absent)
    fields["hook_event_name"] = name
    if event.kind in ("tool.pre", "tool.post", "tool.fail"):
        fields["cwd"] = event.cwd or ""
    if name in KINDS:
        _own_keys(name, event, fields)
    text = encode(fields)
    version = (event.extras or {}).get("cursor_version")
    return asking(
        spec,
        event,
        text,
        compat,
        env={
            "CURSOR_PROJECT_DIR": variable(where),
            "CURSOR_VERSION": variable(version) if isinstance(version, str) else "",
            "CURSOR_TRANSCRIPT_PATH": variable(event.transcript_path or ""),
            "CLAUDE_PROJECT_DIR": variable(where),
            **plugin_root(spec, "CURSOR_PLUGIN_ROOT"),
        },
        cwd=event.project_dir
        if (event.project_dir or "")[:1] == "/" and event.project_dir
        else directory(event),
    )


def _own_keys(name: str, event: Event, payload: JsonObject) -> None:
    """Add the keys of one tool's kind of event to a payload, from the tool's input and result."""
    _, keys, result = KINDS[name]
    arguments = event.tool.input if event.tool is not None else None
    for key, place in keys.items():
        if isinstance(arguments, dict) and place in arguments:
            payload[key] = arguments[place]
    if name == "beforeMCPExecution" and not isinstance(payload["tool_input"], str):
        payload["tool_input"] = encode(payload["tool_input"])
    if result and event.result is not None:
        value = event.result.value if event.result.error is None else event.result.error
        payload[result] = value if isinstance(value, str) else "" if value is None else encode(value)


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes; its extras keep its own name, so that hooks of other names do not run."""
    kind = kind_of_event(name, EVENTS)
    value = dict(payload) if isinstance(payload, dict) else payload
    if name in KINDS and isinstance(value, dict):
        tool, keys, result = KINDS[name]
        if tool:
            value.update(
                tool_name=tool, tool_input={place: value[key] for key, place in keys.items() if key in value}
            )
        if result in value:
            value["tool_output"] = value[result]
    described = event_of(kind, value, PLACES)
    extras = {**(described.extras or {}), "hook_event_name": name}
    cwd = extras.pop("cwd", None)
    roots = extras.get("workspace_roots")
    project = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else None
    return described.with_(
        extras=extras, cwd=cwd if isinstance(cwd, str) and cwd else project, project_dir=project
    )


#: Where context goes on events other than those of tools.
_PLACES: dict[str, Placement] = {"sessionStart": "session", "beforeSubmitPrompt": "prompt"}


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    strict = compat == "strict"
    return as_trimmed(
        ran, "javascript", lambda each: _decode(spec, event, each, strict=strict), strict=strict
    )


def _decode(spec: HookSpec, event: Event, ran: RunResult, *, strict: bool) -> Verdict:
    name, notes, words = spec.native_event, list(ran.diagnostics), words_of(ran)
    if ran.exit_status == 2 and ran.limit is None and ran.failure is None and name in GATES:
        notes += accidents(ran, words, 2)
        value = read_output(ran.stdout).value or {}
        return _refused(
            event, text_of(value, "agent_message") or words or "blocked by hook",
            text_of(value, "user_message"), notes,
        )  # fmt: skip
    why = ran.could_not_run if name not in GATES else broken(ran)
    if why is not None:
        return _failed(spec, event, f"could not run: {why}", notes)._replace(could_not_run=why)
    if ran.exit_status:
        notes.append(f"exit status {ran.exit_status} is not a decision (2 refuses)")
        return _failed(spec, event, f"exit status {ran.exit_status}", notes)
    printed = read_output(ran.stdout, whole=False)
    notes.extend(printed.notes)
    if printed.value is None:
        if not printed.text:
            return Verdict("none", diagnostics=tuple(notes))
        odd = printed.broken or "standard output is not a JSON object"
        notes.append(f"standard output is not a decision: {odd}")
        if printed.broken is not None and name in _PERMISSIONS:
            verdict = _refused(event, f"hook {spec.id} printed no JSON: {odd}", None, notes)._replace(
                decided=False
            )
        else:
            verdict = _failed(spec, event, odd, notes)
        verdict = verdict._replace(undecodable=odd)
        if printed.exceeded_bound:
            verdict = verdict._replace(could_not_run=odd, exceeded_bound=True)
        return verdict
    return _verdict_of(spec, event, printed.value, notes, better=not strict)


def _failed(spec: HookSpec, event: Event, why: str, notes: list[str]) -> Verdict:
    """Return the verdict of a failure: a refusal with ``failClosed``, else no opinion."""
    if spec.on_error == "block":
        return _refused(event, f"hook {spec.id} failed: {why}", None, notes)._replace(decided=False)
    return Verdict("error", diagnostics=tuple(notes))


def _refused(event: Event, reason: str | None, user: str | None, notes: list[str]) -> Verdict:
    verdict = Verdict("deny", True, reason=reason, user_message=user, diagnostics=tuple(notes))
    if event.kind == "tool.pre":
        return verdict._replace(permission="deny")
    return verdict._replace(label="block", block=True)


def _verdict_of(
    spec: HookSpec, event: Event, value: JsonObject, notes: list[str], *, better: bool
) -> Verdict:
    name = spec.native_event
    specific = object_of(value, "hookSpecificOutput") if better else {}
    words = (value.get("permission"), specific.get("permissionDecision"))
    word = stronger(words) if better else words[0]
    agent = text_of(value, "agent_message", "agentMessage") or text_of(specific, "permissionDecisionReason")
    user = text_of(value, "user_message", "userMessage")
    blocks = better and value.get("decision") in ("block", "deny")
    verdict = Verdict("none")
    if name in GATES and (word == "deny" or value.get("continue") is False or blocks):
        verdict = _refused(event, agent or text_of(value, "reason") or user, user, notes)
    elif name in GATES and event.kind == "tool.pre" and word in ("allow", "ask"):
        verdict = Verdict(word, True, permission=word, reason=agent, user_message=user)
    elif name in GATES and (word not in (None, "allow", "ask") or value.get("continue") not in (None, True)):
        odd = f"permission or continue is {encode(word if word is not None else value['continue'])}"
        notes.append(f"{odd}: that is not an opinion (allow, ask and deny are known)")
        return _failed(spec, event, odd, notes)._replace(undecodable=odd)
    elif word is not None and name not in GATES:
        notes.append(f"permission is ignored on {name}: there is nothing to refuse")
    if name in ("stop", "subagentStop"):
        verdict = _follow_up(spec, event, value, notes)
    changed = value.get("updated_input", specific.get("updatedInput"))
    if name == "preToolUse" and isinstance(changed, dict) and word != "deny":
        verdict = verdict._replace(input=Operation("replace", changed))
    context = text_of(value, "additional_context") or text_of(specific, "additionalContext")
    if context:
        verdict = verdict._replace(context=((context, _PLACES.get(name, "result")),))
    return verdict._replace(diagnostics=tuple(notes))


def _follow_up(spec: HookSpec, event: Event, value: JsonObject, notes: list[str]) -> Verdict:
    """Return a follow-up message, until the limit is reached."""
    message = text_of(value, "followup_message")
    if message is None:
        return Verdict("none")
    limit = (spec.extras or {}).get("loop_limit")
    count = (event.extras or {}).get("loop_count", 0)
    if isinstance(limit, int) and isinstance(count, int) and count >= limit:
        notes.append(f"the follow-up is dropped: {count} were sent, loop_limit is {limit}")
        return Verdict("none", True)
    return Verdict("followup", True, force_continue=True, reason=message)
