"""What the page needs first: the project, the agents, their events and their names of tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks import contracts
from sandhook.hooks.contracts._vocabulary import TOOL_CLASSES
from sandhook.version import __version__

if TYPE_CHECKING:
    from sandhook.hooks.contracts import Contract
    from sandhook.hooks.event import Json, JsonObject
    from sandhook.studio.bench import Bench


def about(bench: Bench, *, editable: bool) -> JsonObject:
    """Return the project and all agents; those with hooks here are marked."""
    used = {setup.contract.name: setup for setup in bench.setups()}
    names = [*used, *(name for name in contracts.names() if name not in used)]
    agents: list[Json] = [_agent(contracts.get(name), is_used=name in used) for name in names]
    return {
        "version": __version__,
        "directory": bench.directory,
        "files": list(bench.named),
        "editable": editable,
        "agents": agents,
    }


def _agent(contract: Contract, *, is_used: bool) -> JsonObject:
    vocabulary = contract.vocabulary()
    events: list[Json] = [
        {"name": name, "kind": kind, "refusable": kind in contract.refusable}
        for name, kind in contract.events.items()
    ]
    tools: list[Json] = [
        {"class": name, "name": tool} for name in TOOL_CLASSES for tool in vocabulary.of_class(name)
    ]
    return {"name": contract.name, "used": is_used, "events": events, "tools": tools}
