"""Where partitions are replayed: in this process, in a pool of processes, or on a cluster of Dask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from sandhook.journal.reading import Partition
from sandhook.record import Record
from sandhook.typed import Literal, Protocol

EngineName = Literal["local", "processes", "dask"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)

#: How often a partition is tried: a worker that dies, or a defect, costs a retry.
TRIES = 3


class Done(Record):
    """Neighbouring partitions that were replayed.

    Attributes:
        numbers: Their numbers.
        result: Their result, see ``folding``.
    """

    numbers: tuple[int, ...]
    result: bytes


class Failed(Record):
    """A partition that could not be replayed.

    Attributes:
        number: Its number.
        reason: What happened at the last try.
    """

    number: int
    reason: str


class Engine(Protocol):
    """Replays partitions. Results come in any order."""

    def replay(self, partitions: Sequence[tuple[int, Partition]]) -> Iterator[Done | Failed]:
        """Yield the result of each partition, or of several that were folded."""
        ...

    def close(self) -> None:
        """End the workers that this process started."""
        ...


def reason_of(error: Exception) -> str:
    """Return an error as one line."""
    return f"{error.__class__.__name__}: {' '.join(str(error).split())}"[:500]
