"""Factory Droid's hooks: Claude Code's nested form, all hooks of an event at once.

Source: the program 0.225.2, its code and runs of it (conformance/hooks/droid/recorded), and Factory's documentation of
July 2026. Divergences: L-DROID-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.droid.names import EVENTS
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandhook.hooks.contracts import Document
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision


class Droid(Agent):
    """The contract; it has no state."""

    name = "droid"
    title = "Factory Droid"
    recorded = "0.225.2"
    reads_marked = False
    outranked_rules = "the rules of commandDenylist"
    has_own_format = True
    events = EVENTS
    refusable = frozenset({"tool.pre", "prompt.submit"})
    #: All at once on the original event; the first in the configuration decides upstream.
    fold = FoldPolicy(
        parallel=True,
        chained=False,
        stop_on_refusal=False,
        reasons="join",
        strict_reasons="first",
        replacements="first",
        survive_refusal=False,
        strict_first_override=True,
    )

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        """Decode settings, which may have comments."""
        from sandhook.hooks.contracts._reading.comments import without_comments

        return super().parse(without_comments(text), name, env)

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of a refused call, or with which it continues."""
        reason = decision.reason or "A hook refused."
        return f"Error: {reason}" if decision.kind == "tool.pre" and not decision.halt else reason


CONTRACT = Droid()
