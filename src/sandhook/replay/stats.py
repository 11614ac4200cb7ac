"""What a record has: which hooks fire, how often, how long, and which never match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from sandhook.hooks.event import Json, JsonObject
from sandhook.journal.reading import MOST_SKIPPED, Contents, Plan
from sandhook.journal.schema import Entry, HookRun
from sandhook.replay.compare import bucket_of, bucket_start
from sandhook.replay.folding import skipped_json
from sandhook.replay.tally import word_of

#: Versions of a hook that are counted one by one; what further ones did is counted together.
_MOST_VERSIONS = 100

#: What is counted of each version of a hook.
_COUNTED = ("matched", "refused", "could_not_run")


class Version:
    """Counts what a hook did while its entry and its approved files had one digest."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.first = self.last = ""

    def add(self, run: HookRun, refused: bool, time: str) -> None:
        """Count a run."""
        self.counts["matched"] += 1
        self.counts["refused"] += refused
        self.counts["could_not_run"] += run.could_not_run is not None
        self.first = min(self.first or time, time)
        self.last = max(self.last, time)

    def row(self, digest: str | None) -> JsonObject:
        """Return the counts as JSON values."""
        row: JsonObject = {"hash": digest, "first": self.first, "last": self.last}
        row.update({word: self.counts[word] for word in _COUNTED})
        return row


class Statistics:
    """Counts the events of a record; memory grows with the hooks and tools, not with the events.

    Attributes:
        read: Events that were read.
        events: Those that were selected, and counted.
    """

    def __init__(self) -> None:
        self.read = self.events = 0
        self.first = self.last = ""
        self.masked = 0
        self.decisions: Counter[str] = Counter()
        self.agents: Counter[str] = Counter()
        self.tools: Counter[str] = Counter()
        self.unmatched: Counter[str] = Counter()
        self.latency: dict[str, Counter[int]] = {}
        self.timeouts: dict[str, float] = {}
        self.versions: dict[str, dict[str | None, Version]] = {}

    def add(self, entry: Entry) -> None:
        """Count an event."""
        self.events += 1
        self.masked += entry.masked > 0
        self.first = min(self.first or entry.time, entry.time)
        self.last = max(self.last, entry.time)
        self.decisions["not known" if entry.decision is None else word_of(entry.decision)] += 1
        self.agents[entry.agent or "neutral"] += 1
        self.tools[entry.tool or "-"] += 1
        self.unmatched.update(entry.unmatched)
        for run in entry.hooks:
            refused = (
                entry.decision is not None
                and entry.decision.refused
                and run.reason is not None
                and run.reason == entry.decision.reason
            )
            self._version(run).add(run, refused, entry.time)
            if run.duration_ms is not None:
                self.latency.setdefault(run.id, Counter())[bucket_of(run.duration_ms)] += 1
            self.timeouts[run.id] = max(self.timeouts.get(run.id, 0.0), run.timeout_s)

    def _version(self, run: HookRun) -> Version:
        versions = self.versions.setdefault(run.id, {})
        known = run.hash in versions or len(versions) < _MOST_VERSIONS
        return versions.setdefault(run.hash if known else None, Version())

    def hook_rows(self) -> list[JsonObject]:
        """Return what each hook did, the most frequent first."""
        names = sorted({*self.unmatched, *self.versions}, key=lambda name: (-self._matched(name), name))
        return [self._hook_row(name) for name in names]

    def _matched(self, name: str) -> int:
        return sum(each.counts["matched"] for each in self.versions.get(name, {}).values())

    def _hook_row(self, name: str) -> JsonObject:
        versions = self.versions.get(name, {}).values()
        counts = sum((each.counts for each in versions), Counter[str]())
        buckets = self.latency.get(name, Counter())
        row: JsonObject = {"hook": name, "seen": self.unmatched[name] + counts["matched"]}
        row.update({word: counts[word] for word in _COUNTED})
        row["timeout_s"] = self.timeouts.get(name)
        row["last_match"] = max((each.last for each in versions), default=None)
        for percent in (50, 95, 99):
            row[f"p{percent}_ms"] = _percentile(buckets, percent)
        row["versions"] = self._version_rows(name)
        return row

    def _version_rows(self, name: str) -> list[Json]:
        versions = self.versions.get(name, {})
        by_time = sorted(versions, key=lambda digest: (versions[digest].first, digest or ""))
        return [versions[digest].row(digest) for digest in by_time]


def _percentile(buckets: Counter[int], percent: int) -> float | None:
    wanted, seen = buckets.total() * percent / 100, 0
    for bucket in sorted(buckets):
        seen += buckets[bucket]
        if seen >= wanted:
            return round(bucket_start(bucket + 1), 3)
    return None


def statistics(plan: Plan, selects: Callable[[Entry], bool] | None) -> tuple[Statistics, list[JsonObject]]:
    """Return the counts of a record, and what of it could not be read. Raises JournalError."""
    counts = Statistics()
    skipped = [skipped_json(each, 0) for each in plan.skipped[:MOST_SKIPPED]]
    lines: Counter[str] = Counter()
    for partition in plan.partitions:
        contents = Contents(partition)
        for entry in contents.entries():
            counts.read += 1
            if selects is None or selects(entry):
                counts.add(entry)
        for each in contents.skipped[: max(0, MOST_SKIPPED - len(skipped))]:
            skipped.append(skipped_json(each, lines[partition.path]))
        lines[partition.path] += contents.lines
    return counts, skipped


def stats_json(counts: Statistics, skipped: list[JsonObject]) -> JsonObject:
    """Return the counts as JSON values."""
    tools: list[Json] = [
        {"tool": name, "events": count}
        for name, count in sorted(counts.tools.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    rows = counts.hook_rows()
    return {
        "events": counts.events,
        "first": counts.first or None,
        "last": counts.last or None,
        "masked": counts.masked,
        "decisions": dict(sorted(counts.decisions.items())),
        "agents": dict(sorted(counts.agents.items())),
        "tools": tools,
        "hooks": list(rows),
        "never_matched": [row["hook"] for row in rows if not row["matched"]],
        "skipped": list(skipped),
    }
