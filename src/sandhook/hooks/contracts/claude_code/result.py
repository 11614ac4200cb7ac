"""The meaning of a run of a Claude Code hook.

The exit status 2 comes first. A valid JSON object counts whatever the exit status is. Plain text counts
on few events. Everything else is an error, and the agent continues.
"""

from __future__ import annotations

from sandhook.hooks.contracts._claude_shape import Printed, after_banner, read_output
from sandhook.hooks.contracts._exit_2_heuristic import looks_accidental
from sandhook.hooks.contracts._outcome import without_approval, words_of
from sandhook.hooks.contracts._reading.languages import as_read
from sandhook.hooks.contracts.claude_code import reply
from sandhook.hooks.contracts.claude_code.accepted_fields import capped, invalid, unheard
from sandhook.hooks.contracts.claude_code.apply import effect, obeyed, place
from sandhook.hooks.contracts.claude_code.names import NO_WORDS, ROWS
from sandhook.hooks.contracts.claude_code.profile import Profile
from sandhook.hooks.decode import object_of, text_of
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.model import HookSpec, RunResult, Verdict


def decode(spec: HookSpec, event: Event, ran: RunResult, profile: Profile) -> Verdict:
    """Return what a run means for this event."""
    if ran.timed_out and ran.script_status is not None:  # the agent does not wait for the child
        ran = ran._replace(exit_status=ran.script_status, limit=None)
    return as_read(ran, "javascript", lambda each: _decode(spec, event, each, profile), strict=profile.strict)


def _decode(spec: HookSpec, event: Event, ran: RunResult, profile: Profile) -> Verdict:
    notes = list(ran.diagnostics)
    verdict = _decoded(spec, event, ran, profile, notes)
    if ran.script_status is not None and not spec.background:
        verdict = _held(spec, ran, verdict, notes, strict=profile.strict)
    if spec.background:
        verdict = _background(spec, ran, verdict, profile, notes)
    return verdict._replace(diagnostics=tuple(notes))


def _decoded(spec: HookSpec, event: Event, ran: RunResult, profile: Profile, notes: list[str]) -> Verdict:
    name, type_ = spec.native_event, (spec.extras or {}).get("type", "command")
    words = words_of(ran)
    exit_2 = ran.exit_status == 2 and ran.limit is None and ran.failure is None and ran.signal is None
    broken = ran.could_not_run is not None and not exit_2
    if broken and (ran.failure is not None or ran.timed_out or ran.cancelled or ran.truncated):
        return _not_run(spec, event, ran, notes)
    if type_ in ("prompt", "agent"):
        return _not_run(spec, event, ran, notes) if broken else reply.decode(spec, ran.stdout, profile, notes)
    if name == "WorktreeCreate" and type_ == "command":
        return _not_run(spec, event, ran, notes) if broken else _worktree(ran, words, profile, notes)
    printed = Printed(None, "") if ran.truncated else read_output(ran.stdout)
    notes.extend(printed.notes)
    wrong = None if printed.value is None else invalid(name, printed.value)
    if wrong is not None:
        notes.append(f"the whole output is invalid: {wrong}")
    elif printed.value is not None:
        notes.extend(unheard(name, printed.value))
    printed_verdict = (
        None if printed.value is None or wrong else obeyed(name, event, printed.value, profile, notes)
    )
    waits = printed.value is not None and printed.value.get("async") is True
    if printed_verdict is not None and waits and (profile.strict or not printed_verdict.intervenes):
        printed_verdict = Verdict("none")
    if exit_2 and profile.strict and printed_verdict is not None and _is_of_another(name, printed.value):
        return printed_verdict
    if exit_2 and (wrong is None or profile.has("invalid_blocks")):
        return _exit_2(spec, event, ran, printed_verdict or Verdict(), notes)
    if broken:
        ended = _ended_by_signal(spec, ran, printed_verdict, profile)
        return ended or _broken(spec, event, ran, printed_verdict, notes)
    if printed_verdict is not None:
        if ran.exit_status:
            notes.append(f"exit status {ran.exit_status} is ignored with a JSON object")
        elif words:
            notes.append("standard error has no effect with exit status 0")
        return printed_verdict
    if wrong is not None:
        return _failure_verdict(
            spec,
            event,
            f"Hook JSON output validation failed: {wrong}",
            Verdict("error", undecodable=wrong),
            notes,
        )
    if printed.exceeded_bound:
        why = f"its output cannot be read: {printed.broken}"
        unread = Verdict("error", could_not_run=why, exceeded_bound=True, undecodable=printed.broken)
        return _failure_verdict(spec, event, why, unread, notes)
    if ran.exit_status:
        return _error(spec, event, ran, words, notes)
    if type_ == "http" and printed.text:
        why = "the answer is not a JSON object"
        return _failure_verdict(spec, event, why, Verdict("error", undecodable=why), notes)
    if printed.broken is not None and printed.text.endswith("}"):
        why = f"Hook output looks like a JSON object but is not valid JSON: {printed.broken}"
        notes.append("standard output begins and ends like an object and is not one: it has no effect")
        return _failure_verdict(spec, event, why, Verdict("error", undecodable=printed.broken), notes)
    return _text(spec, printed, words, profile, notes)


def _is_of_another(name: str, value: JsonObject | None) -> bool:
    """Return whether an output without a refusal is a valid one of another event, so that the agent fails on it."""
    written = object_of(value or {}, "hookSpecificOutput").get("hookEventName")
    if value is None or not isinstance(written, str) or written not in ROWS or written == name:
        return False
    return value.get("decision") != "block" and invalid(written, value) is None


# Endings.


def _ended_by_signal(
    spec: HookSpec, ran: RunResult, printed: Verdict | None, profile: Profile
) -> Verdict | None:
    """Return what a hook that a signal ended had printed, as the agent reads it; None if a failure counts."""
    if printed is None or ran.signal is None or spec.on_error == "block":
        return None
    if profile.strict:
        return printed._replace(could_not_run=ran.could_not_run)
    if printed.intervenes or printed.label == "feedback":
        return None
    return without_approval(printed, ran.could_not_run)


def _broken(
    spec: HookSpec, event: Event, ran: RunResult, printed_verdict: Verdict | None, notes: list[str]
) -> Verdict:
    """Read a run that ended badly after it printed an object: a refusal stays one.

    A missing command is an ordinary exit status upstream, so that all of the object counts.
    """
    whole = ran.limit is None and ran.signal is None
    refuses = printed_verdict is not None and (
        printed_verdict.intervenes or printed_verdict.label == "feedback"
    )
    if printed_verdict is None or not printed_verdict.decided or not (whole or refuses):
        return _not_run(spec, event, ran, notes)
    notes.append(f"the hook spoke, and then {ran.could_not_run}")
    return printed_verdict


def _not_run(spec: HookSpec, event: Event, ran: RunResult, notes: list[str]) -> Verdict:
    why = ran.could_not_run or ""
    notice = f"{spec.native_event} hook timed out after {spec.timeout:g} seconds" if ran.timed_out else None
    if notice:
        notes.append(f"timed out after {spec.timeout:g} seconds")
    verdict = Verdict("error", could_not_run=why, system_message=notice)
    if ran.exit_status == 127:
        notes.append(f"a command is missing, so the hook had no say: {why}")
    if spec.native_event == "PreModelSwitch" and ran.timed_out:
        return verdict._replace(label="block", block=True, reason=f"the hook {why}")
    if ran.signal is not None:
        why = words_of(ran) or NO_WORDS
    return _failure_verdict(spec, event, why, verdict, notes)


def _failure_verdict(spec: HookSpec, event: Event, why: str, verdict: Verdict, notes: list[str]) -> Verdict:
    """Apply ``onFailure``, and the rule that a failed hook makes no worktree."""
    name = spec.native_event
    if name == "WorktreeCreate":
        return verdict._replace(label="block", block=True, reason=why)
    if spec.on_error != "block":
        return verdict
    refusal = effect(name, event, f'failed; blocking because onFailure is "block"\n{why}', notes)
    return refusal._replace(
        could_not_run=verdict.could_not_run,
        exceeded_bound=verdict.exceeded_bound,
        undecodable=verdict.undecodable,
        system_message=refusal.system_message or verdict.system_message,
    )


def _exit_2(
    spec: HookSpec, event: Event, ran: RunResult, printed_verdict: Verdict, notes: list[str]
) -> Verdict:
    words = words_of(ran)
    name = spec.native_event
    if ran.syntax_error is not None:
        notes.append("the script does not parse: exit status 2 is bash's, not a decision")
    elif looks_accidental(words):
        notes.append("exit status 2 looks like a program's own error, not a decision")
    effect_of_2 = ROWS[name].on_exit_2
    if effect_of_2 == "ignored":
        notes.append(f"exit status 2 is ignored on {name}: it refuses nothing there")
        return (
            printed_verdict
            if printed_verdict.decided
            else printed_verdict._replace(label="error", could_not_run=ran.could_not_run)
        )
    if printed_verdict.halt and effect_of_2 != "halt":
        return printed_verdict
    reason = (printed_verdict.reason if printed_verdict.intervenes else None) or words or None
    if reason is None:
        notes.append("exit status 2 without a message on standard error: the reason is lost")
        reason = NO_WORDS if effect_of_2 in ("feedback", "go") else None
    verdict = effect(name, event, reason, notes)
    extras = {**(printed_verdict.extras or {}), **(verdict.extras or {})}
    if name in ("Elicitation", "ElicitationResult"):
        extras.pop("content", None)  # a refusal has no content
    return verdict._replace(
        context=(*verdict.context, *printed_verdict.context)
        if printed_verdict.context != verdict.context
        else verdict.context,
        extras=extras or None,
        system_message=verdict.system_message or printed_verdict.system_message,
        could_not_run=None if verdict.intervenes or verdict.decided else ran.could_not_run,
    )


def _error(spec: HookSpec, event: Event, ran: RunResult, words: str, notes: list[str]) -> Verdict:
    status = ran.exit_status
    if ROWS[spec.native_event].on_exit_2 not in ("ignored", "notice"):
        notes.append(f"exit status {status} is not a decision (2 refuses)")
    first = words.partition("\n")[0]
    return _failure_verdict(
        spec, event, words or NO_WORDS, Verdict("error", system_message=first or None), notes
    )


def _text(spec: HookSpec, printed: Printed, words: str, profile: Profile, notes: list[str]) -> Verdict:
    name, text = spec.native_event, printed.text
    if words:
        notes.append("standard error has no effect with exit status 0")
    if not text:
        return Verdict()
    why = printed.broken
    if why is not None:
        notes.append(f"standard output begins like JSON and is read as text: {why}")
    elif after_banner(text):
        why = "a JSON object follows other text"
        notes.append(f"{why}, so all of it is read as text: keep profiles from printing")
    elif text[0] in '["':
        notes.append("JSON that is not an object is read as text")
    if ROWS[name].stdout_is_context:
        context = ((capped(text, "standard output", notes, profile), place(name)),)
        return Verdict("context", context=context, undecodable=printed.broken)
    notes.append(f"plain text has no effect on {name}: print a JSON object, or exit with 2")
    return Verdict(undecodable=why or "standard output is plain text")


def _worktree(ran: RunResult, words: str, profile: Profile, notes: list[str]) -> Verdict:
    if ran.exit_status:
        reason = words or f"exit status {ran.exit_status}"
        return Verdict("block", True, block=True, reason=reason)
    value = None if ran.truncated else read_output(ran.stdout).value
    if value is not None and (why := _no_worktree(value, profile)) is not None:
        return Verdict("block", True, block=True, reason=why)
    text = "" if ran.truncated else _plain(ran.stdout.decode("utf-8", "replace"))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        notes.append("WorktreeCreate wants the path of the worktree on standard output")
        return Verdict("block", True, block=True, reason="the hook printed no path")
    if lines[-1].startswith("{"):
        notes.append("WorktreeCreate reads no JSON from a command: the last line is the path")
    return Verdict("path", True, extras={"worktreePath": lines[-1]})


def _no_worktree(value: JsonObject, profile: Profile) -> str | None:
    """Return why an object makes no worktree, or None; upstream takes the reason of a refusal for the path."""
    wrong = invalid("WorktreeCreate", value)
    if wrong is not None:
        return wrong
    if "hookSpecificOutput" in value and "worktreePath" not in object_of(value, "hookSpecificOutput"):
        return "hookSpecificOutput has no worktreePath"
    reason = text_of(value, "reason")
    if value.get("decision") == "block" and (reason is None or not profile.strict):
        return reason or "the hook printed no path"
    return None


def _plain(text: str) -> str:
    """Return a text without the sequences that colour a terminal."""
    import re

    return re.sub(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])", "", text)


# Hooks whose children keep their output open.

#: Events on which the agent takes what such a hook printed.
_TRUSTING = ("UserPromptSubmit", "SessionStart", "WorktreeCreate")
#: What the agent says of an output that grants, rewrites or injects: a document that comes later could take it back.
_SUSPECT = (
    "hook output parsed as a document that grants, rewrites or injects, but its stdio went quiet before end-of-stream "
    "and a dropped later document could have changed it; refusing to honor the suspect capture"
)


def _held(spec: HookSpec, ran: RunResult, verdict: Verdict, notes: list[str], *, strict: bool) -> Verdict:
    """Return what is left of an output that a child of the hook may still have added to."""
    name = spec.native_event
    if ran.exit_status == 2 or name in _TRUSTING:
        return verdict
    grants = verdict.permission == "allow" or bool(verdict.input or verdict.result or verdict.context)
    if name == "PreToolUse":
        refuses = verdict.permission == "deny" or verdict.halt or not grants
        if refuses:
            return verdict
        notes.append("a child of the hook kept its output open: the agent refuses the call")
        return Verdict("deny", True, permission="deny", reason=_SUSPECT)
    if not (grants or verdict.force_continue) or (not strict and verdict.intervenes):
        return verdict
    notes.append("a child of the hook kept its output open: the agent ignores what it printed")
    return Verdict("error", undecodable=_SUSPECT)


# Background hooks.


def _background(
    spec: HookSpec, ran: RunResult, verdict: Verdict, profile: Profile, notes: list[str]
) -> Verdict:
    """Return the context and notes of a background hook, without its decision."""
    wakes = bool((spec.extras or {}).get("asyncRewake")) and ran.exit_status == 2 and ran.limit is None
    decides = verdict.intervenes or verdict.permission != "none" or verdict.input or verdict.result
    if decides and not wakes:
        notes.append("a hook that runs in the background decides nothing")
    kept = Verdict(
        verdict.label,
        context=verdict.context,
        system_message=verdict.system_message,
        could_not_run=verdict.could_not_run,
        undecodable=verdict.undecodable,
    )
    if wakes:
        text = (ran.stderr.strip() or ran.stdout.strip()).decode("utf-8", "replace")
        return kept._replace(label="wake", context=((capped(text, "the wake-up", notes, profile), "wake"),))
    return kept
