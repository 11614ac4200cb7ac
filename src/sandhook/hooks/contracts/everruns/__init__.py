"""Everruns' user hooks: six events, a bash command, a JSON answer, ``on_error`` for the rest.

Source: the public everruns repository (capability ``user_hooks``) and its documentation; the
local file form is yolop's. Divergences: L-EVERRUNS-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sandhook.hooks.contracts import Layer
from sandhook.hooks.contracts._packaged import PackagedContract
from sandhook.hooks.contracts.everruns.names import EVENTS, REFUSABLE
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision


class Everruns(PackagedContract):
    """The contract; it has no state."""

    name = "everruns"
    events = EVENTS
    refusable = REFUSABLE
    own_limits = frozenset({"output_bytes"})
    #: One by one. Each hook sees, and is matched against, what earlier hooks changed. The first block
    #: ends the chain; changes before it stay.
    fold = FoldPolicy(
        chained=True,
        matchers_see_changes=True,
        stop_on_refusal=True,
        reasons="first",
        user_messages="first",
        contexts="list",
        replacements="chain",
        survive_refusal=True,
        context_survives_refusal=True,
    )

    def layers(self, cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
        """Return the files of the local form: the user's, then the workspace's."""
        home = env.get("USERPROFILE" if platform == "win32" else "HOME", "")
        base = env.get("XDG_CONFIG_HOME") or f"{home}/.config"
        if platform == "win32":
            base = env.get("APPDATA") or f"{home}/AppData/Roaming"
        elif platform == "darwin":
            base = f"{home}/Library/Application Support"
        return (Layer("user", f"{base}/yolop/hooks.json"), Layer("project", f"{cwd}/.agents/hooks.json"))

    def message(self, decision: Decision, event: Event) -> str:
        """Return what the agent shows instead of a refused call or prompt."""
        reason = decision.reason or ""
        if decision.kind == "tool.pre":
            return f"blocked by pre_tool_use hook: {reason}"
        return decision.user_message or reason


CONTRACT = Everruns()
