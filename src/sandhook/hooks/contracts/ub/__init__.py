"""ub's hooks: programs with arguments, whose exit status alone counts.

Source: the public feimingxliu/ub repository, package internal/hook v0.3.8. Divergences: L-UB-001
and on in docs/divergences.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sandhook.hooks.contracts import Answer, BaseContract, Document
from sandhook.hooks.contracts.ub.names import EVENTS
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from sandhook.hooks.contracts import Layer, Loaded, LoadOptions
    from sandhook.hooks.event import Event, Json
    from sandhook.hooks.model import Decision, HookSpec, Ran, Request, Verdict


class Ub(BaseContract):
    """The contract; it has no state."""

    name = "ub"
    events = EVENTS
    refusable = frozenset({"tool.pre"})
    #: One by one, all of them, also behind one that blocks; nothing is rewritten.
    fold = FoldPolicy(chained=False, stop_on_refusal=False, reasons="first")

    def layers(self, cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
        from sandhook.hooks.contracts.ub.config import layers

        return layers(cwd, env, platform)

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        """Expand the variables of a config.yaml and decode it."""
        from sandhook.hooks.contracts.ub.config import expand
        from sandhook.hooks.yaml import decode_yaml

        expanded, warnings = expand(text, env)
        document = decode_yaml(expanded, name)
        return document._replace(contract=self.name, text=text, diagnostics=warnings)

    def load(self, documents: Sequence[Document], options: LoadOptions) -> Loaded:
        from sandhook.hooks.contracts.ub.config import load

        return load(documents, options)

    def request(self, spec: HookSpec, event: Event, compat: str) -> Request:
        from sandhook.hooks.contracts.ub.payload import request

        return request(spec, event, compat)

    def decode(self, spec: HookSpec, event: Event, ran: Ran, compat: str) -> Verdict:
        from sandhook.hooks.contracts.ub.result import decode

        return decode(spec, event, ran, compat)

    def event(self, name: str, payload: Json) -> Event:
        from sandhook.hooks.contracts.ub.payload import event

        return event(name, payload)

    def message(self, decision: Decision, event: Event) -> str:
        """Return what the model sees in place of the refused call."""
        tool = event.tool.name if event.tool is not None else ""
        return f"pre_tool_call hook blocked {tool}: {decision.reason or ''}"

    def answer(self, decision: Decision, event: Event) -> Answer:
        from sandhook.hooks.contracts.ub.forms import answer

        return answer(decision, event)

    def schema(self) -> Json:
        from sandhook.hooks.contracts.ub.forms import SCHEMA

        return SCHEMA

    def render(self, specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
        from sandhook.hooks.contracts.ub.forms import render

        return render(specs)

    def facts(self) -> Mapping[str, str]:
        from sandhook.hooks.contracts.ub.facts import FACTS

        return FACTS


CONTRACT = Ub()
