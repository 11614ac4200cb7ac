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
    from sandhook.hooks.event import Event, Json
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

    def fitted(self, rendered: Json, present: Json, *, foreign: bool) -> Json:
        """Return the hooks for the agents of a file: those of other contracts, or of absent agents, for all of them."""
        known = present.get("agents") if isinstance(present, dict) else None
        hooks = rendered.get("agents") if isinstance(rendered, dict) else None
        if not isinstance(known, dict) or not known or not isinstance(hooks, dict):
            return rendered
        agents: dict[str, dict[str, list[Json]]] = {}
        for name, value in hooks.items():
            by_event = value.get("hooks") if isinstance(value, dict) else None
            for event, entries in by_event.items() if isinstance(by_event, dict) else ():
                for each in known if foreign or name not in known else (name,):
                    several = entries if isinstance(entries, list) else []
                    agents.setdefault(each, {}).setdefault(event, []).extend(several)
        return {"agents": {name: {"hooks": dict(by_event)} for name, by_event in agents.items()}}

    def message(self, decision: Decision, event: Event) -> str:
        """Return the text that the model sees instead of what was refused."""
        reason = decision.reason or "no reason given"
        return f"Tool call blocked by hook: {reason}" if event.kind == "tool.pre" else reason


CONTRACT = DockerAgent()
