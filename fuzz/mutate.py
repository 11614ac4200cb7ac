"""Mutations of inputs, the same for the same random numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

#: The longest input, in bytes, unless a longer one was mutated: long inputs cost time and seldom find more.
MAX_BYTES = 2048

#: Numbers at the edges of what readers accept.
NUMBERS = (b"0", b"-1", b"08", b"255", b"65536", b"2147483648", b"9223372036854775808", b"1e999", b"9" * 40)

#: Pieces that matter to most readers.
COMMON = (b"\0", b"\n", b"\r\n", b"\xff", b"\xed\xa0\x80", "é".encode(), "\u2028".encode(), b"\\", b"'", b'"')


class Mutator:
    """Makes new inputs of those of a corpus.

    Args:
        random: The source of all choices.
        words: What the target's grammar knows.
    """

    def __init__(self, random: Random, words: Sequence[str]) -> None:
        self._random = random
        self._words = [*(word.encode() for word in words), *COMMON]
        self._operations: tuple[Callable[[bytearray, Sequence[bytes]], None], ...] = (
            *(self._insert_word, self._insert_word, self._replace_byte, self._delete),
            *(self._repeat, self._splice, self._replace_number),
        )

    def mutated(self, corpus: Sequence[bytes]) -> bytes:
        """Return a new input: one of the corpus with one to six mutations."""
        original = self._random.choice(corpus)
        data = bytearray(original)
        for _ in range(self._random.randint(1, 6)):
            self._random.choice(self._operations)(data, corpus)
        return bytes(data[: max(MAX_BYTES, len(original))])  # a seed that were cut would never be whole

    def _span(self, data: bytearray) -> tuple[int, int]:
        start = self._random.randint(0, len(data))
        return start, min(len(data), start + self._random.randint(1, 16))

    def _insert_word(self, data: bytearray, corpus: Sequence[bytes]) -> None:
        offset = self._random.randint(0, len(data))
        data[offset:offset] = self._random.choice(self._words)

    def _replace_byte(self, data: bytearray, corpus: Sequence[bytes]) -> None:
        if data:
            data[self._random.randrange(len(data))] = self._random.randrange(256)

    def _delete(self, data: bytearray, corpus: Sequence[bytes]) -> None:
        start, end = self._span(data)
        del data[start:end]

    def _repeat(self, data: bytearray, corpus: Sequence[bytes]) -> None:
        start, end = self._span(data)
        data[start:start] = data[start:end] * self._random.choice((1, 2, 8))

    def _splice(self, data: bytearray, corpus: Sequence[bytes]) -> None:
        other = self._random.choice(corpus)
        offset, start = self._random.randint(0, len(data)), self._random.randint(0, len(other))
        data[offset:] = other[start:]

    def _replace_number(self, data: bytearray, corpus: Sequence[bytes]) -> None:
        digits = [offset for offset, byte in enumerate(data) if 48 <= byte <= 57]
        if digits:
            offset = self._random.choice(digits)
            data[offset : offset + 1] = self._random.choice(NUMBERS)
