"""Replays records: plans partitions, runs an engine, and folds the results. Memory is bounded by a partition."""

from __future__ import annotations

import heapq
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from itertools import islice

from sandhook.hooks.event import Json, JsonObject
from sandhook.journal.errors import JournalError
from sandhook.journal.reading import MOST_SKIPPED, Contents, Partition, Plan, Skipped
from sandhook.record import Record
from sandhook.replay.compare import CHANGES
from sandhook.replay.engines import Done, Engine
from sandhook.replay.errors import ReplayError
from sandhook.replay.job import Job, identifiers, rank
from sandhook.replay.store import Rows, State
from sandhook.replay.tally import MEASURED, Tally
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
        kept = State(state if state is not None else f"{temporary}/state", fingerprint(job, plan))
        failed = _replay_all(plan, kept, engine, progress)
        rows = Rows(f"{temporary}/rows.db")
        try:
            yield _folded(plan, kept, failed, rows)
        finally:
            rows.close()


def _replay_all(
    plan: Plan, kept: State, engine: Callable[[], Engine], progress: Progress | None
) -> dict[int, str]:
    """Replay what is not finished; return the reasons of the partitions that failed."""
    finished = kept.finished()
    waiting = [(number, each) for number, each in enumerate(plan.partitions) if number not in finished]
    failed: dict[int, str] = {}
    if progress is not None:
        progress(len(finished), 0)
    if not waiting:
        return failed
    running = engine()
    try:
        for outcome in running.replay(waiting):
            if isinstance(outcome, Done):
                kept.keep(outcome.number, outcome.result)
                events = _events_of(outcome.result)
            else:
                failed[outcome.number] = outcome.reason
                events = 0
            if progress is not None:
                progress(1, events)
    finally:
        running.close()
    return failed


def _events_of(result: bytes) -> int:
    tally = json.loads(result)["tally"]
    events: int = tally["events"]
    return events


def _folded(plan: Plan, kept: State, failed: dict[int, str], rows: Rows) -> Result:
    """Fold the results in the order of the partitions; memory holds one of them.

    Changed events, and counts by texts of events, are on disk: a record decides how many there are.
    """
    skipped: list[JsonObject] = [_skipped_json(each, 0) for each in plan.skipped]
    skipped_count = len(plan.skipped)
    lines: dict[str, int] = {}
    for number, partition in enumerate(plan.partitions):
        if number in failed:
            continue
        result = kept.result(number)
        tally, changed, losses = result["tally"], result["rows"], result["skipped"]
        assert isinstance(tally, dict) and isinstance(changed, list) and isinstance(losses, list)
        rows.add(changed)
        rows.count_up(Tally.from_json(tally))
        before = lines.get(partition.path, 0)
        skipped_count += int(str(result["skipped_count"]))
        for loss in losses[: max(0, MOST_SKIPPED - len(skipped))]:
            skipped.append(_skipped_json(Skipped(*loss), before))
        lines[partition.path] = before + int(str(result["lines"]))
    rows.finish()
    losers: list[JsonObject] = []
    room = MOST_IDS
    for number in sorted(failed):
        losers.append(_failed_json(plan.partitions[number], failed[number], room))
        room -= len(_list(losers[-1]["events"]))
    return Result(rows.tally(), rows, tuple(skipped), skipped_count, tuple(losers))


def _list(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return value


def _skipped_json(loss: Skipped, lines_before: int) -> JsonObject:
    return {
        "file": loss.path,
        "unit": loss.unit,
        "place": loss.place,
        "line": loss.line + lines_before if loss.unit == "byte" else None,
        "reason": loss.reason,
        "recovered": loss.recovered,
    }


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
            **{
                word: tally.hooks[f"{name}\t{word}"]
                for word in ("seen", "matched", "refused", "could_not_run")
            },
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
