"""The meaning of a run of an Everruns hook: three forms of output, ``on_error``, and patches."""

from __future__ import annotations

from sandhook.hooks.contracts._reading.languages import as_trimmed
from sandhook.hooks.contracts.everruns.names import MAX_OUTPUT, MUTABLE, REFUSABLE, RESERVED_DECISION
from sandhook.hooks.decode import BoundExceeded, DecodedObject, DecodeError, decode_object, type_name
from sandhook.hooks.event import Event, Json, JsonObject, ToolResult
from sandhook.hooks.model import Compat, HookSpec, Operation, RunResult, Verdict

#: Unicode's White_Space, which Rust trims (Python's strip also removes U+001C to U+001F).
_WHITE = (
    "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
_FIELDS = ("decision", "reason", "user_message", "patch")


class HookError(Exception):
    """The hook could not be run, or what it printed cannot be read.

    Args:
        exceeded_bound: What it printed exceeds a bound of sandhook.
    """

    def __init__(self, why: str, *, exceeded_bound: bool = False) -> None:
        super().__init__(why)
        self.exceeded_bound = exceeded_bound


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event, ``on_error`` included."""
    strict = compat == "strict"
    return as_trimmed(
        ran, "unicode start", lambda each: _decode(spec, event, each, strict=strict), strict=strict
    )


def _decode(spec: HookSpec, event: Event, ran: RunResult, *, strict: bool) -> Verdict:
    try:
        verdict = _read(event, ran)
    except HookError as error:
        verdict = _on_error(spec, event, str(error), ran)
        # upstream's decoder has such bounds too: in strict mode they are an error like any other
        return verdict._replace(exceeded_bound=error.exceeded_bound and not strict)
    if strict and event.kind == "tool.pre" and verdict.user_message is not None:
        verdict = verdict._replace(user_message=None)  # upstream drops it for tool calls
    notes = _notes(ran, verdict)
    return verdict._replace(diagnostics=(*verdict.diagnostics, *notes)) if notes else verdict


def _read(event: Event, ran: RunResult) -> Verdict:
    failure = _execution_error(event, ran)
    if failure is not None:
        raise HookError(failure)
    text = ran.stdout.decode("utf-8", "replace").lstrip(_WHITE)
    if not text:
        if ran.exit_status == 0:
            return Verdict("allow")
        reason = ran.stderr.decode("utf-8", "replace").strip(_WHITE) or "hook exited non-zero"
        return _block(event, reason, None)
    if text[0] != "{":
        raise HookError(f"hook stdout is not JSON (first 80 bytes: {_first(text)})")
    try:
        ran.stdout.decode("utf-8")
        decoded = decode_object(text)
        fields = _fields(decoded)
    except UnicodeDecodeError as error:
        raise HookError(f"hook stdout JSON parse failed: invalid UTF-8 at byte {error.start + 1}") from None
    except DecodeError as error:
        exceeded = isinstance(error, BoundExceeded)
        raise HookError(f"hook stdout JSON parse failed: {error}", exceeded_bound=exceeded) from None
    return _decide(event, fields, decoded.diagnostics)


def _execution_error(event: Event, ran: RunResult) -> str | None:
    """Return the executor's error, or None when there is an answer to read."""
    if ran.failure is not None:
        return f"hook execution error: {ran.failure}"
    if ran.timed_out:
        return "hook timed out"  # the caller knows after how long
    if ran.limit == "output_bytes" or ran.truncated:
        return f"hook execution error: output is longer than {MAX_OUTPUT} bytes"
    if ran.limit is not None:
        return f"hook execution error: limit reached: {ran.limit}"
    if ran.syntax_error is not None:
        return f"hook execution error: {ran.syntax_error}"
    if ran.signal is not None:
        return f"hook execution error: ended by signal {ran.signal}"
    return None


def _fields(decoded: DecodedObject) -> JsonObject:
    """Check the types of the known fields; a duplicate known field is an error, as in serde."""
    value = decoded.value
    for key in decoded.top_duplicates:
        if key in _FIELDS:
            raise BoundExceeded(f"duplicate field `{key}`")
    for key in ("decision", "reason", "user_message"):
        if not isinstance(value.get(key), (str, type(None))):
            raise DecodeError(f"{key}: wanted a string, got {type_name(value[key])}")
    return value


def _decide(event: Event, fields: JsonObject, diagnostics: tuple[str, ...]) -> Verdict:
    decision = fields.get("decision")
    if decision is None or decision == "allow":
        return Verdict("allow", decided=decision is not None, diagnostics=diagnostics)
    if decision == "block":
        reason, user_message = fields.get("reason"), fields.get("user_message")
        blocked = _block(
            event,
            reason if isinstance(reason, str) else "hook blocked",
            user_message if isinstance(user_message, str) else None,
        )
        return blocked._replace(diagnostics=(*blocked.diagnostics, *diagnostics))
    if decision != "mutate":
        reserved = " (planned upstream, not decided yet)" if decision == RESERVED_DECISION else ""
        raise HookError(f"unknown hook decision `{decision}`{reserved}")
    patch = fields.get("patch")
    if patch is None:
        raise HookError("hook decision `mutate` has no patch")
    return _mutate(event, patch, diagnostics)


def _block(event: Event, reason: str, user_message: str | None) -> Verdict:
    if event.kind == "tool.pre":
        return Verdict("block", True, "deny", reason=reason, user_message=user_message)
    if event.kind in REFUSABLE:
        return Verdict("block", True, block=True, reason=reason, user_message=user_message)
    return Verdict("block", True, warnings=(f"block is ignored on {event.kind}: {reason}",))


def _mutate(event: Event, patch: Json, diagnostics: tuple[str, ...]) -> Verdict:
    if event.kind not in MUTABLE:
        return Verdict(
            "mutate", True, warnings=(f"mutate is ignored on {event.kind}",), diagnostics=diagnostics
        )
    fields = patch if isinstance(patch, dict) else {}
    verdict = Verdict("mutate", True, diagnostics=diagnostics)
    if event.kind == "tool.pre":
        arguments = fields.get("arguments")
        if isinstance(arguments, dict):
            return verdict._replace(input=Operation("merge", arguments, "replace"))
        wanted = "patch.arguments"
    elif event.kind == "prompt.submit":
        message = fields.get("message")
        if isinstance(message, str):
            return verdict._replace(prompt=Operation("replace", message))
        wanted = "patch.message"
    else:
        changed = _patch_result(event.result or ToolResult(), fields, verdict)
        if changed is not verdict:
            return changed
        wanted = "patch.result, patch.error or patch.additional_context"
    return verdict._replace(diagnostics=(*diagnostics, f"the patch changes nothing: no usable {wanted}"))


def _patch_result(result: ToolResult, fields: JsonObject, verdict: Verdict) -> Verdict:
    """Apply ``result``, ``error`` and ``additional_context``, in that order."""
    value = result.value
    touched = "result" in fields
    if touched:
        value = fields["result"]
    context = fields.get("additional_context")
    if isinstance(context, str):
        touched = True
        if isinstance(value, dict):
            value = {**value, "hook_context": context}
        elif value is None:
            value = {"hook_context": context}
        else:
            value = {"value": value, "hook_context": context}
    if touched:
        verdict = verdict._replace(result=Operation("replace", value))
    if isinstance(fields.get("error"), str):
        verdict = verdict._replace(error=Operation("replace", fields["error"]))
    return verdict


def _on_error(spec: HookSpec, event: Event, message: str, ran: RunResult) -> Verdict:
    """Apply the hook's ``on_error``: the table of the contract."""
    if ran.timed_out and ran.failure is None:
        message = f"hook timed out after {round(spec.timeout * 1000)} ms"
    could_not_run = ran.could_not_run or message
    verdict = Verdict("error", could_not_run=could_not_run, diagnostics=ran.diagnostics)
    warned = verdict._replace(warnings=(message,))
    if event.kind in REFUSABLE:
        if spec.on_error == "block":
            blocked = _block(event, f"hook {spec.id} errored: {message}", None)
            return blocked._replace(label="error", could_not_run=could_not_run, warnings=(message,))
    elif event.kind == "tool.post":
        if spec.on_error == "block":
            return warned._replace(error=Operation("replace", f"hook {spec.id}: {message}"))
    else:
        return warned  # there is nothing to decide: logged whatever on_error is
    if spec.on_error == "warn":
        return warned
    return verdict._replace(diagnostics=(*verdict.diagnostics, message))  # "allow" is silent in the log only


def _first(text: str) -> str:
    """Return the first 80 bytes of a text, cut at a character."""
    return text.encode("utf-8")[:80].decode("utf-8", "ignore")


def _notes(ran: RunResult, verdict: Verdict) -> list[str]:
    notes = list(ran.diagnostics)
    if ran.missing is not None:
        notes.append(f"{ran.missing} (exit status {ran.exit_status})")
    if ran.exit_status and ran.stdout.strip() and verdict.label in ("allow", "mutate", "block"):
        notes.append(f"exit status {ran.exit_status} is ignored: the JSON decides")
    return notes
