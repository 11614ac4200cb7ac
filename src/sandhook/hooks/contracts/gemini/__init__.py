"""Gemini CLI's hooks: groups per event in settings.json, in parallel or chained, JSON from either stream.

Source: the public Gemini CLI repository, docs/hooks and packages/core/src/hooks at 5411f11
(2026-08-21), and runs of 0.61.0 (conformance/hooks/gemini/recorded). Where its documentation and its code differ, the stricter reading holds. Divergences:
L-GEMINI-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.gemini.names import EVENTS
from sandhook.hooks.fold import FoldPolicy
from sandhook.hooks.match_budget import MatchBudget

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sandhook.hooks.contracts import Document
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision, HookSpec


class Gemini(Agent):
    """The contract; it has no state."""

    name = "gemini"
    title = "Gemini CLI"
    recorded = "0.61.0"
    has_own_format = True
    events = EVENTS
    refusable = frozenset({"tool.pre", "prompt.submit", "model.pre", "model.post"})
    #: In parallel on the original event, unless a group that matches is ``sequential``.
    fold = FoldPolicy(
        parallel=True,
        chained=False,
        stop_on_refusal=False,
        reasons="join",
        contexts="join",
        survive_refusal=False,
        dedupe="source",
    )
    sequential = fold._replace(parallel=False, chained=True, matchers_see_changes=False)

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        """Decode settings, which may have comments."""
        from sandhook.hooks.contracts._comments import without_comments

        return super().parse(without_comments(text), name, env)

    def fold_for(self, specs: Sequence[HookSpec], event: Event) -> FoldPolicy:
        """Return how hooks compose: one sequential group that matches makes all of them sequential."""
        budget = MatchBudget()
        for spec in specs:
            if (spec.extras or {}).get("sequential"):
                match = budget.check(spec.matcher, event)
                if match.matched or match.undecided:
                    return self.sequential
        return self.fold

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of what was refused."""
        reason = decision.reason or "No reason provided"
        if decision.halt:
            return f"Agent execution stopped by hook: {reason}"
        return f"Tool execution blocked: {reason}" if event.kind == "tool.pre" else reason


CONTRACT = Gemini()
