"""tar -r, -u and --delete: archives that are there already.

Source: GNU tar 1.34 manual, "Advanced GNU tar Operations".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandhook.utilities.archive.tar import format as tar

#: Where a member begins and ends in the archive, and what it is.
Span = tuple[int, int, tar.Member]

_PIECE = 65_536


def spans(data: bytes, charge: Callable[[int], None]) -> list[Span]:
    """Return the members of an archive that is in memory. Raises FormatError."""
    stream = tar.Stream(data[at : at + _PIECE] for at in range(0, len(data), _PIECE))
    found: list[Span] = []
    start = 0
    for member in tar.members(stream):
        charge(1 + (member.size >> 10))
        for _ in stream.pieces(member.size):
            pass
        tar.skip_padding(stream, member.size)
        found.append((start, stream.taken, member))
        start = stream.taken
    return found


def without(data: bytes, found: list[Span], selects: Callable[[str], bool]) -> Iterator[bytes]:
    """Yield an archive without the members that are selected."""
    size = 0
    for start, end, member in found:
        if not selects(member.name):
            size += end - start
            yield data[start:end]
    size += 2 * tar.BLOCK
    yield bytes(2 * tar.BLOCK + -size % tar.RECORD)
