"""Crush's hooks: shell text before every tool call, run in parallel, folded in config order.

Source: the public Crush repository at 37f36e9 (2026-08-21). Better mode has what its authors plan (context
files, sub-agents, UserPromptSubmit). Divergences: L-CRUSH-001 and on in
docs/divergences.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.hooks.contracts import Document
from sandhook.hooks.contracts._packaged import PackagedContract
from sandhook.hooks.contracts.crush.names import EVENTS, canonical
from sandhook.hooks.fold import FoldPolicy


class Crush(PackagedContract):
    """The contract; it has no state."""

    name = "crush"
    has_own_format = True
    events = EVENTS
    refusable = frozenset({"tool.pre", "prompt.submit"})
    #: In parallel on the original input; patches merge in config order; a refusal drops patches
    #: and context; the same command runs once.
    fold = FoldPolicy(
        parallel=True,
        chained=False,
        stop_on_refusal=False,
        reasons="join",
        user_messages="join",
        contexts="join",
        replacements="chain",
        survive_refusal=False,
        context_survives_refusal=False,
        dedupe="text",
    )

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        if name.endswith("crushrc"):
            from sandhook.hooks.contracts.crush.crushrc import run

            return Document(run(text, name), name, contract=self.name, text=text, lines={"": 1})
        if not text:  # upstream skips an empty file
            return Document({}, name, contract=self.name)
        return super().parse(text, name, env)

    def native_name(self, name: str) -> str:
        return canonical(name)


CONTRACT = Crush()
