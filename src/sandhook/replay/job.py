"""A job: everything that a worker needs to replay partitions, and the replay of one partition."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from sandhook.hooks.event import JsonObject
from sandhook.hooks.model import Decision, FailClosed
from sandhook.journal.masking import Masker
from sandhook.journal.reading import Contents, Partition
from sandhook.journal.schema import Entry, encode
from sandhook.record import Record
from sandhook.replay.compare import Change, Side, changes_between
from sandhook.replay.firing import (
    Bundle,
    BundleRunner,
    Unfired,
    decided_json,
    new_side,
    recorded_side,
    run_json,
    workspace,
)
from sandhook.replay.folding import ChangedRow, Part, Partial, changed_row
from sandhook.replay.shape import shape_of
from sandhook.replay.tally import MEASURED, Counting
from sandhook.replay.where import Test, parse


class Job(Record):
    """What is replayed.

    Attributes:
        new: The hooks whose decisions are asked for.
        old: The hooks that they are compared with; None compares with the recorded decisions.
        files: What hooks see: relative path, contents, permission bits.
        where: An expression, see ``where``; "" selects every event.
        sample: Events whose ``rank`` is not above it are selected; None selects every event.
        mask: Rules of masking, for texts of new decisions that are compared with recorded ones.
        fail_closed: See HookEngine.
        runs: Keep the full run of each changed event, with its steps, for a report.
    """

    new: Bundle
    old: Bundle | None = None
    files: tuple[tuple[str, bytes, int], ...] = ()
    where: str = ""
    sample: int | None = None
    mask: tuple[str, ...] = ()
    fail_closed: FailClosed = False
    runs: bool = False


def rank(entry: Entry) -> int:
    """Return the place of an event in the order in which samples are drawn: a number without a pattern."""
    return int.from_bytes(blake2b(entry.id.encode("utf-8", "surrogatepass"), digest_size=8).digest())


class Replayer:
    """Replays partitions of a job, one after the other."""

    def __init__(self, job: Job) -> None:
        files = workspace(job.files)
        self._job = job
        self._new = BundleRunner(job.new, files, job.fail_closed)
        self._old = BundleRunner(job.old, files, job.fail_closed) if job.old is not None else None
        self._test: Test | None = parse(job.where) if job.where else None
        self._masker = Masker(job.mask)

    def replay(self, partition: Partition, data: bytes | None = None) -> bytes:
        """Return the result of a partition, see ``folding``. Raises JournalError.

        Args:
            data: The lines of its file from the byte before its start; None reads them.
        """
        contents = Contents(partition, data)
        counting = Counting()
        rows: list[ChangedRow] = []
        for entry in contents.entries():
            row = self._replay_one(entry, counting)
            if row is not None:
                rows.append(row)
        part = Part(contents.lines, contents.skipped_count, tuple(contents.skipped))
        return Partial(counting.finish(), (part,), tuple(rows)).to_bytes()

    def selects(self, entry: Entry) -> bool:
        """Return whether an event is replayed."""
        if self._job.sample is not None and rank(entry) > self._job.sample:
            return False
        return self._test is None or self._test(entry)

    def _replay_one(self, entry: Entry, counting: Counting) -> ChangedRow | None:
        """Replay one event; return what is kept of it if something changed."""
        counting.read(entry)
        if not self.selects(entry):
            return None
        counting.select()
        try:
            decision, milliseconds = self._new.fire(entry)
            old, old_decision = self._old_side(entry)
        except Unfired as error:
            counting.count_unfired(str(error))
            return None
        masked = self._old is None and not entry.raw
        new = new_side(decision, milliseconds, self._masker if masked else None)
        counting.add(entry, old, new, decision)
        counting.add_latency(entry if self._old is None else None, old_decision, decision)
        if old is None:
            return None
        changes, parts = changes_between(old, new)
        if not changes:
            return None
        counting.count(changes)
        return self._row(entry, old, new, changes, parts)

    def _row(
        self, entry: Entry, old: Side, new: Side, changes: tuple[Change, ...], parts: tuple[str, ...]
    ) -> ChangedRow:
        lasting: JsonObject = {
            "time": entry.time,
            "id": entry.id,
            "agent": entry.agent,
            "event": entry.event,
            "tool": entry.tool,
            "hook": (old.hook if changes[0] == "newly_allowed" else new.hook) or old.hook or new.hook,
            "shape": shape_of(entry),
            "changes": [each for each in changes if each not in MEASURED],
            "parts": list(parts),
            "old": decided_json(old.decided),
            "new": decided_json(new.decided),
        }
        measured: JsonObject = {"slower": "slower" in changes, "old_ms": old.duration_ms}
        measured["new_ms"] = None if new.duration_ms is None else round(new.duration_ms, 3)
        if self._job.runs:
            measured["run"] = {
                "payload": entry.payload,
                "line": encode(entry) if len(str(entry.payload)) < 4_000 else None,
                "hooks": list(run_json(self._new.fire(entry, steps=True)[0])),
            }
        return changed_row(lasting, measured, changes)

    def _old_side(self, entry: Entry) -> tuple[Side | None, Decision | None]:
        if self._old is None:
            return recorded_side(entry), None
        decision, milliseconds = self._old.fire(entry)
        return new_side(decision, milliseconds, None), decision


def problems_of(job: Job) -> list[str]:
    """Return the faults of both bundles; hooks that have one do not run."""
    problems = BundleRunner(job.new, None, job.fail_closed).problems
    if job.old is not None:
        problems += [f"--against: {each}" for each in BundleRunner(job.old, None, job.fail_closed).problems]
    return problems


def identifiers(partition: Partition) -> Iterator[str]:
    """Yield the ids of a partition's events. Raises JournalError."""
    return (entry.id for entry in Contents(partition).entries())
