"""Outcomes to one decision, by a policy that is data.

Results always compose in config order, never in the order in which hooks finish.
"""

from __future__ import annotations

from typing import Any

from sandhook.hooks.event import Event, ToolResult
from sandhook.hooks.model import PERMISSIONS, Operation, Verdict
from sandhook.record import Record


class FoldPolicy(Record):
    """How an agent composes its hooks.

    Attributes:
        parallel: Hooks run at the same time where their executor allows it; excludes ``chained`` and
            ``stop_on_refusal``.
        chained: A hook sees (and its matcher sees) what earlier hooks changed; else every hook sees
            the event as it was.
        matchers_see_changes: With ``chained``: matchers are asked about the changed event too.
        stop_on_refusal: The first refusal ends the chain.
        precedence: Permissions, strongest first.
        reasons: "first" keeps the first refusing hook's reason, "join" joins them all by newlines.
        user_messages: The same for the words to the user.
        contexts: "join" joins texts of one placement by newlines, "list" keeps them apart.
        replacements: "chain" applies every operation in order, "last" keeps the last one alone.
        survive_refusal: Operations of earlier hooks on the input and the prompt stay in force when a later
            hook refuses; those on a result always do.
        context_survives_refusal: The same for context and context files.
        dedupe: "" or "text": hooks with the same text and arguments run once per event; "source": so do
            those of one source, and other sources' stay.
        background: What hooks that ran in the background give to the next event: "discard" nothing, "deliver"
            their context and notes.
        race: Upstream takes whichever hook finishes last; two that replace the same thing get a
            diagnostic.
    """

    parallel: bool = False
    chained: bool = True
    matchers_see_changes: bool = True
    stop_on_refusal: bool = True
    precedence: tuple[str, ...] = PERMISSIONS
    reasons: str = "first"
    user_messages: str = "first"
    contexts: str = "list"
    replacements: str = "chain"
    survive_refusal: bool = True
    context_survives_refusal: bool = True
    dedupe: str = ""
    background: str = "discard"
    race: bool = False


class Fold:
    """Takes verdicts in config order and gives the fields of a Decision.

    Attributes:
        event: What the next hook sees.
        matched_against: What the next hook's matcher sees.
        stopped: A refusal ended the chain.
    """

    def __init__(self, policy: FoldPolicy, event: Event) -> None:
        self.policy = policy
        self.event = event
        self.matched_against = event
        self.stopped = False
        self._verdicts: list[tuple[str, Verdict]] = []

    def add(self, hook_id: str, verdict: Verdict) -> None:
        """Take what one hook gave; hooks that did not run are not given."""
        self._verdicts.append((hook_id, verdict))
        if self.policy.chained:
            self.event = _changed(self.event, verdict)
            if self.policy.matchers_see_changes:
                self.matched_against = self.event
        if verdict.intervenes and self.policy.stop_on_refusal:
            self.stopped = True

    def decision(self) -> dict[str, Any]:
        """Return keyword arguments of Decision for all that was added."""
        verdicts = [verdict for _, verdict in self._verdicts]
        refusing = [verdict for verdict in verdicts if verdict.refuses]
        speaking = refusing or [verdict for verdict in verdicts if verdict.force_continue]
        made: dict[str, Any] = {
            "permission": self._permission(verdicts),
            "block": any(verdict.block for verdict in verdicts),
            "halt": any(verdict.halt for verdict in verdicts),
            "force_continue": any(verdict.force_continue for verdict in verdicts),
            "reason": self._words(self.policy.reasons, [verdict.reason for verdict in speaking]),
            "user_message": self._words(
                self.policy.user_messages, [verdict.user_message for verdict in speaking]
            ),
            "system_message": self._words("join", [verdict.system_message for verdict in verdicts]),
            "could_not_run": tuple(each for each, verdict in self._verdicts if verdict.could_not_run),
        }
        kept = ["result", "error"]  # the tool ran: what was taken out of its result stays out
        if not refusing or self.policy.survive_refusal:
            kept += ["input", "prompt"]
        for name in kept:
            made[name] = self._operations([getattr(verdict, name) for verdict in verdicts])
        if not refusing or self.policy.context_survives_refusal:
            made["context"] = self._context(verdicts)
            files = (file for verdict in verdicts for file in verdict.context_files)
            made["context_files"] = tuple(dict.fromkeys(files))
        extras = {key: value for verdict in verdicts for key, value in (verdict.extras or {}).items()}
        if extras:
            made["extras"] = extras
        if self.policy.race:
            made["diagnostics"] = tuple(self._races())
        return made

    def _permission(self, verdicts: list[Verdict]) -> str:
        given = {verdict.permission for verdict in verdicts}
        return next((word for word in self.policy.precedence if word in given), "none")

    @staticmethod
    def _words(how: str, texts: list[str | None]) -> str | None:
        if how == "first":
            return texts[0] if texts else None
        said = [text for text in texts if text]
        return "\n".join(said) if said else None

    def _operations(self, given: list[Operation | None]) -> tuple[Operation, ...]:
        operations = tuple(operation for operation in given if operation is not None)
        return operations[-1:] if self.policy.replacements == "last" else operations

    def _context(self, verdicts: list[Verdict]) -> tuple[tuple[str, str], ...]:
        entries = [entry for verdict in verdicts for entry in verdict.context]
        if self.policy.contexts == "list":
            return tuple(entries)
        places: dict[str, list[str]] = {}
        for text, place in entries:
            places.setdefault(place, []).append(text)
        return tuple(("\n".join(texts), place) for place, texts in places.items())

    def _races(self) -> list[str]:
        found = []
        for name in ("input", "prompt", "result"):
            writers = [
                hook_id
                for hook_id, verdict in self._verdicts
                if (operation := getattr(verdict, name)) is not None and operation.kind == "replace"
            ]
            if len(writers) > 1:
                found.append(
                    f"race: {', '.join(writers)} all replace the {name}; the last to finish wins upstream"
                )
        return found


def _changed(event: Event, verdict: Verdict) -> Event:
    """Return the event as the next hook of a chain sees it."""
    changes: dict[str, Any] = {}
    if verdict.input is not None and event.tool is not None:
        changes["tool"] = event.tool._replace(input=verdict.input.apply(event.tool.input))
    if verdict.prompt is not None and event.prompt is not None:
        changes["prompt"] = verdict.prompt.apply(event.prompt)
    if verdict.result is not None or verdict.error is not None:
        result = event.result or ToolResult()
        value = verdict.result.apply(result.value) if verdict.result is not None else result.value
        error = verdict.error.apply(result.error) if verdict.error is not None else result.error
        changes["result"] = ToolResult(value, error)
    return event.with_(**changes) if changes else event
