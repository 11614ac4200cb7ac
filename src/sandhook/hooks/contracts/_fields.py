"""What the loaders of JSON-shaped configurations share: typed fields, and every fault with its path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sandhook.errors import Problem
from sandhook.hooks.contracts import Document
from sandhook.hooks.decode import type_name
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.event import Json, JsonObject
from sandhook.typed import TypeVar, overload

#: The scalar types of fields.
Scalar = TypeVar("Scalar", str, bool, int, float)

#: Names of types in messages.
_NAMES: dict[type, str] = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    list: "an array",
    dict: "an object",
}


class Fields:
    """Reads the fields of one document and collects its faults.

    Attributes:
        problems: Faults.
        notes: What is allowed but unusual.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[Problem] = []
        self.notes: list[str] = list(document.diagnostics) + list(document.duplicates)

    def problem(self, path: str, message: str) -> None:
        """Report a fault at a path of the document."""
        self.problems.append(Problem(path, message, file=self.document.name))

    def note(self, path: str, message: str) -> None:
        """Report something unusual at a path of the document."""
        self.notes.append(Diagnostic(message, path, self.document.name))

    @overload
    def get(
        self, value: Mapping[str, Json], key: str, wanted: type[dict[str, Json]], path: str
    ) -> JsonObject | None: ...
    @overload
    def get(
        self, value: Mapping[str, Json], key: str, wanted: type[list[Json]], path: str
    ) -> list[Json] | None: ...
    @overload
    def get(self, value: Mapping[str, Json], key: str, wanted: type[Scalar], path: str) -> Scalar | None: ...
    @overload
    def get(self, value: Mapping[str, Json], key: str, wanted: tuple[type, ...], path: str) -> Json: ...
    def get(self, value: Mapping[str, Json], key: str, wanted: type | tuple[type, ...], path: str) -> Json:
        """Return a field, or None when it is absent, null, or (a fault) of another type.

        Args:
            wanted: The types it may have; ``float`` takes integers too, ``int`` no booleans.
            path: Where ``value`` stands.
        """
        item = value.get(key)
        if item is None:
            return None
        types = wanted if isinstance(wanted, tuple) else (wanted,)
        if any(_is(item, each) for each in types):
            return item
        names = " or ".join(_NAMES[each] for each in types)
        self.problem(join(path, key), f"wanted {names}, got {type_name(item)}")
        return None

    def lenient(self, value: Mapping[str, Json], key: str, wanted: type[Scalar], path: str) -> Scalar | None:
        """Return a field as ``get`` does; one of another type is a note, for the agent does not look at it."""
        item = value.get(key)
        if item is None or _is(item, wanted):
            return self.get(value, key, wanted, path)
        self.note(
            join(path, key),
            f"wanted {_NAMES[wanted]}, got {type_name(item)}: it is ignored, and the hook runs",
        )
        return None

    def variables(self, value: JsonObject, path: str) -> None:
        """Note what is wrong with ``env`` for an agent that runs the hook all the same."""
        own = value.get("env")
        if own is not None and not isinstance(own, dict):
            self.note(join(path, "env"), f"wanted an object, got {type_name(own)}: it is ignored")
        for key, item in own.items() if isinstance(own, dict) else ():
            if not isinstance(item, str):
                self.note(
                    f"{join(path, 'env')}.{key}", f"wanted a string, got {type_name(item)}: it is ignored"
                )

    def strings(self, value: JsonObject, key: str, path: str) -> tuple[str, ...] | None:
        """Return a field that is an array of strings, or None when it is absent or faulty."""
        items = self.get(value, key, list, path)
        if items is None:
            return None
        texts: list[str] = []
        for index, item in enumerate(items):
            if isinstance(item, str):
                texts.append(item)
            else:
                self.problem(f"{join(path, key)}[{index}]", f"wanted a string, got {type_name(item)}")
        return tuple(texts) if len(texts) == len(items) else None

    def unknown(self, value: JsonObject, known: Sequence[str], path: str) -> None:
        """Note the fields that the format does not have."""
        for key, hint in unknown_keys(value, known):
            self.note(join(path, key), f"unknown field, ignored{hint}")


def unknown_keys(value: JsonObject, known: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each key that a format does not have, with a hint at the one that was meant, or ""."""
    known = tuple(known)
    for key in value:
        if key not in known:
            yield key, did_you_mean(key, [name for name in known if name not in value])


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a hint at a similar name; "" without one."""
    near = similar(name, known)
    return f"; did you mean {near}?" if near else ""


def similar(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like a name, regardless of case and underscores; None without one."""
    from sandhook.text.nearest import nearest

    return nearest(name, known, 0.75)


def join(path: str, key: str) -> str:
    """Return the path of a key below a path."""
    return f"{path}.{key}" if path else key


def _is(value: Json, wanted: type) -> bool:
    if wanted is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if wanted is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, wanted)
