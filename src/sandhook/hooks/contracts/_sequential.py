"""What Gemini CLI and Qwen Code share, which comes from it: settings with comments, and ``sequential`` groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.match_budget import MatchBudget

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sandhook.hooks.contracts import Document
    from sandhook.hooks.event import Event
    from sandhook.hooks.fold import FoldPolicy
    from sandhook.hooks.model import HookSpec


class SequentialAgent(Agent, shared=True):
    """A contract whose groups run in parallel, or one by one if they say so.

    Attributes:
        sequential: How hooks compose one by one.
    """

    sequential: FoldPolicy

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        """Decode settings, which may have comments."""
        from sandhook.hooks.contracts._reading.comments import without_comments

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
