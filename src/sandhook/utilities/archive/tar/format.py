"""The format of tar archives: members, and the headers of 512 bytes with GNU's and pax's extensions for long names.

Source: POSIX.1-2024 XCU 3, pax, "ustar Interchange Format" and "pax Header Block"; GNU tar 1.34 manual.
"""

from __future__ import annotations

from collections.abc import Iterator

BLOCK = 512
RECORD = 10_240
FILE, HARD_LINK, SYMBOLIC_LINK, CHARACTER, BLOCK_DEVICE, DIRECTORY, FIFO = (
    b"0",
    b"1",
    b"2",
    b"3",
    b"4",
    b"5",
    b"6",
)


#: GNU's kinds: the label of an archive, a directory with a list of its files, the rest of a file whose beginning
#: is in another volume, and a file with holes.
LABEL, LISTED_DIRECTORY, CONTINUED, SPARSE = b"V", b"D", b"M", b"S"


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
        kind: One of the constants above, or an unknown one.
        size: Bytes of contents in the archive.
        link: The target of a link.
        block: The number of the block of the header in the archive, 0-based.
        layout: The format of the header that was read: "gnu", "posix", "ustar" or "v7".
    """

    __slots__ = (
        "block",
        "gid",
        "group",
        "kind",
        "layout",
        "link",
        "mode",
        "mtime",
        "name",
        "size",
        "uid",
        "user",
    )

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
        self.block = 0
        self.layout = "gnu"


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


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
