"""Grok Build's hooks: Claude Code's form in files of their own; a failed hook lets the call pass.

Source: the package @xai-official/grok 1.0.41 (November 2026): the guide that its program has, and runs of it
(conformance/hooks/grok/recorded). Divergences: L-GROK-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.grok.names import EVENTS
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sandhook.hooks.contracts import Document
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision, HookSpec


class Grok(Agent):
    """The contract; it has no state."""

    name = "grok"
    title = "Grok Build"
    recorded = "1.0.41"
    reads_marked = False
    has_own_format = True
    events = EVENTS
    refusable = frozenset({"tool.pre", "prompt.submit"})
    #: One by one, the user's first, up to the first refusal; equal ones once. Each sees the original input.
    fold = FoldPolicy(
        chained=False,
        contexts="list",
        replacements="last",
        context_survives_refusal=False,
        dedupe="text",
    )
    #: After a call all of them run, and on a stop, where the reasons of all reach the model.
    all_run = fold._replace(stop_on_refusal=False, context_survives_refusal=True)
    on_stop = all_run._replace(reasons="join")

    def fold_for(self, specs: Sequence[HookSpec], event: Event) -> FoldPolicy:
        """Return how hooks of an event compose."""
        if event.kind in ("stop", "subagent.stop"):
            return self.on_stop
        return self.all_run if event.kind in ("tool.post", "tool.fail") else self.fold

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        """Decode a file of hooks, or the TOML of config.toml and of the organisation."""
        if not name.lower().endswith(".toml"):
            return super().parse(text, name, env)
        from sandhook.hooks.toml import decode_toml

        return decode_toml(text, name)._replace(contract=self.name)

    def native_name(self, name: str) -> str:
        from sandhook.hooks.contracts.grok.names import NAMES

        return NAMES.get(name, name)

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of a refused call, or with which it continues."""
        reason = decision.reason or "a hook refused"
        return f"Hook denied: {reason}" if decision.kind == "tool.pre" else reason


CONTRACT = Grok()
