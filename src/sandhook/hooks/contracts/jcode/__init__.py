"""jcode's hooks: shell text at six events, one by one, each on what the earlier ones changed.

Source: the public cnjack/jcode repository, pull request 114 at a83871f. Divergences: L-JCODE-001 and
on in docs/divergences.md. ``sandhook.hooks.continuation`` has the loop that Stop hooks belong to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sandhook.hooks.contracts import Answer, BaseContract, Document
from sandhook.hooks.contracts.jcode.names import EVENTS
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from sandhook.hooks.contracts import Layer, Loaded, LoadOptions
    from sandhook.hooks.event import Event, Json
    from sandhook.hooks.model import Decision, HookSpec, Ran, Request, Verdict


class Jcode(BaseContract):
    """The contract; it has no state."""

    name = "jcode"
    events = EVENTS
    refusable = frozenset({"tool.pre", "prompt.submit"})
    #: One by one; rewrites are chained, but matching happened before; a refusal ends the chain.
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

    def layers(self, cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
        from sandhook.hooks.contracts.jcode.config import layers

        return layers(cwd, env, platform)

    def load(self, documents: Sequence[Document], options: LoadOptions) -> Loaded:
        from sandhook.hooks.contracts.jcode.config import load

        return load(documents, options)

    def request(self, spec: HookSpec, event: Event, compat: str) -> Request:
        from sandhook.hooks.contracts.jcode.payload import request

        return request(spec, event, compat)

    def decode(self, spec: HookSpec, event: Event, ran: Ran, compat: str) -> Verdict:
        from sandhook.hooks.contracts.jcode.result import decode

        return decode(spec, event, ran, compat)

    def event(self, name: str, payload: Json) -> Event:
        from sandhook.hooks.contracts.jcode.payload import event

        return event(name, payload)

    def message(self, decision: Decision, event: Event) -> str:
        """Return what the model or the user sees in place of what was refused."""
        from sandhook.hooks.contracts.jcode.result import message

        return message(decision.kind, decision.reason or "")

    def answer(self, decision: Decision, event: Event) -> Answer:
        from sandhook.hooks.contracts.jcode.forms import answer

        return answer(decision, event)

    def schema(self) -> Json:
        from sandhook.hooks.contracts.jcode.config import SCHEMA

        return SCHEMA

    def render(self, specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
        from sandhook.hooks.contracts.jcode.forms import render

        return render(specs)

    def facts(self) -> Mapping[str, str]:
        from sandhook.hooks.contracts.jcode.facts import FACTS

        return FACTS


CONTRACT = Jcode()
