"""GitHub Copilot's hooks, of its CLI, its cloud agent and Visual Studio Code: one by one; before a call a failed hook refuses.

Source: GitHub's hooks reference (late 2026), and runs of the CLI 1.0.102 (conformance/hooks/copilot/recorded); for Visual Studio Code its documentation of February 2026,
which is older. Divergences: L-COPILOT-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.copilot.names import ALIASES, EVENTS, NO_REASON
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandhook.hooks.contracts import Document
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision


class Copilot(Agent):
    """The contract; it has no state."""

    name = "copilot"
    title = "GitHub Copilot"
    has_own_format = True
    recorded = "1.0.102"
    reads_marked = False
    outranked_rules = "the rules of --deny-tool"
    events = EVENTS
    refusable = frozenset({"tool.pre", "permission.request", "prompt.submit"})
    #: One by one in the order of the configuration, up to the first refusal.
    fold = FoldPolicy(matchers_see_changes=False, reasons="first", contexts="join", strict_stop_on_ask=True)

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        """Decode a file of hooks, or Copilot's own settings, which are JSON5."""
        from sandhook.hooks.contracts._reading.comments import from_json5

        if name.endswith(("settings.json", "settings.local.json")) and ".claude" not in name:
            text = from_json5(text)
        return super().parse(text, name, env)

    def native_name(self, name: str) -> str:
        return ALIASES.get(name, name)

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of what was refused, or with which it continues."""
        reason = NO_REASON if decision.reason is None else decision.reason
        if event.kind == "tool.pre":
            return f"Denied by preToolUse hook: {reason}"
        if event.kind == "permission.request":
            return f"Permission denied by a PermissionRequest hook: {reason}"
        return reason


CONTRACT = Copilot()
