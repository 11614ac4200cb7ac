"""Blocks of tar archives with any field, also those that no program would write."""

from __future__ import annotations

END = bytes(1024)
_GNU, _POSIX = b"ustar  \0", b"ustar\x0000"


def number(value: int | bytes, width: int) -> bytes:
    """Return a field: octal digits for a number, bytes as they are."""
    return value.ljust(width, b"\0")[:width] if isinstance(value, bytes) else b"%0*o\0" % (width - 1, value)


def base256(value: int, width: int = 12) -> bytes:
    """Return a field of GNU's form for large and negative numbers."""
    if value < 0:
        return value.to_bytes(width, "big", signed=True)
    return b"\x80" + value.to_bytes(width - 1, "big")


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 512)


def header(
    name: bytes = b"a",
    *,
    kind: bytes = b"0",
    link: bytes = b"",
    mode: int | bytes = 0o644,
    uid: int | bytes = 0,
    size: int | bytes = 0,
    mtime: int | bytes = 0,
    posix: bool = False,
    prefix: bytes = b"",
    checksum: bytes | None = None,
    signed: bool = False,
) -> bytes:
    """Return a block; ``checksum`` replaces the right one, ``signed`` adds bytes as old programs did."""
    block = b"".join(
        (
            name[:100].ljust(100, b"\0"),
            number(mode, 8),
            number(uid, 8),
            number(0, 8),
            number(size, 12),
            number(mtime, 12),
            b" " * 8,
            kind,
            link[:100].ljust(100, b"\0"),
            _POSIX if posix else _GNU,
        )
    ).ljust(345, b"\0")
    block = (block + prefix[:155]).ljust(512, b"\0")
    total = sum(byte - 256 if signed and byte > 127 else byte for byte in block)
    return block[:148] + (b"%06o\0 " % total if checksum is None else checksum) + block[156:]


def member(data: bytes = b"", name: bytes = b"a", **fields: object) -> bytes:
    """Return a header with the contents that it announces."""
    return header(name, **{"size": len(data), **fields}) + padded(data)  # type: ignore[arg-type]


def record(key: bytes, value: bytes) -> bytes:
    """Return a record of pax, which begins with its own length."""
    body = b" " + key + b"=" + value + b"\n"
    size = len(body)
    while len(b"%d" % size) + len(body) != size:
        size += 1
    return b"%d" % size + body


def pax(*records: bytes, kind: bytes = b"x") -> bytes:
    """Return an extended header, for the next member or (``g``) for all."""
    return member(b"".join(records), b"PaxHeaders/x", kind=kind, posix=True)


def long_name(name: bytes, kind: bytes = b"L") -> bytes:
    return member(name + b"\0", b"././@LongLink", kind=kind)


AFTER = member(b"after\n", b"after") + END
