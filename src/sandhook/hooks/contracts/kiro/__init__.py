"""Kiro's hooks: flat lists in an agent's JSON (Amazon Q and Kiro CLI 2), or files of .kiro/hooks (Kiro IDE and CLI 3).

Source: excerpts of their documentation and reports of users; the confidence is low. Divergences:
L-KIRO-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.kiro.names import EVENTS
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision


class Kiro(Agent):
    """The contract; it has no state."""

    name = "kiro"
    title = "Kiro"
    events = EVENTS
    refusable = frozenset({"tool.pre"})
    #: One by one, all of them.
    fold = FoldPolicy(chained=False, stop_on_refusal=False, reasons="join")

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of the refused call."""
        return decision.reason or "blocked by hook"


CONTRACT = Kiro()
