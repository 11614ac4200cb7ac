"""What is counted of events. Tallies of partitions are added in any order, with the same result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.model import Decision
from sandhook.journal.schema import Decided, Entry
from sandhook.lazy import lazily
from sandhook.replay.compare import CHANGES, Change, Side, bucket_of

#: Counts that depend on the machine.
MEASURED: tuple[Change, ...] = ("slower",)

#: Characters of a reason for which events were not fired.
_LONGEST_REASON = 200

#: Counters whose keys are texts of events, and how many keys a result has: a record may have any number.
BY_TEXT = {"unfired": 50, "timeline": 100_000, "latency": 20_000}

#: What is counted of a new hook.
HOOK_WORDS = ("seen", "matched", "refused", "could_not_run")

_HOUR = lazily(r"\d{4}-\d\d-\d\dT\d\d:")


class _HookCount:
    """What one new hook did."""

    __slots__ = ("could_not_run", "matched", "refused", "seen")

    def __init__(self) -> None:
        self.seen = self.matched = self.refused = self.could_not_run = 0


class Counting:
    """Counts the events of a partition, one after the other, for a Tally.

    Counters are of what is at hand: making the keys of a tally for each event would take as long as all else.
    """

    def __init__(self) -> None:
        self._tally = Tally()
        self._hooks: dict[str, _HookCount] = {}
        self._latency: Counter[tuple[str, str, int]] = Counter()
        self._timeline: Counter[tuple[str, str, str]] = Counter()

    def read(self, entry: Entry) -> None:
        """Count an event that was read."""
        self._tally.events += 1
        self._tally.masked += entry.masked > 0

    def select(self) -> None:
        """Count an event that is replayed."""
        self._tally.selected += 1

    def count(self, changes: Iterable[Change]) -> None:
        """Count what changed for an event."""
        for change in changes:
            self._tally.counts[change] += 1

    def count_unfired(self, reason: str) -> None:
        """Count an event that could not be fired."""
        self._tally.unfired[reason[:_LONGEST_REASON]] += 1

    def add(self, entry: Entry, old: Side | None, new: Side, decision: Decision) -> None:
        """Count an event that was fired."""
        tally, hour = self._tally, _hour_of(entry.time[:14])
        if old is not None:
            tally.compared += 1
            tally.old_refused += old.decided.refused
            if hour:
                self._timeline[hour, "old", word_of(old.decided)] += 1
        tally.new_refused += new.decided.refused
        if hour:
            self._timeline[hour, "new", word_of(new.decided)] += 1
        hooks = self._hooks
        for each in decision.outcomes:
            name = each.spec.id
            count = hooks.get(name)
            if count is None:
                count = hooks[name] = _HookCount()
            count.seen += 1
            if each.state == "not_matched":
                continue
            count.matched += 1
            count.refused += each.verdict.refuses
            count.could_not_run += each.verdict.could_not_run is not None

    def add_latency(self, entry: Entry | None, old: Decision | None, new: Decision) -> None:
        """Count the durations of hooks: of the new ones, and of the recorded or the old ones."""
        latency = self._latency
        for side, decision in (("old", old), ("new", new)):
            for each in decision.outcomes if decision is not None else ():
                if each.run is not None:
                    latency[side, each.spec.id, bucket_of(each.run.duration * 1000)] += 1
        for run in entry.hooks if entry is not None else ():
            if run.duration_ms is not None:
                latency["old", run.id, bucket_of(run.duration_ms)] += 1

    def finish(self) -> Tally:
        """Return the counts."""
        tally = self._tally
        for name, count in self._hooks.items():
            for word in HOOK_WORDS:
                tally.hooks[f"{name}\t{word}"] = getattr(count, word)
        tally.timeline.update({"\t".join(key): number for key, number in self._timeline.items()})
        for (side, hook, bucket), number in self._latency.items():
            tally.latency[f"{side}\t{hook}\t{bucket}"] += number
        return tally


@lru_cache(256)
def _hour_of(start: str) -> str:
    """Return the hour at the start of a text, "" if it has no time."""
    return start[:13] if _HOUR.match(start) else ""


class Tally:
    """The counts of a set of events.

    Attributes:
        events: Events of the record.
        selected: Those that were chosen by --where and --sample.
        unfired: Those that could not be fired, by reason.
        compared: Those with a decision to compare with.
        masked: Those with a payload that had secrets.
        counts: Events by what changed.
        timeline: Events by hour and by decision, "old" and "new".
        hooks: What each new hook did: matched, refused, could not run.
        latency: Runs of hooks by "old" or "new", by hook and by bucket of their duration.
        left_out: Of a counter by texts of events, how many keys it does not have, and the sum of their numbers.
    """

    def __init__(self) -> None:
        self.events = self.selected = self.compared = self.masked = 0
        self.old_refused = self.new_refused = 0
        self.unfired: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.timeline: Counter[str] = Counter()
        self.hooks: Counter[str] = Counter()
        self.latency: Counter[str] = Counter()
        self.left_out: dict[str, tuple[int, int]] = {}

    def merge(self, other: Tally) -> None:
        """Add the counts of other events."""
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in _COUNTERS:
            getattr(self, name).update(getattr(other, name))

    def to_json(self) -> JsonObject:
        """Return the counts as JSON values, in an order that does not depend on that of the events."""
        value: JsonObject = {name: getattr(self, name) for name in _NUMBERS}
        for name in _COUNTERS:
            counter: Counter[str] = getattr(self, name)
            value[name] = {key: counter[key] for key in sorted(counter) if counter[key]}
        return value

    @classmethod
    def from_json(cls, value: JsonObject) -> Tally:
        """Return what ``to_json`` returned."""
        tally = cls()
        for name in _NUMBERS:
            setattr(tally, name, value[name])
        for name in _COUNTERS:
            counts: Json = value[name]
            assert isinstance(counts, dict)
            getattr(tally, name).update(counts)
        return tally

    def changes(self) -> JsonObject:
        """Return how many events changed, in each way that does not depend on the machine."""
        return {name: self.counts[name] for name in CHANGES if name not in MEASURED}

    @property
    def unfired_count(self) -> int:
        """How many events could not be fired."""
        return self.unfired.total() + self.left_out.get("unfired", (0, 0))[1]

    def shown_unfired(self) -> JsonObject:
        """Return the most frequent reasons for which events were not fired, and the number of the others."""
        ordered = sorted(self.unfired.items(), key=lambda pair: (-pair[1], pair[0]))
        shown: JsonObject = dict(ordered)
        keys, number = self.left_out.get("unfired", (0, 0))
        if keys:
            shown[f"{keys} other reasons"] = number
        return shown


_NUMBERS = ("events", "selected", "compared", "masked", "old_refused", "new_refused")
_COUNTERS = ("unfired", "counts", "timeline", "hooks", "latency")


def word_of(decided: Decided) -> str:
    """Return a decision as one word."""
    if decided.refused:
        return "refused"
    if decided.could_not_run:
        return "could not run"
    if decided.permission in ("ask", "defer"):
        return "asked"
    if decided.force_continue:
        return "continued"
    return "changed" if decided.changes else "allowed"
