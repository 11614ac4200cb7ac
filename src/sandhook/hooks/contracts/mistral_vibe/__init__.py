"""Mistral Vibe's hooks: tables of hooks.toml, one by one, with one failure path for everything but JSON.

Source: the package mistral-vibe 3.0.3, its own documentation and runs of it
(conformance/hooks/mistral_vibe/recorded). Divergences: L-VIBE-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.mistral_vibe.names import EVENTS, FORMER, NO_REASON
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandhook.hooks.contracts import Answer, Contract, Document
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Compat, Decision, HookSpec, Request

#: The version before the recorded one: its payload of a turn's end does not name the agent.
_UNNAMED = "3.0.2"


class MistralVibe(Agent):
    """The contract; it has no state.

    Attributes:
        names_agent: The payload of a turn's end has ``agent_name``.
    """

    name = "mistral_vibe"
    has_own_format = True
    title = "Mistral Vibe"
    recorded = "3.0.3"
    names_agent = True
    events: Mapping[str, str] = EVENTS
    refusable = frozenset({"tool.pre"})
    #: One by one, each on what the earlier ones changed; the first refusal ends the chain.
    fold = FoldPolicy(matchers_see_changes=False, result_ends_context=True)

    def at(self, version: str) -> Contract:
        """Return the contract as a version has it; ContractError for one that is not known."""
        if version == _UNNAMED:
            return Unnamed()
        return super().at(version)

    def request(self, spec: HookSpec, event: Event, compat: Compat) -> Request:
        encode = self._part("payload", "request")
        request: Request = encode(spec, event, compat, names_agent=self.names_agent)
        return request

    def native_name(self, name: str) -> str:
        return FORMER.get(name, name)

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        from sandhook.hooks.toml import decode_toml

        return decode_toml(text, name)._replace(contract=self.name)

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of a refused call, or with which it continues."""
        return decision.reason or NO_REASON.get(event.kind, "")

    def refuse(self, reason: str) -> Answer:
        """Return an object that denies; an exit status is only a failure here."""
        from sandhook.hooks.contracts import Answer
        from sandhook.hooks.decode import encode

        return Answer(stdout=encode({"decision": "deny", "reason": reason}).encode() + b"\n")


class Unnamed(MistralVibe):
    """The contract of the version before the recorded one."""

    name = f"mistral_vibe@{_UNNAMED}"
    names_agent = False


CONTRACT = MistralVibe()
