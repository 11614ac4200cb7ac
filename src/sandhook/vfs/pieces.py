"""Reading a range of a file by several reads of bounded size."""

from __future__ import annotations

from collections.abc import Callable


def read_pieces(
    read: Callable[[int, int], bytes], offset: int, count: int, largest: int, *, short_is_end: bool = False
) -> bytes:
    """Return up to ``count`` bytes from ``offset``; b"" at the end.

    Args:
        read: Returns bytes, by an offset and the most that it may return.
        largest: The most bytes of one read.
        short_is_end: A read that returns fewer bytes reached the end, which saves another read. Files in /proc
            return fewer bytes anywhere.
    """
    pieces: list[bytes] = []
    while count > 0:
        size = min(count, largest)
        piece = read(offset, size)
        if not piece:
            break
        pieces.append(piece)
        offset += len(piece)
        count -= len(piece)
        if short_is_end and len(piece) < size:
            break
    return b"".join(pieces)
