"""Crush's hooks: shell text before every tool call, run in parallel, folded in config order.

Source: the public Crush repository at 37f36e9 (2026-08-21). What its authors plan (context files,
sub-agents, UserPromptSubmit) is here in better mode. Divergences: L-CRUSH-001 and on in
docs/divergences.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sandhook.hooks.contracts import Answer, BaseContract, Document
from sandhook.hooks.contracts.crush.names import EVENTS, canonical
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from sandhook.hooks.contracts import Layer, Loaded, LoadOptions
    from sandhook.hooks.event import Event, Json
    from sandhook.hooks.model import Decision, HookSpec, Ran, Request, Verdict


class Crush(BaseContract):
    """The contract; it has no state."""

    name = "crush"
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

    def layers(self, cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
        from sandhook.hooks.contracts.crush.config import layers

        return layers(cwd, env, platform)

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        if name.endswith("crushrc"):
            from sandhook.hooks.contracts.crush.rc import run

            return Document(run(text, name), name, contract=self.name, text=text, lines={"": 1})
        return super().parse(text, name, env)

    def load(self, documents: Sequence[Document], options: LoadOptions) -> Loaded:
        from sandhook.hooks.contracts.crush.config import load

        return load(documents, options)

    def request(self, spec: HookSpec, event: Event, compat: str) -> Request:
        from sandhook.hooks.contracts.crush.payload import request

        return request(spec, event, compat)

    def decode(self, spec: HookSpec, event: Event, ran: Ran, compat: str) -> Verdict:
        from sandhook.hooks.contracts.crush.result import decode_run

        return decode_run(spec, event, ran, compat)

    def event(self, name: str, payload: Json) -> Event:
        from sandhook.hooks.contracts.crush.payload import event

        return event(name, payload)

    def event_name(self, payload: Json, env: Mapping[str, str]) -> str:
        return canonical(super().event_name(payload, env))

    def message(self, decision: Decision, event: Event) -> str:
        """Return what the model sees in place of the refused call."""
        if decision.halt:
            return f"Turn halted by hook. Reason: {decision.reason or ''}"
        if decision.kind == "prompt.submit":
            return decision.reason or ""
        return f"Tool call blocked by hook. Reason: {decision.reason or ''}"

    def answer(self, decision: Decision, event: Event) -> Answer:
        from sandhook.hooks.contracts.crush.answer import answer

        return answer(decision, event)

    def schema(self) -> Json:
        from sandhook.hooks.contracts.crush.schema import SCHEMA

        return SCHEMA

    def render(self, specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
        from sandhook.hooks.contracts.crush.render import render

        return render(specs)

    def facts(self) -> Mapping[str, str]:
        from sandhook.hooks.contracts.crush.facts import FACTS

        return FACTS


CONTRACT = Crush()
