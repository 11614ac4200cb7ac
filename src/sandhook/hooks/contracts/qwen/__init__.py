"""Qwen Code's hooks: groups per event in settings.json, in parallel or one by one, joined as one merged object.

Source: the package @qwen-code/qwen-code 0.24.4 (2026-09-22), its guide and its code in packages/core/src/hooks,
and runs of it (conformance/hooks/qwen/recorded). Divergences: L-QWEN-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.qwen.names import EVENTS
from sandhook.hooks.fold import FoldPolicy
from sandhook.hooks.match_budget import MatchBudget

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sandhook.hooks.contracts import Document
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision, HookSpec


class Qwen(Agent):
    """The contract; it has no state."""

    name = "qwen"
    title = "Qwen Code"
    recorded = "0.24.4"
    has_own_format = True
    events = EVENTS
    refusable = frozenset(
        {
            *("tool.pre", "prompt.submit", "permission.request"),
            *("x.UserPromptExpansion", "x.PostToolBatch", "x.TodoCreated", "x.TodoCompleted"),
        }
    )
    #: In parallel on the original event, unless a group that matches is ``sequential``. All hooks run.
    fold = FoldPolicy(
        parallel=True,
        chained=False,
        stop_on_refusal=False,
        reasons="join",
        contexts="join",
        dedupe="text",
        strict_overrides=True,
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
        return decision.reason or "No reason provided"


CONTRACT = Qwen()
