"""What grep looks for: patterns made into functions that find matching lines in whole blocks.

A block holds many lines, most of which do not match, so ``find`` looks for the next match in
the block at once and only then for the line around it. A match that runs over the end of its
line (``[[:space:]]`` takes a newline) is looked for again in that line alone.

Source: POSIX.1-2024 XCU 3, grep; GNU grep 3.8, searchutils.c and kwsearch for -w and -x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.limits import Budget
from sandhook.pattern.dialect import check_class_syntax
from sandhook.pattern.posix import Regex, after_character, compile_bre, compile_ere
from sandhook.record import Record

#: A position in the first line at or after ``pos`` (a line's beginning) that matches, else -1.
Find = Callable[[bytes, int], int]
#: The matches in one line without its newline, empty ones included.
Spans = Callable[[bytes], Iterator[tuple[int, int]]]

_BRE_SPECIAL = frozenset(b"\\.[]*^$\n")
_ERE_SPECIAL = frozenset(b"\\.[]*^$+?(){}|\n")
_ESCAPED = frozenset(b"\\.[*^$+?(){}|")
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_MOST_ALTERNATIVES = 30_000  #: bytes of fixed strings that are searched for as one expression


class Spec(Record):
    """What to look for; hashable, so that compiled matchers can be kept."""

    kind: str  #: "G", "E", "F" or "P"
    patterns: tuple[bytes, ...]
    icase: bool
    words: bool
    lines: bool
    zero: bool


class Matcher:
    """A compiled Spec, immutable and shared; ``bind`` gives what one run searches with.

    Attributes:
        takes_all: It is the empty pattern, so that -v selects nothing.
        takes_none: There is no pattern at all, so that only -v selects.
        warnings: Messages of the expression's compiler.
    """

    __slots__ = ("_needle", "_needles", "_perl", "_regex", "_spec", "takes_all", "takes_none", "warnings")

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._needle: bytes | None = None
        self._needles: tuple[bytes, ...] = ()
        self._regex: Regex | None = None
        self._perl: Spans | None = None
        self.warnings: tuple[str, ...] = ()
        patterns = spec.patterns
        self.takes_none = not patterns
        self.takes_all = patterns == (b"",) and not spec.words and not spec.lines
        if spec.kind == "P":
            return
        if len(patterns) == 1 and not spec.icase and _is_fixed(spec.kind, patterns[0]):
            self._needle = patterns[0]
            return
        if spec.kind != "F":
            for pattern in patterns:
                check_class_syntax(pattern)
            compile_ = compile_ere if spec.kind == "E" else compile_bre
            self._regex = compile_(
                b"\n".join(patterns), icase=spec.icase, newline=not spec.zero, lenient=True
            )
            # Debian's grep 3.8, the oracle, says nothing of stray backslashes
            self.warnings = tuple(each for each in self._regex.warnings if not each.startswith("stray"))
        elif sum(map(len, patterns)) > _MOST_ALTERNATIVES:
            self._needles = tuple(sorted(set(patterns), key=len, reverse=True))
        elif patterns:
            text = b"|".join(map(escape, dict.fromkeys(patterns)))
            self._regex = compile_ere(text, icase=spec.icase, newline=True, lenient=True)

    def bind(self, budget: Budget) -> tuple[Find, Spans]:
        """Return the two searches, charging ``budget``."""
        spec = self._spec
        if not spec.patterns:
            return _find_nothing, _no_spans
        if self._needle is not None:
            return self._bind_needle(self._needle, budget)
        if spec.kind == "P":
            from sandhook.utilities.search.perl.search import perl_spans

            pattern = b"\n".join(spec.patterns)
            spans: Spans = perl_spans(pattern, spec.icase, spec.words, spec.lines, budget)
        elif self._regex is not None:
            regex = self._regex
            if spec.words or spec.lines:
                spans = _exact(_regex_at(regex, budget), spec, budget)
            else:
                spans = _regex_spans(regex, budget)
                if not spec.zero:
                    return _regex_find(regex, budget), spans
        else:
            spans = _exact(_needles_at(self._needles, spec.icase, budget), spec, budget)
        return _by_line(spans, b"\0" if spec.zero else b"\n", budget), spans

    def _bind_needle(self, needle: bytes, budget: Budget) -> tuple[Find, Spans]:
        spec = self._spec
        spans = _exact(_needle_at(needle), spec, budget)
        if not spec.words and not spec.lines:
            return lambda data, pos: data.find(needle, pos), spans
        by_line = _by_line(spans, b"\0" if spec.zero else b"\n", budget)
        if not needle:
            return by_line, spans

        def find(data: bytes, pos: int) -> int:
            """Skip lines that do not even contain the needle."""
            pos = data.find(needle, pos)
            if pos < 0:
                return -1
            return by_line(data, data.rfind(b"\0" if spec.zero else b"\n", 0, pos) + 1)

        return find, spans


def _is_fixed(kind: str, pattern: bytes) -> bool:
    if kind == "F":
        return True
    return (_ERE_SPECIAL if kind == "E" else _BRE_SPECIAL).isdisjoint(pattern)


def escape(text: bytes) -> bytes:
    """Return an extended regular expression that matches ``text`` alone."""
    return b"".join([b"\\%c" % byte if byte in _ESCAPED else bytes((byte,)) for byte in text])


def _find_nothing(data: bytes, pos: int) -> int:
    return -1


def _no_spans(line: bytes) -> Iterator[tuple[int, int]]:
    return iter(())


# --------------------------------------------------------------------------- matches in a line

#: The leftmost, longest match in ``line[:end]`` that begins at ``start`` or later.
At = Callable[[bytes, int, int], "tuple[int, int] | None"]


def _needle_at(needle: bytes) -> At:
    size = len(needle)

    def at(line: bytes, start: int, end: int) -> tuple[int, int] | None:
        found = line.find(needle, start, end)
        return None if found < 0 else (found, found + size)

    return at


def _needles_at(needles: Sequence[bytes], icase: bool, budget: Budget) -> At:
    """Search for many fixed strings, the longest first; -i knows ASCII only."""
    if icase:
        needles = [needle.lower() for needle in needles]

    def at(line: bytes, start: int, end: int) -> tuple[int, int] | None:
        budget.charge(1 + (len(needles) >> 3))
        if icase:
            line = line.lower()
        best = None
        for needle in needles:
            found = line.find(needle, start, end)
            if found >= 0 and (best is None or found < best[0]):
                best = (found, found + len(needle))
                end = min(end, found + len(needles[0]))
        return best

    return at


def _regex_at(regex: Regex, budget: Budget) -> At:
    def at(line: bytes, start: int, end: int) -> tuple[int, int] | None:
        found = regex.search(line, start, end, remaining=budget.remaining)
        return None if found is None else found.spans[0]

    return at


def _regex_spans(regex: Regex, budget: Budget) -> Spans:
    def spans(line: bytes) -> Iterator[tuple[int, int]]:
        for found in regex.finditer(line, remaining=budget.remaining):
            budget.charge(1)
            yield found.spans[0]

    return spans


def _exact(at: At, spec: Spec, budget: Budget) -> Spans:
    """All matches in a line, of those that -w and -x let pass."""
    if spec.lines:

        def whole(line: bytes) -> Iterator[tuple[int, int]]:
            found = at(line, 0, len(line))
            if found == (0, len(line)):
                yield found

        return whole

    def spans(line: bytes) -> Iterator[tuple[int, int]]:
        start = 0
        size = len(line)
        while start <= size:
            budget.charge(1 + (size >> 12))
            found = at(line, start, size)
            if found is not None and spec.words:
                found = _as_word(at, line, found, budget)
                if found is None:
                    start = _next_start(at, line, start)
                    continue
            if found is None:
                return
            yield found
            start = found[1] if found[1] > found[0] else after_character(line, found[1])

    return spans


def _next_start(at: At, line: bytes, start: int) -> int:
    """Return where to look on after a match that is no word."""
    found = at(line, start, len(line))
    return len(line) + 1 if found is None else after_character(line, found[0])


def _as_word(at: At, line: bytes, found: tuple[int, int], budget: Budget) -> tuple[int, int] | None:
    """Return the longest match at the same place that has no word characters next to it."""
    start, end = found
    if is_word_before(line, start):
        return None
    while is_word_behind(line, end):
        if end <= start:
            return None
        budget.charge(1 + ((end - start) >> 12))
        shorter = at(line, start, end - 1)
        if shorter is None or shorter[0] != start or shorter[1] == start:
            return None
        end = shorter[1]
    return start, end


def is_word_before(line: bytes, at: int) -> bool:
    """Return whether the character that ends at an offset is a letter, digit or underscore."""
    if not at:
        return False
    if line[at - 1] < 0x80:
        return line[at - 1] in _WORD
    start = at - 1
    while start > max(0, at - 4) and line[start] & 0xC0 == 0x80:
        start -= 1
    return _is_word(line[start:at])


def is_word_behind(line: bytes, at: int) -> bool:
    """Return whether the character that begins at an offset is a letter, digit or underscore."""
    if at >= len(line):
        return False
    if line[at] < 0x80:
        return line[at] in _WORD
    end = at + 1
    while end < min(len(line), at + 4) and line[end] & 0xC0 == 0x80:
        end += 1
    return _is_word(line[at:end])


def _is_word(character: bytes) -> bool:
    return character.decode("utf-8", "replace").isalnum()


# --------------------------------------------------------------------------- matching lines


def _by_line(spans: Spans, delimiter: bytes, budget: Budget) -> Find:
    """Look at one line after another."""

    def find(data: bytes, pos: int) -> int:
        size = len(data)
        while pos < size:
            end = data.find(delimiter, pos)
            if end < 0:
                end = size
            budget.slice_left -= 1
            if budget.slice_left < 0:
                budget.next_slice()
            if next(spans(data[pos:end]), None) is not None:
                return pos
            pos = end + 1
        return -1

    return find


def _regex_find(regex: Regex, budget: Budget) -> Find:
    by_line = _by_line(_regex_spans(regex, budget), b"\n", budget)
    search = regex.search

    def find(data: bytes, pos: int) -> int:
        if not regex.is_linear(data):
            return by_line(data, pos)
        while True:
            found = search(data, pos)
            if found is None:
                return -1
            start, end = found.spans[0]
            if start == end:
                # "$" matches after the last newline too, where no line is
                return start if start < len(data) or data[-1:] != b"\n" else -1
            if data.find(b"\n", start, end) < 0:
                return start
            line = data.rfind(b"\n", 0, start) + 1
            after = data.find(b"\n", line)
            if search(data[line:after]) is not None:
                return line
            budget.charge(1)
            pos = after + 1
            if pos >= len(data):
                return -1

    return find
