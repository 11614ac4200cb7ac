"""What is different between two decisions about the same event."""

from __future__ import annotations

import math
from typing import get_args

from sandhook.journal.schema import Decided
from sandhook.record import Record
from sandhook.typed import Literal

#: What changed for an event. The first three exclude each other; "slower" is measured, the others do not depend on
#: the machine.
Change = Literal["newly_refused", "newly_allowed", "changed", "could_not_run", "slower"]

CHANGES: tuple[Change, ...] = get_args(Change)

#: A run is slower if it takes this many times the old time, and so many milliseconds more.
SLOWER_TIMES, SLOWER_MS = 2.0, 20.0

#: Parts of a decision that "changed" names.
_PARTS = ("permission", "force_continue", "reason", "changes")


class Side(Record):
    """One of the two decisions.

    Attributes:
        decided: The decision.
        hook: Id of the hook that decided it, or "".
        duration_ms: Of all hooks, None if nobody knows it.
    """

    decided: Decided
    hook: str = ""
    duration_ms: float | None = None


def changes_between(old: Side, new: Side) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """Return what changed, and for "changed" the parts of the decision that differ."""
    before, after = old.decided, new.decided
    changes: list[Change] = []
    parts: tuple[str, ...] = ()
    if before.refused != after.refused:
        changes.append("newly_refused" if after.refused else "newly_allowed")
    else:
        parts = tuple(name for name in _PARTS if getattr(before, name) != getattr(after, name))
        if parts:
            changes.append("changed")
    if after.could_not_run and not before.could_not_run:
        changes.append("could_not_run")
    if is_slower(old.duration_ms, new.duration_ms):
        changes.append("slower")
    return tuple(changes), parts


def is_slower(old: float | None, new: float | None) -> bool:
    """Return whether the new hooks need much more time."""
    return old is not None and new is not None and new > old * SLOWER_TIMES and new > old + SLOWER_MS


def bucket_of(milliseconds: float) -> int:
    """Return the number of a duration's bucket: four for each doubling, from a microsecond."""
    return max(0, math.floor(math.log2(max(milliseconds, 0.001) * 1000) * 4))


def bucket_start(bucket: int) -> float:
    """Return the milliseconds at which a bucket begins."""
    return float(2 ** (bucket / 4) / 1000)
