"""jcode's hooks: shell text at six events, one by one, each on what the earlier ones changed.

Source: the public cnjack/jcode repository, pull request 114 at a83871f. Divergences: L-JCODE-001 and
on in docs/divergences.md. ``sandhook.hooks.continuation`` has the loop that Stop hooks belong to.
"""

from __future__ import annotations

from sandhook.hooks.contracts._packaged import PackagedContract
from sandhook.hooks.contracts.jcode.names import EVENTS
from sandhook.hooks.fold import FoldPolicy


class Jcode(PackagedContract):
    """The contract; it has no state."""

    name = "jcode"
    events = EVENTS
    refusable = frozenset({"tool.pre", "prompt.submit"})
    #: One by one; rewrites are chained, but matchers test the original event; a refusal ends the chain.
    fold = FoldPolicy(
        chained=True,
        matchers_see_changes=False,
        stop_on_refusal=True,
        reasons="first",
        contexts="join",
        replacements="chain",
        survive_refusal=False,
        context_survives_refusal=True,
    )


CONTRACT = Jcode()
