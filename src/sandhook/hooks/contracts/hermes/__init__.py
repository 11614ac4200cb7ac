"""Hermes Agent's shell hooks: flat lists of config.yaml, programs without a shell, one after the other.

Source: agent/shell_hooks.py and the hooks guide of the public repository (September 2026), and the package hermes-agent
0.19.0, its code and runs of it (conformance/hooks/hermes/recorded); it is older: there no exit status refuses.
Divergences: L-HERMES-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.hermes.names import BLOCKED, EVENTS
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandhook.hooks.contracts import Answer, Contract, Document
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Compat, Decision, HookSpec, Request, RunResult, Verdict


#: The newest release on PyPI (July 2026), in which an exit status, ``fail_closed`` and ``modify`` have no effect.
RELEASED = "0.19.0"


class Hermes(Agent):
    """The contract; it has no state.

    Attributes:
        released: It is that of RELEASED, not of the repository.
    """

    name = "hermes"
    released = False
    title = "Hermes Agent"
    has_own_format = True
    refusable = frozenset({"tool.pre"})
    #: One by one, all of them; the first refusal gives the reason.
    fold = FoldPolicy(chained=False, stop_on_refusal=False, survive_refusal=False, dedupe="text")

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        """Decode config.yaml."""
        from sandhook.hooks.yaml import decode_yaml

        return decode_yaml(text, name)._replace(contract=self.name)

    events: Mapping[str, str] = EVENTS

    def at(self, version: str) -> Contract:
        """Return the contract as RELEASED has it; ContractError for another version."""
        if version == RELEASED:
            return Released()
        return super().at(version)

    def request(self, spec: HookSpec, event: Event, compat: Compat) -> Request:
        request: Request = self._part("payload", "request")(spec, event, compat, released=self.released)
        return request

    def decode(self, spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
        verdict: Verdict = self._part("result", "decode")(spec, event, ran, compat, released=self.released)
        return verdict

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of a refused call, or with which it continues."""
        return decision.reason or BLOCKED

    def refuse(self, reason: str) -> Answer:
        """Return an object that blocks, for versions in which no exit status does, with the status 2."""
        from sandhook.hooks.contracts import Answer
        from sandhook.hooks.decode import encode

        printed = encode({"action": "block", "message": reason}).encode()
        return Answer(stdout=printed + b"\n", stderr=reason.encode("utf-8", "replace") + b"\n", exit_status=2)


class Released(Hermes):
    """The contract of the newest release."""

    name = f"hermes@{RELEASED}"
    released = True


CONTRACT = Hermes()
