"""The hooks of an engine as JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.event import JsonObject
from sandhook.hooks.inventory import item_json

if TYPE_CHECKING:
    from sandhook.serve.engines import Loaded, Place


def items_json(place: Place, loaded: Loaded) -> JsonObject:
    """Return an engine with all its hooks, those that are withheld, and faults."""
    return {
        "workspace": place.directory,
        "contract": loaded.built.contract.name,
        "stale": loaded.stale,
        "problems": list(loaded.built.problems),
        "hooks": [item_json(item) for item in loaded.built.items()],
    }
