"""The flag M of sed -z: "^" and "$" match at the ends of records, which NULs separate.

Oracle: GNU sed 4.9; "." and a negated bracket expression match no newline, as without -z.
"""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.pattern.posix import Match, Regex, Remaining


class RecordsRegex:
    """Searches each record of the pattern space; a match never spans two records.

    Attributes:
        groups: Number of capturing groups, without the whole match.
    """

    __slots__ = ("_regex", "groups")

    def __init__(self, regex: Regex) -> None:
        self._regex = regex
        self.groups = regex.groups

    def search(self, data: bytes, *, remaining: Remaining | None = None) -> Match | None:
        """Return the leftmost, longest match of the first record that has one."""
        return next(self.finditer(data, remaining=remaining), None)

    def finditer(self, data: bytes, *, remaining: Remaining | None = None) -> Iterator[Match]:
        """Yield the matches that do not overlap, record after record."""
        start = 0
        for record in data.split(b"\0"):
            for match in self._regex.finditer(record, remaining=remaining):
                yield Match(data, [(a + start, b + start) if a >= 0 else (a, b) for a, b in match.spans])
            start += len(record) + 1


Expression = Regex | RecordsRegex
