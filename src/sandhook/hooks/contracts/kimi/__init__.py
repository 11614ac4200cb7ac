"""Kimi Code's hooks: a list of config.toml, in parallel; one fault upstream drops the whole list.

Source: the package @moonshot-ai/kimi-code 2.1.0 (2026-09-23), its code in packages/agent-core-v2, and runs of it
(conformance/hooks/kimi/recorded). Divergences: L-KIMI-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.kimi.names import EVENTS
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandhook.hooks.contracts import Document
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision


class Kimi(Agent):
    """The contract; it has no state."""

    name = "kimi"
    title = "Kimi Code"
    recorded = "2.1.0"
    has_own_format = True
    events = EVENTS
    refusable = frozenset({"tool.pre", "prompt.submit"})
    #: In parallel; the first refusal in the order of the configuration gives the reason.
    fold = FoldPolicy(
        parallel=True,
        chained=False,
        stop_on_refusal=False,
        contexts="list",
        context_survives_refusal=False,
        dedupe="text",
    )

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        """Decode config.toml, or the JSON manifest of a plugin."""
        if name.lower().endswith(".json"):
            return super().parse(text, name, env)
        from sandhook.hooks.toml import decode_toml

        return decode_toml(text, name)._replace(contract=self.name)

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of what was refused."""
        return decision.reason or f"Blocked by {decision.event or 'a'} hook"


CONTRACT = Kimi()
