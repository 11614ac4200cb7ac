"""The payloads and outputs of Cline's hooks: one JSON object each way. The exit status does not count."""

from __future__ import annotations

import time
from collections.abc import Mapping

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.contracts._agent import asking
from sandhook.hooks.contracts._outcome import accidents, printed, with_misfit, words_of
from sandhook.hooks.contracts._payload import an_object, look, text_field
from sandhook.hooks.contracts._reading.languages import as_read
from sandhook.hooks.contracts.cline.names import (
    AWAITED,
    BY_HOOK_NAME,
    EVENTS,
    HOOK_NAMES,
    MAX_CONTEXT,
    ROWS,
)
from sandhook.hooks.decode import encode, object_of, text_of
from sandhook.hooks.event import Event, Json, JsonObject, ToolCall, ToolResult
from sandhook.hooks.model import Compat, Context, HookSpec, Operation, Permission, Request, RunResult, Verdict
from sandhook.text.nearest import hint

#: What JavaScript trims.
_SPACE = " \t\n\v\f\r\xa0\ufeff\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)

#: How a line begins whose rest is the output, whatever else a hook prints. The last one counts.
_CONTROL = "HOOK_CONTROL\t"


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    native = spec.native_event
    extras = event.extras or {}
    root = event.project_dir or event.cwd or "/workspace"
    task = event.session_id or ""
    fields: JsonObject = {
        "clineVersion": extras.get("clineVersion", ""),
        "timestamp": _timestamp(event),
        "taskId": task,
        "sessionContext": extras.get("sessionContext", {"rootSessionId": task}),
        "workspaceRoots": extras.get("workspaceRoots", [root]),
        "workspaceInfo": extras.get(
            "workspaceInfo",
            {"rootPath": root, "hint": root.replace("\\", "/").rstrip("/").rpartition("/")[2]},
        ),
        "userId": extras.get("userId", "unknown"),
        "agent_id": event.agent_id or "",
        "parent_agent_id": extras.get("parent_agent_id"),
        "hookName": HOOK_NAMES[native],
    }
    for field in ROWS[native].fields:
        key = field.rstrip("?")
        value = _part(key, event, extras)
        if value is not None or key == field:
            fields[key] = value
    return asking(spec, event, encode(fields), compat)


def _timestamp(event: Event) -> str:
    stamp = event.timestamp
    if isinstance(stamp, str):
        return stamp
    if stamp is not None:
        return stamp.isoformat()
    seconds, milliseconds = divmod(time.time_ns() // 1_000_000, 1000)
    return time.strftime(f"%Y-%m-%dT%H:%M:%S.{milliseconds:03d}Z", time.gmtime(seconds))


def _part(key: str, event: Event, extras: Mapping[str, Json]) -> Json:
    """Return the part of a payload that is about its event."""
    if key in ("tool_call", "tool_result", "preToolUse", "postToolUse"):
        return _tool(key, event, extras)
    if key == "userPromptSubmit":
        return {"prompt": event.prompt or "", "attachments": list(event.attachments)}
    if key == "reason":
        return event.reason
    if key == "turn" and key not in extras:
        return {"outputText": "", "status": "completed"}
    absent: dict[str, Json] = {
        "iteration": 1,
        "taskStart": {"taskMetadata": {}},
        "taskResume": {"taskMetadata": {}, "previousState": {}},
        "taskComplete": {"taskMetadata": {}},
        "taskCancel": {"taskMetadata": {}},
    }
    return extras.get(key, absent.get(key))


def _tool(key: str, event: Event, extras: Mapping[str, Json]) -> JsonObject:
    name, given = look(event, "tool.name"), look(event, "tool.input")
    result = event.result or ToolResult()
    if key in ("tool_call", "tool_result"):
        call: JsonObject = {"id": look(event, "tool.call_id") or "", "name": name, "input": given}
        if key == "tool_result":
            call["output"] = result.value
            if result.error is not None:
                call["error"] = result.error
            call.update({each: extras[each] for each in _TIMES if each in extras})
        return call
    parameters: JsonObject = {}
    for each, value in given.items() if isinstance(given, dict) else ():
        parameters[each] = value if isinstance(value, str) else encode(value)
    use: JsonObject = {"toolName": name, "parameters": parameters}
    if key == "postToolUse":
        use["result"] = result.value if isinstance(result.value, str) else encode(result.value)
        use["success"] = result.ok
        use["executionTimeMs"] = extras.get("durationMs", 0)
    return use


_TIMES = ("durationMs", "startedAt", "endedAt")

#: Keys of a payload that an event has in fields of its own.
_KNOWN = frozenset({
    *("timestamp", "taskId", "agent_id", "hookName", "reason"),
    *("tool_call", "tool_result", "preToolUse", "postToolUse", "userPromptSubmit"),
})  # fmt: skip


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes, also one of the extension for Visual Studio Code."""
    native = BY_HOOK_NAME.get(name, name)
    if native not in EVENTS:
        raise ContractError(f"unknown event {name!r}; {hint(name, EVENTS)}")
    fields = an_object(payload)
    roots = fields.get("workspaceRoots")
    root = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else None
    extras = {key: value for key, value in fields.items() if key not in _KNOWN}
    described = Event(
        EVENTS[native],
        session_id=text_field(fields, "taskId"),
        agent_id=text_field(fields, "agent_id"),
        timestamp=text_field(fields, "timestamp"),
        cwd=text_field(fields, "cwd") or root,
        project_dir=root,
        reason=text_field(fields, "reason"),
    )
    if native in AWAITED:
        described, more = _with_tool(native, fields, described)
        extras.update(more)
    if native == "UserPromptSubmit":
        submitted = object_of(fields, "userPromptSubmit")
        attachments = submitted.get("attachments")
        described = described.with_(
            prompt=text_field(submitted, "prompt") or "",
            attachments=tuple(attachments) if isinstance(attachments, list) else (),
        )
    if native == "TaskComplete":
        described = described.with_(success=True)
    return described.with_(extras=extras or None)


def _with_tool(native: str, fields: JsonObject, described: Event) -> tuple[Event, JsonObject]:
    """Return an event with its tool and result, and extras with the times of the call."""
    call = object_of(fields, "tool_call" if native == "PreToolUse" else "tool_result")
    use = object_of(fields, "preToolUse" if native == "PreToolUse" else "postToolUse")
    name = text_field(call, "name") or text_field(use, "toolName")
    if name is None:
        raise ContractError("the payload has no toolName")
    given = call["input"] if "input" in call else use.get("parameters", {})
    described = described.with_(tool=ToolCall(name, given, text_field(call, "id") or None))
    if native == "PreToolUse":
        return described, {}
    value = call["output"] if "output" in call else use.get("result")
    error = text_field(call, "error")
    if error is None and use.get("success") is False:
        error = value if isinstance(value, str) else encode(value)
    times: JsonObject = {each: call[each] for each in _TIMES if each in call}
    return described.with_(result=ToolResult(value, error)), times


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    strict = compat == "strict"
    return as_read(ran, "javascript", lambda each: _decode(spec, event, each, strict=strict), strict=strict)


def _decode(spec: HookSpec, event: Event, ran: RunResult, *, strict: bool) -> Verdict:
    notes, better = list(ran.diagnostics), not strict
    if spec.native_event not in AWAITED or ran.limit is not None or ran.failure is not None or ran.truncated:
        return Verdict(
            "error" if ran.could_not_run else "none",
            could_not_run=ran.could_not_run,
            diagnostics=tuple(notes),
        )
    output = printed(_control(ran.stdout.decode("utf-8", "replace").strip(_SPACE)))
    notes += output.diagnostics
    value, words = output.value, words_of(ran)
    texts = (value.get(key) for key in ("context", "contextModification"))
    added = next((text for text in texts if isinstance(text, str)), None)
    message = text_of(value, "errorMessage") or ""
    message = message if message.strip(_SPACE) else ""
    cancels = value.get("cancel") is True
    meant = better and not cancels and _means_to_refuse(spec, value, ran, notes)
    if cancels or meant:
        if meant and ran.exit_status == 2:
            notes += accidents(ran, words, 2)
        reason = message or added or (_reason(value) or words if meant else "")
        permission: Permission = "deny" if event.kind == "tool.pre" else "none"
        return Verdict(
            "cancel", True, permission=permission, halt=True, reason=reason or None, diagnostics=tuple(notes)
        )
    if ran.exit_status:
        notes.append(f"exit status {ran.exit_status} is not read: only cancel refuses")
    why = ran.could_not_run or output.could_not_run
    verdict = Verdict(
        "error" if why is not None else "none",
        context=_context(message if added is None else added, notes),
        could_not_run=why,
        undecodable=output.odd,
        exceeded_bound=output.exceeded_bound,
        diagnostics=tuple(notes),
    )
    if "overrideInput" not in value or event.kind != "tool.pre":
        return verdict
    changed = value["overrideInput"]
    if not isinstance(changed, dict):
        return with_misfit(verdict, "overrideInput", changed, notes, better=better)
    return verdict._replace(input=Operation("replace", changed))


def _control(text: str) -> str:
    """Return the part of an output that Cline reads: the last line that says so, or all of it."""
    if _CONTROL not in text:
        return text
    lines = (line.strip(_SPACE) for line in text.split("\n"))
    controls = [line.removeprefix(_CONTROL) for line in lines if line.startswith(_CONTROL)]
    return controls[-1].strip(_SPACE) if controls else text


def _means_to_refuse(spec: HookSpec, value: JsonObject, ran: RunResult, notes: list[str]) -> bool:
    """Return whether a hook meant to refuse a call in a way that Cline does not read."""
    if spec.native_event != "PreToolUse":
        return False
    specific = object_of(value, "hookSpecificOutput")
    if (
        value.get("decision") in ("deny", "block")
        or specific.get("permissionDecision") == "deny"
        or value.get("continue") is False
        or value.get("cancel") in ("true", 1)
    ):
        notes.append("Cline wants cancel: true, and lets this pass")
        return True
    if ran.exit_status == 2 and ran.signal is None:
        notes.append("Cline does not read the exit status, and lets this pass")
        return True
    return False


def _reason(value: JsonObject) -> str:
    return text_of(value, "reason") or text_of(value, "stopReason") or ""


def _context(text: str, notes: list[str]) -> Context:
    if not text.strip(_SPACE):
        return ()
    if len(text) > MAX_CONTEXT:
        notes.append(f"the context has more than {MAX_CONTEXT} characters: the rest is cut")
        text = f"{text[:MAX_CONTEXT]}\n[hook context truncated: exceeded {MAX_CONTEXT} characters]"
    return ((text, "result"),)
