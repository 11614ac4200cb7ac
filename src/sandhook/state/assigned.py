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


def as_argument(assigned: Assigned) -> str:
    """Return an assignment as an argument, for ``let`` and for ``$_`` after a declaration; a list is its name alone."""
    if isinstance(assigned.value, list):
        return assigned.name
    subscript = "" if assigned.subscript is None else f"[{assigned.subscript}]"
    return f"{assigned.name}{subscript}{'+=' if assigned.append else '='}{assigned.value}"
