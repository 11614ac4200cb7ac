"""Compiles grep's patterns to functions that find matching lines in whole blocks.

Most lines of a block do not match, so ``find`` searches the whole block for the next match, and only
then for the line around it. When a match extends beyond its line (``[[:space:]]`` matches a newline),
that line is searched again alone.

Source: POSIX.1-2024 XCU 3, grep; GNU grep 3.8, searchutils.c and kwsearch for -w and -x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from sandhook.lazy import lazily
from sandhook.limits import Budget, timed_items
from sandhook.pattern.dialect import check_class_syntax
from sandhook.pattern.errors import PatternError, SearchTooLong
from sandhook.pattern.posix import Regex, after_character, compile_regex
from sandhook.pattern.translate import Dialect
from sandhook.record import Record
from sandhook.utilities.search.grep.patterns import check_apart, ends_in_backslash

#: Returns an offset in the first matching line from ``pos`` on, which begins a line; -1 when no line matches.
Find = Callable[[bytes, int], int]
#: Yields the matches in one line without its newline, empty matches included.
Spans = Callable[[bytes], Iterator[tuple[int, int]]]

_BRE_SPECIAL = frozenset(b"\\.[]*^$\n")
_ERE_SPECIAL = frozenset(b"\\.[]*^$+?(){}|\n")
_ESCAPED = frozenset(b"\\.[*^$+?(){}|")
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_FIXED_STRINGS = Dialect(extended=True, newline=True, lenient=True)
_BACK_REFERENCE = lazily(rb"(?s)(?>[^\\]|\\[^1-9])*+\\[1-9]")
_MOST_ALTERNATIVES = 30_000  #: bytes of fixed strings that are compiled to one expression


class Spec(Record):
    """The patterns, and the options that change what they match."""

    kind: str  #: "G", "E", "F" or "P"
    patterns: tuple[bytes, ...]
    icase: bool
    words: bool
    lines: bool
    zero: bool
    bytewise: bool = False  #: the C locale: every byte is a character


class Matcher:
    """A compiled Spec, immutable and shared; ``bind`` returns the functions for one run.

    Attributes:
        matches_all: The pattern is empty, so -v selects nothing.
        matches_none: There is no pattern, so only -v selects lines.
        warnings: Messages of the expression's compiler.
    """

    __slots__ = (
        "_needle",
        "_needles",
        "_perl",
        "_regex",
        "_separate",
        "_spec",
        "matches_all",
        "matches_none",
        "warnings",
    )

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._needle: bytes | None = None
        self._needles: tuple[bytes, ...] = ()
        self._regex: Regex | None = None
        self._separate: tuple[Regex, ...] = ()
        self._perl: Spans | None = None
        self.warnings: tuple[str, ...] = ()
        patterns = spec.patterns
        self.matches_none = not patterns
        self.matches_all = patterns == (b"",) and not spec.words and not spec.lines
        if spec.kind == "P":
            return
        if len(patterns) == 1 and not spec.icase and _is_fixed(spec.kind, patterns[0]):
            self._needle = patterns[0]
            return
        if spec.kind != "F":
            dialect = Dialect(
                extended=spec.kind == "E", newline=not spec.zero, lenient=True, bytewise=spec.bytewise
            )
            if len(patterns) > 1:
                is_character = ends_in_backslash(patterns[-1]) and not any(
                    map(_BACK_REFERENCE.match, patterns)
                )
                is_character = is_character and b"[" not in patterns[-1]
                checked = patterns[:-1] if is_character else patterns
                check_apart(checked, dialect, lambda each: b"[" in each or b"{" in each or each[-1:] == b"\\")
                if is_character:
                    patterns = (*patterns[:-1], patterns[-1] + b"\\")
                    self._spec = spec._replace(patterns=patterns)
            for pattern in patterns:
                check_class_syntax(pattern)
            try:
                self._regex = compile_regex(b"\n".join(patterns), dialect, icase=spec.icase)
            except PatternError:
                check_apart(patterns, dialect, lambda each: True)
                raise
            self.warnings = self._regex.warnings
            if spec.words and not spec.lines and len(patterns) > 1:
                self._separate = tuple(
                    compile_regex(each, dialect, icase=spec.icase) for each in _apart(patterns)
                )
        elif sum(map(len, patterns)) > _MOST_ALTERNATIVES:
            self._needles = _longest_first(patterns)
        elif patterns:
            text = b"|".join(map(escape, dict.fromkeys(patterns)))
            dialect = _FIXED_STRINGS._replace(bytewise=True) if spec.bytewise else _FIXED_STRINGS
            self._regex = compile_regex(text, dialect, icase=spec.icase)

    def bind(self, budget: Budget) -> tuple[Find, Spans]:
        """Return the searches for lines and for spans, which charge ``budget``. Raises PatternError."""
        spec = self._spec
        if not spec.patterns:
            return _find_nothing, _no_spans
        if self._needle is not None:
            return self._bind_needle(self._needle, budget)
        if spec.kind == "P":
            from sandhook.pattern.perl.search import perl_spans

            pattern = b"\n".join(spec.patterns)
            spans: Spans = perl_spans(
                pattern,
                spec.icase,
                spec.words,
                spec.lines,
                budget,
                bytewise=spec.bytewise,
                dollar_end_only=spec.zero,
            )
        elif self._regex is not None:
            regex = self._regex
            plain = not spec.words and not spec.lines
            if plain:
                spans = _regex_spans(regex, budget)
            elif self._separate:
                words = [_word_search(_regex_search(each, budget), spec, budget) for each in self._separate]
                spans = _repeated(_leftmost_longest(words), spec, budget)
            else:
                spans = _exact(_regex_search(regex, budget), spec, budget)
            if regex.superset is not None or regex.selecting is not regex:
                return self._bind_irregular(regex, spans, budget)
            if plain and not spec.zero:
                return _regex_find(regex, budget), spans
        else:
            spans = _exact(_needles_search(self._needles, spec.icase, budget), spec, budget)
        return _by_line(spans, b"\0" if spec.zero else b"\n", budget), spans

    def _bind_irregular(self, regex: Regex, spans: Spans, budget: Budget) -> tuple[Find, Spans]:
        """Return the searches for an expression that GNU grep's two programs, dfa.c and regcomp, read differently.

        The first selects lines, with -x and -w as parts of its text. It leaves words to the other, and with -w the
        characters around it, which are any text here.
        """
        spec = self._spec
        delimiter = b"\0" if spec.zero else b"\n"
        selecting = regex.superset or regex.selecting
        if spec.words or spec.lines:
            whole = spec.lines and regex.superset is None
            before, after = (b"^(", b")$") if whole else (b"(^|.*)(", b")(.*|$)")
            if spec.kind == "G":
                before, after = (rb"^\(", rb"\)$") if whole else (rb"\(^\|.*\)\(", rb"\)\(.*\|$\)")
            text = before + b"\n".join(spec.patterns) + after
            dialect = Dialect(
                extended=spec.kind == "E",
                newline=not spec.zero,
                lenient=True,
                selects=True,
                bytewise=spec.bytewise,
            )
            selecting = compile_regex(text, dialect, icase=spec.icase)
        if regex.superset is None and not spec.words:
            return _by_line(_regex_spans(selecting, budget), delimiter, budget), spans

        def spans_in_selected(line: bytes) -> Iterator[tuple[int, int]]:
            if selecting.test(line, remaining=budget.remaining):
                yield from spans(line)

        return _by_line(spans_in_selected, delimiter, budget), spans_in_selected

    def _bind_needle(self, needle: bytes, budget: Budget) -> tuple[Find, Spans]:
        spec = self._spec
        spans = _exact(_needle_search(needle), spec, budget)
        if not spec.words and not spec.lines:
            return lambda data, pos: data.find(needle, pos), spans
        by_line = _by_line(spans, b"\0" if spec.zero else b"\n", budget)
        if not needle:
            return by_line, spans

        def find(data: bytes, pos: int) -> int:
            """Skip lines that do not contain the needle at all."""
            pos = data.find(needle, pos)
            if pos < 0:
                return -1
            return by_line(data, data.rfind(b"\0" if spec.zero else b"\n", 0, pos) + 1)

        return find, spans


def _longest_first(patterns: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return the patterns, which differ, in the order of their lengths; a sort of a million would not look at the clock."""
    by_length: dict[int, list[bytes]] = {}
    for pattern in timed_items(patterns):
        by_length.setdefault(len(pattern), []).append(pattern)
    return tuple(chain.from_iterable(by_length[length] for length in sorted(by_length, reverse=True)))


def _apart(patterns: Sequence[bytes]) -> list[bytes]:
    """Return the patterns as -w tries them: each with a back-reference by itself, and the others as one.

    Of a match with word characters next to it, a shorter one of the same expression is tried. So the shorter match
    of one expression must not be that of another.
    """
    alone = [pattern for pattern in patterns if _BACK_REFERENCE.match(pattern)]
    if not alone:
        return []
    together = [pattern for pattern in patterns if not _BACK_REFERENCE.match(pattern)]
    return [*([b"\n".join(together)] if together else []), *alone]


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

#: Returns the leftmost, longest match in ``line[:end]`` that begins at ``start`` or later.
SearchLine = Callable[[bytes, int, int], "tuple[int, int] | None"]


def _needle_search(needle: bytes) -> SearchLine:
    size = len(needle)

    def search(line: bytes, start: int, end: int) -> tuple[int, int] | None:
        offset = line.find(needle, start, end)
        return None if offset < 0 else (offset, offset + size)

    return search


def _needles_search(needles: Sequence[bytes], icase: bool, budget: Budget) -> SearchLine:
    """Return a search for many fixed strings, the longest first; -i folds ASCII only."""
    if icase:
        needles = [needle.lower() for needle in timed_items(needles)]

    def search(line: bytes, start: int, end: int) -> tuple[int, int] | None:
        budget.charge(1 + (len(needles) >> 3))
        if icase:
            line = line.lower()
        best = None
        for needle in timed_items(needles):
            offset = line.find(needle, start, end)
            if offset >= 0 and (best is None or offset < best[0]):
                best = (offset, offset + len(needle))
                end = min(end, offset + len(needles[0]))
        return best

    return search


def _regex_search(regex: Regex, budget: Budget) -> SearchLine:
    def search(line: bytes, start: int, end: int) -> tuple[int, int] | None:
        match = regex.search(line, start, end, remaining=budget.remaining)
        return None if match is None else match.spans[0]

    return search


def _regex_spans(regex: Regex, budget: Budget) -> Spans:
    def spans(line: bytes) -> Iterator[tuple[int, int]]:
        for match in regex.finditer(line, remaining=budget.remaining):
            budget.charge(1)
            yield match.spans[0]

    return spans


def _exact(search: SearchLine, spec: Spec, budget: Budget) -> Spans:
    """Return a search for the matches in a line that -w and -x allow."""
    if spec.lines:

        def whole_line(line: bytes) -> Iterator[tuple[int, int]]:
            span = search(line, 0, len(line))
            if span == (0, len(line)):
                yield span

        return whole_line

    if spec.words:
        return _repeated(_word_search(search, spec, budget), spec, budget)
    return _repeated(search, spec, budget)


def _repeated(search: SearchLine, spec: Spec, budget: Budget) -> Spans:
    """Return a search for all matches in a line, each after the one before it."""

    def spans(line: bytes) -> Iterator[tuple[int, int]]:
        start = 0
        size = len(line)
        while start <= size:
            budget.charge(1 + (size >> 12))
            span = search(line, start, size)
            if span is None:
                return
            yield span
            start = span[1] if span[1] > span[0] else _after(spec, line, span[1])

    return spans


def _word_search(search: SearchLine, spec: Spec, budget: Budget) -> SearchLine:
    """Return a search for the first match that -w allows."""

    def first_word(line: bytes, start: int, end: int) -> tuple[int, int] | None:
        while start <= end:
            budget.charge(1 + (end >> 12))
            span = search(line, start, end)
            if span is None:
                return None
            word = _as_word(search, line, span, spec, budget)
            if word is not None:
                return word
            start = _after(spec, line, span[0])
        return None

    return first_word


def _leftmost_longest(searches: Sequence[SearchLine]) -> SearchLine:
    """Return a search for the best match of several searches."""

    def search_all(line: bytes, start: int, end: int) -> tuple[int, int] | None:
        found = [span for search in searches if (span := search(line, start, end)) is not None]
        return min(found, key=lambda span: (span[0], -span[1]), default=None)

    return search_all


def _after(spec: Spec, line: bytes, at: int) -> int:
    return at + 1 if spec.bytewise else after_character(line, at)


def _as_word(
    search: SearchLine, line: bytes, span: tuple[int, int], spec: Spec, budget: Budget
) -> tuple[int, int] | None:
    """Return the longest match at the same offset that has no word characters next to it."""
    start, end = span
    if is_word_before(line, start, spec.bytewise):
        return None
    while is_word_after(line, end, spec.bytewise):
        if end <= start:
            return None
        budget.charge(1 + ((end - start) >> 12))
        shorter = search(line, start, end - 1)
        if shorter is None or shorter[0] != start or shorter[1] == start:
            return None
        end = shorter[1]
    return start, end


def is_word_before(line: bytes, at: int, bytewise: bool = False) -> bool:
    """Return True when the character that ends at an offset is a letter, digit or underscore."""
    if not at:
        return False
    if line[at - 1] < 0x80 or bytewise:
        return line[at - 1] in _WORD
    start = at - 1
    while start > max(0, at - 4) and line[start] & 0xC0 == 0x80:
        start -= 1
    return _is_word(line[start:at])


def is_word_after(line: bytes, at: int, bytewise: bool = False) -> bool:
    """Return True when the character that begins at an offset is a letter, digit or underscore."""
    if at >= len(line):
        return False
    if line[at] < 0x80 or bytewise:
        return line[at] in _WORD
    end = at + 1
    while end < min(len(line), at + 4) and line[end] & 0xC0 == 0x80:
        end += 1
    return _is_word(line[at:end])


def _is_word(character: bytes) -> bool:
    return character.decode("utf-8", "replace").isalnum()


# --------------------------------------------------------------------------- matching lines


def _by_line(spans: Spans, delimiter: bytes, budget: Budget) -> Find:
    """Return a search that tests one line after another."""

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
        try:
            return find_in_block(data, pos)
        except SearchTooLong:
            return find_in_pieces(data, pos)

    def find_in_pieces(data: bytes, pos: int) -> int:
        from sandhook.pattern.linear import line_pieces

        for begin, end in line_pieces(data, pos):
            budget.charge(1)
            piece = data[begin:end]
            try:
                at = find_in_block(piece, 0)
            except SearchTooLong:
                at = by_line(piece, 0)
            if at >= 0:
                return begin + at
        return -1

    def find_in_block(data: bytes, pos: int) -> int:
        while True:
            match = search(data, pos, linear=True)
            if match is None:
                return -1
            start, end = match.spans[0]
            if start == end:
                # "$" also matches after the last newline, where there is no line
                return start if start < len(data) or data[-1:] != b"\n" else -1
            if data.find(b"\n", start, end) < 0:
                return start
            line = data.rfind(b"\n", 0, start) + 1
            line_end = data.find(b"\n", line)
            if search(data[line:line_end], linear=True) is not None:
                return line
            budget.charge(1)
            pos = line_end + 1
            if pos >= len(data):
                return -1

    return find
