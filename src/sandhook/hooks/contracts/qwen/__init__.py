"""Qwen Code's hooks: groups per event in settings.json, in parallel or one by one, joined as one merged object.

Source: the package @qwen-code/qwen-code 0.24.4 (2026-09-22), its guide and its code in packages/core/src/hooks,
and runs of it (conformance/hooks/qwen/recorded). Divergences: L-QWEN-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._sequential import SequentialAgent
from sandhook.hooks.contracts.qwen.names import EVENTS, NO_REASON
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision, HookSpec


class Qwen(SequentialAgent):
    """The contract; it has no state."""

    name = "qwen"
    title = "Qwen Code"
    recorded = "0.24.4"
    has_own_format = True
    events = EVENTS
    refusable = frozenset(
        {
            *("tool.pre", "prompt.submit", "permission.request"),
            *("x.UserPromptExpansion", "x.PostToolBatch", "x.TodoCreated", "x.TodoCompleted"),
        }
    )
    #: In parallel on the original event, unless a group that matches is ``sequential``. All hooks run.
    fold = FoldPolicy(
        parallel=True,
        chained=False,
        stop_on_refusal=False,
        reasons="join",
        contexts="join",
        strict_void=True,
        dedupe="text",
        strict_overrides=True,
        no_reason=NO_REASON,
    )
    sequential = fold._replace(parallel=False, chained=True, matchers_see_changes=False)

    def fold_for(self, specs: Sequence[HookSpec], event: Event) -> FoldPolicy:
        """Return how hooks compose: around a call a ``permissionDecision`` is stronger than other words, elsewhere a stop reason."""
        policy = super().fold_for(specs, event)
        around = event.kind in ("tool.pre", "permission.request")
        return policy if around else policy._replace(strict_merge="last stop")

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of what was refused."""
        return decision.reason or NO_REASON


CONTRACT = Qwen()
