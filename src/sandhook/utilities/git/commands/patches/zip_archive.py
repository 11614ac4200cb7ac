"""git archive --format=zip.

Source: git-archive(1); git 2.39, archive-zip.c; APPNOTE of the zip format.
"""

from __future__ import annotations

import struct
import time
import zlib
from collections.abc import Iterator, Sequence

from sandhook.utilities.git.commands.patches.tar_archive import Archive, Entry, Options
from sandhook.utilities.git.diff.patch import is_binary
from sandhook.utilities.git.history.dates import local_zone
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode

_VERSION, _UNIX = 10, 0x0317  #: the version that reads an entry, and the writer of one with a mode of its own
_UTF8 = 1 << 11
_DIRECTORY = 16  #: of the attributes of DOS
_DEFLATED = 8
_TIME = 0x5455  #: of the extra field with a time
_MOST = 0xFFFF  #: entries without an extension of the format
_FIRST_YEAR = 1980


class ZipArchive(Archive):
    """The zip archive of a tree."""

    def __init__(self, call: Invocation, options: Options, operands: Sequence[str]) -> None:
        super().__init__(call, options, operands)
        self._size = 0
        self._central: list[bytes] = []

    def pieces(self) -> Iterator[bytes]:
        """Yield the archive in pieces."""
        for piece in self._entries():
            self._size += len(piece)
            yield piece
        central = b"".join(self._central)
        comment = b"" if self.commit is None else self.commit.oid.encode()
        count = min(len(self._central), _MOST)
        yield central
        yield struct.pack(
            "<IHHHHIIH", 0x06054B50, 0, 0, count, count, len(central), self._size, len(comment)
        )  # fmt: skip
        yield comment

    def _mode(self, mode: int) -> int:
        return mode

    def _member(self, entry: Entry, oid: str, kind: bytes) -> Iterator[bytes]:
        if kind == b"5":
            yield from self._zipped(entry.path, b"", b"", 0, _DIRECTORY, binary=True)
            return
        level = int(self.options.level or -1)
        data, method = entry.data, 0
        if level and data:
            packer = zlib.compressobj(level, zlib.DEFLATED, -15)
            self.call.access.charge(1 + (len(data) >> 6))
            packed = packer.compress(data) + packer.flush()
            if len(packed) < len(data):
                data, method = packed, _DEFLATED
        attributes = entry.mode << 16 if entry.mode & 0o111 else 0
        yield from self._zipped(
            entry.path, entry.data, data, method, attributes, binary=self._is_binary(entry)
        )

    def _link(self, entry: Entry, oid: str) -> Iterator[bytes]:
        mode = 0o120777 << 16
        yield from self._zipped(entry.path, entry.data, entry.data, 0, mode, binary=self._is_binary(entry))

    def _is_binary(self, entry: Entry) -> bool:
        path = decode(entry.path).removeprefix(self.options.prefix)
        attribute = self.repository.attributes.of(path).get("diff")
        return attribute is False or (attribute is not True and is_binary(entry.data))

    def _zipped(
        self, name: bytes, data: bytes, packed: bytes, method: int, attributes: int, *, binary: bool
    ) -> Iterator[bytes]:
        """Yield an entry, and note its row of the directory at the end."""
        self.call.ctx.budget.charge_memory(2 * len(name) + 200)
        extra = struct.pack("<HHBI", _TIME, 5, 1, self.time & 0xFFFFFFFF)
        creator = _UNIX if attributes > _DIRECTORY else 0
        flags = 0 if name.isascii() else self._flags(name)
        common = struct.pack(
            "<HHHHHIIIHH", _VERSION, flags, method, *self._dos_time(),
            zlib.crc32(data), len(packed), len(data), len(name), len(extra),
        )  # fmt: skip
        self._central.append(
            struct.pack("<IH", 0x02014B50, creator) + common
            + struct.pack("<HHHII", 0, 0, int(not binary), attributes, self._size) + name + extra
        )  # fmt: skip
        yield struct.pack("<I", 0x04034B50) + common + name + extra + packed

    def _flags(self, name: bytes) -> int:
        try:
            name.decode("utf-8")
        except UnicodeDecodeError:
            self.call.error(f"warning: path is not valid UTF-8: {decode(name)}")
            return 0
        return _UTF8

    def _dos_time(self) -> tuple[int, int]:
        """Return the time and the date of the entries, in the zone of the caller."""
        zone = local_zone(self.time, self.call.options.environment.get("TZ"))
        offset = (int(zone[1:3]) * 3600 + int(zone[3:5]) * 60) * (-1 if zone[0] == "-" else 1)
        at = time.gmtime(min(self.time, 0xFFFFFFFF) + offset)
        date = at.tm_mday | at.tm_mon << 5 | max(at.tm_year - _FIRST_YEAR, 0) << 9
        return at.tm_sec // 2 | at.tm_min << 5 | at.tm_hour << 11, date & 0xFFFF
