"""The format of zip archives: reading their directory and members, and writing them.

Source: PKWARE's APPNOTE 6.3.10, sections 4.3 to 4.5; Info-ZIP's extra field "UT". Stored and deflated
members, without encryption and without ZIP64.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Iterator, Sequence

from sandhook.dates.clock import days_from_civil, moment, zone_of
from sandhook.limits import Budget

STORED, DEFLATED = 0, 8
_UTF8 = 1 << 11
_ENCRYPTED = 1
_MAX_PIECE = 1 << 20
_TEXT_SAMPLE = 1 << 16  #: bytes that decide whether a member is text
_NO_TEXT = bytes((*range(7), *range(14, 26), *range(28, 32)))
_NEUTRAL = bytes((*range(9), *range(11, 13), *range(14, 32)))
_END = struct.Struct("<4s4H2LH")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")


class FormatError(Exception):
    """The data are not an archive, or are damaged."""


class Member:
    """One member.

    Attributes:
        version_made_by: Ten times the version that made it, and its system in the upper byte.
        attributes: Those of the system; for Unix, the mode in the upper half.
        text: The archive marks it as text.
        name: With "/" at the end for a directory.
        mode: The type and permission bits of stat; 0 when the archive has none.
        mtime: Seconds since the epoch.
        wall: Year, month, day, hour, minute, second as stored in the archive.
        data: The compressed contents of a new member.
    """

    __slots__ = (
        "attributes",
        "compressed_size",
        "crc",
        "data",
        "extra",
        "flags",
        "method",
        "mode",
        "mtime",
        "name",
        "offset",
        "size",
        "text",
        "version_made_by",
        "wall",
    )  # fmt: skip

    def __init__(self, name: str) -> None:
        self.name = name
        self.mode = 0
        self.mtime = 0
        self.wall = (1980, 1, 1, 0, 0, 0)
        self.method = STORED
        self.version_made_by = self.attributes = 0
        self.text = False
        self.flags = 0
        self.crc = 0
        self.size = self.compressed_size = 0
        self.offset = 0
        self.extra = b""
        self.data = b""

    @property
    def is_directory(self) -> bool:
        return self.name[-1:] == "/"

    @property
    def is_encrypted(self) -> bool:
        return bool(self.flags & _ENCRYPTED)

    @property
    def percent(self) -> int:
        """How much smaller the member became, in percent, rounded."""
        if not self.size or self.compressed_size >= self.size:
            return 0
        return (per_mille(self.size, self.compressed_size) + 5) // 10


def per_mille(size: int, compressed_size: int) -> int:
    """Return how much smaller ``compressed_size`` is in thousandths of ``size``, rounded; negative when it is larger."""
    if not size:
        return 0
    saved = 1000 * (size - compressed_size)
    return (2 * saved + size) // (2 * size) if saved >= 0 else -((-2 * saved + size) // (2 * size))


def read_directory(data: bytes, timezone: str | None) -> list[Member]:
    """Return the members of an archive, in order. Raises FormatError."""
    at = data.rfind(b"PK\x05\x06", max(0, len(data) - 65_600))
    if at < 0 or at + _END.size > len(data):
        raise FormatError("End-of-central-directory signature not found")
    _, _, _, _, count, size, start, _ = _END.unpack_from(data, at)
    shift = at - size - start  # bytes before the archive, such as a self-extractor
    place = start + shift
    if shift < 0:
        raise FormatError("End-of-central-directory signature not found")
    members = []
    for _ in range(count):
        if place + _CENTRAL.size > at or data[place : place + 4] != b"PK\x01\x02":
            raise FormatError("expected central file header signature not found")
        (_, version_made_by, _, flags, method, clock, date, crc, packed, size, length, extra, comment, _, internal, attributes,
         offset) = _CENTRAL.unpack_from(data, place)  # fmt: skip
        place += _CENTRAL.size
        member = Member(data[place : place + length].decode("utf-8", "surrogateescape"))
        member.extra = data[place + length : place + length + extra]
        place += length + extra + comment
        member.flags, member.method, member.crc = flags, method, crc
        member.compressed_size, member.size, member.offset = packed, size, offset + shift
        member.version_made_by, member.attributes, member.text = (
            version_made_by,
            attributes,
            bool(internal & 1),
        )
        if version_made_by >> 8 == 3:
            member.mode = attributes >> 16
        member.wall = (
            1980 + (date >> 9), (date >> 5) & 15, date & 31, clock >> 11, (clock >> 5) & 63, (clock & 31) * 2,
        )  # fmt: skip
        member.mtime = _stamp(member, timezone)
        members.append(member)
    return members


def comment_of(data: bytes) -> bytes:
    """Return the comment of an archive, b"" without one. ``data`` must be valid for read_directory."""
    at = data.rfind(b"PK\x05\x06", max(0, len(data) - 65_600)) + _END.size
    (length,) = struct.unpack_from("<H", data, at - 2)
    return data[at : at + length]


def _wall_time(stamp: int, timezone: str | None) -> tuple[int, int, int, int, int, int]:
    """Return year, month, day, hour, minute and second of a time in seconds since the epoch."""
    time = moment(stamp, zone_of(timezone))
    return time.year, time.month, time.day, time.hour, time.minute, time.second


def _stamp(member: Member, timezone: str | None) -> int:
    """Return the time of a member, from its extra field or else from its wall clock time."""
    extra = member.extra
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<HH", extra)
        if kind == 0x5455 and length >= 5 and len(extra) >= 9 and extra[4] & 1:
            stamp: int = struct.unpack_from("<l", extra, 5)[0]
            member.wall = _wall_time(stamp, timezone)
            return stamp
        extra = extra[4 + length :]
    year, month, day, hour, minute, second = member.wall
    wall = days_from_civil(year, min(max(month, 1), 12), day) * 86_400 + hour * 3600 + minute * 60 + second
    return wall - moment(wall, zone_of(timezone)).offset


def packed_data(data: bytes, member: Member) -> bytes:
    """Return the compressed contents of a member. Raises FormatError."""
    at = member.offset
    if at + _LOCAL.size > len(data) or data[at : at + 4] != b"PK\x03\x04":
        raise FormatError("bad zipfile offset (local header sig)")
    *_, length, extra = _LOCAL.unpack_from(data, at)
    at += _LOCAL.size + length + extra
    if at + member.compressed_size > len(data):
        raise FormatError("compressed data is cut off")
    return data[at : at + member.compressed_size]


def contents(packed: bytes, member: Member, budget: Budget) -> Iterator[bytes]:
    """Yield the contents of a member in bounded pieces. Raises FormatError; for a bad CRC, after the last piece."""
    crc = size = 0
    for piece in _expand(packed, member.method, budget):
        budget.charge(1 + (len(piece) >> 8))
        crc = zlib.crc32(piece, crc)
        size += len(piece)
        yield piece
    if crc != member.crc:
        raise FormatError(f"bad CRC {crc:08x}  (should be {member.crc:08x})")


def _expand(packed: bytes, method: int, budget: Budget) -> Iterator[bytes]:
    if method == STORED:
        for at in range(0, len(packed), _MAX_PIECE):
            yield packed[at : at + _MAX_PIECE]
        return
    decoder = zlib.decompressobj(-15)
    buffer, at = b"", 0
    while not decoder.eof:
        if not buffer:
            buffer = packed[at : at + 65_536]
            at += len(buffer)
            if not buffer:
                raise FormatError("invalid compressed data to inflate")
        try:
            piece = decoder.decompress(buffer, _MAX_PIECE)
        except zlib.error:
            raise FormatError("invalid compressed data to inflate") from None
        buffer = decoder.unconsumed_tail
        yield piece


# --------------------------------------------------------------------------- writing


def fill(member: Member, data: bytes, level: int, budget: Budget) -> None:
    """Set the contents of a new member, deflated if that makes them smaller."""
    budget.charge(1 + (len(data) >> 8))
    member.size = len(data)
    member.crc = zlib.crc32(data)
    member.method, member.data = STORED, data
    member.text = not stat.S_ISLNK(member.mode) and _is_text(data[:_TEXT_SAMPLE])
    if level and data:
        coder = zlib.compressobj(level, zlib.DEFLATED, -15)
        pieces = []
        for at in range(0, len(data), _MAX_PIECE):
            budget.charge(1 + (_MAX_PIECE >> 8))
            pieces.append(coder.compress(data[at : at + _MAX_PIECE]))
        packed = b"".join([*pieces, coder.flush()])
        if len(packed) < len(data):
            member.method, member.data = DEFLATED, packed
            member.flags = 2 if level >= 8 else 4 if level == 2 else 6 if level == 1 else 0
    member.compressed_size = len(member.data)


def _is_text(data: bytes) -> bool:
    """Return whether data look like text: they have a text byte, and no byte that text never has."""
    return bool(data.translate(None, _NEUTRAL)) and len(data.translate(None, _NO_TEXT)) == len(data)


def set_date(member: Member, timezone: str | None, *, stamp: bool) -> None:
    """Set the stored time of a new member; ``stamp`` adds the extra field with seconds since the epoch."""
    member.wall = _wall_time(member.mtime, timezone)
    member.extra = struct.pack("<HHBl", 0x5455, 5, 1, max(min(member.mtime, 0x7FFFFFFF), 0)) if stamp else b""


def archive(members: Sequence[Member]) -> Iterator[bytes]:
    """Yield the bytes of an archive of these members, whose ``data`` is set."""
    central = []
    offset = 0
    for member in members:
        name = member.name.encode("utf-8", "surrogateescape")
        year, month, day, hour, minute, second = member.wall
        date = ((max(year, 1980) - 1980) << 9 | month << 5 | day) & 0xFFFF
        clock = hour << 11 | minute << 5 | second >> 1
        flags = member.flags & 6 | (0 if name.isascii() else _UTF8)
        version_needed = 20 if member.method == DEFLATED else 10
        fixed = (
            flags,
            member.method,
            clock,
            date,
            member.crc,
            member.compressed_size,
            member.size,
            len(name),
        )
        head = _LOCAL.pack(b"PK\x03\x04", version_needed, *fixed, len(member.extra)) + name + member.extra
        attributes = member.mode << 16 | (16 if member.is_directory else 0)
        central.append(
            _CENTRAL.pack(b"PK\x01\x02", 3 << 8 | 30, version_needed, *fixed, len(member.extra), 0, 0, int(member.text), attributes, offset)
            + name + member.extra
        )  # fmt: skip
        yield head
        yield member.data
        offset += len(head) + len(member.data)
    listing = b"".join(central)
    yield listing
    yield _END.pack(b"PK\x05\x06", 0, 0, len(members), len(members), len(listing), offset, 0)


__all__ = [
    "FormatError",
    "Member",
    "archive",
    "comment_of",
    "contents",
    "set_date",
    "fill",
    "packed_data",
    "per_mille",
    "read_directory",
]
