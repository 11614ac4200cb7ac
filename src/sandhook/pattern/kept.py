"""Bounds what the compiled expressions of the process keep in memory together.

Caches count expressions. A short expression may have a large program, and RE2 keeps the states that its automaton had:
560 expressions that one script used kept 1.4 GB.
"""

from __future__ import annotations

from sandhook.typed import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from weakref import WeakKeyDictionary


class Releasable(Protocol):
    """A compiled expression that compiles itself again when it is used after ``release``."""

    def release(self) -> None: ...


class Kept:
    """Estimates the memory of compiled expressions, and releases those that were not used for the longest time.

    Operations on dictionaries are atomic. Threads at the same time make the total wrong at most, which is summed up anew
    before anything is released.

    Args:
        most: Bytes of all together.
        most_of_one: Bytes that one needs at most.
    """

    def __init__(self, most: int, most_of_one: int) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self._total = 0
        self._bytes: WeakKeyDictionary[Releasable, int] | None = None

    def add(self, item: Releasable, count: int) -> None:
        """Add ``count`` bytes to an expression that is used now."""
        kept = self._bytes
        if kept is None:  # the module is imported for the first expression
            from weakref import WeakKeyDictionary

            kept = self._bytes = WeakKeyDictionary()
        before = kept.pop(item, 0)
        now = kept[item] = min(before + count, self._most_of_one)
        self._total += now - before
        if self._total > self._most:
            self._release_oldest(kept, item)

    def total(self) -> int:
        """Return the estimate for all that are alive."""
        return 0 if self._bytes is None else sum(self._bytes.values())

    def _release_oldest(self, kept: WeakKeyDictionary[Releasable, int], item: Releasable) -> None:
        """Release all but ``item`` until a quarter is free."""
        living = list(kept.items())
        self._total = sum(count for _, count in living)
        for other, count in living:
            if self._total <= self._most * 3 // 4:
                return
            if other is not item:
                kept.pop(other, None)
                self._total -= count
                other.release()
