"""tar -r, -u and --delete: the members of an existing archive.

Source: GNU tar 1.34 manual, "Advanced GNU tar Operations".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandhook.utilities.archive.tar import format as tar
from sandhook.utilities.archive.tar import reading

#: The offsets where a member begins and ends in the archive, and the member.
Span = tuple[int, int, tar.Member]

_CHUNK_SIZE = 65_536


def spans(data: bytes, charge: Callable[[int], None]) -> list[Span]:
    """Return the members of an archive in memory. Raises FormatError."""
    stream = tar.Stream(data[at : at + _CHUNK_SIZE] for at in range(0, len(data), _CHUNK_SIZE))
    result: list[Span] = []
    start = 0
    for member in reading.members(stream, _fail, warn=lambda _: None):
        charge(1 + (member.size >> 10))
        for _ in stream.pieces(member.size):
            pass
        tar.skip_padding(stream, member.size)
        result.append((start, stream.offset, member))
        start = stream.offset
    return result


def _fail(message: str) -> None:
    """Raise FormatError: an archive with a damaged header is not rewritten."""
    raise tar.FormatError(message)


def without(data: bytes, members: list[Span], selects: Callable[[str], bool]) -> Iterator[bytes]:
    """Yield an archive without the selected members."""
    size = 0
    for start, end, member in members:
        if not selects(member.name):
            size += end - start
            yield data[start:end]
    size += 2 * tar.BLOCK
    yield bytes(2 * tar.BLOCK + -size % tar.RECORD)
