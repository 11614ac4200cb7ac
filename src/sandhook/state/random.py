"""RANDOM: bash's generator of numbers from 0 to 32767."""

from __future__ import annotations


class Random:
    """The minimal standard generator of Park and Miller, with the halves of its number joined.

    A seed that a script assigns (RANDOM=42) gives the same numbers as in bash.

    Args:
        seed: The first state; its low 32 bits count.
        owner: Number of the process that seeded it: a subshell takes another seed.
    """

    __slots__ = ("last", "number", "owner")

    def __init__(self, seed: int, owner: int) -> None:
        self.number = seed & 0xFFFFFFFF
        self.last = 0
        self.owner = owner

    def next(self, *, joined: bool = True) -> int:
        """Return the next number, which is never the one before; bash 5.0 and before did not join the halves."""
        while True:
            high, low = divmod(self.number or 123459876, 127773)
            number = 16807 * low - 2836 * high
            self.number = number + 0x7FFFFFFF if number < 0 else number
            drawn = (self.number >> 16 if joined else 0) ^ self.number & 0xFFFF
            drawn &= 0x7FFF
            if drawn != self.last:
                self.last = drawn
                return drawn
