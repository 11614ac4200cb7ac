"""goose's hooks: hooks.json of a plugin, one by one up to the first refusal, with a policy for failures.

Source: goose's hooks guide (September 2026) and the changes #9304 and #11449 of its repository. Divergences:
L-GOOSE-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.goose.names import EVENTS
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision


class Goose(Agent):
    """The contract; it has no state."""

    name = "goose"
    title = "goose"
    events = EVENTS
    refusable = frozenset({"tool.pre"})
    #: One by one in the order of the configuration, up to the first refusal.
    fold = FoldPolicy(chained=False)

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of a refused call, or with which it continues."""
        return decision.reason or "Blocked by a hook"


CONTRACT = Goose()
