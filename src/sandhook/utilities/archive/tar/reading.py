"""Read the headers of an archive; whatever they hold, the result is members and messages.

Source: GNU tar 1.34, ``from_header`` and ``decode_record``; POSIX.1-2024 XCU 3, pax, "pax Header Block".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandhook.text.quoting import quote_escaped
from sandhook.utilities.archive.tar.format import (
    BLOCK,
    BLOCK_DEVICE,
    CHARACTER,
    DIRECTORY,
    FIFO,
    FILE,
    HARD_LINK,
    LISTED_DIRECTORY,
    SPARSE,
    SYMBOLIC_LINK,
    FormatError,
    Member,
    Stream,
    TruncatedError,
)

_MAX_EXTENSION = 1 << 20  #: bytes of a long name or of pax's records
_WITHOUT_CONTENTS = (HARD_LINK, SYMBOLIC_LINK, CHARACTER, BLOCK_DEVICE, DIRECTORY, FIFO)
_OCTAL_DIGITS = b"01234567"
_MAX_NUMBER = 2**63 - 1
_MAX_ID = 2**32 - 1


class _HeaderError(Exception):
    """A block is no header."""


def members(
    stream: Stream,
    error: Callable[[str], None],
    *,
    warn: Callable[[str], None],
    at_end: Callable[[int, str], None] | None = None,
    past_end: bool = False,
) -> Iterator[Member]:
    """Yield the members. The caller reads the contents and the padding of each before the next.

    Args:
        error: Receives what is wrong with a header; the next one is searched.
        warn: Receives messages that are no failure.
        at_end: Receives the number of the block at the end, and what is there.
        past_end: Continue after blocks of zeros, which normally end an archive.

    Raises:
        FormatError: The data are not an archive, or end too early.
    """
    reader = _Reader(stream, error)
    first, skipping = True, False
    while True:
        block = stream.read(BLOCK)
        if len(block) < BLOCK and at_end is not None and (first or not block):
            at_end(stream.offset // BLOCK, "End of File")
        if not block and not first:
            return
        if len(block) < BLOCK:
            if first:
                raise FormatError("This does not look like a tar archive")
            raise TruncatedError
        if not any(block):
            at = stream.offset // BLOCK
            if at_end is not None:
                at_end(at - 1, "Block of NULs")
            after = b"" if past_end else stream.read(BLOCK)
            if first and not past_end and not after:
                raise FormatError("This does not look like a tar archive")
            if past_end:
                continue
            if len(after) < BLOCK or any(after):
                warn(f"A lone zero block at {at}")
            return
        try:
            member = reader.member(block)
        except _HeaderError:
            if first:
                error("This does not look like a tar archive")
            if not skipping:
                error("Skipping to next header")
            first, skipping = False, True
            continue
        first = skipping = False
        if member is not None:
            yield member


class _Reader:
    """Reads one header after the other, and keeps the extended headers that precede a member."""

    def __init__(self, stream: Stream, error: Callable[[str], None]) -> None:
        self._stream = stream
        self._error = error
        self._name: str | None = None
        self._link: str | None = None
        self._global: dict[str, str] = {}
        self._records: dict[str, str] = {}
        self._long_name_block = -1

    def member(self, block: bytes) -> Member | None:
        """Return the member of a header, None for an extended header.

        Raises:
            _HeaderError: The block is no header.
            FormatError: The archive ends too early, or an extended header is too large.
        """
        if not _has_checksum(block):
            raise _HeaderError
        kind = block[156:157]
        size = self._number(block[124:136], "off_t", 0, _MAX_NUMBER)
        if size < 0:
            raise _HeaderError
        if kind in (b"L", b"K", b"x", b"X", b"g"):
            self._extend(kind, size)
            return None
        member = self._plain(block, kind, size)
        member.block = (
            self._stream.offset // BLOCK - 1 if self._long_name_block < 0 else self._long_name_block
        )
        self._long_name_block = -1
        if self._records:
            member.layout = "posix"
        if self._name is not None:
            member.name = self._name
        if self._link is not None:
            member.link = self._link
        self._apply({**self._global, **self._records}, member)
        self._name = self._link = None
        self._records = {}
        if kind == SPARSE:
            self._skip_map(block[482:483] != b"\0")
        if member.kind == FILE and member.name.endswith("/") and member.name.strip("/"):
            member.kind = DIRECTORY
        member.name = member.name.rstrip("/") or member.name[:1]
        return member

    def _extend(self, kind: bytes, size: int) -> None:
        """Read the contents of an extended header."""
        if size > _MAX_EXTENSION:
            raise FormatError("Malformed extended header")
        if kind in (b"L", b"K") and self._long_name_block < 0:
            self._long_name_block = self._stream.offset // BLOCK - 1
        data = self._stream.read(size)
        if len(data) < size or len(self._stream.read(-size % BLOCK)) < -size % BLOCK:
            raise TruncatedError
        if kind == b"L":
            self._name = _c_text(data)
        elif kind == b"K":
            self._link = _c_text(data)
        elif kind == b"g":
            self._global.update(self._decode(data))
        else:
            self._records = self._decode(data)

    def _plain(self, block: bytes, kind: bytes, size: int) -> Member:
        """Return the member that a header alone describes."""
        name = _c_text(block[:100])
        magic = block[257:263]
        if magic == b"ustar\0" and block[345]:
            name = f"{_c_text(block[345:500])}/{name}"
        mode = self._number(block[100:108], "mode_t", 0, _MAX_ID) & 0o7777
        if kind in (b"\0", b"7"):
            kind = FILE
        member = Member(name, kind, 0 if kind in _WITHOUT_CONTENTS else size, mode)
        member.layout = {b"ustar\0": "ustar", b"ustar ": "gnu"}.get(magic, "v7")
        if kind == LISTED_DIRECTORY:
            member.kind = DIRECTORY
        member.uid = self._number(block[108:116], "uid_t", 0, _MAX_ID) & _MAX_ID
        member.gid = self._number(block[116:124], "gid_t", 0, _MAX_ID) & _MAX_ID
        member.mtime = self._number(block[136:148], "time_t", ~_MAX_NUMBER, _MAX_NUMBER)
        member.link = _c_text(block[157:257])
        member.user, member.group = _c_text(block[265:297]), _c_text(block[297:329])
        return member

    def _skip_map(self, continues: bool) -> None:
        """Read the blocks that continue the map of a sparse member."""
        while continues:
            block = self._stream.read(BLOCK)
            if len(block) < BLOCK:
                raise TruncatedError
            continues = block[504] != 0

    def _number(self, field: bytes, type_name: str, low: int, high: int) -> int:
        """Return a number of a header; -1, after a message, if it is none of the type."""
        text = (field[1:] if field[:1] == b"\0" else field).lstrip(b" ")
        if not text:
            self._error(f"Blanks in header where numeric {type_name} value expected")
            return -1
        if text[:1] in (b"\x80", b"\xff"):
            value = int.from_bytes(text, "big", signed=True)
            if text[:1] == b"\x80":
                value = int.from_bytes(text[1:], "big")
            if not -(2**64) < value < 2**64:
                self._error(f"Archive base-256 value is out of {type_name} range")
                return -1
        else:
            end = len(text) - len(text.lstrip(_OCTAL_DIGITS))
            if text[end : end + 1] not in (b"", b"\0", b" "):
                shown = quote_escaped(field.rstrip(b"\0").decode("utf-8", "surrogateescape"))
                self._error(f"Archive contains {shown} where numeric {type_name} value expected")
                return -1
            value = int(text[:end] or b"0", 8)
        if not low <= value <= high:
            self._error(f"Archive value {value} is out of {type_name} range {low}..{high}")
            return -1
        return value

    # ------------------------------------------------------------------ pax

    def _decode(self, data: bytes) -> dict[str, str]:
        """Parse pax records, "LENGTH KEY=VALUE\\n", up to the first one that is malformed."""
        records: dict[str, str] = {}
        at = 0
        while at < len(data):
            digits, blank, _ = data[at : at + 24].lstrip(b" \t").partition(b" ")
            start = data.find(b" ", data.find(digits, at)) + 1
            fault = ""
            if not digits[:1].isdigit():
                fault = "Malformed extended header: missing length"
            elif not digits.isdigit() or not blank:
                fault = "Malformed extended header: missing blank after length"
            elif int(digits) > len(data) - at:
                fault = f"Extended header length {digits.decode('ascii')} is out of range"
            end = at if fault else at + int(digits)
            key, equal, value = data[start : max(start, end - 1)].partition(b"=")
            if not fault and not equal:
                fault = "Malformed extended header: missing equal sign"
            elif not fault and data[end - 1 : end] != b"\n":
                fault = "Malformed extended header: missing newline"
            if fault:
                if any(data[at:]):
                    self._error(fault)
                break
            records[_c_text(key)] = value.decode("utf-8", "surrogateescape")
            at = end
        return records

    def _apply(self, records: dict[str, str], member: Member) -> None:
        """Override the fields of a member by pax records."""
        for key, value in records.items():
            text = value.partition("\0")[0]
            if key == "path":
                member.name = text
            elif key == "linkpath":
                member.link = text
            elif key == "uname":
                member.user = text
            elif key == "gname":
                member.group = text
            elif key in ("size", "uid", "gid", "mtime"):
                self._apply_number(key, value, member)
            elif key.startswith("GNU.sparse."):
                member.kind = SPARSE
        member.name = records.get("GNU.sparse.name", member.name).partition("\0")[0]

    def _apply_number(self, key: str, value: str, member: Member) -> None:
        whole, _, fraction = value.partition(".") if key == "mtime" else (value, "", "")
        digits = whole[1:] if whole[:1] == "-" else whole
        if not (digits + fraction).isascii() or not digits.isdigit() or not (fraction or "0").isdigit():
            self._error(f"Malformed extended header: invalid {key}={value}")
            return
        low, high = (
            (~_MAX_NUMBER if key == "mtime" else 0),
            (_MAX_ID if key in ("uid", "gid") else _MAX_NUMBER),
        )
        number = int(whole[:24])
        if not low <= number <= high or len(whole) > 24:
            self._error(f"Extended header {key}={value} is out of range {low}..{high}")
        elif key == "mtime":
            member.mtime = number
        elif key == "uid":
            member.uid = number
        elif key == "gid":
            member.gid = number
        elif member.kind not in _WITHOUT_CONTENTS:
            member.size = number


def _has_checksum(block: bytes) -> bool:
    """Return whether the checksum is right; old programs added signed bytes."""
    field = block[148:156].lstrip(b" ")
    checksum = int(field[: len(field) - len(field.lstrip(_OCTAL_DIGITS))] or b"0", 8)
    unsigned = sum(block[:148]) + 256 + sum(block[156:])
    if checksum == unsigned:
        return True
    signed = unsigned - 256 * sum(byte > 127 for byte in block[:148] + block[156:])
    return checksum == signed


def _c_text(data: bytes) -> str:
    """Return the text before the first NUL."""
    return data.partition(b"\0")[0].decode("utf-8", "surrogateescape")
