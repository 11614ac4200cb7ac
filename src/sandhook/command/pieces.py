"""Long texts in pieces: no single call of C works on megabytes, and each piece is charged before it is worked on.

A call such as ``join`` or ``translate`` holds the interpreter until it returns, and a list of the bytes of a
text takes sixty times the memory of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.lazy import lazily
from sandhook.typed import AnyStr

PIECE = 65_536  #: bytes, or characters, that one call may work on

#: Charges steps to the budget of a run.
Charge = Callable[[int], None]


def free(steps: int) -> None:
    """Charge nothing: the work on a text that is short, and whose result all runs share."""


def pieces(data: AnyStr, charge: Charge, size: int = PIECE) -> Iterator[AnyStr]:
    """Yield bytes or text in pieces of at most ``size`` elements; charge a step for each 1,024."""
    if len(data) <= size:
        charge(1 + (len(data) >> 10))
        yield data
        return
    for start in range(0, len(data), size):
        charge(1 + (size >> 10))
        yield data[start : start + size]


def splits(data: AnyStr, separator: AnyStr, charge: Charge) -> Iterator[list[AnyStr]]:
    """Yield the parts of ``data.split(separator)`` in lists; charge a step for each 1,024 elements of the data."""
    start = 0
    while (cut := data.find(separator, start + PIECE)) >= 0:
        charge(1 + (cut - start >> 10))
        yield data[start:cut].split(separator)
        start = cut + len(separator)
    charge(1 + (len(data) - start >> 10))
    yield data[start:].split(separator)


def split(data: AnyStr, separator: AnyStr, charge: Charge) -> list[AnyStr]:
    """Return ``data.split(separator)``, charged as by ``splits``."""
    whole: list[AnyStr] = []
    for parts in splits(data, separator, charge):
        whole += parts
    return whole


_BLANK = lazily(rb"[ \t\n\r\v\f]")


def split_words(data: bytes, charge: Charge) -> Iterator[list[bytes]]:
    """Yield the words of ``data.split()`` in lists, charged as by ``splits``."""
    start = 0
    while match := _BLANK.search(data, start + PIECE):
        charge(1 + (match.end() - start >> 10))
        yield data[start : match.end()].split()
        start = match.end()
    charge(1 + (len(data) - start >> 10))
    yield data[start:].split()


_BREAK = lazily(r"\r\n|[\n-\r\x1c-\x1e\x85\u2028\u2029]")


def split_lines(text: str, charge: Charge) -> Iterator[list[str]]:
    """Yield the lines of ``text.splitlines(keepends=True)`` in lists, charged as by ``splits``."""
    start = 0
    while match := _BREAK.search(text, start + PIECE):
        charge(1 + (match.end() - start >> 10))
        yield text[start : match.end()].splitlines(keepends=True)
        start = match.end()
    charge(1 + (len(text) - start >> 10))
    yield text[start:].splitlines(keepends=True)


def map_bytes(data: bytes, table: Sequence[bytes], charge: Charge) -> Iterator[bytes]:
    """Yield the text in which ``table`` replaces each byte; charge a step for 256 bytes."""
    for start in range(0, len(data), PIECE):
        piece = data[start : start + PIECE]
        charge(1 + (len(piece) >> 8))
        yield b"".join([table[byte] for byte in piece])


def map_text(text: str, change: Callable[[str], str], charge: Charge) -> str:
    """Return the text in which ``change`` replaces each character; charge a step for 64 of them."""
    if len(text) <= PIECE:
        charge(1 + (len(text) >> 6))
        return "".join([change(char) for char in text])
    parts = []
    for piece in pieces(text, charge):
        charge(len(piece) >> 6)
        parts.append("".join([change(char) for char in piece]))
    return "".join(parts)
