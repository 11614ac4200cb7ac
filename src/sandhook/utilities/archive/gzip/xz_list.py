"""xz -l: list the streams and blocks of .xz files from their indexes.

Source: the .xz file format 1.1.0, sections 2 to 4. Oracle: XZ Utils 5.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from zlib import crc32

from sandhook.record import Record

_MAGIC, _END = b"\xfd7zXZ\0", b"YZ"
_HEADER_SIZE = 12  #: bytes of the header of a stream, and of its footer
_CHECKS = {0: "None", 1: "CRC32", 4: "CRC64", 10: "SHA-256"}
_TITLES = "Strms  Blocks   Compressed Uncompressed  Ratio  Check   Filename"
_CORRUPT = "Compressed data is corrupt"


class XzError(Exception):
    """The data are not an .xz file, or are damaged. The text is xz's message."""


class Stream(Record):
    """One stream of an .xz file.

    Attributes:
        start: Offset in the file, in bytes.
        size: Compressed size in bytes.
        uncompressed: Uncompressed size in bytes.
        check: The number of its integrity check.
        padding: Bytes of padding after it.
        blocks: For each block, its size with all parts, and its uncompressed size.
    """

    start: int
    size: int
    uncompressed: int
    check: int
    padding: int
    blocks: tuple[tuple[int, int], ...]


def read_streams(data: bytes, charge: Callable[[int], None]) -> list[Stream]:
    """Return the streams of a file. Raises XzError."""
    if not data:
        raise XzError("File is empty")
    if len(data) < 2 * _HEADER_SIZE:
        raise XzError("Too small to be a valid .xz file")
    if data[:6] != _MAGIC:
        raise XzError("File format not recognized")
    if len(data) % 4:
        raise XzError(_CORRUPT)
    streams: list[Stream] = []
    end = len(data)
    while end:
        stop = end
        while stop >= 4 and data[stop - 4 : stop] == b"\0\0\0\0":
            charge(1)
            stop -= 4
        stream = _stream(data, stop, end - stop, charge)
        streams.append(stream)
        end = stream.start
    streams.reverse()
    return streams


def _stream(data: bytes, stop: int, padding: int, charge: Callable[[int], None]) -> Stream:
    """Return the stream that ends before ``stop``."""
    footer = data[max(0, stop - _HEADER_SIZE) : stop]
    if (
        len(footer) < _HEADER_SIZE
        or footer[10:] != _END
        or crc32(footer[4:10]) != int.from_bytes(footer[:4], "little")
    ):
        raise XzError(_CORRUPT)
    size = (int.from_bytes(footer[4:8], "little") + 1) * 4
    blocks = _index(data, stop - _HEADER_SIZE - size, size, charge)
    start = stop - 2 * _HEADER_SIZE - size - sum([block[0] for block in blocks])
    head = data[max(0, start) : max(0, start) + _HEADER_SIZE]
    if start < 0 or head[:6] != _MAGIC or head[6:8] != footer[8:10]:
        raise XzError(_CORRUPT)
    if crc32(head[6:8]) != int.from_bytes(head[8:], "little"):
        raise XzError(_CORRUPT)
    if head[6] or head[7] > 15:
        raise XzError("Unsupported options")
    return Stream(start, stop - start, sum([block[1] for block in blocks]), head[7], padding, tuple(blocks))


def _index(data: bytes, at: int, size: int, charge: Callable[[int], None]) -> list[tuple[int, int]]:
    """Return the sizes of the blocks, compressed and uncompressed."""
    end = at + size - 4
    if at < 0 or data[at] or crc32(data[at:end]) != int.from_bytes(data[end : end + 4], "little"):
        raise XzError(_CORRUPT)
    count, at = _number(data, at + 1, end)
    blocks = []
    for _ in range(count):
        charge(1)
        compressed_size, at = _number(data, at, end)
        uncompressed, at = _number(data, at, end)
        blocks.append(((compressed_size + 3) // 4 * 4, uncompressed))
    return blocks


def _number(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Decode a number with seven bits in each byte; return it and the offset after it."""
    value = 0
    for shift in range(0, 63, 7):
        if at >= end:
            break
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise XzError(_CORRUPT)


class Lister:
    """Prints a table, or with ``robot`` lines for programs, and the totals at the end."""

    def __init__(self, write_line: Callable[[str], None], *, verbose: bool, robot: bool, count: int) -> None:
        self._write = write_line
        self._verbose = verbose
        self._robot = robot
        self._count = count
        self._number = 0  #: of the current file, from 1
        self._sums = [0, 0, 0, 0, 0]
        self._checks: set[int] = set()
        self._files = 0

    def show(self, name: str, streams: Sequence[Stream]) -> None:
        """Print one file."""
        sums = [
            len(streams), sum([len(each.blocks) for each in streams]), sum([each.size + each.padding for each in streams]),
            sum([each.uncompressed for each in streams]), sum([each.padding for each in streams]),
        ]  # fmt: skip
        checks = {each.check for each in streams}
        self._files += 1
        self._checks |= checks
        self._sums = [one + other for one, other in zip(self._sums, sums)]
        if self._robot:
            self._write(f"name\t{name}")
            self._write("file\t" + _fields(sums, checks))
        elif self._verbose:
            self._summary(sums, checks)
        else:
            if self._files == 1:
                self._write(_TITLES)
            self._row(sums, checks, name)
        if self._verbose:
            self._details(streams)

    def next(self, name: str) -> None:
        """Print the name of a file before its details."""
        self._number += 1
        if self._verbose and not self._robot:
            self._write(("\n" if self._number > 1 else "") + f"{name} ({self._number}/{self._count})")

    def finish(self) -> None:
        """Print the totals, for more than one file or for programs."""
        if self._robot:
            self._write(f"totals\t{_fields(self._sums, self._checks)}\t{self._files}")
        elif self._files > 1 and self._verbose:
            self._write("\nTotals:")
            self._write(f"  Number of files:   {self._files}")
            self._summary(self._sums, self._checks)
        elif self._files > 1:
            self._write("-" * 79)
            self._row(self._sums, self._checks, f"{self._files} files")

    def _row(self, sums: Sequence[int], checks: set[int], name: str) -> None:
        streams, blocks, size, uncompressed, _ = sums
        self._write(
            f"{streams:5} {blocks:7}  {_amount(size):>11}  {_amount(uncompressed):>11}  {_ratio(size, uncompressed):>5}  "
            f"{_names(checks, ','):<7} {name}"
        )

    def _summary(self, sums: Sequence[int], checks: set[int]) -> None:
        streams, blocks, size, uncompressed, padding = sums
        self._write(f"  Streams:           {streams}\n  Blocks:            {blocks}")
        self._write(
            f"  Compressed size:   {_amount_and_bytes(size)}\n  Uncompressed size: {_amount_and_bytes(uncompressed)}"
        )
        self._write(
            f"  Ratio:             {_ratio(size, uncompressed)}\n  Check:             {_names(checks, ', ')}"
        )
        self._write(f"  Stream Padding:    {_amount_and_bytes(padding)}")

    def _details(self, streams: Sequence[Stream]) -> None:
        """Print a line for each stream and each block."""
        stream_rows, block_rows = [], []
        uncompressed_offset = 0
        for number, stream in enumerate(streams, 1):
            check = _name(stream.check)
            stream_rows.append((number, len(stream.blocks), stream.start, uncompressed_offset, stream.size, stream.uncompressed,
                             _ratio(stream.size, stream.uncompressed), check, stream.padding))  # fmt: skip
            at = stream.start + _HEADER_SIZE
            for index, (size, uncompressed) in enumerate(stream.blocks, 1):
                block_rows.append(
                    (
                        number,
                        index,
                        at,
                        uncompressed_offset,
                        size,
                        uncompressed,
                        _ratio(size, uncompressed),
                        check,
                    )
                )
                at += size
                uncompressed_offset += uncompressed
        if self._robot:
            for row in stream_rows:
                self._write("\t".join(map(str, ("stream", *row))))
            for total, cells in enumerate(block_rows, 1):
                self._write("\t".join(map(str, ("block", *cells[:2], total, *cells[2:]))))
            return
        self._write(f"  Streams:\n{_title('Blocks', 'CompSize')}      Padding")
        for row in stream_rows:
            self._write(f"{_cells(row)}  {row[7]:<10} {row[8]:7}")
        if block_rows:
            self._write(f"  Blocks:\n{_title('Block', 'TotalSize')}")
        for cells in block_rows:
            self._write(f"{_cells(cells)}  {cells[7]}")


def _title(second: str, size: str) -> str:
    return f"    Stream {second:>9}      CompOffset    UncompOffset {size:>15}      UncompSize  Ratio  Check"


def _cells(row: Sequence[object]) -> str:
    return f"    {row[0]:>6} {row[1]:>9} {row[2]:>15} {row[3]:>15} {row[4]:>15} {row[5]:>15}  {row[6]:>5}"


def _fields(sums: Sequence[int], checks: set[int]) -> str:
    streams, blocks, size, uncompressed, padding = sums
    return f"{streams}\t{blocks}\t{size}\t{uncompressed}\t{_ratio(size, uncompressed)}\t{_names(checks, ',')}\t{padding}"


def _name(check: int) -> str:
    return _CHECKS.get(check, f"Unknown-{check}")


def _names(checks: set[int], separator: str) -> str:
    return separator.join([_name(check) for check in sorted(checks)]) or "None"


def _amount(size: int) -> str:
    """Format a size: in bytes below ten thousand, else in a larger unit with one decimal."""
    if size < 10_000:
        return f"{size} B"
    value = float(size)
    for unit in ("KiB", "MiB", "GiB"):
        value /= 1024
        if value <= 9999.9:
            return f"{value:.1f} {unit}"
    return f"{value / 1024:.1f} TiB"


def _amount_and_bytes(size: int) -> str:
    return _amount(size) if size < 10_000 else f"{_amount(size)} ({size} B)"


def _ratio(size: int, uncompressed: int) -> str:
    ratio = size / uncompressed if uncompressed else 10.0
    return "---" if ratio > 9.999 else f"{ratio:.3f}"
