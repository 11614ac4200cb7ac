"""Merges the changes of two files to a third one, as git's xdiff does.

The module ``extras.diff3`` follows GNU diff3, which finds other conflicts.

Source: git 2.39, xdiff/xmerge.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.record import Record
from sandhook.utilities.git.diff.xdiff import Change, compare, split_lines

STYLES = ("merge", "diff3", "zdiff3")
_NEAR = 3  #: Conflicts that are separated by at most this many lines are one.
_OURS, _THEIRS, _UNION = 1, 2, 3
_CONFLICT, _SAME = 0, 4
_FAVORS = {"ours": _OURS, "theirs": _THEIRS}

Charge = Callable[[int], None]


class Labels(Record):
    """How conflicts are marked.

    Fields:
        style: One of STYLES, "" for that of the settings. width: The number of "<", "=" and ">" of a marker.
        union: Conflicts are not marked; the lines of both files are kept.
        favor: "ours" or "theirs": conflicts are not marked; the lines of this file are kept.
        is_loose: Conflicts that only lines without letters and digits separate are one, as merge-file has it.
    """

    ours: str
    theirs: str
    base: str = ""
    style: str = ""
    width: int = 7
    union: bool = False
    favor: str = ""
    is_loose: bool = False


class _Part:
    """A part of the result: what it replaces in the base, and the lines of each file.

    Attributes:
        source: _CONFLICT, the file that it is from, or _SAME for equal changes.
        base, ours, theirs: Starts of the lines (0-based); ``base_size`` and so on: how many there are.
    """

    __slots__ = ("base", "base_size", "ours", "ours_size", "source", "theirs", "theirs_size")

    def __init__(self, source: int, base: range, ours: range, theirs: range) -> None:
        self.source = source
        self.base, self.base_size = base.start, base.stop - base.start
        self.ours, self.ours_size = ours.start, ours.stop - ours.start
        self.theirs, self.theirs_size = theirs.start, theirs.stop - theirs.start

    def extend(self, other: _Part) -> None:
        """Extend the part to the end of another one."""
        if other.source != self.source:
            self.source = _CONFLICT
        self.base_size = other.base + other.base_size - self.base
        self.ours_size = other.ours + other.ours_size - self.ours
        self.theirs_size = other.theirs + other.theirs_size - self.theirs

    def touches(self, other: _Part) -> bool:
        """Return True if another part begins before this one ends, or where it ends."""
        return other.ours <= self.ours + self.ours_size or other.theirs <= self.theirs + self.theirs_size


def merge_files(base: bytes, ours: bytes, theirs: bytes, labels: Labels, charge: Charge) -> tuple[bytes, int]:
    """Return the merged file, and the number of its conflicts."""
    return _Merge(base, ours, theirs, labels, charge).run()


class _Merge:
    def __init__(self, base: bytes, ours: bytes, theirs: bytes, labels: Labels, charge: Charge) -> None:
        self._files = (base, ours, theirs)
        self.base, self.ours, self.theirs = split_lines(base), split_lines(ours), split_lines(theirs)
        self.labels = labels
        self.charge = charge

    def run(self) -> tuple[bytes, int]:
        first = compare(self.base, self.ours, self.charge, by_indent=False)
        second = compare(self.base, self.theirs, self.charge, by_indent=False)
        if not first:
            return self._files[2], 0
        if not second:
            return self._files[1], 0
        parts = self._parts(first, second)
        if self.labels.style not in ("diff3", "zdiff3"):
            parts = self._joined([each for part in parts for each in self._refined(part)])
        elif self.labels.style == "zdiff3":
            for part in parts:
                self._trim(part)
        kept = _UNION if self.labels.union else _FAVORS.get(self.labels.favor)
        if kept is not None:
            for part in parts:
                part.source = part.source or kept
        self.charge(1 + ((len(self.ours) + len(self.theirs)) >> 4))
        return b"".join(self._lines(parts)), sum(part.source == _CONFLICT for part in parts)

    def _parts(self, first: Sequence[Change], second: Sequence[Change]) -> list[_Part]:
        """Return the changes of both files in order; those that overlap are one conflict."""
        parts: list[_Part] = []

        def add(part: _Part) -> None:
            if parts and parts[-1].touches(part):
                parts[-1].extend(part)
            else:
                parts.append(part)

        i = j = 0
        while i < len(first) and j < len(second):
            self.charge(1)
            a, b = first[i], second[j]
            if a.old_end < b.old:
                add(_alone(a, b.new - b.old, _OURS))
                i += 1
                continue
            if b.old_end < a.old:
                add(_alone(b, a.new - a.old, _THEIRS))
                j += 1
                continue
            if not self._is_same(a, b):
                add(_conflict(a, b))
            i, j = i + (a.old_end <= b.old_end), j + (b.old_end <= a.old_end)
        for a in first[i:]:
            add(_alone(a, len(self.theirs) - len(self.base), _OURS))
        for b in second[j:]:
            add(_alone(b, len(self.ours) - len(self.base), _THEIRS))
        return parts

    def _is_same(self, a: Change, b: Change) -> bool:
        return (a.old, a.old_end) == (b.old, b.old_end) and (
            self.ours[a.new : a.new_end] == self.theirs[b.new : b.new_end]
        )

    def _refined(self, part: _Part) -> Iterator[_Part]:
        """Yield a conflict without the lines that both files have."""
        if part.source != _CONFLICT or not part.ours_size or not part.theirs_size:
            yield part
            return
        ours = self.ours[part.ours : part.ours + part.ours_size]
        theirs = self.theirs[part.theirs : part.theirs + part.theirs_size]
        changes = compare(ours, theirs, self.charge, by_indent=False)
        if not changes:
            part.source = _SAME
            yield part
        at, other = part.ours, part.theirs
        whole = range(part.base, part.base + part.base_size)
        for change in changes:
            yield _Part(
                _CONFLICT,
                whole,
                range(at + change.old, at + change.old_end),
                range(other + change.new, other + change.new_end),
            )

    def _joined(self, parts: list[_Part]) -> list[_Part]:
        """Return the parts, with conflicts that are close to each other as one."""
        result: list[_Part] = []
        for part in parts:
            last = result[-1] if result else None
            if (
                last is not None
                and last.source == part.source == _CONFLICT
                and self._is_near(last.ours + last.ours_size, part.ours)
            ):
                last.ours_size = part.ours + part.ours_size - last.ours
                last.theirs_size = part.theirs + part.theirs_size - last.theirs
            else:
                result.append(part)
        return result

    def _is_near(self, end: int, start: int) -> bool:
        """Return True if conflicts before and after some lines are one."""
        if start - end <= _NEAR:
            return True
        return self.labels.is_loose and not any(
            chr(code).isascii() and chr(code).isalnum() for line in self.ours[end:start] for code in line
        )

    def _trim(self, part: _Part) -> None:
        """Take the lines that both files have at both ends out of a conflict."""
        if part.source != _CONFLICT:
            return
        while part.ours_size and part.theirs_size and self.ours[part.ours] == self.theirs[part.theirs]:
            part.ours, part.theirs = part.ours + 1, part.theirs + 1
            part.ours_size, part.theirs_size = part.ours_size - 1, part.theirs_size - 1
        while (
            part.ours_size
            and part.theirs_size
            and self.ours[part.ours + part.ours_size - 1] == self.theirs[part.theirs + part.theirs_size - 1]
        ):
            part.ours_size, part.theirs_size = part.ours_size - 1, part.theirs_size - 1

    # ------------------------------------------------------------------ the result

    def _lines(self, parts: Sequence[_Part]) -> Iterator[bytes]:
        at = 0
        for part in parts:
            if part.source == _SAME:
                continue
            yield from self.ours[at : part.ours]
            ours = self.ours[part.ours : part.ours + part.ours_size]
            theirs = self.theirs[part.theirs : part.theirs + part.theirs_size]
            if part.source == _CONFLICT:
                yield from self._conflict(part, ours, theirs)
            elif part.source == _OURS:
                yield from ours
            elif part.source == _THEIRS:
                yield from theirs
            else:
                yield from _ended(ours, self._newline(part))
                yield from theirs
            at = part.ours + part.ours_size
        yield from self.ours[at:]

    def _conflict(self, part: _Part, ours: list[bytes], theirs: list[bytes]) -> Iterator[bytes]:
        labels, newline = self.labels, self._newline(part)

        def marker(char: str, label: str) -> bytes:
            text = char * labels.width + (f" {label}" if label else "")
            return text.encode("utf-8", "surrogateescape") + newline

        yield marker("<", labels.ours)
        yield from _ended(ours, newline)
        if labels.style in ("diff3", "zdiff3"):
            yield marker("|", labels.base)
            yield from _ended(self.base[part.base : part.base + part.base_size], newline)
        yield marker("=", "")
        yield from _ended(theirs, newline)
        yield marker(">", labels.theirs)

    def _newline(self, part: _Part) -> bytes:
        """Return the line end of markers: that of the lines before the conflict, if both files agree."""
        places = (
            (self.ours, max(part.ours - 1, 0)),
            (self.theirs, max(part.theirs - 1, 0)),
            (self.base, 0),
        )
        has_crlf: bool | None = None
        for lines, at in places:
            has_crlf = _has_crlf(lines, at)
            if has_crlf is False:
                break
        return b"\r\n" if has_crlf else b"\n"


def _alone(change: Change, shift: int, source: int) -> _Part:
    """Return the part of a change that only one file has; ``shift``: how far the other file is after the base."""
    base, new = range(change.old, change.old_end), range(change.new, change.new_end)
    other = range(change.old + shift, change.old_end + shift)
    return _Part(source, base, new, other) if source == _OURS else _Part(source, base, other, new)


def _conflict(a: Change, b: Change) -> _Part:
    """Return the part of two changes that overlap, from the first line of both to the last one."""
    start, end = min(a.old, b.old), max(a.old_end, b.old_end)
    return _Part(
        _CONFLICT,
        range(start, end),
        range(a.new - (a.old - start), a.new_end + (end - a.old_end)),
        range(b.new - (b.old - start), b.new_end + (end - b.old_end)),
    )


def _ended(lines: list[bytes], newline: bytes) -> Iterator[bytes]:
    """Yield lines, of which the last one ends in a newline, too."""
    yield from lines
    if lines and not lines[-1].endswith(b"\n"):
        yield newline


def _has_crlf(lines: Sequence[bytes], at: int) -> bool | None:
    """Return whether a line ends in CRLF; None for a file without line ends."""
    if at < len(lines) and not lines[at].endswith(b"\n"):
        at -= 1
    return lines[at].endswith(b"\r\n") if 0 <= at < len(lines) else None
