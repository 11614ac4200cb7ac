"""The checks of what a whole hook prints, and of its exit statuses."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.hooks import contracts
from sandhook.hooks.checks.probe import Probe, has_effect, understands, with_computed
from sandhook.hooks.checks.reading import Act, printed_json, printed_text
from sandhook.hooks.checks.refusals import is_exit, said_alone, says_that_it_blocks
from sandhook.hooks.checks.rules import RuleId
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Json, JsonObject

#: Fields that some agent reads; an object without any of them has no effect.
_MEANS = frozenset(
    [
        "additionalContext",
        "additional_context",
        "block",
        "cancel",
        "context",
        "contextModification",
        "context_files",
        "continue",
        "decision",
        "followup_message",
        "errorMessage",
        "halt",
        "hookSpecificOutput",
        "modifiedResult",
        "overrideInput",
        "patch",
        "permission",
        "permissionDecision",
        "reason",
        "stopReason",
        "systemMessage",
        "updatedInput",
        "updated_input",
        "updated_prompt",
        "user_message",
    ]
)


class Results:
    """Checks the output and the exit statuses of one hook.

    Args:
        add: Receives a rule, a message, the script (None for the hook's own text) and a line.
    """

    def __init__(self, probe: Probe, add: Callable[[RuleId, str, str | None, int], None]) -> None:
        self.probe = probe
        self._add = add

    def check(self, acts: list[tuple[Act, str | None]], *, opaque: bool) -> None:
        """Check the output and the exit statuses of the whole hook."""
        probe = self.probe
        exits = [(int(act.words[1] or 0), act, own) for act, own in acts if is_exit(act)]
        objects = [
            (value, act, own)
            for act, own in acts
            if not act.captured and not act.to_stderr and (value := printed_json(act)) is not None
        ]
        refuses = any(probe.refuses(status) for status, _, _ in exits)
        for value, act, own in objects:
            refuses = probe.of_json(value).intervenes or refuses
            self._object(value, act, own)
        if not objects:
            self._plain(acts)
        if opaque or not probe.is_gate:
            return
        if not probe.refuses(2):
            if not (refuses or objects):
                self._statuses_without_effect(exits)
            return
        if refuses:
            for status, line, own in said_alone(acts, probe.refuses):
                said = f"it says that it blocks, and exit {status} does not refuse {probe.spec.native_event}"
                self._add("W-EXIT", f"{said}; exit 2 does", own, line)
            return
        for status, act, own in exits:
            if status:
                message = f"exit {status} does not refuse {probe.spec.native_event}; exit 2 does"
                self._add("W-EXIT", message, own, act.line)
                return
        for act, own in (pair for pair in acts if says_that_it_blocks(pair[0])):
            self._add("W-DENY", "it says that it blocks, and lets the action pass", own, act.line)
            return

    def _statuses_without_effect(self, exits: list[tuple[int, Act, str | None]]) -> None:
        """Report a script that refuses by its exit status alone, where the agent reads no exit status."""
        probe = self.probe
        advice = probe.refusal()
        if probe.spec.on_error == "block" or any(map(probe.refuses, range(1, 256))) or not advice:
            return
        for status, act, own in exits:
            if status:
                what = f"exit {status} does not refuse {probe.spec.native_event}: {probe.contract.name} refuses by no exit status"
                self._add("W-EXIT", f"{what}; to refuse, print {advice}", own, act.line)
                return

    def _object(self, value: JsonObject, act: Act, own: str | None) -> None:
        """Check one object that the hook prints."""
        verdict = self.probe.of_json(value)
        if not _MEANS & set(value):
            if verdict.refuses:
                name, native = self.probe.contract.name, self.probe.spec.native_event
                message = f"{name} refuses after an object without a decision on {native}"
                self._add("W-OUTPUT", message, own, act.line)
            return
        if verdict.overrides and verdict.permission == "allow":
            self._add("W-OVERRIDE", "an approval replaces the refusals of other hooks", own, act.line)
        outranked = self.probe.contract.outranked_rules
        if outranked and verdict.permission == "allow" and self.probe.is_gate:
            message = f"an approval also runs a call that {outranked} forbid"
            self._add("W-OVERRIDE", message, own, act.line)
        if value.get("continue") is False and verdict.force_continue:
            name, native = self.probe.contract.name, self.probe.spec.native_event
            message = f"{name} reads continue: false on {native} as a refusal to stop, and goes on working"
            self._add("W-CONTINUE", message, own, act.line)
        problem = verdict.could_not_run or verdict.undecodable
        if problem is None and has_effect(verdict):
            return
        native = self.probe.spec.native_event
        specific = value.get("hookSpecificOutput")
        if isinstance(specific, dict) and specific.get("hookEventName") != native:
            named = {**value, "hookSpecificOutput": {**specific, "hookEventName": native}}
            if has_effect(self.probe.of_json(named)):
                message = f'hookSpecificOutput needs "hookEventName": "{native}"; without it nothing is read'
                self._add("W-NAME", message, own, act.line)
                return
        name = self.probe.contract.name
        if any(other != name and understands(other, self.probe.spec, value) for other in contracts.names()):
            words = encode({key: item for key, item in value.items() if key in _MEANS})
            advice = self.probe.refusal()
            to_refuse = f"; to refuse, write {advice}" if advice else ""
            message = f"{words} is of another agent, and means nothing to {name} on {native}{to_refuse}"
            self._add("W-WORDS", message, own, act.line)
            return
        notes = self._certain_notes(value, verdict.diagnostics)
        if problem is not None or notes:
            self._add("W-OUTPUT", problem or notes[0], own, act.line)
        elif set(value) & _MEANS - {"continue", "reason"}:
            self._add(
                "W-OUTPUT", f"{name} makes nothing of it on {self.probe.spec.native_event}", own, act.line
            )

    def _certain_notes(self, value: JsonObject, notes: tuple[str, ...]) -> list[str]:
        """Return the notes that hold whatever the hook computes, where "x" stands for it."""
        certain = list(notes)
        others: tuple[Json, ...] = (True, 1, {}, []) if certain else ()
        for computed in others:
            other = with_computed(value, computed)
            if other == value:
                break
            same = self.probe.of_json(other).diagnostics
            certain = [note for note in certain if note in same]
        return certain

    def _plain(self, acts: list[tuple[Act, str | None]]) -> None:
        """Check plain text on standard output."""
        for act, own in acts:
            text = None if act.captured or act.to_stderr else printed_text(act)
            if text is None or not text.strip() or text.lstrip()[:1] in "{[":
                continue
            verdict = self.probe.verdict(text + "\n")
            problem = verdict.could_not_run or verdict.undecodable
            if verdict.could_not_run is not None:
                self._add("W-OUTPUT", f"text on standard output: {problem}", own, act.line)
            elif not has_effect(verdict):
                event = self.probe.spec.native_event
                self._add("N-TEXT", f"text on standard output has no effect on {event}", own, act.line)
            return
