"""Bounds what the compiled expressions of the process keep in memory together.

Caches count expressions. A short expression may have a large program, and RE2 keeps the states that its automaton had:
560 expressions that one script used kept 1.4 GB.
"""

from __future__ import annotations

from sandhook.typed import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from weakref import ref


class Releasable(Protocol):
    """A compiled expression that compiles itself again when it is used after ``release``."""

    def release(self) -> None: ...


class Kept:
    """Estimates the memory of compiled expressions, and releases those that were not used for the longest time.

    Operations on dictionaries are atomic, those of a WeakKeyDictionary are not. Threads at the same time make the total
    wrong at most, which is summed up anew before anything is released.

    Args:
        most: Bytes of all together.
        most_of_one: Bytes that one needs at most.
    """

    def __init__(self, most: int, most_of_one: int) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self._total = 0
        self._bytes: dict[ref[Releasable], int] = {}

    def add(self, item: Releasable, count: int) -> None:
        """Add ``count`` bytes to an expression that is used now."""
        from weakref import ref  # this module is imported before the first expression

        key = ref(item, self._forget)
        before = self._bytes.pop(key, 0)
        now = self._bytes[key] = min(before + count, self._most_of_one)
        self._total += now - before
        if self._total > self._most:
            self._release_oldest(key)

    def total(self) -> int:
        """Return the estimate for all that are alive."""
        return sum(list(self._bytes.values()))

    def _forget(self, key: ref[Releasable]) -> None:
        self._bytes.pop(key, None)

    def _release_oldest(self, used: ref[Releasable]) -> None:
        """Release all but the one that is used now until a quarter is free."""
        living = list(self._bytes.items())
        self._total = sum(count for _, count in living)
        for key, count in living:
            if self._total <= self._most * 3 // 4:
                return
            other = key()
            if key != used and other is not None:
                self._bytes.pop(key, None)
                self._total -= count
                other.release()
