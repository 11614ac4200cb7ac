"""What targets share: bytes as a row of choices, numbers and texts, broken promises, and workers."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TypeVar

T = TypeVar("T")


class Broken(AssertionError):
    """An input broke a promise of sandhook."""


def promise(kept: object, rule: str, *facts: object) -> None:
    """Raise Broken unless ``kept``; the rule identifies the finding, the facts explain it."""
    if not kept:
        raise Broken(": ".join([rule, *map(repr, facts)]))


class Pieces:
    """Reads choices from the beginning of an input. An input that is too short gives zeros and empty texts."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._offset = 0

    def number(self, count: int) -> int:
        """Return a number from 0 to count - 1, from one byte, or two if count is above 256."""
        width = 1 if count <= 256 else 2
        piece = self._data[self._offset : self._offset + width]
        self._offset += width
        return int.from_bytes(piece, "big") % count

    def choice(self, values: Sequence[T]) -> T:
        """Return one of the values."""
        return values[self.number(len(values))]

    def rest(self) -> bytes:
        """Return all bytes that were not read yet."""
        rest = self._data[self._offset :]
        self._offset = len(self._data)
        return rest

    def fields(self, most: int) -> list[bytes]:
        """Return the rest, split at NUL into at most this many fields."""
        return self.rest().split(b"\0", most - 1)

    def texts(self, most: int) -> list[str]:
        """Return the rest as texts; bytes that are not UTF-8 become surrogate escapes."""
        return [field.decode("utf-8", "surrogateescape") for field in self.fields(most)]


def within(text: str, alphabet: str) -> str:
    """Return a text in which every character outside the alphabet is replaced by one of it."""
    return "".join(c if c in alphabet else alphabet[ord(c) % len(alphabet)] for c in text)


class WorkerOutput:
    """The pipe of a worker: all that it writes is ready, and then it has ended."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, descriptor: int, count: int) -> bytes:
        piece, self._data = self._data[:count], self._data[count:]
        return piece


def ended_child() -> SimpleNamespace:
    """Return what ``worker.launch`` returns for a worker that reads nothing and can be killed."""
    return SimpleNamespace(
        stdin=-1,
        stdout=-1,
        pid=-1,
        process=SimpleNamespace(wait=lambda: 1, kill=lambda: None),
        job=None,
        poll=lambda milliseconds: True,
        write=lambda data, deadline: None,
    )
