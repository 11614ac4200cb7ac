"""Assignments after expansion, as data: ``name=value``, and lists of elements."""

from __future__ import annotations

from sandhook.record import Record
from sandhook.typed import TypeAlias


class Element(Record):
    """One element of a compound assignment; ``subscript`` is None for a bare word."""

    subscript: str | None
    append: bool
    value: str


Elements: TypeAlias = list[Element]


class Assigned(Record):
    """name=value, name[subscript]=value, name+=value, or name=(elements)."""

    name: str
    subscript: str | None
    append: bool
    value: str | Elements


#: One argument of a command: a field, or an assignment of a declaration command.
Argument: TypeAlias = "str | Assigned"


def reference_of(assigned: Assigned) -> str:
    """Return what is assigned to, as ``name`` or ``name[subscript]``."""
    return assigned.name if assigned.subscript is None else f"{assigned.name}[{assigned.subscript}]"


def as_argument(assigned: Assigned) -> str:
    """Return an assignment as an argument, for messages, ``let``, and ``$_`` after a declaration; a list is its name alone."""
    if isinstance(assigned.value, list):
        return assigned.name
    return f"{reference_of(assigned)}{'+=' if assigned.append else '='}{assigned.value}"
