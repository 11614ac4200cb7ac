"""Values of variables that are more than one string, and the attributes of names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from sandhook.limits import Budget

# Attributes of a name, as bits.
EXPORT, READONLY, INTEGER, LOWER, UPPER, CAPITAL, NAMEREF, ARRAY, ASSOC, TRACE, DYNAMIC = (
    1 << n for n in range(11)
)

#: Of what a local hides: it is declared, though it may have neither value nor attribute.
DECLARED = 1 << 11

#: Attributes that make an assignment more than storing the text.
COMPUTED = READONLY | INTEGER | LOWER | UPPER | CAPITAL | NAMEREF | DYNAMIC

#: A value of more characters than this is charged to the run's memory.
LARGE = 1024

#: Letters of ``declare -p`` and ``${x@a}``, in bash's order.
LETTERS: tuple[tuple[int, str], ...] = (
    (ARRAY, "a"), (ASSOC, "A"), (INTEGER, "i"), (NAMEREF, "n"), (READONLY, "r"),
    (TRACE, "t"), (EXPORT, "x"), (CAPITAL, "c"), (LOWER, "l"), (UPPER, "u"),
)  # fmt: skip


def letters(bits: int) -> str:
    """Return the attribute letters of a name, "" for none."""
    return "".join(letter for bit, letter in LETTERS if bits & bit)


class _Held:
    """Memory that was charged to the budget; it is refunded when the value is deleted.

    Arrays are replaced, unset, hidden by locals and dropped with subshells; none of that code refunds memory.
    """

    __slots__ = ("_budget", "_held")
    _budget: Budget
    _held: int

    def keep(self, budget: Budget, count: int) -> None:
        """Record ``count`` bytes that were charged to ``budget`` for this value."""
        self._budget = budget
        self._held += count

    def refund(self, count: int) -> None:
        """Refund the bytes of an element that was removed."""
        count = min(count, self._held)
        if count:
            self._held -= count
            self._budget.charge_memory(-count)

    def __del__(self) -> None:
        if self._held:
            self._budget.memory_used -= self._held


class IndexedArray(_Held):
    """A sparse array: integers from 0 to strings, listed in the order of the integers."""

    __slots__ = ("_largest", "_sorted", "items")

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._held = 0
        self.items: dict[int, str] = dict(enumerate(values))
        self._sorted = True
        self._largest = 0  # index, kept while the items are out of order

    def copy(self) -> IndexedArray:
        new = IndexedArray.__new__(IndexedArray)
        new._held = 0
        new.items = self.items.copy()
        new._sorted = self._sorted
        new._largest = self._largest
        return new

    def __len__(self) -> int:
        return len(self.items)

    def get(self, index: int) -> str | None:
        """Return an element; a negative index counts from one past the largest."""
        if index < 0:
            index += self.top()
        return self.items.get(index)

    def top(self) -> int:
        """Return one more than the largest index in use; 0 when empty."""
        if not self.items:
            return 0
        return (next(reversed(self.items)) if self._sorted else self._largest) + 1

    def set(self, index: int, value: str) -> None:
        items = self.items
        if index not in items:
            if not items:
                self._sorted = True
            elif self._sorted:
                last = next(reversed(items))
                if index < last:
                    self._sorted = False
                    self._largest = last
            elif index > self._largest:
                self._largest = index
        items[index] = value

    def extend(self, values: list[str]) -> None:
        """Append values after the largest index."""
        self._sort()
        self.items.update(enumerate(values, self.top()))

    def remove(self, index: int) -> None:
        if not self._sorted and index == self._largest:
            self._sort()
        self.items.pop(index, None)

    def keys(self) -> list[str]:
        self._sort()
        return [str(key) for key in self.items]

    def indices(self) -> list[int]:
        self._sort()
        return list(self.items)

    def values(self) -> list[str]:
        self._sort()
        return list(self.items.values())

    def pairs(self) -> Iterator[tuple[str, str]]:
        self._sort()
        return ((str(key), value) for key, value in self.items.items())

    def _sort(self) -> None:
        if not self._sorted:
            self.items = dict(sorted(self.items.items()))
            self._sorted = True


_FNV_OFFSET, _FNV_PRIME = 2166136261, 16777619


def hash_of(key: str) -> int:
    """Return bash's hash of a key (FNV-1, 32 bits), which decides the order of listing.

    Bytes count as C's ``char``, which has a sign where bash is mostly compiled.
    """
    value = _FNV_OFFSET
    for byte in key.encode("utf-8", "surrogateescape"):
        value = (value * _FNV_PRIME & 0xFFFFFFFF) ^ (byte if byte < 0x80 else byte | 0xFFFFFF00)
    return value


class AssociativeArray(_Held):
    """Strings to strings, listed in the order of bash's hash table."""

    __slots__ = ("_order", "items")

    def __init__(self) -> None:
        self._held = 0
        self.items: dict[str, str] = {}
        self._order: list[str] | None = []

    def copy(self) -> AssociativeArray:
        new = AssociativeArray.__new__(AssociativeArray)
        new._held = 0
        new.items = self.items.copy()
        new._order = None
        return new

    def __len__(self) -> int:
        return len(self.items)

    def get(self, key: str) -> str | None:
        return self.items.get(key)

    def set(self, key: str, value: str) -> None:
        if key not in self.items:
            self._order = None
        self.items[key] = value

    def remove(self, key: str) -> None:
        if self.items.pop(key, None) is not None:
            self._order = None

    def keys(self) -> list[str]:
        """Return the keys as bash lists them: by bucket, the newest of a bucket first."""
        if self._order is None:
            buckets = 1024
            while len(self.items) > buckets * 2:
                buckets *= 4
            mask = buckets - 1
            newest_first = reversed(list(self.items))
            self._order = sorted(newest_first, key=lambda key: hash_of(key) & mask)
        return self._order

    def values(self) -> list[str]:
        return [self.items[key] for key in self.keys()]

    def pairs(self) -> Iterator[tuple[str, str]]:
        return ((key, self.items[key]) for key in self.keys())


Array: TypeAlias = IndexedArray | AssociativeArray
Value: TypeAlias = str | IndexedArray | AssociativeArray


def new_array(bits: int, value: str | None) -> Array:
    """Return an array of the kind that a name's attributes ask for, with a scalar as its element 0."""
    if not bits & ASSOC:
        return IndexedArray(() if value is None else (value,))
    array = AssociativeArray()
    if value is not None:
        array.set("0", value)
    return array


def store(array: Array, key: Any, value: str, budget: Budget) -> None:
    """Put a text into an array; charge what it needs in addition to what it replaces.

    Args:
        key: An index of 0 or more, or the key of an associative array.
    """
    old = array.items.get(key)
    if old is None:
        count = len(value) if len(value) > LARGE else 64
    elif len(value) > LARGE or len(old) > LARGE:
        count = len(value) - (len(old) if len(old) > LARGE else 0)
    else:
        array.set(key, value)
        return
    budget.charge_memory(count)
    array.keep(budget, count)
    array.set(key, value)
