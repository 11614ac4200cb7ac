"""Fold verdicts to one decision, by a policy that is data.

Verdicts are folded in config order, never in the order in which hooks finish.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.hooks.event import Event, ToolResult
from sandhook.hooks.model import (
    PERMISSIONS,
    Context,
    ContextFile,
    Decision,
    Operation,
    Permission,
    Placement,
    Verdict,
)
from sandhook.record import Record
from sandhook.typed import Literal

#: Which hooks of one event count as the same.
Dedupe = Literal["", "text", "source"]

#: Which reasons of several hooks that refuse remain.
Reasons = Literal["first", "last", "join"]

#: How an agent makes one output of several.
Merge = Literal["", "reasons", "last stop", "fields"]


class FoldPolicy(Record):
    """How an agent composes its hooks.

    Attributes:
        parallel: Hooks run at the same time where their executor allows it; excludes ``chained`` and
            ``stop_on_refusal``.
        chained: Each hook, and its matcher, sees what earlier hooks changed; else every hook sees the
            original event.
        matchers_see_changes: With ``chained``: matchers test the changed event too.
        stop_on_refusal: The first refusal ends the chain.
        strict_managed_first: With ``parallel``, in strict mode: hooks of the organisation run before all others, which
            do not run if one of them refuses.
        strict_stop_on_ask: In strict mode the first "ask" does, too.
        strict_overrides: In strict mode the last verdict that ``overrides`` sets the permission.
        strict_first_override: In strict mode the first verdict that ``overrides`` silences the later ones that do; unless
            it allows, nothing changes the input.
        strict_void: In strict mode a verdict "void" takes the effect of all: the agent fails when it joins the outputs.
        precedence: Permissions, strongest first.
        reasons: "first" keeps the first refusing hook's reason, "last" the last one's, "join" joins theirs by
            newlines.
        strict_reasons: The same as the agent does it, for strict mode; "" when ``reasons`` is that.
        strict_merge: In strict mode the outputs are one before anything is decided. "reasons": its reason has those of
            all hooks, or else of those that halt and override. "last stop": of these the last one's, and overriding is
            enough. "fields": the last decision and the last reason count.
        no_reason: What stands for a reason that is missing; it goes when another hook has one.
        user_messages: "first" or "join", as for ``reasons``.
        contexts: "join" joins texts of one placement by newlines, "list" keeps them apart.
        replacements: "chain" applies every operation in order, "last" only the last one, "first" only the first.
        survive_refusal: Earlier hooks' operations on the input and the prompt apply although a later hook
            refuses; operations on a result always apply.
        context_survives_refusal: Earlier hooks' context and context files stay although a later hook refuses.
        dedupe: "text": hooks with equal text and arguments run once per event. "source": only those of one
            source count as equal. "": every hook runs.
        result_ends_context: What earlier hooks added goes when a later hook replaces the result.
        background: Whether the context and notes of background hooks reach the next event: "deliver" or
            "discard".
        race: Upstream the hook that finishes last wins; two hooks that replace the same value are reported
            in a diagnostic.
    """

    parallel: bool = False
    chained: bool = True
    matchers_see_changes: bool = True
    stop_on_refusal: bool = True
    strict_managed_first: bool = False
    strict_stop_on_ask: bool = False
    strict_overrides: bool = False
    strict_first_override: bool = False
    strict_void: bool = False
    precedence: tuple[Permission, ...] = PERMISSIONS
    reasons: Reasons = "first"
    strict_reasons: Reasons | Literal[""] = ""
    strict_merge: Merge = ""
    no_reason: str = ""
    user_messages: Literal["first", "join"] = "first"
    contexts: Literal["join", "list"] = "list"
    replacements: Literal["chain", "last", "first"] = "chain"
    survive_refusal: bool = True
    context_survives_refusal: bool = True
    result_ends_context: bool = False
    dedupe: Dedupe = ""
    background: Literal["discard", "deliver"] = "discard"
    race: bool = False


class Fold:
    """Collects verdicts in config order and folds them to a Decision.

    Attributes:
        event: The event for the next hook.
        matched_against: The event for the next hook's matcher.
        stopped: A refusal ended the chain.
        goes_on_in: The layer whose hooks run all the same: the verdict "policy failed" of the organisation's ends no chain of
            theirs before a prompt and a stop.
    """

    def __init__(self, policy: FoldPolicy, event: Event, *, strict: bool = False) -> None:
        if strict and policy.strict_reasons:
            policy = policy._replace(reasons=policy.strict_reasons)
        self.policy = policy
        self.event = event
        self.matched_against = event
        self.stopped = False
        self.goes_on_in = ""
        self._stops_on_ask = strict and policy.strict_stop_on_ask
        self._overrides = strict and policy.strict_overrides
        self._first_overrides = strict and policy.strict_first_override
        self._voids = strict and policy.strict_void
        self._merge: Merge = policy.strict_merge if strict else ""
        self._verdicts: list[tuple[str, Verdict]] = []

    def add(self, hook_id: str, verdict: Verdict) -> None:
        """Add the verdict of one hook that ran."""
        self._verdicts.append((hook_id, verdict))
        if self.policy.chained:
            self.event = _changed(self.event, verdict)
            if self.policy.matchers_see_changes:
                self.matched_against = self.event
        if verdict.intervenes and self.policy.stop_on_refusal:
            self.stopped = True
            self.goes_on_in = (
                "managed" if verdict.label == "policy failed" and verdict.permission == "none" else ""
            )
        elif verdict.label == "policy failed":
            self.stopped = True
        if self._stops_on_ask and verdict.permission == "ask":
            self.stopped = True

    def stop_if_refused(self) -> None:
        """End the chain if a hook of the organisation refuses; the model then gets no context of any of them."""
        self.stopped = self.stopped or any(verdict.refuses for _, verdict in self._verdicts)
        if self.stopped:
            self.policy = self.policy._replace(context_survives_refusal=False)

    def decision(self) -> Decision:
        """Return the decision of all verdicts that were added, without the event's names and outcomes."""
        if not self._verdicts:
            return Decision(self.event.kind)
        verdicts = [verdict for _, verdict in self._verdicts]
        if self._voids and any(verdict.label == "void" for verdict in verdicts):
            verdicts = [Verdict("void") for _ in verdicts]
        if self._first_overrides:
            verdicts = _without_later_overrides(verdicts)
        if self._merge:
            verdicts = _merged(verdicts, self._merge, self.policy.no_reason)
        refusing = [verdict for verdict in verdicts if verdict.refuses]
        if self._first_overrides:  # the reason is that of a decision, whatever statuses have
            refusing = [verdict for verdict in refusing if verdict.overrides] or refusing
        deciding = refusing or [verdict for verdict in verdicts if verdict.force_continue]
        deciding = [verdict for verdict in deciding if verdict.label != "policy failed"] or deciding
        policy = self.policy
        input_: tuple[Operation, ...] = ()
        prompt: tuple[Operation, ...] = ()
        context: Context = ()
        files: tuple[ContextFile, ...] = ()
        if not refusing or policy.survive_refusal:
            input_ = self._operations([verdict.input for verdict in verdicts])
            prompt = self._operations([verdict.prompt for verdict in verdicts])
        if not refusing or policy.context_survives_refusal:
            at = [number for number, each in enumerate(verdicts) if each.result is not None]
            context = self._context(verdicts[at[-1] if at and policy.result_ends_context else 0 :])
            files = tuple(dict.fromkeys(file for verdict in verdicts for file in verdict.context_files))
        return Decision(
            self.event.kind,
            permission=self._permission(verdicts),
            block=any(verdict.block for verdict in verdicts),
            halt=any(verdict.halt for verdict in verdicts),
            force_continue=any(verdict.force_continue for verdict in verdicts),
            reason=_joined(policy.reasons, [verdict.reason for verdict in deciding], policy.no_reason),
            user_message=_joined(policy.user_messages, [verdict.user_message for verdict in deciding]),
            system_message=_joined("join", [verdict.system_message for verdict in verdicts]),
            input=input_,
            prompt=prompt,
            # the tool ran: changes of its result stay, whatever a later hook decides
            result=self._operations([verdict.result for verdict in verdicts]),
            error=self._operations([verdict.error for verdict in verdicts]),
            context=context,
            context_files=files,
            could_not_run=tuple(hook_id for hook_id, verdict in self._verdicts if verdict.could_not_run),
            extras={key: value for verdict in verdicts for key, value in (verdict.extras or {}).items()}
            or None,
            diagnostics=tuple(self._races()) if policy.race and len(verdicts) > 1 else (),
        )

    def _permission(self, verdicts: list[Verdict]) -> Permission:
        if self._overrides:
            overriding = [verdict.permission for verdict in verdicts if verdict.overrides]
            if overriding and overriding[-1] != "none":
                return overriding[-1]
            verdicts = [verdict for verdict in verdicts if not verdict.overrides]
        permissions = {verdict.permission for verdict in verdicts}
        return next((each for each in self.policy.precedence if each in permissions), "none")

    def _operations(self, changes: list[Operation | None]) -> tuple[Operation, ...]:
        operations = tuple(operation for operation in changes if operation is not None)
        kept = {"chain": operations, "last": operations[-1:], "first": operations[:1]}
        return kept[self.policy.replacements]

    def _context(self, verdicts: list[Verdict]) -> Context:
        entries = [entry for verdict in verdicts for entry in verdict.context]
        if self.policy.contexts == "list":
            return tuple(entries)
        places: dict[Placement, list[str]] = {}
        for text, place in entries:
            places.setdefault(place, []).append(text)
        return tuple(("\n".join(texts), place) for place, texts in places.items())

    def _races(self) -> list[str]:
        writers: dict[str, list[str]] = {"input": [], "prompt": [], "result": []}
        for hook_id, verdict in self._verdicts:
            changes = (("input", verdict.input), ("prompt", verdict.prompt), ("result", verdict.result))
            for name, operation in changes:
                if operation is not None and operation.kind == "replace":
                    writers[name].append(hook_id)
        return [
            f"race: {', '.join(hook_ids)} all replace the {name}; the last to finish wins upstream"
            for name, hook_ids in writers.items()
            if len(hook_ids) > 1
        ]


def _without_later_overrides(verdicts: list[Verdict]) -> list[Verdict]:
    first = next((each for each in verdicts if each.overrides), None)
    kept = [
        each if each is first or not each.overrides else each._replace(permission="none", reason=None)
        for each in verdicts
    ]
    if first is None or first.permission == "allow":
        return kept
    return [each._replace(input=None) for each in kept]


def _merged(verdicts: list[Verdict], how: Merge, no_reason: str) -> list[Verdict]:
    """Return the verdicts as if the agent had read one output, whose reason the first has that decides."""
    if how == "fields":
        last = max((number for number, each in enumerate(verdicts) if each.overrides), default=-1)
        verdicts = [
            each if each.halt or number >= last else each._replace(label="none", block=False)
            for number, each in enumerate(verdicts)
        ]
    if len(verdicts) > 1:  # reasons that are joined are a text
        verdicts = [
            each._replace(label="block", halt=False, force_continue=True) if each.label == "unsent" else each
            for each in verdicts
        ]
    acting = [each for each in verdicts if each.intervenes or _replaces_by_reason(each)]
    stopping = [each for each in verdicts if each.overrides and (each.halt or how == "last stop")]
    if how == "last stop":
        stopping = stopping[-1:]
    reasons = [each.reason for each in stopping or verdicts if each.reason and each.reason != no_reason]
    reason = _joined("last" if how == "fields" else "join", reasons) or no_reason
    merged = []
    for each in verdicts:
        if each in acting:
            own = reason if each is acting[0] else None
            result = Operation("replace", reason) if _replaces_by_reason(each) else each.result
            each = each._replace(reason=own, result=result)
        merged.append(each)
    return merged


def _replaces_by_reason(verdict: Verdict) -> bool:
    return verdict.label == "block" and verdict.result is not None


def _joined(how: Reasons, texts: Sequence[str | None], no_reason: str = "") -> str | None:
    if how != "join":
        return (texts[0] if how == "first" else texts[-1]) if texts else None
    words = [text for text in texts if text]
    return "\n".join([text for text in words if text != no_reason] or words[:1]) or None


def _changed(event: Event, verdict: Verdict) -> Event:
    """Return the event as the next hook sees it, where hooks are chained."""
    if verdict.input is not None and event.tool is not None:
        event = event.with_(tool=event.tool._replace(input=verdict.input.apply(event.tool.input)))
    if verdict.prompt is not None and event.prompt is not None:
        event = event.with_(prompt=str(verdict.prompt.apply(event.prompt)))
    if verdict.result is not None or verdict.error is not None:
        result = event.result or ToolResult()
        value = verdict.result.apply(result.value) if verdict.result is not None else result.value
        error = verdict.error.apply(result.error) if verdict.error is not None else result.error
        event = event.with_(result=ToolResult(value, None if error is None else str(error)))
    return event
