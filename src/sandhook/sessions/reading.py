"""A cursor over a JSON document: each value is read as one type, and what is left over is refused."""

from __future__ import annotations

from collections.abc import Mapping
from json import loads
from typing import NoReturn, TypeAlias

from sandhook.errors import SnapshotError

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"

#: The integers of bash, and the bounds of every number of a document.
LEAST, MOST = -(1 << 63), (1 << 63) - 1


#: Characters of a name that a message repeats.
_SHOWN = 60


def shown(text: str) -> str:
    """Return a text for a message, which may have come from anybody: short, on one line."""
    return ascii(text[:_SHOWN])[1:-1] + ("..." if len(text) > _SHOWN else "")


def parse(data: bytes, where: str) -> Cursor:
    """Return a cursor over a JSON text. Raises SnapshotError."""
    try:
        value = loads(data.decode("ascii"), object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except RecursionError:
        raise SnapshotError(where, "the value nests too deeply") from None
    except ValueError as error:
        raise SnapshotError(where, f"wanted a JSON text: {error}") from None
    return Cursor(value, where)


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a key occurs twice")
    return values


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


class Cursor:
    """One value of a document, and where it stands.

    Attributes:
        where: The place of the value, for messages.
    """

    __slots__ = ("_value", "where")

    def __init__(self, value: Json, where: str) -> None:
        self._value = value
        self.where = where

    def refuse(self, reason: str) -> NoReturn:
        """Raise SnapshotError for this value."""
        raise SnapshotError(self.where, reason)

    def fields(self, *names: str) -> dict[str, Cursor]:
        """Return the values of an object that has exactly these keys."""
        value = self._value
        if not isinstance(value, dict) or value.keys() != set(names):
            self.refuse(f"wanted an object with {', '.join(names)}")
        return {name: Cursor(item, f"{self.where}.{shown(name)}") for name, item in value.items()}

    def members(self) -> dict[str, Cursor]:
        """Return the values of an object with any keys, which are texts of the shell."""
        value = self._value
        if not isinstance(value, dict):
            self.refuse("wanted an object")
        return {
            Cursor(name, self.where).text(): Cursor(item, f"{self.where}.{shown(name)}")
            for name, item in value.items()
        }

    def items(self) -> list[Cursor]:
        """Return the values of an array."""
        value = self._value
        if not isinstance(value, list):
            self.refuse("wanted an array")
        return [Cursor(item, f"{self.where}[{at}]") for at, item in enumerate(value)]

    def pair(self) -> tuple[Cursor, Cursor]:
        """Return both values of an array of two."""
        values = self.items()
        if len(values) != 2:
            self.refuse(f"wanted 2 values, got {len(values)}")
        return values[0], values[1]

    def is_null(self) -> bool:
        return self._value is None

    def is_text(self) -> bool:
        return isinstance(self._value, str)

    def text(self) -> str:
        """Return a text as the shell has it: bytes without NUL."""
        value = self._value
        if not isinstance(value, str):
            self.refuse("wanted a text")
        if "\0" in value:
            self.refuse("a NUL is in the text")
        if not value.isascii():
            try:
                value.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:
                self.refuse("the text has a surrogate that stands for no byte")
        return value

    def optional_text(self) -> str | None:
        return None if self._value is None else self.text()

    def number(self, least: int = LEAST, most: int = MOST) -> int:
        """Return an integer within bounds."""
        value = self._value
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.refuse(f"wanted an integer from {least} to {most}")
        return value

    def flag(self) -> bool:
        value = self._value
        if not isinstance(value, bool):
            self.refuse("wanted true or false")
        return value

    def texts(self) -> list[str]:
        return [item.text() for item in self.items()]

    def text_map(self) -> dict[str, str]:
        """Return an object of texts."""
        return {name: item.text() for name, item in self.members().items()}

    def names(self, known: Mapping[str, object] | frozenset[str]) -> frozenset[str]:
        """Return a set of names, which the document has sorted and which must be known."""
        found = self.texts()
        if found != sorted(set(found)):
            self.refuse("wanted names in order, each once")
        for name in found:
            if name not in known:
                self.refuse(f"'{shown(name)}' is not known")
        return frozenset(found)
