"""Compressed streams: gzip, bzip2 and xz, always a bounded piece at a time.

The libraries are C: they receive at most 64 KiB and return at most 1 MiB in one call, and the dictionary of
xz must fit into the memory of the run.
"""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from collections.abc import Generator, Iterator
from typing import Literal, Protocol, TypeAlias

from sandhook.formats import lzw as _lzw

_MOST_PIECE = 1 << 20
_XZ_MEMORY = 48 << 20
_XZ_PRESET = 3  #: the highest preset of xz that is used: higher ones need more memory than a run has
#: Memory of xz's compressor for each preset, in bytes: at the beginning, and after much input (measured).
_XZ_STATES = ((1 << 20, 3 << 20), (2 << 20, 6 << 20), (4 << 20, 8 << 20), (9 << 20, 32 << 20))
_STATE_GROWTH = 4  #: bytes of tables that a byte of input fills

GZIP_MAGIC = b"\x1f\x8b"
BZIP2_MAGIC = b"BZh"
XZ_MAGIC = b"\xfd7zXZ\x00"
XZ_CHECKS = {
    "none": lzma.CHECK_NONE,
    "crc32": lzma.CHECK_CRC32,
    "crc64": lzma.CHECK_CRC64,
    "sha256": lzma.CHECK_SHA256,
}
_GZIP_HEADER = 10  #: bytes, without the optional fields
_GZIP_TRAILER = struct.Struct("<LL")
_DEFLATE = 8
_WITH_CHECK, _WITH_EXTRA, _WITH_NAME, _WITH_COMMENT, _RESERVED = 2, 4, 8, 16, 0xE0  #: flags of the header
_FORMAT_VIOLATED = "invalid compressed data--format violated"
LZMA_FIRST = b"\x5d"  #: first byte of nearly all files of lzma


Compression: TypeAlias = Literal["gzip", "bzip2", "xz", "lzma"]

Reason: TypeAlias = Literal["", "corrupt", "truncated", "unrecognized", "trailing garbage"]


class CorruptError(Exception):
    """Compressed data are damaged: "crc error", "unexpected end of file", "not in gzip format".

    Attributes:
        reason: Errors for which the programs have their own messages; "" for others.
    """

    def __init__(self, message: str, reason: Reason = "") -> None:
        super().__init__(message)
        self.reason = reason


class _Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...
    def flush(self) -> bytes: ...


class Charge(Protocol):
    def __call__(self, steps: int, /) -> None: ...


def kind_of(head: bytes) -> Literal["", "gzip", "bzip2", "xz"]:
    """Return "gzip", "bzip2", "xz" or "" for the beginning of a file."""
    if head.startswith((GZIP_MAGIC, _lzw.MAGIC)):
        return "gzip"
    if head.startswith(BZIP2_MAGIC):
        return "bzip2"
    return "xz" if head.startswith(XZ_MAGIC) else ""


class _State:
    """The memory of one compressor or decoder, which is charged as its tables fill.

    Args:
        first, most: Bytes at the beginning, and at most.
    """

    def __init__(self, first: int, most: int, charge_memory: Charge) -> None:
        self._charge_memory = charge_memory
        self._size = 0
        self._most = most
        self._add(first)

    def _add(self, size: int) -> None:
        self._charge_memory(size)
        self._size += size

    def grow(self, size: int) -> None:
        """Charge for ``size`` more bytes of tables, up to the most."""
        if self._size < self._most:
            self._add(min(size, self._most - self._size))

    def free(self) -> None:
        """Free what was charged."""
        self._charge_memory(-self._size)
        self._size = 0


def _compressor_state(kind: Compression, level: int, charge_memory: Charge) -> _State:
    if kind == "gzip":
        return _State(256 << 10, 256 << 10, charge_memory)
    if kind == "bzip2":
        return _State(64 << 10, level * 800_000, charge_memory)
    return _State(*_XZ_STATES[min(level, _XZ_PRESET)], charge_memory)


def _decoder_state(kind: Compression, head: bytes, charge_memory: Charge) -> _State:
    """Return the state of a decoder; the dictionary of xz fills with what was expanded."""
    if kind == "gzip":
        return _State(48 << 10, 48 << 10, charge_memory)
    if kind == "bzip2":
        level = int(head[3:4]) if head[3:4].isdigit() else 9
        return _State(level * 400_000, level * 400_000, charge_memory)
    return _State(128 << 10, _XZ_MEMORY, charge_memory)


def compressed(
    chunks: Iterator[bytes],
    kind: Compression,
    level: int,
    charge: Charge,
    *,
    name: bytes = b"",
    mtime: int = 0,
    xz_check: str = "",
    charge_memory: Charge,
) -> Iterator[bytes]:
    """Yield the compressed form of a stream.

    Args:
        kind: The format.
        level: 0 or 1 (fast) to 9 (small).
        charge: Charges steps to the run's budget.
        name: The name of the file, for the header of gzip.
        mtime: The modification time in seconds since the epoch, for the same header.
        xz_check: A key of XZ_CHECKS; "" is xz's default.
        charge_memory: Charges bytes for the state of the compressor; a negative number frees them.
    """
    coder: _Compressor
    state = _compressor_state(kind, level, charge_memory)
    if kind == "gzip":
        flags = 8 if name else 0
        extra = 2 if level == 9 else 4 if level == 1 else 0
        yield struct.pack("<2sBBLBB", GZIP_MAGIC, 8, flags, mtime & 0xFFFFFFFF, extra, 3) + (
            name + b"\0" if name else b""
        )
        coder = zlib.compressobj(level, zlib.DEFLATED, -15)
    elif kind == "bzip2":
        coder = bz2.BZ2Compressor(level)
    else:
        form = lzma.FORMAT_ALONE if kind == "lzma" else lzma.FORMAT_XZ
        coder = lzma.LZMACompressor(
            form,
            check=XZ_CHECKS[xz_check] if xz_check and kind == "xz" else -1,
            preset=min(level, _XZ_PRESET),
        )
    check = size = 0
    try:
        for data in chunks:
            charge(1 + (len(data) >> 8))
            state.grow(_STATE_GROWTH * len(data))
            if kind == "gzip":
                check = zlib.crc32(data, check)
                size += len(data)
            yield coder.compress(data)
        yield coder.flush()
    finally:
        state.free()
    if kind == "gzip":
        yield struct.pack("<LL", check, size & 0xFFFFFFFF)


def expanded(
    chunks: Iterator[bytes],
    kind: Compression,
    charge: Charge,
    charge_memory: Charge,
    sizes: list[int] | None = None,
) -> Iterator[bytes]:
    """Yield the expanded contents of a compressed stream, one member after the other. Raises CorruptError.

    Args:
        charge_memory: Charges bytes for the state of the decoder; a negative number frees them.
        sizes: Receives the expanded size of each gzip member, in bytes, after it was read.
    """
    data = b""
    first = True
    while True:
        if not data:
            data = next(chunks, b"")
        if not data and not first:
            return
        if not first and not data.strip(b"\0"):
            data = b""
            continue
        if kind == "gzip":
            member = _gzip_member(data, chunks, charge, first)
            if sizes is not None:
                member = _sized(member, sizes)
        else:
            member = _member(data, chunks, kind, charge)
        data = yield from _with_state(member, _decoder_state(kind, data, charge_memory))
        first = False
        if data and kind == "gzip" and not GZIP_MAGIC.startswith(data[:2]):
            if data.strip(b"\0"):
                raise CorruptError("decompression OK, trailing garbage ignored", "trailing garbage")
            data = b""


def _with_state(member: Generator[bytes, None, bytes], state: _State) -> Generator[bytes, None, bytes]:
    """Yield the contents of a member; charge for the state of its decoder until its end."""
    try:
        while True:
            try:
                data = next(member)
            except StopIteration as end:
                rest: bytes = end.value
                return rest
            state.grow(len(data))
            yield data
    finally:
        state.free()


def _sized(member: Generator[bytes, None, bytes], sizes: list[int]) -> Generator[bytes, None, bytes]:
    total = 0
    while True:
        try:
            data = next(member)
        except StopIteration as end:
            sizes.append(total)
            rest: bytes = end.value
            return rest
        total += len(data)
        yield data


def gzip_header(data: bytes) -> tuple[int, bytes, int]:
    """Return the length of a gzip header, and the name and the time in it (b"" and 0 if missing)."""
    if len(data) < _GZIP_HEADER or data[:2] != GZIP_MAGIC:
        return 0, b"", 0
    flags, mtime = data[3], int(struct.unpack("<L", data[4:8])[0])
    offset = _GZIP_HEADER
    if flags & _WITH_EXTRA:
        offset += 2 + int.from_bytes(data[offset : offset + 2], "little")
    name = b""
    if flags & _WITH_NAME:
        name = data[offset:].partition(b"\0")[0]
        offset += len(name) + 1
    if flags & _WITH_COMMENT:
        offset += len(data[offset:].partition(b"\0")[0]) + 1
    return offset + (2 if flags & _WITH_CHECK else 0), name, mtime


def _gzip_member(
    buffered: bytes, chunks: Iterator[bytes], charge: Charge, first: bool
) -> Generator[bytes, None, bytes]:
    while len(buffered) < 2 and (piece := next(chunks, b"")):
        buffered += piece
    if len(buffered) < 2:
        raise CorruptError("unexpected end of file", "truncated")
    if buffered[:2] == _lzw.MAGIC:
        try:
            yield from _lzw.expanded(buffered, chunks, charge)
        except _lzw.LzwError as error:
            raise CorruptError(str(error)) from None
        return b""
    if buffered[:2] != GZIP_MAGIC:
        raise CorruptError("not in gzip format")
    buffered = _skip_gzip_header(buffered, chunks, charge)
    # A decoder that also reads the trailer reports a wrong checksum only by the text of its error, and drops data.
    decoder = zlib.decompressobj(-zlib.MAX_WBITS)
    check, size = 0, 0
    while not decoder.eof:
        if not buffered:
            buffered = _fill(buffered, chunks, 1)
        charge(1 + (len(buffered) >> 8))
        try:
            data = decoder.decompress(buffered, _MOST_PIECE)
        except zlib.error:
            raise CorruptError(_FORMAT_VIOLATED) from None
        buffered = decoder.unconsumed_tail
        check = zlib.crc32(data, check)
        size += len(data)
        charge(len(data) >> 8)
        yield data
    trailer = _fill(decoder.unused_data, chunks, _GZIP_TRAILER.size)
    expected_check, expected_size = _GZIP_TRAILER.unpack_from(trailer)
    if check != expected_check:
        raise CorruptError("invalid compressed data--crc error")
    if size & 0xFFFFFFFF != expected_size:
        raise CorruptError("invalid compressed data--length error")
    return trailer[_GZIP_TRAILER.size :]


def _fill(buffered: bytes, chunks: Iterator[bytes], count: int) -> bytes:
    """Return at least ``count`` bytes of the stream. Raises CorruptError at its end."""
    while len(buffered) < count:
        piece = next(chunks, b"")
        if not piece:
            raise CorruptError("unexpected end of file", "truncated")
        buffered += piece
    return buffered


def _skip_gzip_header(buffered: bytes, chunks: Iterator[bytes], charge: Charge) -> bytes:
    """Return the bytes after a header. Raises CorruptError."""
    buffered = _fill(buffered, chunks, _GZIP_HEADER)
    flags = buffered[3]
    if buffered[2] != _DEFLATE or flags & _RESERVED:
        raise CorruptError(_FORMAT_VIOLATED)
    check = zlib.crc32(buffered[:_GZIP_HEADER])
    buffered = buffered[_GZIP_HEADER:]
    if flags & _WITH_EXTRA:
        buffered = _fill(buffered, chunks, 2)
        end = 2 + int.from_bytes(buffered[:2], "little")
        buffered = _fill(buffered, chunks, end)
        check = zlib.crc32(buffered[:end], check)
        buffered = buffered[end:]
    for flag in (_WITH_NAME, _WITH_COMMENT):
        if flags & flag:
            while (end := buffered.find(b"\0")) < 0:
                charge(1 + (len(buffered) >> 8))
                check = zlib.crc32(buffered, check)
                buffered = _fill(b"", chunks, 1)
            check = zlib.crc32(buffered[: end + 1], check)
            buffered = buffered[end + 1 :]
    if flags & _WITH_CHECK:
        buffered = _fill(buffered, chunks, 2)
        if int.from_bytes(buffered[:2], "little") != check & 0xFFFF:
            raise CorruptError(_FORMAT_VIOLATED)
        buffered = buffered[2:]
    return buffered


def _member(
    buffered: bytes, chunks: Iterator[bytes], kind: Compression, charge: Charge
) -> Generator[bytes, None, bytes]:
    decoder: bz2.BZ2Decompressor | lzma.LZMADecompressor
    if kind == "bzip2":
        decoder = bz2.BZ2Decompressor()
    else:
        form = lzma.FORMAT_ALONE if kind == "lzma" else lzma.FORMAT_XZ
        decoder = lzma.LZMADecompressor(form, memlimit=_XZ_MEMORY)
    while not decoder.eof:
        if decoder.needs_input and not buffered:
            buffered = next(chunks, b"")
            if not buffered:
                raise CorruptError("unexpected end of file", "truncated")
        charge(1 + (len(buffered) >> 8))
        try:
            data = decoder.decompress(buffered, _MOST_PIECE)
        except lzma.LZMAError as error:
            # LZMAError has no code, and of its texts only that of the memory limit has this word. To compare the
            # size of the dictionary with the limit first would need a second parser of xz.
            if "limit" in str(error).lower():
                raise CorruptError("memory usage limit reached") from None
            raise CorruptError("compressed data is corrupt", "corrupt") from None
        except OSError:
            raise CorruptError("compressed data is corrupt", "corrupt") from None
        buffered = b""
        charge(len(data) >> 8)
        yield data
    return decoder.unused_data
