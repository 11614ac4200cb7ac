"""goose's hooks: hooks.json of a plugin, one by one up to the first refusal, with a policy for failures.

Source: the program of @aaif/goose-binary-linux-x64 1.52.0 and its runs, goose's hooks guide (September 2026) and the
changes #9304 and #11449 of its repository. Divergences: L-GOOSE-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.goose.names import EVENTS, GENERIC
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision


class Goose(Agent):
    """The contract; it has no state."""

    name = "goose"
    title = "goose"
    recorded = "1.52.0"
    reads_marked = False
    events = EVENTS
    refusable = frozenset({"tool.pre"})
    #: One by one in the order of the configuration, up to the first refusal.
    fold = FoldPolicy(chained=False)

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of a refused call, or with which it continues."""
        from sandhook.hooks.contracts.goose.config import plugin_of

        reason = decision.reason or GENERIC
        files = (each.spec.file for each in decision.outcomes if each.verdict.intervenes)
        name = plugin_of(next(files, "")) or "hooks"
        if decision.force_continue:
            return (
                f"Stop hook `{name}` blocked ending this turn:\n\n{reason}\n\n"
                "Address this policy hook denial before trying to stop again."
            )
        if (decision.extras or {}).get("cause") == "hook_failure":
            return (
                f"Tool call blocked because policy hook `{name}` could not complete: {reason}."
                " That hook is configured to block on failure."
            )
        return (
            f"Tool call denied by policy hook `{name}`: {reason}."
            " Do not retry; this is a policy denial, not a transient failure."
        )


CONTRACT = Goose()
