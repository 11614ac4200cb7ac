"""Docker Agent's hooks: below each agent of a YAML file, in Claude Code's form with keys in snake case.

Source: docker/docker-agent, docs and pkg/hooks (2026-03-14), and an excerpt of docs.docker.com, which
is newer and has more events. Divergences: L-DOCKER-001 and on in docs/divergences.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts._agent import Agent
from sandhook.hooks.contracts.docker_agent.names import EVENTS
from sandhook.hooks.fold import FoldPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandhook.hooks.contracts import Document
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import Decision


class DockerAgent(Agent):
    """The contract; it has no state."""

    name = "docker_agent"
    has_own_format = True
    title = "Docker Agent"
    events = EVENTS
    refusable = frozenset({"tool.pre", "prompt.submit", "permission.request"})
    #: One by one, all of them; the strongest permission counts.
    fold = FoldPolicy(
        chained=False, stop_on_refusal=False, reasons="join", replacements="last", survive_refusal=False
    )

    def parse(self, text: str, name: str, env: Mapping[str, str]) -> Document:
        from sandhook.hooks.yaml import decode_yaml

        return decode_yaml(text, name)._replace(contract=self.name)

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of what was refused."""
        reason = decision.reason or "no reason given"
        return f"Tool call blocked by hook: {reason}" if event.kind == "tool.pre" else reason


CONTRACT = DockerAgent()
