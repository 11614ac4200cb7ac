"""Cursor's hooks: flat lists per event in hooks.json, with a permission for what is about to happen.

Source: Cursor's page on hooks of others, and adapters of September 2026 that cite its documentation;
the official page was not read, so the confidence is medium. Divergences: L-CURSOR-001 and on in
docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.cursor.names import EVENTS
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision


class Cursor(Agent):
    """The contract; it has no state."""

    name = "cursor"
    title = "Cursor"
    events = EVENTS
    refusable = frozenset({"tool.pre", "prompt.submit", "subagent.start", "x.beforeTabFileRead"})
    #: All hooks run, and the strongest permission counts.
    fold = FoldPolicy(
        chained=False, stop_on_refusal=False, reasons="join", replacements="last", survive_refusal=False
    )

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of what was refused, or the user's next message."""
        return decision.reason or decision.user_message or "Blocked by a hook."


CONTRACT = Cursor()
