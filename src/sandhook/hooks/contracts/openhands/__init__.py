"""OpenHands' hooks: one file of the project or of the user, one after the other, up to the first refusal.

Source: the packages openhands-sdk and openhands-tools 1.58.0, their code and runs of them
(conformance/hooks/openhands/recorded). Divergences: L-OPENHANDS-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.openhands.names import EVENTS, GENERIC, NAMES
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sandhook.hooks.event import Event, Json, JsonObject
    from sandhook.hooks.model import Decision, HookSpec


class OpenHands(Agent):
    """The contract; it has no state."""

    name = "openhands"
    title = "OpenHands"
    recorded = "1.58.0"
    agreeing = ("1.58.2",)
    events = EVENTS
    refusable = frozenset({"tool.pre", "prompt.submit"})
    #: One by one in the order of the configuration, up to the first refusal.
    fold = FoldPolicy(chained=False, contexts="join")
    #: After a call, and at the start and the end of a session, all of them run.
    all_run = fold._replace(stop_on_refusal=False)

    def fold_for(self, specs: Sequence[HookSpec], event: Event) -> FoldPolicy:
        """Return how hooks of an event compose."""
        return self.all_run if event.kind in ("tool.post", "session.start", "session.end") else self.fold

    def event_name(self, payload: Json, env: Mapping[str, str]) -> str:
        """Return the event that a payload names as ``event_type``."""
        name = payload.get("event_type") if isinstance(payload, dict) else None
        return name if isinstance(name, str) else super().event_name(payload, env)

    def native_name(self, name: str) -> str:
        return NAMES.get(name, name)

    def fitted(self, rendered: Json, present: Json, *, foreign: bool) -> Json:
        """Return the hooks with the file's own spelling of events, and outside of "hooks" if the others are there.

        OpenHands reads either the lists in "hooks" or those outside of it, and each event once.
        """
        hooks = rendered.get("hooks") if isinstance(rendered, dict) else None
        if not isinstance(hooks, dict) or not isinstance(present, dict):
            return rendered
        is_bare = "hooks" not in present and any(name in NAMES for name in present)
        known = present if is_bare else present.get("hooks")
        own: dict[str, str] = {name: name for name in hooks}
        for name in known if isinstance(known, dict) else ():
            if name in NAMES:
                own[NAMES[name]] = name
        spelled: JsonObject = {own[name]: entries for name, entries in hooks.items()}
        return spelled if is_bare else {"hooks": spelled}

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of a refused call, or with which it continues."""
        reason = decision.reason or GENERIC
        return f"Action rejected: {reason}" if decision.kind == "tool.pre" else reason


CONTRACT = OpenHands()
