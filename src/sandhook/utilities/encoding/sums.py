"""Numeric checksums: POSIX's CRC, and the sums of BSD and System V."""

from __future__ import annotations

from collections.abc import Callable
from zlib import crc32

from sandhook.command.context import Context

#: Each byte with its bits reversed, because zlib's CRC processes the bits in the opposite order to POSIX's.
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_ONES = 0xFFFFFFFF

#: The checksum, and the number of bytes or blocks.
Sum = tuple[int, int]


def crc(name: str, ctx: Context) -> Sum:
    """Return POSIX's CRC and the size in bytes. Raises OSError."""
    state, size = _ONES, 0
    with ctx.open(name) as reader:
        for data in reader.chunks():
            state = crc32(data.translate(_REVERSED), state)
            size += len(data)
    length = size.to_bytes((size.bit_length() + 7) // 8, "little")
    state = crc32(length.translate(_REVERSED), state) ^ _ONES
    return int(f"{state:032b}"[::-1], 2) ^ _ONES, size


def bsd(name: str, ctx: Context) -> Sum:
    """Return BSD's rotating sum and the size in KiB. Raises OSError."""
    total = size = 0
    with ctx.open(name) as reader:
        for data in reader.chunks():
            ctx.charge(len(data) >> 4)
            size += len(data)
            for byte in data:
                total = ((total >> 1) + ((total & 1) << 15) + byte) & 0xFFFF
    return total, -(-size // 1024)


def system_v(name: str, ctx: Context) -> Sum:
    """Return System V's sum and the size in blocks of 512 bytes. Raises OSError."""
    total = size = 0
    with ctx.open(name) as reader:
        for data in reader.chunks():
            size += len(data)
            total = (total + sum(data)) & _ONES
    folded = (total & 0xFFFF) + (total >> 16)
    return (folded & 0xFFFF) + (folded >> 16), -(-size // 512)


#: The function for each algorithm.
SUMS: dict[str, Callable[[str, Context], Sum]] = {"bsd": bsd, "crc": crc, "sysv": system_v}


def sum_line(kind: str, name: str, ctx: Context) -> str:
    """Return the line for a file, without its name. Raises OSError."""
    number, size = SUMS[kind](name, ctx)
    return f"{number:05} {size:5}" if kind == "bsd" else f"{number} {size}"
