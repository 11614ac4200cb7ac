"""Cline's hooks: files with the names of events, in four directories. The exit status of a hook does not count.

Source: the package cline 3.0.65 (@cline/core 0.0.86), its code and runs of it. The extension for Visual Studio Code is
another program. Divergences: L-CLINE-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.cline.names import BY_HOOK_NAME, EVENTS
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from sandhook.hooks.contracts import Answer, Document
    from sandhook.hooks.event import Event, Json
    from sandhook.hooks.model import Decision


class Cline(Agent):
    """The contract; it has no state."""

    name = "cline"
    title = "Cline"
    recorded = "3.0.65"
    has_own_format = True
    has_configuration = False
    reads_status = False
    events = EVENTS
    refusable = frozenset({"tool.pre"})
    #: One by one on the same call, all of them; the last changed input counts.
    fold = FoldPolicy(
        chained=False,
        stop_on_refusal=False,
        reasons="join",
        contexts="join",
        replacements="last",
        survive_refusal=False,
        context_survives_refusal=False,
    )

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        """Return the hook that a file is; an object with lists of hooks for a text of JSON."""
        if name.lower().endswith(".json") or not name:
            return super().parse(text, name, env)
        from sandhook.hooks.contracts.cline.config import of_file

        return of_file(text, name)

    def reads(self, file: str) -> bool:
        """Return whether a file is a hook, or has almost the name of one."""
        from sandhook.hooks.contracts.cline.config import is_hook, near

        return is_hook(file) or bool(near(file))

    def event_name(self, payload: Json, env: Mapping[str, str]) -> str:
        """Return the event that a payload names as ``hookName``."""
        name = payload.get("hookName") if isinstance(payload, dict) else None
        return name if isinstance(name, str) else super().event_name(payload, env)

    def native_name(self, name: str) -> str:
        return BY_HOOK_NAME.get(name, name)

    def message(self, decision: Decision, event: Event) -> str:
        """Return the reason, which Cline shows to nobody: the turn ends."""
        return decision.reason or "cancelled by a hook"

    def refuse(self, reason: str) -> Answer:
        """Return an object that cancels: Cline does not read the exit status."""
        from sandhook.hooks.contracts.cline.answer import cancelling

        return cancelling(reason)


CONTRACT = Cline()
