"""The format of ar archives, with the long names of System V and GNU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.record import Record

MAGIC = b"!<arch>\n"
_HEADER = 60
_END = b"`\n"
_MAX_SHORT_NAME = 15


class ArchiveError(Exception):
    """The data are not an archive, or are damaged."""


class Member(Record):
    """One file of an archive.

    Attributes:
        mtime: In seconds since the epoch.
        offset: Of its contents in the archive that was read, in bytes; 0 for a new member.
    """

    name: str
    mtime: int
    uid: int
    gid: int
    mode: int
    data: bytes
    offset: int = 0


def parse(data: bytes) -> list[Member]:
    """Return the members of an archive, without symbol tables. Raises ArchiveError."""
    if data[: len(MAGIC)] != MAGIC:
        raise ArchiveError("file format not recognized")
    members: list[Member] = []
    names = b""
    at = len(MAGIC)
    while at + _HEADER <= len(data):
        head = data[at : at + _HEADER]
        size = _number(head[48:58], 10)
        at += _HEADER
        if head[58:60] != _END or at + size > len(data):
            raise ArchiveError("malformed archive")
        content = data[at : at + size]
        offset = at
        at += size + size % 2
        raw = head[:16].rstrip(b" ")
        if raw == b"//":
            names = content
        elif raw not in (b"/", b"/SYM64/", b"__.SYMDEF"):
            raw, content = _name(raw, names, content)
            mtime, uid, gid = (_number(part, 10) for part in (head[16:28], head[28:34], head[34:40]))
            name = raw.decode("utf-8", "surrogateescape")
            members.append(Member(name, mtime, uid, gid, _number(head[40:48], 8), content, offset=offset))
    if at < len(data.rstrip(b"\n")):
        raise ArchiveError("malformed archive")
    return members


def _number(field: bytes, base: int) -> int:
    text = field.strip()
    try:
        return int(text, base) if text else 0
    except ValueError:
        raise ArchiveError("malformed archive") from None


def _name(raw: bytes, names: bytes, content: bytes) -> tuple[bytes, bytes]:
    """Return a member's name and content. A long name is in a table, or (BSD) before the content."""
    if raw[:3] == b"#1/":
        length = _number(raw[3:], 10)
        return content[:length].rstrip(b"\0"), content[length:]
    if raw[:1] == b"/" and raw[1:].isdigit():
        start = int(raw[1:])
        end = names.find(b"/\n", start)
        if start >= len(names) or end < 0:
            raise ArchiveError("malformed archive")
        return names[start:end], content
    return raw.removesuffix(b"/"), content


def render(members: Sequence[Member], *, truncate: bool = False) -> Iterator[bytes]:
    """Yield the bytes of an archive.

    Args:
        members: Its members.
        truncate: Cut names to what fits into a header, instead of storing a table of long names.
    """
    yield MAGIC
    table = bytearray()
    heads = []
    for member in members:
        name = member.name.encode("utf-8", "surrogateescape")
        if truncate:
            name = name[:_MAX_SHORT_NAME]
        if len(name) > _MAX_SHORT_NAME:
            heads.append(b"/%d" % len(table))
            table += name + b"/\n"
        else:
            heads.append(name + b"/")
    if table:
        table += b"\n" * (len(table) % 2)
        yield b"%-16s%-12s%-6s%-6s%-8s%-10d" % (b"//", b"", b"", b"", b"", len(table)) + _END + bytes(table)
    for member, head in zip(members, heads, strict=True):
        fields = (head, member.mtime, member.uid, member.gid, member.mode, len(member.data))
        yield b"%-16s%-12d%-6d%-6d%-8o%-10d" % fields + _END
        yield member.data
        if len(member.data) % 2:
            yield b"\n"
