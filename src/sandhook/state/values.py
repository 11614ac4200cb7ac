"""Values of variables that are more than one string, and the attributes of names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sandhook.limits import check_clock
from sandhook.typed import TYPE_CHECKING, Any, TypeAlias

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

#: A text of more characters than this is charged to the run's memory while a variable or table has it.
LARGE = 256

#: Letters of ``declare -p`` and ``${x@a}``, in bash's order.
LETTERS: tuple[tuple[int, str], ...] = (
    (ARRAY, "a"), (ASSOC, "A"), (INTEGER, "i"), (NAMEREF, "n"), (READONLY, "r"),
    (TRACE, "t"), (EXPORT, "x"), (CAPITAL, "c"), (LOWER, "l"), (UPPER, "u"),
)  # fmt: skip


def letters(bits: int) -> str:
    """Return the attribute letters of a name, "" for none."""
    return "".join(letter for bit, letter in LETTERS if bits & bit)


class _Shared:
    """What the copies of an array share until they change: how many there are, and the memory charged for all.

    Attributes:
        holders: Arrays with the same items.
        held: Bytes that were charged for the items, refunded with the last holder.
    """

    __slots__ = ("held", "holders")

    def __init__(self, held: int) -> None:
        self.holders = 1
        self.held = held


class _Held:
    """Memory that was charged to the budget; it is refunded when the value is deleted.

    Arrays are replaced, unset, hidden by locals and dropped with subshells; none of that code refunds memory.
    The copy of an array that a subshell gets shares the items, until one of the two changes them.
    """

    __slots__ = ("_budget", "_held", "shared")
    _budget: Budget
    _held: int
    shared: _Shared | None

    def keep(self, budget: Budget, count: int) -> None:
        """Record ``count`` bytes that were charged to ``budget`` for this value."""
        self._budget = budget
        self._held += count

    def refund(self, count: int) -> None:
        """Refund the bytes of an element that was removed."""
        count = min(count, self._held)
        if count > 0:
            self._held -= count
            self._budget.charge_memory(-count)

    def _share(self, budget: Budget) -> _Shared:
        """Return what this array shares with one more copy."""
        self._budget = budget
        shared = self.shared
        if shared is None:
            shared = self.shared = _Shared(self._held)
            self._held = 0
        shared.holders += 1
        return shared

    def _leave(self, shared: _Shared, size: int) -> bool:
        """Stop sharing; return True, and charge the ``size`` elements of a copy, if others still share."""
        if shared.holders > 1:
            self._budget.charge_memory(64 * size)
            self._held += 64 * size
        else:
            self._held += shared.held
        self.shared = None
        shared.holders -= 1
        return shared.holders > 0

    def __del__(self) -> None:
        shared = self.shared
        if shared is not None:
            shared.holders -= 1
            if not shared.holders:
                self._held += shared.held
        if self._held:
            self._budget.memory_used -= self._held


class IndexedArray(_Held):
    """A sparse array: integers from 0 to strings, listed in the order of the integers."""

    __slots__ = ("_largest", "_sorted", "items")

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._held = 0
        self.shared = None
        self.items: dict[int, str] = dict(enumerate(values))
        self._sorted = True
        self._largest = 0  # index, kept while the items are out of order

    def copy(self, budget: Budget) -> IndexedArray:
        """Return a copy for another shell, which is charged to ``budget`` when one of the two changes."""
        new = IndexedArray.__new__(IndexedArray)
        new._held = 0
        new._budget = budget
        new.shared = self._share(budget)
        new.items = self.items
        new._sorted = self._sorted
        new._largest = self._largest
        return new

    def own(self) -> None:
        """Make the items this array's own, before they change."""
        shared = self.shared
        if shared is not None and self._leave(shared, len(self.items)):
            self.items = self.items.copy()

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
        if self.shared is not None:
            self.own()
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
        self.own()
        self._sort()
        self.items.update(enumerate(values, self.top()))

    def remove(self, index: int) -> None:
        self.own()
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
            self.own()
            self.items = dict(sorted(self.items.items()))
            self._sorted = True


#: Bytes of a key between two looks at the clock.
_HASHED_TOGETHER = 65_536

_FNV_OFFSET, _FNV_PRIME = 2166136261, 16777619


def hash_of(key: str) -> int:
    """Return bash's hash of a key (FNV-1, 32 bits), which decides the order of listing.

    Bytes count as C's ``char``, which has a sign where bash is mostly compiled.
    """
    value = _FNV_OFFSET
    data = key.encode("utf-8", "surrogateescape")
    for start in range(0, len(data), _HASHED_TOGETHER):
        check_clock()
        for byte in data[start : start + _HASHED_TOGETHER]:
            value = (value * _FNV_PRIME & 0xFFFFFFFF) ^ (byte if byte < 0x80 else byte | 0xFFFFFF00)
    return value


class AssociativeArray(_Held):
    """Strings to strings, listed in the order of bash's hash table."""

    __slots__ = ("_order", "items")

    def __init__(self) -> None:
        self._held = 0
        self.shared = None
        self.items: dict[str, str] = {}
        self._order: list[str] | None = []

    def copy(self, budget: Budget) -> AssociativeArray:
        """Return a copy for another shell, which is charged to ``budget`` when one of the two changes."""
        new = AssociativeArray.__new__(AssociativeArray)
        new._held = 0
        new._budget = budget
        new.shared = self._share(budget)
        new.items = self.items
        new._order = self._order
        return new

    def own(self) -> None:
        """Make the items this array's own, before they change."""
        shared = self.shared
        if shared is not None and self._leave(shared, len(self.items)):
            self.items = self.items.copy()

    def __len__(self) -> int:
        return len(self.items)

    def get(self, key: str) -> str | None:
        return self.items.get(key)

    def set(self, key: str, value: str) -> None:
        if self.shared is not None:
            self.own()
        if key not in self.items:
            self._order = None
        self.items[key] = value

    def remove(self, key: str) -> None:
        self.own()
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
    if old is not None:
        count = len(value) - len(old)
        if not count:
            array.set(key, value)
            return
    elif key.__class__ is int:
        count = 64 + len(value)
    else:
        count = 64 + len(value) + len(key)
    if array.shared is not None:
        array.own()
    if count < 0:
        array.refund(-count)
    else:
        budget.charge_memory(count)
        array.keep(budget, count)
    array.set(key, value)


def element_size(key: str, value: str) -> int:
    """Return the bytes that ``store`` charges for an element; its key is "" in an indexed array."""
    return 64 + len(value) + len(key)


class Charge:
    """Bytes of a budget that are refunded when this object is deleted."""

    __slots__ = ("_budget", "_count")

    def __init__(self, count: int, budget: Budget) -> None:
        self._count = 0
        self._budget = budget
        budget.charge_memory(count)
        self._count = count

    def __del__(self) -> None:
        self._budget.memory_used -= self._count


class HeldText(str):
    """A long text that is charged until nothing refers to it.

    Variables, hidden ones, subshells and tables share it and drop it; none of that code refunds memory.
    """

    __slots__ = ("_budget",)
    _budget: Budget

    def __del__(self) -> None:
        self._budget.memory_used -= len(self)


def held(text: str, budget: Budget) -> str:
    """Return a text for a variable or a table to keep; a long one is charged to ``budget`` as long as it lives."""
    if len(text) <= LARGE or text.__class__ is HeldText:
        return text
    budget.charge_memory(len(text))
    new = HeldText(text)
    new._budget = budget
    return new


#: Positional parameters that a list may have without being charged.
FEW_PARAMETERS = 1024
