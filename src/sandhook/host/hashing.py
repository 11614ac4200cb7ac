"""Hashes of files that are too large to be kept in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import TYPE_CHECKING

from sandhook.vfs.base import Device

if TYPE_CHECKING:
    from typing import BinaryIO

    from sandhook.vfs.base import FileSystem
    from sandhook.vfs.path import VirtualPath

#: The most bytes of files that are approved by their hash alone: interpreters, compiled programs, bundles of JavaScript.
MAX_HASHED = 1 << 30

_PIECE = 1 << 20


def hash_of(
    pieces: Iterable[bytes], most: int = MAX_HASHED, copy: Callable[[bytes], object] | None = None
) -> tuple[str, int] | None:
    """Return the SHA-256 of some bytes, in hexadecimal, and their count.

    Args:
        most: The most bytes; more of them give None.
        copy: Receives each piece that is hashed.
    """
    digest, size = sha256(), 0
    for piece in pieces:
        size += len(piece)
        if size > most:
            return None
        digest.update(piece)
        if copy is not None:
            copy(piece)
    return digest.hexdigest(), size


def pieces_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the rest of an open file."""
    while piece := file.read(_PIECE):
        yield piece


def hash_in(fs: FileSystem, path: VirtualPath, most: int = MAX_HASHED) -> tuple[str, int] | None:
    """Return the hash of a file of a sandbox as ``hash_of`` does; None if it cannot be read, too."""
    try:
        return hash_of(_pieces_in(fs, path), most)
    except OSError:
        return None


def _pieces_in(fs: FileSystem, path: VirtualPath) -> Iterator[bytes]:
    """Yield the bytes of a regular file, nothing of a device. Raises OSError."""
    handle = fs.open(path)
    if isinstance(handle, Device):
        return
    try:
        offset = 0
        while piece := handle.read_at(offset, _PIECE):
            yield piece
            offset += len(piece)
    finally:
        handle.close()
