"""Antigravity CLI's hooks: bundles by name in hooks.json; before a call all but a decision refuses.

Source: Google's hooks documentation and the guide that comes with the CLI, at second hand, and tests by others of
versions 1.0.3 to 1.2.7; the CLI is closed source. Where they differ, the stricter reading holds. Divergences:
L-AGY-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.antigravity.names import EVENTS
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandhook.hooks.contracts import Answer
    from sandhook.hooks.event import Event, Json
    from sandhook.hooks.model import Decision


class Antigravity(Agent):
    """The contract; it has no state."""

    name = "antigravity"
    title = "Antigravity"
    events = EVENTS
    refusable = frozenset({"tool.pre"})
    #: One by one in the order of the configuration, up to the first refusal.
    fold = FoldPolicy(chained=False)

    def event_name(self, payload: Json, env: Mapping[str, str]) -> str:
        """Return the event of a payload that only one event has; the payload does not name its event."""
        from sandhook.hooks.contracts import ContractError

        if isinstance(payload, dict) and {"terminationReason", "executionNum", "fullyIdle"} & set(payload):
            return "Stop"
        raise ContractError(
            f"{self.name}: the payload of this agent does not name its event: name it on the command line"
        )

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of a refused call, or with which it continues."""
        return decision.reason or "Denied by a hook"

    def refuse(self, reason: str) -> Answer:
        """Return an object that denies: reports differ on what an exit status does."""
        from sandhook.hooks.contracts import Answer
        from sandhook.hooks.decode import encode

        return Answer(stdout=encode({"decision": "deny", "reason": reason}).encode() + b"\n")


CONTRACT = Antigravity()
