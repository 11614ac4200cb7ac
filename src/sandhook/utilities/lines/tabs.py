"""Tab stops of expand and unexpand: "8", "4,8,12", "4,8,/10", "4,+6".

Source: GNU coreutils 9.1 manual, "expand invocation".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.context import Failure

_MAX = 1 << 30


class TabStops:
    """The columns at which tabs end."""

    __slots__ = ("_from_last", "_interval", "_stops")

    def __init__(self, stops: Sequence[int], interval: int, from_last: bool) -> None:
        self._stops = stops
        self._interval = interval
        self._from_last = from_last

    def next(self, column: int) -> int | None:
        """Return the first stop after a column (from 0); None without one."""
        for stop in self._stops:
            if stop > column:
                return stop
        if not self._interval:
            return None
        base = self._stops[-1] if self._from_last and self._stops else 0
        return column + self._interval - (column - base) % self._interval


def parse_tabs(texts: Sequence[str]) -> TabStops:
    """Parse the arguments of -t, which form one list. Raises Failure with GNU's messages."""
    stops: list[int] = []
    repeats = {"/": 0, "+": 0}
    for mark, digits in _words(texts):
        if not (digits.isascii() and digits.isdigit()):
            invalid = digits.lstrip("0123456789")
            if invalid[:1] in ("/", "+") and invalid:
                raise Failure(f"'{invalid[0]}' specifier not at start of number: '{invalid}'")
            raise Failure(f"tab size contains invalid character(s): '{invalid}'")
        number = int(digits[:18])
        if number > _MAX:
            raise Failure(f"tab stop is too large '{digits}'")
        if not mark:
            stops.append(number)
        elif repeats[mark]:
            raise Failure(f"'{mark}' specifier only allowed with the last value")
        else:
            repeats[mark] = number
    for previous, stop in zip([0, *stops], stops):
        if not stop:
            raise Failure("tab size cannot be 0")
        if stop <= previous:
            raise Failure("tab sizes must be ascending")
    if repeats["/"] and repeats["+"]:
        raise Failure("'/' specifier is mutually exclusive with '+'")
    interval = repeats["/"] or repeats["+"]
    if len(stops) == 1 and not interval:
        return TabStops((), stops[0], False)
    if not stops and not interval:
        return TabStops((), 8, False)
    return TabStops(tuple(stops), interval, bool(repeats["+"]))


def _words(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the numbers with their mark, which applies to the rest of the same argument."""
    for text in texts:
        mark = ""
        for word in text.replace(" ", ",").replace("\t", ",").split(","):
            if word[:1] in ("/", "+") and word:
                mark, word = word[0], word[1:]
            if word:
                yield mark, word
