"""The meaning of a run of a Crush hook: exit status 2 or 49, its own envelope, or Claude Code's.

Source: the public Crush repository, its hook runner and tests. Upstream an unreadable output is
no opinion; here it is too, with a diagnostic.
"""

from __future__ import annotations

from typing import TypeVar

from sandhook.hooks import decode as strict
from sandhook.hooks.contracts._exit_2_heuristic import NOTE, looks_accidental
from sandhook.hooks.contracts._outcome import DroppedOutput, unreadable
from sandhook.hooks.contracts._reading.go import folded, go_duration
from sandhook.hooks.contracts._reading.languages import as_trimmed
from sandhook.hooks.contracts.crush.names import DENY, HALT
from sandhook.hooks.decode import DATA_DEPTH, BoundExceeded, DecodeError, decode_object, type_name
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import (
    Compat,
    Context,
    ContextFile,
    Decision,
    HookSpec,
    Operation,
    Placement,
    RunResult,
    Verdict,
)

Scalar = TypeVar("Scalar", str, bool, int)

_FIELDS = (
    *("version", "decision", "halt", "reason", "context"),
    *("updated_input", "context_files", "updated_prompt"),
)
_CLAUDE_FIELDS = ("permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext")


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    strict = compat == "strict"
    return as_trimmed(ran, "unicode", lambda each: _decode(spec, event, each, strict=strict), strict=strict)


def _decode(spec: HookSpec, event: Event, ran: RunResult, *, strict: bool) -> Verdict:
    notes = list(ran.diagnostics)
    status = ran.exit_status
    if ran.syntax_error is not None:
        # upstream's shell runs in its own process, where a script that does not parse has status 1
        notes.append("the script does not parse: no opinion")
        return Verdict("error", could_not_run=ran.could_not_run, diagnostics=tuple(notes))
    if ran.failure is None and ran.limit is None and status in (DENY, HALT):  # standard output does not count
        return _refused(event, ran, halt=status == HALT, notes=notes)
    if ran.timed_out:
        notes.append(f"Hook timed out after {go_duration(spec.timeout)}")
    if ran.could_not_run is not None:
        return Verdict("error", could_not_run=ran.could_not_run, diagnostics=tuple(notes))
    if status:
        notes.append(
            f"Hook failed with non-blocking error: exit status {status} is not a decision (2 denies, 49 halts)"
        )
        return Verdict("error", diagnostics=tuple(notes))
    text = ran.stdout.decode("utf-8", "replace").strip()
    if not text:
        return Verdict("none", diagnostics=tuple(notes))
    try:
        return _envelope(event, text, notes, better=not strict)
    except DroppedOutput as odd:
        notes.append(str(odd))
        return unreadable(str(odd), notes, exceeded_bound=odd.exceeded_bound)


def _refused(event: Event, ran: RunResult, *, halt: bool, notes: list[str]) -> Verdict:
    words = ran.stderr.decode("utf-8", "replace").strip()
    if not halt and looks_accidental(words):
        notes.append(NOTE)
    reason = words or ("turn halted by hook" if halt else "blocked by hook")
    verdict = Verdict("halt" if halt else "deny", True, reason=reason, halt=halt, diagnostics=tuple(notes))
    return _denying(verdict, event)


def _denying(verdict: Verdict, event: Event) -> Verdict:
    if event.kind == "tool.pre":
        return verdict._replace(permission="deny")
    return verdict._replace(block=True)


def _envelope(event: Event, text: str, notes: list[str], *, better: bool) -> Verdict:
    try:
        decoded = decode_object(text)
    except DecodeError as error:
        exceeded = isinstance(error, BoundExceeded)
        raise DroppedOutput(f"standard output is not a decision: {error}", exceeded_bound=exceeded) from None
    notes.extend(decoded.diagnostics)
    value: JsonObject = decoded.value
    if "hookSpecificOutput" in value:
        return _claude(event, value["hookSpecificOutput"], notes)
    return _native(event, folded(value, _FIELDS), notes, better=better)


def _native(event: Event, value: JsonObject, notes: list[str], *, better: bool) -> Verdict:
    decision = _typed(value, "decision", str) or ""
    halt = bool(_typed(value, "halt", bool))
    reason = _typed(value, "reason", str)
    _typed(value, "version", int)
    word = decision.lower()
    if decision and word not in ("allow", "deny"):
        notes.append(f"decision {decision!r} is not an opinion (allow and deny are known)")
        word = ""
    verdict = Verdict(
        "halt" if halt else word or "none",
        bool(word) or halt,
        permission="allow" if word == "allow" and event.kind == "tool.pre" else "none",
        halt=halt,
        reason=reason or None,
        input=_patch(value.get("updated_input"), notes) if event.kind == "tool.pre" else None,
        context=_context(value.get("context"), event),
        context_files=_files(value.get("context_files"), notes) if better else (),
        diagnostics=tuple(notes),
    )
    if event.kind == "prompt.submit" and (prompt := _typed(value, "updated_prompt", str)) is not None:
        verdict = verdict._replace(prompt=Operation("replace", prompt))
    return _denying(verdict, event) if word == "deny" else verdict


def _claude(event: Event, value: Json, notes: list[str]) -> Verdict:
    if not isinstance(value, dict):
        raise DroppedOutput(f"hookSpecificOutput: wanted an object, got {type_name(value)}")
    value = folded(value, _CLAUDE_FIELDS)
    decision = _typed(value, "permissionDecision", str) or ""
    word = decision.lower()
    if decision and word not in ("allow", "deny"):
        notes.append(f"permissionDecision {decision!r} is not an opinion here (allow and deny are known)")
        word = ""
    verdict = Verdict(
        word or "none",
        bool(word),
        permission="allow" if word == "allow" and event.kind == "tool.pre" else "none",
        reason=_typed(value, "permissionDecisionReason", str) or None,
        input=_patch(value.get("updatedInput"), notes) if event.kind == "tool.pre" else None,
        context=_context(_typed(value, "additionalContext", str), event),
        diagnostics=tuple(notes),
    )
    return _denying(verdict, event) if word == "deny" else verdict


def _typed(value: JsonObject, key: str, wanted: type[Scalar]) -> Scalar | None:
    """Return a field of the right type, None when absent or null. Raises DroppedOutput for any other type."""
    item = value.get(key)
    if item is None:
        return None
    if isinstance(item, wanted) and (wanted is bool or not isinstance(item, bool)):
        return item
    raise DroppedOutput(f"{key}: got {type_name(item)}; the whole output is dropped")


def _patch(value: Json, notes: list[str]) -> Operation | None:
    """Return a patch, which may also be written as a string that holds an object."""
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = strict.decode(value, max_depth=DATA_DEPTH).value
        except BoundExceeded as error:
            raise DroppedOutput(f"updated_input cannot be read: {error}", exceeded_bound=True) from None
        except DecodeError as error:
            notes.append(f"Hook updated_input patch rejected; ignoring: {error}")
            return None
    if isinstance(value, dict):
        return Operation("merge", value, otherwise="reject")
    notes.append(f"Hook updated_input patch rejected; ignoring: wanted an object, got {type_name(value)}")
    return None


def _context(value: Json, event: Event) -> Context:
    place: Placement = "prompt" if event.kind == "prompt.submit" else "result"
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        value = "\n".join(each for each in value if each)
    return ((value, place),) if isinstance(value, str) and value else ()


def _files(value: Json, notes: list[str]) -> tuple[ContextFile, ...]:
    """Return what ``context_files`` names: paths, or objects with a path and a reason."""
    files = []
    for each in value if isinstance(value, list) else []:
        if isinstance(each, str) and each:
            files.append(ContextFile(each))
        elif isinstance(each, dict) and isinstance(each.get("path"), str):
            reason = each.get("reason")
            files.append(ContextFile(each["path"], reason if isinstance(reason, str) else ""))
        else:
            notes.append("context_files: an entry is neither a path nor an object with one")
    return tuple(files)


def message(decision: Decision, event: Event) -> str:
    """Return what the model, or the user, sees instead of what was refused."""
    if decision.halt:
        return f"Turn halted by hook. Reason: {decision.reason or ''}"
    if decision.kind == "prompt.submit":
        return decision.reason or ""
    return f"Tool call blocked by hook. Reason: {decision.reason or ''}"
