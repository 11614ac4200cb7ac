"""Hermes Agent's shell hooks: flat lists of config.yaml, programs without a shell, one after the other.

Source: agent/shell_hooks.py and the hooks guide of the public repository (September 2026), and the package hermes-agent
0.19.0, which is older: there no exit status refuses. Divergences: L-HERMES-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.hermes.names import BLOCKED, EVENTS
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandhook.hooks.contracts import Answer, Document
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision


class Hermes(Agent):
    """The contract; it has no state."""

    name = "hermes"
    title = "Hermes Agent"
    has_own_format = True
    events = EVENTS
    refusable = frozenset({"tool.pre"})
    #: One by one, all of them; the first refusal gives the reason.
    fold = FoldPolicy(chained=False, stop_on_refusal=False, survive_refusal=False, dedupe="text")

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        """Decode config.yaml."""
        from sandhook.hooks.yaml import decode_yaml

        return decode_yaml(text, name)._replace(contract=self.name)

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of a refused call, or with which it continues."""
        return decision.reason or BLOCKED

    def refuse(self, reason: str) -> Answer:
        """Return an object that blocks, for versions in which no exit status does, with the status 2."""
        from sandhook.hooks.contracts import Answer
        from sandhook.hooks.decode import encode

        printed = encode({"action": "block", "message": reason}).encode()
        return Answer(stdout=printed + b"\n", stderr=reason.encode("utf-8", "replace") + b"\n", exit_status=2)


CONTRACT = Hermes()
