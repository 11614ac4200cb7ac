"""Gemini CLI's hooks: groups per event in settings.json, in parallel or chained, JSON from either stream.

Source: the public Gemini CLI repository, docs/hooks and packages/core/src/hooks at 5411f11
(2026-08-21), and runs of 0.61.0 (conformance/hooks/gemini/recorded). Where its documentation and its code differ, the stricter reading holds. Divergences:
L-GEMINI-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._sequential import SequentialAgent
from sandhook.hooks.contracts.gemini.names import EVENTS, NO_REASON
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision, HookSpec


class Gemini(SequentialAgent):
    """The contract; it has no state."""

    name = "gemini"
    title = "Gemini CLI"
    recorded = "0.61.0"
    reads_marked = False
    has_own_format = True
    events = EVENTS
    refusable = frozenset({"tool.pre", "prompt.submit", "model.pre", "model.post"})
    #: In parallel on the original event, unless a group that matches is ``sequential``.
    fold = FoldPolicy(
        parallel=True,
        chained=False,
        stop_on_refusal=False,
        reasons="join",
        strict_merge="reasons",
        no_reason=NO_REASON,
        contexts="join",
        survive_refusal=False,
        dedupe="source",
    )
    sequential = fold._replace(parallel=False, chained=True, matchers_see_changes=False)

    def fold_for(self, specs: Sequence[HookSpec], event: Event) -> FoldPolicy:
        """Return how hooks compose: those around a request to the model replace what earlier ones said."""
        policy = super().fold_for(specs, event)
        return policy._replace(strict_merge="fields") if event.kind in ("model.pre", "model.post") else policy

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of what was refused."""
        reason = decision.reason or NO_REASON
        if decision.halt:
            return f"Agent execution stopped by hook: {reason}"
        return f"Tool execution blocked: {reason}" if event.kind == "tool.pre" else reason


CONTRACT = Gemini()
