"""Replays partitions in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.journal.reading import Partition
from sandhook.replay.engines import TRIES, Done, Failed, reason_of
from sandhook.replay.job import Job, Replayer


class LocalEngine:
    """Replays one partition after the other."""

    def __init__(self, job: Job) -> None:
        self._replayer = Replayer(job)

    def replay(self, partitions: Sequence[tuple[int, Partition]]) -> Iterator[Done | Failed]:
        for number, partition in partitions:
            yield tried(self._replayer, number, partition)

    def close(self) -> None:
        """Nothing is to be ended."""


def tried(replayer: Replayer, number: int, partition: Partition) -> Done | Failed:
    """Return the result of a partition after at most TRIES tries."""
    reason = ""
    for _ in range(TRIES):
        try:
            return Done((number,), replayer.replay(partition))
        except Exception as error:  # a defect must not end the replay of the other partitions
            reason = reason_of(error)
    return Failed(number, reason)
