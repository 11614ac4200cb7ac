"""The format of tar archives: headers of 512 bytes, with GNU's and pax's extensions for long names.

Source: POSIX.1-2024 XCU 3, pax, "ustar Interchange Format" and "pax Header Block"; GNU tar 1.34 manual.
"""

from __future__ import annotations

from collections.abc import Iterator

BLOCK = 512
RECORD = 10_240
_MAX_EXTENSION = 1 << 20  #: bytes of a long name or of pax's records

FILE, HARD_LINK, SYMBOLIC_LINK, CHARACTER, BLOCK_DEVICE, DIRECTORY, FIFO = (
    b"0",
    b"1",
    b"2",
    b"3",
    b"4",
    b"5",
    b"6",
)


#: The kind of the member that is the label of an archive.
LABEL = b"V"


class FormatError(Exception):
    """The data are not an archive, or are damaged."""


class TruncatedError(FormatError):
    """The archive ends too early."""

    def __init__(self) -> None:
        super().__init__("Unexpected EOF in archive")


class Member:
    """One member of an archive.

    Attributes:
        name: Without a trailing slash.
        kind: One of the constants above.
        link: The target of a link.
    """

    __slots__ = ("gid", "group", "kind", "link", "mode", "mtime", "name", "size", "uid", "user")

    def __init__(
        self, name: str, kind: bytes = FILE, size: int = 0, mode: int = 0o644, mtime: int = 0
    ) -> None:
        self.name = name
        self.kind = kind
        self.size = size
        self.mode = mode
        self.mtime = mtime
        self.uid = self.gid = 0
        self.user = self.group = ""
        self.link = ""


def header(member: Member, layout: str = "gnu") -> bytes:
    """Return the header blocks of a member.

    Args:
        layout: "gnu", "ustar", "pax" or "v7".

    Raises:
        FormatError: A name is too long for the format.
    """
    name = _bytes(member.name + ("/" if member.kind == DIRECTORY else ""))
    link = _bytes(member.link)
    if layout != "gnu":
        return _plain_header(member, name, link, layout)
    blocks = b""
    if len(link) > 100:
        blocks += _extension(b"K", link)
    if len(name) > 100:
        blocks += _extension(b"L", name)
    return blocks + _block(member, name, link)


def _plain_header(member: Member, name: bytes, link: bytes, layout: str) -> bytes:
    """Return a POSIX header, preceded by pax records if the layout is pax and the names need them."""
    blocks, prefix = b"", b""
    if len(link) > 100 and layout != "pax":
        raise FormatError("link name is too long")
    if len(name) > 100:
        at = name.rfind(b"/", 0, min(len(name) - 1, 156))
        if layout != "v7" and at > 0 and len(name) - at - 1 <= 100:
            prefix, name = name[:at], name[at + 1 :]
        elif layout != "pax":
            raise FormatError(f"file name is too long ({'max 99' if layout == 'v7' else 'cannot be split'})")
    if layout == "pax":
        records = [(b"path", name)] * (len(name) > 100) + [(b"linkpath", link)] * (len(link) > 100)
        data = b"".join(_record(key, value) for key, value in records)
        if data:
            head = Member(
                "./PaxHeaders/" + member.name.rpartition("/")[2][:80], b"x", len(data), 0o644, member.mtime
            )
            blocks = _ustar(head, _bytes(head.name)[:100], b"", b"") + data + padding(len(data))
    return blocks + (_ustar(member, name, link, prefix) if layout != "v7" else _old(member, name, link))


def _record(key: bytes, value: bytes) -> bytes:
    """Return a pax record, which begins with its own length."""
    body = b" " + key + b"=" + value + b"\n"
    size = len(body) + len(b"%d" % len(body))
    if len(b"%d" % size) + len(body) != size:
        size += 1
    return b"%d" % size + body


def _ustar(member: Member, name: bytes, link: bytes, prefix: bytes) -> bytes:
    block = bytearray(_block(member, name, link))
    block[257:265] = b"ustar\x0000"
    block[345 : 345 + len(prefix)] = prefix
    return _with_checksum(bytes(block))


def _old(member: Member, name: bytes, link: bytes) -> bytes:
    block = bytearray(_block(member, name, link))
    if member.kind in (FILE, DIRECTORY):
        block[156:157] = b"\0"
    return _with_checksum(bytes(block[:257]).ljust(BLOCK, b"\0"))


def _with_checksum(block: bytes) -> bytes:
    blank = block[:148] + b" " * 8 + block[156:]
    return block[:148] + b"%06o\0 " % sum(blank) + block[156:]


def _extension(kind: bytes, data: bytes) -> bytes:
    data += b"\0"
    head = Member("", kind, len(data), 0o644, 0)
    head.user = head.group = "root"
    return _block(head, b"././@LongLink", b"") + data + padding(len(data))


def padding(size: int) -> bytes:
    """Return the NULs that pad ``size`` bytes to whole blocks."""
    return bytes(-size % BLOCK)


def _octal(value: int, width: int) -> bytes:
    digits = b"%0*o" % (width - 1, max(value, 0))
    if len(digits) < width:
        return digits + b"\0"
    return b"\x80" + value.to_bytes(width - 1, "big")


def _block(member: Member, name: bytes, link: bytes) -> bytes:
    """Return a GNU header; ``name`` and ``link`` are truncated to 100 bytes."""
    block = b"".join(
        (
            name[:100].ljust(100, b"\0"),
            _octal(member.mode & 0o7777, 8),
            _octal(member.uid, 8),
            _octal(member.gid, 8),
            _octal(member.size, 12),
            _octal(member.mtime, 12),
            b" " * 8,
            member.kind,
            link[:100].ljust(100, b"\0"),
            b"ustar  \0",
            _bytes(member.user)[:31].ljust(32, b"\0"),
            _bytes(member.group)[:31].ljust(32, b"\0"),
        )
    ).ljust(BLOCK, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


class Stream:
    """Reads exact numbers of bytes from chunks of any length; ``offset`` counts the bytes read."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._buffer = b""
        self.offset = 0

    def read(self, count: int) -> bytes:
        """Return ``count`` bytes, fewer only at the end."""
        pieces = []
        while count:
            if not self._buffer:
                self._buffer = next(self._chunks, b"")
                if not self._buffer:
                    break
            piece, self._buffer = self._buffer[:count], self._buffer[count:]
            count -= len(piece)
            self.offset += len(piece)
            pieces.append(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def pieces(self, count: int) -> Iterator[bytes]:
        """Yield ``count`` bytes in pieces of at most 64 KiB. Raises FormatError when there are fewer."""
        while count:
            piece = self.read(min(count, 65_536))
            if not piece:
                raise TruncatedError
            count -= len(piece)
            yield piece


def skip_padding(stream: Stream, size: int) -> None:
    """Read the padding after ``size`` bytes. Raises FormatError when it is incomplete."""
    if len(stream.read(-size % BLOCK)) < -size % BLOCK:
        raise TruncatedError


def members(stream: Stream, *, past_end: bool = False) -> Iterator[Member]:
    """Yield the members. The caller reads the contents and the padding of each before the next.

    Args:
        past_end: Continue after blocks of zeros, which normally end an archive.

    Raises:
        FormatError: The data are not an archive, or are damaged.
    """
    first = True
    name = link = None
    records: dict[str, str] = {}
    while True:
        block = stream.read(BLOCK)
        if not block and not first:
            return
        if len(block) < BLOCK:
            if first:
                raise FormatError("This does not look like a tar archive")
            raise TruncatedError
        if not any(block):
            if first and not stream.read(BLOCK):
                raise FormatError("This does not look like a tar archive")
            if past_end:
                continue
            return
        if not _is_header(block):
            raise FormatError("This does not look like a tar archive" if first else "Skipping to next header")
        first = False
        kind, size = block[156:157], _number(block[124:136])
        if kind in b"LKxg" and kind:
            if size > _MAX_EXTENSION:
                raise FormatError("Malformed extended header")
            data = stream.read(size)
            stream.read(-size % BLOCK)
            if kind == b"L":
                name = _text(data.rstrip(b"\0"))
            elif kind == b"K":
                link = _text(data.rstrip(b"\0"))
            elif kind == b"x":
                records = _records(data)
            continue
        member = _member(block, kind, size)
        member.name = records.get("path", name if name is not None else member.name)
        member.link = records.get("linkpath", link if link is not None else member.link)
        if records.get("size", "").isdigit():
            member.size = int(records["size"][:18])
        name = link = None
        records = {}
        if member.kind == FILE and member.name.endswith("/"):
            member.kind = DIRECTORY
        member.name = member.name.rstrip("/") or member.name[:1]
        yield member


def _is_header(block: bytes) -> bool:
    try:
        checksum = int(block[148:156].rstrip(b"\0 ") or b"0", 8)
    except ValueError:
        return False
    return sum(block[:148]) + 256 + sum(block[156:]) == checksum


def _member(block: bytes, kind: bytes, size: int) -> Member:
    name = _text(block[:100].split(b"\0")[0])
    if block[257:263] == b"ustar\0" and block[345]:
        name = f"{_text(block[345:500].split(bytes(1))[0])}/{name}"
    member = Member(
        name, FILE if kind in (b"\0", b"7", FILE) else kind, size, _number(block[100:108]) & 0o7777
    )
    if kind not in (b"\0", b"7", FILE):
        member.size = 0
    member.uid, member.gid = _number(block[108:116]), _number(block[116:124])
    member.mtime = _number(block[136:148])
    member.link = _text(block[157:257].split(b"\0")[0])
    member.user, member.group = _text(block[265:297].split(b"\0")[0]), _text(block[297:329].split(b"\0")[0])
    return member


def _number(field: bytes) -> int:
    if field[:1] == b"\x80":
        return int.from_bytes(field[1:], "big") & (2**63 - 1)
    try:
        return max(0, int(field.strip(b"\0 ") or b"0", 8))
    except ValueError:
        raise FormatError("Malformed header") from None


def _records(data: bytes) -> dict[str, str]:
    """Parse pax records: "LENGTH KEY=VALUE\\n"."""
    records: dict[str, str] = {}
    at = 0
    while at < len(data):
        digits, blank, _ = data[at : at + 12].partition(b" ")
        if not blank or not digits.isdigit() or not int(digits):
            break
        record = data[at + len(digits) + 1 : at + int(digits)]
        key, _, value = record.rstrip(b"\n").partition(b"=")
        records[_text(key)] = _text(value)
        at += int(digits)
    return records


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
