"""How objects are stored: the bytes that they take, and the objects that deltas are made from.

Source: git-cat-file(1), "objectsize:disk" and "deltabase".
"""

from __future__ import annotations

from bisect import bisect_right

from sandhook.utilities.git.store.objects import ObjectStore
from sandhook.utilities.git.store.packs import Pack

NO_BASE = "0" * 40
_TRAILER = 20  #: bytes of the checksum at the end of a pack


class Storage:
    """Where the objects of a repository are stored."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._tables: dict[int, tuple[list[int], dict[int, str]]] = {}

    def _place(self, oid: str) -> tuple[Pack, int] | None:
        for pack in self._objects.packs:
            if (offset := pack.offset_of(oid)) is not None:
                return pack, offset
        return None

    def _table(self, pack: Pack) -> tuple[list[int], dict[int, str]]:
        """Return the offsets of a pack in order, with the end of the last object, and the names by offset."""
        known = self._tables.get(id(pack))
        if known is None:
            self._objects.access.ctx.budget.charge_memory(len(pack) * 200)
            names = {offset: name for name in pack if (offset := pack.offset_of(name)) is not None}
            known = [*sorted(names), pack.size() - _TRAILER], names
            self._tables[id(pack)] = known
        return known

    def size(self, oid: str) -> int:
        """Return the bytes that an object takes; 0 for one that the repository lacks."""
        place = self._place(oid)
        if place is None:
            return self._objects.loose_size(oid)
        offsets, _ = self._table(place[0])
        return offsets[bisect_right(offsets, place[1])] - place[1]

    def base(self, oid: str) -> str:
        """Return the name of the object that a delta is made from, NO_BASE for an object that is stored whole."""
        place = self._place(oid)
        if place is None:
            return NO_BASE
        pack, offset = place
        entry = pack.entry(offset)
        if entry.kind:
            return NO_BASE
        return entry.base if isinstance(entry.base, str) else self._table(pack)[1].get(entry.base, NO_BASE)
