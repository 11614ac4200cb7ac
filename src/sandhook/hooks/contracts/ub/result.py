"""The meaning of a run of an ub hook: its exit status only. A pre_tool_call hook with
``on_failure: block`` refuses whenever it does not end with status 0; other hooks never refuse."""

from __future__ import annotations

from sandhook.hooks.contracts._reading.go import go_duration
from sandhook.hooks.event import Event
from sandhook.hooks.model import Compat, Decision, HookSpec, RunResult, Verdict


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    name = spec.executor.argv[0] if spec.executor.argv else ""
    notes = list(ran.diagnostics)
    if ran.truncated or ran.stderr_truncated:
        notes.append("output beyond 4096 bytes was dropped")
    if not name:
        return Verdict("error", could_not_run="hook command is empty", diagnostics=tuple(notes))
    why = ran._replace(truncated=False).could_not_run  # the output decides nothing, whole or cut
    if ran.timed_out:
        why = f"hook {name} timeout after {go_duration(spec.timeout)} (killed)"
    failed = why is not None or bool(ran.exit_status)
    if ran.failure is not None and compat == "strict":
        failed = False  # upstream counts what it could not encode as status 0
    if not failed:
        return Verdict("none", could_not_run=why, diagnostics=tuple(notes))
    # what never started has printed nothing: its text is that of the shell that tried
    words = ran.stderr.decode("utf-8", "replace").strip() if ran.spawned else ""
    ended = ran.spawned and (why is None or ran.missing is not None)
    status = ran.exit_status if ended else -1
    verdict = Verdict("failed", could_not_run=why, diagnostics=tuple(notes))
    if spec.on_error == "block" and spec.native_event == "pre_tool_call":
        reason = why if ran.timed_out and why is not None else words or f"hook {name} exit {status}"
        return verdict._replace(label="block", decided=why is None, permission="deny", reason=reason)
    warning = f"hook {name} exit {status}" if why is None else why
    return verdict._replace(warnings=(f"{warning}: {words}" if words else warning,))


def message(decision: Decision, event: Event) -> str:
    """Return the text that the model sees instead of the refused call."""
    tool = event.tool.name if event.tool is not None else ""
    return f"pre_tool_call hook blocked {tool}: {decision.reason or ''}"
