"""Packs: objects in one file, whole or as deltas. dulwich reads the index of a pack.

The lengths that a pack declares are checked before anything is inflated or copied, because a pack of a few bytes can
declare gigabytes.

Source: gitformat-pack(5).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise

from dulwich.object_format import SHA1
from dulwich.objects import RawObjectID
from dulwich.pack import PackFileDisappeared, PackIndex, load_pack_index_file

from sandhook.record import Record
from sandhook.utilities.git.errors import MissingObject
from sandhook.utilities.git.store.access import Access

_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET_DELTA = 6
_REFERENCE_DELTA = 7
LONGEST_CHAIN = 4096  #: deltas on deltas; git makes 50, and at most 4,095
_PIECE = 1 << 16  #: bytes that one call inflates
FEED = 1 << 12  #: compressed bytes for one call: what it leaves is copied
_WINDOW = 1 << 16  #: bytes of a pack that are read at once
_WINDOWS = 32  #: windows that are kept
_LONGEST_HEAD = 40  #: bytes of the header of an object, at most


class Entry(Record):
    """An object as a pack stores it.

    Fields:
        kind: The type of the object, "" for a delta.
        base: The offset or the name of the object that a delta changes.
        size: The length of the data, or of the delta, in bytes.
        start: The offset of the compressed data.
    """

    kind: str
    base: int | str
    size: int
    start: int


#: What dulwich raises for an index of a pack that is too short, or has wrong offsets.
_DAMAGE = (PackFileDisappeared, AssertionError, TypeError, ValueError, IndexError, struct.error)


class Pack:
    """One pack and its index, both read from virtual files."""

    def __init__(self, access: Access, stem: str) -> None:
        self._access = access
        self._stem = stem
        self._index: PackIndex | None = None
        self._windows: dict[int, bytes] = {}

    @property
    def index(self) -> PackIndex:
        """The index of the pack."""
        if self._index is None:
            name = f"{self._stem}.idx"
            _, inside, below = name.rpartition("/.git/")
            contents = self._access.read(name)
            stream = BytesIO(contents)
            try:
                check_index(contents, f".git/{below}" if inside else name)
                self._index = load_pack_index_file(name, stream, SHA1)
            except (AssertionError, KeyError, ValueError, struct.error):
                raise MissingObject(f"packfile {self._stem}.pack cannot be accessed") from None
            finally:
                stream.close()  # the index keeps the contents, and warns of an open stream when it is deleted
        return self._index

    def check(self) -> None:
        """Read the index. Raises MissingObject for a damaged one."""
        _ = self.index

    def offset_of(self, oid: str) -> int | None:
        """Return the offset of an object, None if the pack lacks it."""
        try:
            return self.index.object_offset(RawObjectID(bytes.fromhex(oid)))
        except (KeyError, *_DAMAGE):
            return None

    def names_with(self, prefix: str) -> Iterator[str]:
        """Yield the names of the objects that begin with hexadecimal digits."""
        self._access.charge(1 + (len(self) >> 10))
        even = prefix[: len(prefix) & ~1]
        try:
            for raw in self.index.iter_prefix(bytes.fromhex(even)):
                self._access.charge(1)
                if raw.hex().startswith(prefix):
                    yield raw.hex()
        except _DAMAGE:
            return

    def __len__(self) -> int:
        return len(self.index)

    def size(self) -> int:
        """Return the bytes of the file."""
        found = self._access.stat(f"{self._stem}.pack", follow=True)
        return found.size if found is not None else 0

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all objects."""
        try:
            for name in self.index:
                self._access.charge(1)
                yield name.decode("ascii")
        except _DAMAGE:
            return

    def _window(self, offset: int) -> bytes:
        """Return the bytes of the pack from an offset to the end of its window; b"" after the end of the file."""
        number, start = divmod(offset, _WINDOW)
        window = self._windows.get(number)
        if window is None:
            if not self._windows and number and self._window(0)[:4] != b"PACK":
                raise MissingObject(f"packfile {self._stem}.pack cannot be accessed")
            if len(self._windows) >= _WINDOWS:
                del self._windows[next(iter(self._windows))]
            try:
                window = self._access.read_part(f"{self._stem}.pack", number * _WINDOW, _WINDOW)
            except OSError:
                raise MissingObject(f"packfile {self._stem}.pack cannot be accessed") from None
            self._windows[number] = window
        return window[start:] if start else window

    def entry(self, offset: int) -> Entry:
        """Return the header of the object at an offset. Raises MissingObject for a damaged one."""
        data = self._window(offset)[:_LONGEST_HEAD] if offset >= 12 else b""
        if len(data) < _LONGEST_HEAD:
            data += self._window(offset + len(data))[: _LONGEST_HEAD - len(data)] if data else b""
        try:
            return self._entry(data, offset)
        except (IndexError, OverflowError):
            raise self._damaged(offset) from None

    def _entry(self, data: bytes, offset: int) -> Entry:
        byte, at = data[0], 1
        number, size, shift = (byte >> 4) & 7, byte & 15, 4
        while byte & 0x80:
            byte = data[at]
            at += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if shift > 64:
                raise self._damaged(offset)
        if number == _OFFSET_DELTA:
            byte = data[at]
            at += 1
            distance = byte & 0x7F
            while byte & 0x80:
                byte = data[at]
                at += 1
                distance = ((distance + 1) << 7) | (byte & 0x7F)
            if not 0 < distance <= offset:
                raise self._damaged(offset)
            return Entry("", offset - distance, size, offset + at)
        if number == _REFERENCE_DELTA:
            return Entry("", data[at : at + 20].hex(), size, offset + at + 20)
        if number not in _KINDS:
            raise self._damaged(offset)
        return Entry(_KINDS[number], 0, size, offset + at)

    def inflate(self, entry: Entry) -> bytes:
        """Return the uncompressed data of an entry. Raises MissingObject for damaged data."""
        return inflate(self._access, self._feeds(entry.start), entry.size, self._stem)

    def _feeds(self, offset: int) -> Iterator[bytes]:
        """Yield the compressed bytes from an offset on, in small pieces."""
        while window := self._window(offset):
            for at in range(0, len(window), FEED):
                yield window[at : at + FEED]
            offset += len(window)

    def _damaged(self, offset: int) -> MissingObject:
        return MissingObject(f"bad object at offset {offset} in {self._stem}.pack")


def check_index(contents: bytes, name: str) -> None:
    """Raise MissingObject for an index that is too short, or has counts that decrease or do not fit its length.

    Reading names trusts these counts: an index of 2 KB can declare four billion names.
    """
    if len(contents) < 4 * 256 + 2 * 20:
        raise MissingObject(f"index file {name} is too small")
    is_old = contents[:4] != b"\xfftOc"
    (version,) = (1,) if is_old else struct.unpack_from(">L", contents, 4)
    if version > 2:
        raise MissingObject(
            f"index file {name} is version {version} and is not supported by this binary (try upgrading GIT to a newer version)"
        )
    head = 0 if is_old else 8
    counts = struct.unpack_from(">256L", contents, head)
    if any(following < count for count, following in pairwise(counts)):
        raise MissingObject(f"non-monotonic index {name}")
    count = counts[-1]
    least = head + 4 * 256 + count * (24 if is_old else 28) + 2 * 20
    most = least if is_old else least + 8 * max(count - 1, 0)  # offsets of 64 bits
    if not least <= len(contents) <= most:
        raise MissingObject(f"wrong index v{version} file size in {name}")


def feeds(data: bytes) -> Iterator[bytes]:
    """Yield data in small pieces."""
    for at in range(0, len(data), FEED):
        yield data[at : at + FEED]


def inflate(access: Access, compressed: Iterator[bytes], size: int, source: str) -> bytes:
    """Return ``size`` bytes of zlib data; raises MissingObject if there are fewer or more."""
    access.ctx.budget.check_fits(size)
    decoder = zlib.decompressobj()
    pieces: list[bytes] = []
    length = 0
    feed = b""
    try:
        while not decoder.eof and length <= size:
            feed = feed or next(compressed, b"")
            if not feed:
                break
            piece = decoder.decompress(feed, _PIECE)
            feed = decoder.unconsumed_tail
            access.charge(1 + (len(piece) >> 10))
            length += len(piece)
            pieces.append(piece)
    except zlib.error as error:
        raise MissingObject(f"inflate: data stream error ({source}: {error})") from None
    if length != size:
        raise MissingObject(f"inflate: data stream error ({source}: unexpected length)")
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _length(delta: bytes, at: int) -> tuple[int, int]:
    """Return a number of the delta's head, and the offset after it."""
    value = shift = 0
    while True:
        byte = delta[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at
        if shift > 63:
            raise ValueError("length")


def apply_delta(access: Access, base: bytes, delta: bytes) -> bytes:
    """Return what a delta makes of its base. Raises MissingObject for a wrong delta."""
    try:
        before, at = _length(delta, 0)
        size, at = _length(delta, at)
        if before != len(base):
            raise ValueError("base")
        access.ctx.budget.check_fits(size)
        result = _run_delta(access, base, delta, at, size)
    except (IndexError, ValueError):
        raise MissingObject("failed to apply delta") from None
    return result


def _run_delta(access: Access, base: bytes, delta: bytes, at: int, size: int) -> bytes:
    pieces: list[bytes] = []
    length = 0
    while at < len(delta):
        code = delta[at]
        at += 1
        if code & 0x80:
            start = count = 0
            for bit in range(4):
                if code & (1 << bit):
                    start |= delta[at] << (8 * bit)
                    at += 1
            for bit in range(3):
                if code & (0x10 << bit):
                    count |= delta[at] << (8 * bit)
                    at += 1
            piece = base[start : start + (count or 0x10000)]
            if len(piece) != (count or 0x10000):
                raise ValueError("copy")
        elif code:
            piece = delta[at : at + code]
            at += code
            if len(piece) != code:
                raise ValueError("insert")
        else:
            raise ValueError("code")
        length += len(piece)
        if length > size:
            raise ValueError("size")
        access.charge(1 + (len(piece) >> 10))
        pieces.append(piece)
    if length != size:
        raise ValueError("size")
    return b"".join(pieces)
