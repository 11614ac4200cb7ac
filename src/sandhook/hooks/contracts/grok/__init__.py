"""Grok Build's hooks: Claude Code's form in files of their own; a failed hook lets the call pass.

Source: xAI's hooks page and the guide that comes with the CLI (late 2026), and a copy of the crate for hooks in public
forks, which may differ. Divergences: L-GROK-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.grok.names import EVENTS, GENERIC
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandhook.hooks.event import Event, Json
    from sandhook.hooks.model import Decision


class Grok(Agent):
    """The contract; it has no state."""

    name = "grok"
    title = "Grok Build"
    events = EVENTS
    refusable = frozenset({"tool.pre"})
    #: All hooks run, the user's first; equal ones once.
    fold = FoldPolicy(chained=False, stop_on_refusal=False, dedupe="text")

    def event_name(self, payload: Json, env: Mapping[str, str]) -> str:
        """Return the event that a payload names in snake case."""
        from sandhook.hooks.contracts.grok.names import SNAKE

        name = super().event_name(payload, env)
        return SNAKE.get(name, name)

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of a refused call, or with which it continues."""
        return decision.reason or GENERIC


CONTRACT = Grok()
