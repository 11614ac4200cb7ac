"""The hooks of an engine as JSON values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.event import JsonObject

if TYPE_CHECKING:
    from sandhook.hooks.inventory import Item
    from sandhook.serve.engines import Loaded, Place


def items_json(place: Place, loaded: Loaded) -> JsonObject:
    """Return an engine with all its hooks, those that are withheld, and faults."""
    return {
        "workspace": place.directory,
        "contract": loaded.built.contract.name,
        "stale": loaded.stale,
        "problems": list(loaded.built.problems),
        "hooks": [_item(item) for item in loaded.built.items()],
    }


def _item(item: Item) -> JsonObject:
    spec = item.spec
    record: JsonObject = {
        "state": item.state,
        "contract": item.contract,
        "layer": item.layer,
        "file": item.file,
        "line": item.line,
        "path": item.path,
        "why": item.why,
    }
    if spec is not None:
        record.update(
            id=spec.id,
            event=spec.native_event,
            kind=spec.event,
            type=spec.executor.type,
            command=spec.executor.text,
            argv=list(spec.executor.argv),
            timeout=spec.timeout,
            approval=spec.trust_hash,
            once=spec.once,
        )
    return record
