"""Replays records: plans partitions, runs an engine, and folds the results. Memory is bounded by a partition."""

from __future__ import annotations

import heapq
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from itertools import islice

from sandhook.hooks.event import Json, JsonObject
from sandhook.journal.errors import JournalError
from sandhook.journal.reading import MOST_SKIPPED, Contents, Partition, Plan
from sandhook.record import Record
from sandhook.replay.compare import CHANGES
from sandhook.replay.engines import Done, Engine
from sandhook.replay.errors import ReplayError
from sandhook.replay.folding import VERSION, Partial, skipped_json
from sandhook.replay.job import Job, identifiers, rank
from sandhook.replay.store import Rows, State
from sandhook.replay.tally import HOOK_WORDS, MEASURED, Tally
from sandhook.replay.where import parse
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.typed import Protocol

    class Progress(Protocol):
        """Reports how much was replayed."""

        def __call__(self, partitions: int, events: int, /) -> object: ...


#: Groups of one change that a result has, and examples of a group.
MOST_GROUPS, EXAMPLES = 200, 3

#: Ids of the events of failed partitions that a result has.
MOST_IDS = 10_000


class Result(Record):
    """The result of a replay.

    Attributes:
        tally: What was counted.
        rows: The changed events.
        skipped: What of the records could not be read, with the numbers of lines in their files; the first
            MOST_SKIPPED places.
        failed: Partitions that could not be replayed.
    """

    tally: Tally
    rows: Rows
    skipped: tuple[JsonObject, ...]
    skipped_count: int
    failed: tuple[JsonObject, ...]


def with_sample(job: Job, plan: Plan, count: int) -> Job:
    """Return the job with a sample of so many events: the same ones, whatever the partitions."""
    selected = parse(job.where) if job.where else None
    largest: list[int] = []  # a heap of negated ranks
    for partition in plan.partitions:
        for entry in Contents(partition).entries():
            if selected is not None and not selected(entry):
                continue
            if len(largest) < count:
                heapq.heappush(largest, -rank(entry))
            else:
                heapq.heappushpop(largest, -rank(entry))
    return job._replace(sample=-largest[0] if largest else None)


def fingerprint(job: Job, plan: Plan) -> str:
    """Return a digest of what determines the result."""
    value = [
        VERSION,
        [[*each] for each in plan.partitions],
        [[document.text or document.value, document.name] for document in job.new.documents],
        None
        if job.old is None
        else [[document.text or document.value, document.name] for document in job.old.documents],
        [[path, blake2b(data).hexdigest(), mode] for path, data, mode in job.files],
        [job.where, job.sample, list(job.mask), job.fail_closed, job.runs],
    ]
    return blake2b(json.dumps(value, default=repr).encode("ascii"), digest_size=16).hexdigest()


@contextmanager
def replayed(
    job: Job,
    plan: Plan,
    engine: Callable[[], Engine],
    *,
    state: str | None = None,
    progress: Progress | None = None,
) -> Iterator[Result]:
    """Replay the partitions of a plan, and yield the result; its rows can be read until the block ends.

    Args:
        engine: Makes the engine when it is needed.
        state: A directory that keeps what was finished; a temporary one if None.

    Raises ReplayError, JournalError.
    """
    with tempfile.TemporaryDirectory(prefix="sandhook-replay-") as temporary:
        kept = State(state, fingerprint(job, plan)) if state is not None else None
        fold = _Fold(plan, Rows(f"{temporary}/rows.db"))
        try:
            _replay_all(plan, kept, fold, engine, progress)
            yield fold.result()
        finally:
            fold.close()


def _replay_all(
    plan: Plan, kept: State | None, fold: _Fold, engine: Callable[[], Engine], progress: Progress | None
) -> None:
    """Replay what is not finished, and fold each result when it comes."""
    report = progress or _report_nothing
    for numbers, partial in kept.finished() if kept is not None else ():
        fold.add(numbers, partial)
        report(len(numbers), 0)
    waiting = [(number, each) for number, each in enumerate(plan.partitions) if number not in fold.finished]
    if not waiting:
        return
    running = engine()
    try:
        for outcome in running.replay(waiting):
            if isinstance(outcome, Done):
                if kept is not None:
                    kept.keep(outcome.numbers, outcome.result)
                partial = Partial.from_bytes(outcome.result)
                fold.add(outcome.numbers, partial)
                report(len(outcome.numbers), partial.tally.events)
            else:
                fold.failed[outcome.number] = outcome.reason
                report(1, 0)
    finally:
        running.close()


def _report_nothing(partitions: int, events: int) -> None:
    """Nobody asked for the progress."""


class _Fold:
    """Folds results in the order in which they come; memory holds one of them.

    Changed events, counts by texts of events, and damaged places are on disk: a record decides how many there are.

    Attributes:
        finished: Lines of each partition that was folded, by number.
        failed: Why others were not replayed.
    """

    def __init__(self, plan: Plan, rows: Rows) -> None:
        self._plan = plan
        self._rows = rows
        self._skipped_count = len(plan.skipped)
        self.finished: dict[int, int] = {}
        self.failed: dict[int, str] = {}

    def add(self, numbers: Sequence[int], partial: Partial) -> None:
        """Add the result of neighbouring partitions; one that is already there is left out."""
        if any(number in self.finished for number in numbers):
            return
        self._rows.add(partial.rows)
        self._rows.count_up(partial.tally)
        for number, part in zip(numbers, partial.parts):
            self.finished[number] = part.lines
            self._skipped_count += part.skipped_count
            if part.skipped:
                self._rows.lose(number, part.skipped)

    def result(self) -> Result:
        """Return the result."""
        self._rows.finish()
        losers: list[JsonObject] = []
        room = MOST_IDS
        for number in sorted(self.failed):
            losers.append(_failed_json(self._plan.partitions[number], self.failed[number], room))
            room -= len(_list(losers[-1]["events"]))
        return Result(self._rows.tally(), self._rows, self._skipped(), self._skipped_count, tuple(losers))

    def _skipped(self) -> tuple[JsonObject, ...]:
        """Return the first places that could not be read, with the numbers of lines in their files."""
        skipped = [skipped_json(each, 0) for each in self._plan.skipped[:MOST_SKIPPED]]
        losses = self._rows.losses(MOST_SKIPPED - len(skipped))
        before: dict[int, int] = {}
        lines: dict[str, int] = {}
        for number, partition in enumerate(self._plan.partitions if losses else ()):
            before[number] = lines.get(partition.path, 0)
            lines[partition.path] = before[number] + self.finished.get(number, 0)
        return (*skipped, *(skipped_json(each, before[number]) for number, each in losses))

    def close(self) -> None:
        self._rows.close()


def _list(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return value


def _failed_json(partition: Partition, reason: str, most: int) -> JsonObject:
    try:
        ids: list[Json] = list(islice(identifiers(partition), most))
    except JournalError:
        ids = []
    return {
        "file": partition.path,
        "kind": partition.kind,
        "start": partition.start,
        "end": partition.end,
        "reason": reason,
        "events": ids,
    }


def result_json(result: Result) -> JsonObject:
    """Return a result as JSON values. Everything but ``measured`` depends on the events, hooks and files alone."""
    tally = result.tally
    groups: list[Json] = []
    left_out: JsonObject = {}
    for change in CHANGES:
        if change in MEASURED:
            continue
        for hook, tool, shape, size, examples in result.rows.groups(change, MOST_GROUPS, EXAMPLES):
            groups.append(
                {
                    "change": change,
                    "hook": hook,
                    "tool": tool,
                    "shape": shape,
                    "events": size,
                    "examples": [example_json(each) for each in examples],
                }
            )
        if (count := result.rows.count_groups(change)) > MOST_GROUPS:
            left_out[change] = count - MOST_GROUPS
    return {
        "events": tally.events,
        "selected": tally.selected,
        "compared": tally.compared,
        "masked": tally.masked,
        "unfired": tally.shown_unfired(),
        "refused": {"old": tally.old_refused, "new": tally.new_refused},
        "changes": tally.changes(),
        "groups": groups,
        "groups_left_out": left_out,
        "hooks": hooks_json(tally),
        "skipped": list(result.skipped),
        "skipped_count": result.skipped_count,
        "failed": list(result.failed),
        "measured": {"slower": tally.counts["slower"], "latency": latency_json(tally)},
    }


def example_json(row: JsonObject) -> JsonObject:
    """Return what an example shows of an event, without what depends on the machine."""
    return {name: row[name] for name in ("time", "id", "agent", "event", "tool", "parts", "old", "new")}


def hooks_json(tally: Tally) -> list[Json]:
    """Return what each new hook did."""
    names = sorted({key.rpartition("\t")[0] for key in tally.hooks})
    return [
        {
            "hook": name,
            **{word: tally.hooks[f"{name}\t{word}"] for word in HOOK_WORDS},
        }
        for name in names
    ]


def latency_json(tally: Tally) -> list[Json]:
    """Return the percentiles of each hook's durations, old and new, in milliseconds."""
    from sandhook.replay.compare import bucket_start

    buckets: dict[tuple[str, str], dict[int, int]] = {}
    for key, count in tally.latency.items():
        side, rest = key.split("\t", 1)
        hook, _, bucket = rest.rpartition("\t")
        buckets.setdefault((hook, side), {})[int(bucket)] = count
    shown: list[Json] = []
    for (hook, side), counts in sorted(buckets.items()):
        total = sum(counts.values())
        row: JsonObject = {"hook": hook, "side": side, "runs": total}
        for percent in (50, 95, 99):
            row[f"p{percent}_ms"] = round(bucket_start(_percentile(counts, total * percent / 100)), 3)
        shown.append(row)
    return shown


def _percentile(counts: dict[int, int], wanted: float) -> int:
    seen = 0
    for bucket in sorted(counts):
        seen += counts[bucket]
        if seen >= wanted:
            return bucket + 1
    return 0


def files_below(directory: str, most: int = 64 << 20) -> tuple[tuple[str, bytes, int], ...]:
    """Return the regular files below a directory: relative path, contents, permission bits. Raises ReplayError."""
    found: list[tuple[str, bytes, int]] = []
    total = 0
    if not os.path.isdir(directory):  # noqa: PTH112 - pathlib costs 10 ms
        raise ReplayError(f"--files {directory}: there is no such directory")
    for parent, directories, names in os.walk(directory):
        directories[:] = sorted(name for name in directories if name not in (".git", "node_modules", ".venv"))
        for name in sorted(names):
            path = os.path.join(parent, name)  # noqa: PTH118
            if os.path.islink(path) or not os.path.isfile(path):  # noqa: PTH113, PTH114
                continue
            try:
                with open(path, "rb") as file:  # noqa: PTH123
                    data = file.read(most + 1)
                mode = os.stat(path).st_mode & 0o777  # noqa: PTH116
            except OSError as error:
                raise ReplayError(f"--files: {path}: {error.strerror}") from None
            total += len(data)
            if total > most:
                raise ReplayError(
                    f"--files {directory}: has more than {most >> 20} MiB; name a smaller directory"
                )
            found.append((os.path.relpath(path, directory).replace("\\", "/"), data, mode))
    return tuple(found)
