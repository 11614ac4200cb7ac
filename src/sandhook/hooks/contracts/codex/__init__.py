"""Codex's hooks: Claude Code's nested form, read strictly, run all at once.

Source: the public hooks page of Codex (mid-2026), codex-rs/hooks, and runs of 0.171.0
(conformance/hooks/codex/recorded); SessionEnd, Interrupt and tool
handlers are documented only on the newest page. Divergences: L-CODEX-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.codex.names import EVENTS
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandhook.hooks.contracts import Document
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision


class Codex(Agent):
    """The contract; it has no state."""

    name = "codex"
    has_own_format = True
    title = "Codex"
    recorded = "0.171.0"
    agreeing = ("0.169.0",)
    reads_marked = False
    events = EVENTS
    refusable = frozenset({"tool.pre", "permission.request", "prompt.submit"})
    #: All in parallel on the original event; upstream the last rewrite to finish wins.
    fold = FoldPolicy(
        parallel=True,
        chained=False,
        stop_on_refusal=False,
        reasons="join",
        strict_reasons="first",
        replacements="last",
        survive_refusal=False,
        race=True,
    )

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        """Decode hooks.json, or the TOML of config.toml and requirements.toml."""
        if name.lower().endswith(".toml"):
            from sandhook.hooks.toml import decode_toml

            return decode_toml(text, name)._replace(contract=self.name)
        return super().parse(text, name, env)

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of what was refused."""
        reason = decision.reason or ""
        if event.kind == "tool.pre":
            return f"Tool call blocked by PreToolUse hook: {reason}"
        return reason or "A hook refused."


CONTRACT = Codex()
