"""Read and write the formats of cpio archives: newc and crc, odc, and the old binary format."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from sandhook.command.context import Context, Reader
from sandhook.record import Record

BLOCK = 512
TRAILER = "TRAILER!!!"
FORMATS = ("newc", "crc", "odc", "bin")
_MAX_NAME = 65_536

_NEWC_SIZE, _ODC_SIZE, _BIN_SIZE = 110, 76, 26


class FormatError(Exception):
    """An archive is damaged, or its format is unknown."""


class Member(Record):
    """The header of one file in an archive.

    Attributes:
        key: Device and inode; members with the same key are one file.
        mtime: Seconds since the epoch.
        padding: The data are padded to a multiple of this, in bytes.
        check: The sum of the data's bytes; None in formats without a checksum.
    """

    name: str
    mode: int
    uid: int
    gid: int
    links: int
    mtime: int
    size: int
    key: tuple[int, int]
    device: int
    padding: int
    check: int | None


class Source:
    """Reads an archive and counts its bytes."""

    def __init__(self, reader: Reader, ctx: Context) -> None:
        self._reader = reader
        self._ctx = ctx
        self._buffer = b""
        self._at = 0
        self.offset = 0

    def read(self, size: int) -> bytes:
        """Return exactly ``size`` bytes. Raises FormatError at the end of the archive."""
        while len(self._buffer) - self._at < size:
            data = self._reader.read()
            if not data:
                raise FormatError("premature end of file" if self.offset else "premature end of archive")
            self._buffer = self._buffer[self._at :] + data
            self._at = 0
        data = self._buffer[self._at : self._at + size]
        self._at += size
        self.offset += size
        return data

    def pieces(self, size: int) -> Iterator[bytes]:
        """Yield ``size`` bytes in pieces of at most 64 KiB."""
        while size:
            step = min(size, 65_536)
            self._ctx.charge(1 + (step >> 10))
            yield self.read(step)
            size -= step

    def find_header(self) -> bytes:
        """Skip bytes up to the next magic number; return the six bytes that identify the format."""
        skipped = 0
        data = self.read(6)
        while data not in (b"070701", b"070702", b"070707") and data[:2] not in (b"\xc7\x71", b"\x71\xc7"):
            try:
                data = data[1:] + self.read(1)
            except FormatError:
                raise FormatError("premature end of archive") from None
            skipped += 1
            self._ctx.charge(1)
        if skipped:
            self._ctx.error(f"warning: skipped {skipped} byte{'' if skipped == 1 else 's'} of junk")
        return data

    def end(self) -> None:
        """Read the padding of the last block."""
        self._buffer = b""
        self._at = 0
        while self._reader.read():
            pass


def members(source: Source) -> Iterator[Member]:
    """Yield the members up to the trailer; the caller reads the data and padding of each. Raises FormatError."""
    while True:
        magic = source.find_header()
        if magic == b"070707":
            member = _read_odc(source)
        elif magic[:1] == b"0":
            member = _read_newc(source, magic)
        else:
            member = _read_bin(source, magic)
        if member.name == TRAILER:
            return
        yield member


def _name(source: Source, size: int) -> str:
    if not 0 < size <= _MAX_NAME:
        raise FormatError(
            "malformed header: a name without length" if size <= 0 else "malformed header: a name is too long"
        )
    return source.read(size).split(b"\0")[0].decode("utf-8", "surrogateescape")


def _digits(data: bytes, base: int) -> int:
    try:
        return int(data, base)
    except ValueError:
        raise FormatError(f"malformed number {data.decode('latin-1')!r}") from None


def _read_newc(source: Source, magic: bytes) -> Member:
    data = source.read(_NEWC_SIZE - 6)
    fields = [_digits(data[at : at + 8], 16) for at in range(0, 104, 8)]
    inode, mode, uid, gid, links, mtime, size, major, minor, rmajor, rminor, length, check = fields
    name = _name(source, length)
    source.read(-(_NEWC_SIZE + length) % 4)
    return Member(
        name=name,
        mode=mode,
        uid=uid,
        gid=gid,
        links=links,
        mtime=mtime,
        size=size,
        key=(major << 32 | minor, inode),
        device=rmajor << 32 | rminor,
        padding=4,
        check=check if magic == b"070702" else None,
    )


def _read_odc(source: Source) -> Member:
    data = source.read(_ODC_SIZE - 6)
    widths = (6, 6, 6, 6, 6, 6, 6, 11, 6, 11)
    fields = []
    at = 0
    for width in widths:
        fields.append(_digits(data[at : at + width], 8))
        at += width
    device, inode, mode, uid, gid, links, rdev, mtime, length, size = fields
    return Member(
        name=_name(source, length),
        mode=mode,
        uid=uid,
        gid=gid,
        links=links,
        mtime=mtime,
        size=size,
        key=(device, inode),
        device=rdev,
        padding=1,
        check=None,
    )


def _read_bin(source: Source, magic: bytes) -> Member:
    data = magic + source.read(_BIN_SIZE - 6)
    order = "<" if magic[:2] == b"\xc7\x71" else ">"
    fields = struct.unpack(f"{order}13H", data)
    _, device, inode, mode, uid, gid, links, rdev, high, low, length, size_high, size_low = fields
    name = _name(source, length)
    source.read(length % 2)
    return Member(
        name=name,
        mode=mode,
        uid=uid,
        gid=gid,
        links=links,
        mtime=high << 16 | low,
        size=size_high << 16 | size_low,
        key=(device, inode),
        device=rdev,
        padding=2,
        check=None,
    )


def header(member: Member, kind: str) -> bytes:
    """Return the header of a member with its name, padded. Raises FormatError for a value that does not fit."""
    name = member.name.encode("utf-8", "surrogateescape") + b"\0"
    if kind in ("newc", "crc"):
        fields = (
            member.key[1] & 0xFFFFFFFF, member.mode, member.uid, member.gid, member.links, member.mtime & 0xFFFFFFFF,
            member.size, member.key[0] >> 32, member.key[0] & 0xFFFFFFFF, member.device >> 32,
            member.device & 0xFFFFFFFF, len(name), member.check or 0,
        )  # fmt: skip
        if member.size > 0xFFFFFFFF:
            raise FormatError("file size is too large for the format")
        head = (
            (b"070702" if kind == "crc" else b"070701") + b"".join(b"%08X" % field for field in fields) + name
        )
        return head + bytes(-len(head) % 4)
    if kind == "odc":
        if member.size >= 8**11:
            raise FormatError("file size is too large for the format")
        short = (
            member.key[0], member.key[1], member.mode, member.uid, member.gid, member.links, member.device,
        )  # fmt: skip
        head = b"070707" + b"".join(b"%06o" % (field & 0o777777) for field in short)
        return head + b"%011o%06o%011o" % (member.mtime & (8**11 - 1), len(name), member.size) + name
    if member.size > 0xFFFFFFFF:
        raise FormatError("file size is too large for the format")
    values = (
        0o070707, member.key[0], member.key[1], member.mode, member.uid, member.gid, member.links, member.device,
        member.mtime >> 16, member.mtime, len(name), member.size >> 16, member.size,
    )  # fmt: skip
    head = struct.pack("<13H", *(value & 0xFFFF for value in values)) + name
    return head + bytes(len(name) % 2)


def padding_of(kind: str) -> int:
    """Return the multiple to which a member's data are padded, in bytes."""
    return {"newc": 4, "crc": 4, "odc": 1, "bin": 2}[kind]
