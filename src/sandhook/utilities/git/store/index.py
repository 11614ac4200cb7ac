"""The index, versions 2 to 4.

dulwich's reader is not used: version 4 abbreviates paths, so a small index can stand for gigabytes, which it
does not bound.

Source: gitformat-index(5).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from sandhook.record import Record
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.access import Access, decode, encode

FIXED = struct.Struct(">10I20sH")
EXTENDED = 0x4000
SKIP_WORKTREE = 0x4000  #: in the second word of flags
INTENT_TO_ADD = 0x2000
ASSUME_VALID = 0x8000
_CHECKSUM = 20  #: bytes at the end of the file
#: Extensions without which the entries are not all of the index.
_NEEDED = {b"link": "a split index", b"sdir": "a sparse index"}


class IndexEntry(Record):
    """One entry of the index.

    Fields:
        stage: 0, or 1 to 3 for a path with conflicts.
        stat: What stat reported: seconds and nanoseconds of ctime and mtime, device, inode, uid, gid, size.
        intended: True for "git add -N". skipped: True for a path outside of a sparse checkout.
    """

    path: str
    mode: int
    oid: str
    stage: int
    stat: tuple[int, int, int, int, int, int, int, int, int]
    assumed: bool = False
    intended: bool = False
    skipped: bool = False


class Index:
    """The entries of an index, in order of path and stage.

    Attributes:
        mtime_ns: The time of the file, against which entries are "racy".
        has_undo: The file remembers conflicts that were resolved.
    """

    def __init__(self, entries: list[IndexEntry], mtime_ns: int = 0, version: int = 2) -> None:
        self.entries = entries
        self.mtime_ns = mtime_ns
        self.version = version
        self.has_undo = False
        self._by_path: dict[str, list[IndexEntry]] | None = None

    def __iter__(self) -> Iterator[IndexEntry]:
        return iter(self.entries)

    @property
    def by_path(self) -> dict[str, list[IndexEntry]]:
        """The entries of each path, one for each stage."""
        if self._by_path is None:
            self._by_path = {}
            for entry in self.entries:
                self._by_path.setdefault(entry.path, []).append(entry)
        return self._by_path

    def get(self, path: str) -> IndexEntry | None:
        """Return the entry of a path without conflicts."""
        entries = self.by_path.get(path, [])
        return entries[0] if entries and entries[0].stage == 0 else None


def read_index(access: Access, path: str) -> Index:
    """Return the index; an empty one if the file does not exist. Raises GitError for a damaged file."""
    data = access.read_or_none(path)
    if data is None:
        return Index([])
    try:
        entries, version, end = _parse(access, data)
        names = _extensions(data, end)
    except (struct.error, IndexError, ValueError):
        raise GitError("index file corrupt") from None
    found = access.stat(path, follow=True)
    index = Index(entries, found.mtime_ns if found is not None else 0, version)
    index.has_undo = b"REUC" in names
    return index


def _extensions(data: bytes, at: int) -> list[bytes]:
    """Return the names of the extensions after the entries. Raises GitError for one that the entries depend on."""
    names: list[bytes] = []
    while at + 8 <= len(data) - _CHECKSUM:
        name, size = struct.unpack_from(">4sI", data, at)
        names.append(name)
        if name in _NEEDED:
            raise GitError(f"{_NEEDED[name]} is not offered in the sandbox (L-GIT-003)", status=129)
        if not name[:1].isupper():
            raise GitError(f"index uses {decode(name)} extension, which we do not understand", prefix="error")
        at += 8 + size
    return names


def _parse(access: Access, data: bytes) -> tuple[list[IndexEntry], int, int]:
    if data[:4] != b"DIRC":
        raise GitError("index file corrupt")
    version, count = struct.unpack_from(">II", data, 4)
    if version not in (2, 3, 4):
        raise GitError(f"bad index version {version}", prefix="error")
    if count * 62 > len(data):
        raise ValueError("count")
    budget = access.ctx.budget
    budget.charge_memory(count * 500)
    entries: list[IndexEntry] = []
    at, previous = 12, b""
    for _ in range(count):
        access.charge(4)
        start = at
        *stat, raw, flags = FIXED.unpack_from(data, at)
        at += FIXED.size
        more = 0
        if flags & EXTENDED:
            if version == 2:
                raise ValueError("extended flags")
            (more,) = struct.unpack_from(">H", data, at)
            at += 2
        if version == 4:
            drop, at = _distance(data, at)
            end = data.index(b"\0", at)
            if drop > len(previous):
                raise ValueError("path")
            name = previous[: len(previous) - drop] + data[at:end]
            at = end + 1
        else:
            end = data.index(b"\0", at)
            name = data[at:end]
            at = start + ((end - start + 8) & ~7)
        budget.charge_memory(len(name))
        previous = name
        mode = stat[6]
        entries.append(
            IndexEntry(
                decode(name),
                mode,
                raw.hex(),
                (flags >> 12) & 3,
                (stat[0], stat[1], stat[2], stat[3], stat[4], stat[5], stat[7], stat[8], stat[9]),
                assumed=bool(flags & ASSUME_VALID),
                intended=bool(more & INTENT_TO_ADD),
                skipped=bool(more & SKIP_WORKTREE),
            )
        )
    return entries, version, at


def _distance(data: bytes, at: int) -> tuple[int, int]:
    byte = data[at]
    at += 1
    value = byte & 0x7F
    while byte & 0x80:
        byte = data[at]
        at += 1
        value = ((value + 1) << 7) | (byte & 0x7F)
        if value > 1 << 32:
            raise ValueError("distance")
    return value, at


def order(path: str) -> bytes:
    """Return the key by which git sorts paths."""
    return encode(path)
