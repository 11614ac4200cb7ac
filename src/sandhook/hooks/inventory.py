"""All hooks of a configuration with their places: those that run, those that are withheld, and faulty ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sandhook.errors import Problem
from sandhook.hooks.contracts import Contract, Document
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.event import JsonObject
from sandhook.hooks.model import HookSpec, LayerName
from sandhook.hooks.sources import line_of, with_lines
from sandhook.isolation.arguments import Isolation
from sandhook.record import Record

#: trusted: runs. untrusted: nobody approved it. muted: switched off. invalid: has a fault.
State = Literal["trusted", "untrusted", "muted", "invalid"]


class Item(Record):
    """One hook, or one fault of a configuration.

    Attributes:
        state: One of State.
        contract: Name of the hook's contract.
        spec: The hook; None for a fault.
        layer: One of ``contracts.LAYERS``.
        file: The file, "" for a value.
        line: Line in the file, from 1; 0 when unknown.
        path: Where in the file.
        why: Why it does not run; "" when it does.
        isolation: Where it runs by default: "process" is a confined worker. None if it does not run.
    """

    state: State
    contract: str
    spec: HookSpec | None = None
    layer: LayerName = ""
    file: str = ""
    line: int = 0
    path: str = ""
    why: str = ""
    isolation: Isolation | None = None

    @property
    def where(self) -> str:
        """The place as ``FILE:LINE``, where it is known."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file or self.path


def inventory(
    engine: HookEngine,
    contract: Contract,
    documents: Sequence[Document],
    problems: Sequence[Problem] = (),
) -> list[Item]:
    """Return the hooks in config order, then those that are withheld, then the faults.

    Args:
        problems: Faults in addition to the engine's: files that cannot be read.
    """
    places = {document.name: with_lines(document) for document in documents}
    items = [
        _item("trusted", contract, spec, places, "")._replace(isolation=engine.isolation_of(spec))
        for spec in engine.hooks
    ]
    for withheld in engine.withheld:
        items.append(_item(withheld.state, contract, withheld.spec, places, withheld.why))
    for problem in (*problems, *engine.problems):
        document = places.get(problem.file)
        items.append(
            Item(
                "invalid",
                contract.name,
                layer=document.layer if document is not None else "",
                file=problem.file,
                line=problem.line,
                path=problem.path,
                why=problem.message,
            )
        )
    return items


def _item(state: State, contract: Contract, spec: HookSpec, places: dict[str, Document], why: str) -> Item:
    document = places.get(spec.file)
    line = line_of(document, spec.path) if document is not None else 0
    return Item(
        state=state,
        contract=contract.name,
        spec=spec,
        layer=spec.layer,
        file=spec.file,
        line=line,
        path=spec.path,
        why=why,
    )


def item_json(item: Item) -> JsonObject:
    """Return a hook of a list as JSON values: where it is, whether it is in force, and what runs."""
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
