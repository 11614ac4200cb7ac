"""The contracts: one agent's hook format each, found by name or by what a file looks like.

A contract from elsewhere registers the entry point group ``sandhook.contracts``: its name, and
an object with the attributes of ``Contract``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from sandhook.errors import Problem, SandhookError
from sandhook.record import Record

if TYPE_CHECKING:
    from sandhook.hooks.event import Event, Json
    from sandhook.hooks.fold import FoldPolicy
    from sandhook.hooks.model import HookSpec, Ran, Request, Verdict

#: How faithful: "better" closes the gaps that upstream has, "strict" reproduces them.
COMPAT = ("better", "strict")


class Document(Record):
    """One configuration, decoded, with the name of its file ("" for a dictionary).

    ``duplicates`` are keys that the text's objects have twice, as diagnostics.
    """

    value: Json
    name: str = ""
    duplicates: tuple[str, ...] = ()


class LoadOptions(Record):
    """What a loader is told beside the documents.

    Attributes:
        compat: One of COMPAT.
        executors: The types that can be run.
        contributions: Hooks that a host contributes by itself: a capability's id and its specs.
    """

    compat: str = "better"
    executors: tuple[str, ...] = ()
    contributions: Mapping[str, Sequence[Json]] | None = None


class Loaded(Record):
    """What a loader found.

    Attributes:
        specs: The hooks that can run, in config order.
        problems: Every fault, each with its file and path; a hook with a fault is not in ``specs``.
        diagnostics: What is allowed and odd.
    """

    specs: tuple[HookSpec, ...]
    problems: tuple[Problem, ...] = ()
    diagnostics: tuple[str, ...] = ()


class Contract(Protocol):
    """One agent's hook format.

    Attributes:
        name: As in ``--contract``.
        fold: How its hooks compose.
        events: Its own names of events to neutral kinds, canonical names first.
        refusable: Neutral kinds on which a hook can refuse.
    """

    name: str
    fold: FoldPolicy
    events: Mapping[str, str]
    refusable: frozenset[str]

    def load(self, documents: Sequence[Document], options: LoadOptions) -> Loaded:
        """Read configurations in the order of their layers, weakest first."""
        ...

    def request(self, spec: HookSpec, event: Event, compat: str) -> Request:
        """Encode an event for one hook; DecodeError when the event is no JSON."""
        ...

    def decode(self, spec: HookSpec, event: Event, ran: Ran, compat: str) -> Verdict:
        """Say what a run means, its ``on_error`` included."""
        ...

    def event(self, name: str, payload: Json) -> Event:
        """Return the event that a payload (its data, or the whole envelope) describes.

        Raises ContractError when the payload does not fit.
        """
        ...

    def message(self, kind: str, reason: str, user_message: str | None) -> str:
        """Return what the agent shows in place of a refused call, prompt or stop."""
        ...


class ContractError(SandhookError):
    """A contract that is not known, or that nothing in a file points to."""


class _Builtin(Record):
    module: str
    looks_like: Callable[[Any], bool]


def _everruns(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return (
        isinstance(value.get("hooks"), list)
        or isinstance(value.get("capabilities"), list)
        or "user_hooks" in value
        or ("definition" in value and isinstance(value["definition"], dict))
        or ("disabled_contributions" in value and "hooks" not in value)
    )


_BUILTINS: dict[str, _Builtin] = {
    "everruns": _Builtin("sandhook.hooks.contracts.everruns", _everruns),
}

_GROUP = "sandhook.contracts"


def names() -> list[str]:
    """Return the contracts that come with sandhook."""
    return list(_BUILTINS)


def get(name: str) -> Contract:
    """Return a contract by name; ContractError lists the known ones."""
    if name in _BUILTINS:
        contract: Contract = import_module(_BUILTINS[name].module).CONTRACT
        return contract
    from importlib.metadata import entry_points

    found = {point.name: point for point in entry_points(group=_GROUP)}
    if name not in found:
        raise ContractError(f"unknown contract {name!r}; known are {', '.join([*_BUILTINS, *found])}")
    outside: Contract = found[name].load()
    return outside


def kind_of(contract: Contract, name: str) -> tuple[str, str]:
    """Return the contract's own name and the neutral kind of an event that is given by either.

    Raises ContractError, which lists what is known.
    """
    for native, kind in contract.events.items():
        if name in (native, kind):
            return native, kind
    known = ", ".join(f"{native} ({kind})" for native, kind in contract.events.items())
    raise ContractError(f"unknown event {name!r} for {contract.name}; known are {known}")


def recognise(documents: Sequence[Document]) -> Contract:
    """Return the contract that the documents are written for; ContractError when none or several fit."""
    fitting = [name for name, row in _BUILTINS.items() if all(row.looks_like(doc.value) for doc in documents)]
    if len(fitting) == 1:
        return get(fitting[0])
    where = ", ".join(doc.name or "the configuration" for doc in documents)
    if fitting:
        raise ContractError(f"{where}: fits {', '.join(fitting)}; say which with --contract")
    raise ContractError(f"{where}: fits none of the known contracts ({', '.join(_BUILTINS)})")
