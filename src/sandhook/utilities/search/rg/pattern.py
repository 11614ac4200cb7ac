"""Compiles rg's patterns, which have Rust's syntax, to a search of whole buffers.

Without -U a match never contains a newline. The search finds a line with a match in the buffer, then searches
that line again alone, as grep does here.

Source: the documentation of Rust's regex crate, "Syntax"; messages are ripgrep 13.0's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sandhook.lazy import cache_short, lazily
from sandhook.limits import Budget, check_clock
from sandhook.pattern.engine import Find, Spans, compile_linear
from sandhook.pattern.errors import PatternError, SearchTooLong
from sandhook.pattern.linear import MAX_LENGTH, line_pieces, rust_syntax
from sandhook.record import Record

_MAX_TOTAL = 500_000  #: characters of all patterns; RE2 has no memory for more
_COUNT = lazily(r"\{[0-9]+(?:,[0-9]*)?\}", re.ASCII)
_META = frozenset("\\.+*?()|[]{}^$#&-~")
_NOT_WORD = r"[^\n\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}]"
_NO_BACKTRACKING = (
    "\n\nConsider enabling PCRE2 with the --pcre2 flag, which can handle backreferences\nand look-around."
)
_NO_NEWLINE = (
    "the literal '\"\\n\"' is not allowed in a regex\n\n"
    "Consider enabling multiline mode with the --multiline flag (or -U for short).\n"
    "When multiline mode is enabled, new line characters can be matched."
)


class PatternSpec(Record):
    """Patterns and their options; hashable, as a key of the cache."""

    patterns: tuple[str, ...]
    fixed: bool
    icase: bool
    words: bool
    lines: bool
    multiline: bool
    dotall: bool


def is_lower(patterns: tuple[str, ...], fixed: bool) -> bool:
    """Return True when the literal characters of patterns have no capital, so that -S ignores case."""
    for pattern in patterns:
        text = pattern if fixed else re.sub(r"\\(?:[pP]\{[^}]*\}|.)", "", pattern, flags=re.DOTALL)
        if any(char.isupper() for char in text):
            return False
    return any(char.isalpha() for pattern in patterns for char in pattern)


def escape(text: str) -> str:
    """Return an expression that matches ``text`` alone."""
    return "".join(["\\" + char if char in _META and char.isascii() else char for char in text])


@cache_short(128)
def compile_patterns(spec: PatternSpec) -> Find:
    """Compile a search for any of the patterns. Raises PatternError with ripgrep's message."""
    pieces = []
    if sum(map(len, spec.patterns)) + len(spec.patterns) > _MAX_TOTAL:
        raise PatternError(f"regexes of over {_MAX_TOTAL} characters")
    for pattern in spec.patterns:
        check_clock()
        if len(pattern) > MAX_LENGTH:
            raise PatternError(f"regex of over {MAX_LENGTH} characters")
        if spec.fixed:
            pattern = escape(pattern)
        if not spec.multiline and _has_newline(pattern):
            raise PatternError(_NO_NEWLINE)
        _SyntaxChecker(pattern).run()
        pieces.append(pattern)
    body = (
        "|".join(f"(?:{piece})" for piece in pieces)
        if len(pieces) > 1
        else pieces[0]
        if pieces
        else "[^\\x00-\\x{10FFFF}]"
    )
    flags = "(?ms)" if spec.dotall else "(?m)"
    try:
        text = rust_syntax(body, within_lines=not spec.multiline)
        if spec.lines:
            text = f"^(?:{text})$"
        elif spec.words:
            text = f"(?:^|{_NOT_WORD})({text})(?:$|{_NOT_WORD}|\\n)"
        return compile_linear(flags + text, latin1=False, icase=spec.icase, longest=False)
    except PatternError as error:
        raise _parse_error(body, 0, 0, str(error)) from None


def group_names(patterns: tuple[str, ...]) -> dict[str, int]:
    """Return the numbers of the named groups of patterns."""
    names: dict[str, int] = {}
    number = 0
    for pattern in patterns:
        for name in _SyntaxChecker(pattern).run():
            number += 1
            if name:
                names.setdefault(name, number)
    return names


def _has_newline(pattern: str) -> bool:
    at = 0
    while (at := pattern.find("\\", at)) >= 0:
        if pattern[at + 1 : at + 2] == "n":
            return True
        at += 2
    return "\n" in pattern


def _parse_error(pattern: str, start: int, size: int, reason: str) -> PatternError:
    mark = f"    {' ' * start}{'^' * size}\n" if size else ""
    return PatternError(f"regex parse error:\n    {pattern}\n{mark}error: {reason}")


class _SyntaxChecker:
    """Checks an expression for Rust's syntax errors that RE2 accepts, or reports with other messages."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._open: list[int] = []
        self._names: list[str] = []
        self._repeatable = False

    def _error(self, start: int, size: int, reason: str) -> PatternError:
        return _parse_error(self._pattern, start, size, reason)

    def run(self) -> list[str]:
        """Return the name of each capturing group, "" for a group without a name. Raises PatternError."""
        pattern = self._pattern
        while self._at < len(pattern):
            char, start = pattern[self._at], self._at
            self._at += 1
            if char == "\\":
                self._escape(start)
                self._repeatable = True
            elif char == "[":
                self._class(start)
                self._repeatable = True
            elif char == "(":
                self._group(start)
                self._repeatable = False
            elif char == ")":
                if not self._open:
                    raise self._error(start, 1, "unopened group")
                self._open.pop()
                self._repeatable = True
            elif char in "*+?{":
                self._repetition(char, start)
            else:
                self._repeatable = char != "|"
        if self._open:
            raise self._error(self._open[-1], 1, "unclosed group")
        return self._names

    def _escape(self, start: int) -> None:
        letter = self._pattern[self._at : self._at + 1]
        self._at += 1
        if not letter:
            raise self._error(start, 1, "incomplete escape sequence, reached end of pattern prematurely")
        if letter in "123456789":
            raise self._error(start, 2, "backreferences are not supported" + _NO_BACKTRACKING)
        if (letter.isascii() and letter.isalnum() and letter not in "pPdDsSwWbBAzxuUafnrtv") or (
            letter.isascii() and not letter.isalnum() and letter not in _META
        ):
            raise self._error(start, 2, "unrecognized escape sequence")
        if letter in "pPxuU" and self._pattern[self._at : self._at + 1] == "{":
            end = self._pattern.find("}", self._at)
            self._at = len(self._pattern) if end < 0 else end + 1

    def _group(self, start: int) -> None:
        rest = self._pattern[start : start + 4]
        for opening in ("(?=", "(?!", "(?<=", "(?<!"):
            if rest.startswith(opening):
                reason = "look-around, including look-ahead and look-behind, is not supported"
                raise self._error(start, len(opening), reason + _NO_BACKTRACKING)
        self._open.append(start)
        if rest[1:2] != "?":
            self._names.append("")
        else:
            end = self._pattern.find(">" if rest[2:3] in ("P", "<") else ":", start)
            close = self._pattern.find(")", start)
            if rest[2:3] not in ("P", "<") and close >= 0 and (end < 0 or close < end):
                self._open.pop()  # flags alone: (?i)
                end = close
            if end < 0:
                raise self._error(start, 1, "unclosed group")
            if rest[2:3] in ("P", "<"):
                self._names.append(self._pattern[self._pattern.find("<", start) + 1 : end])
            self._at = end + 1

    def _repetition(self, char: str, start: int) -> None:
        if not self._repeatable:
            raise self._error(start, 1, "repetition operator missing expression")
        if char != "{":
            return
        match = _COUNT.match(self._pattern, start)
        if match is None:
            if "}" not in self._pattern[start:]:
                raise self._error(start, 1, "unclosed counted repetition")
            raise self._error(start + 1, 1, "repetition quantifier expects a valid decimal")
        least, _, most = match[0][1:-1].partition(",")
        if most and int(least[:9]) > int(most[:9]):
            reason = "invalid repetition count range, the start must be <= the end"
            raise self._error(start, match.end() - start, reason)
        self._at = match.end()

    def _class(self, start: int) -> None:
        pattern = self._pattern
        at = start + 1 + (pattern[start + 1 : start + 2] == "^")
        first = True
        while at < len(pattern):
            if pattern[at] == "]" and not first:
                self._at = at + 1
                return
            first = False
            if pattern[at] == "\\":
                self._at = at + 1
                self._escape(at)
                at = self._at - 1
            elif pattern.startswith("[:", at) and (end := pattern.find(":]", at)) > 0:
                at = end + 1
            elif pattern[at + 1 : at + 2] == "-" and pattern[at + 2 : at + 3] not in (
                "",
                "]",
                "\\",
                "-",
                "[",
            ):
                if pattern[at] > pattern[at + 2]:
                    reason = "invalid character class range, the start must be <= the end"
                    raise self._error(at, 3, reason)
                at += 2
            at += 1
        raise self._error(start, 1, "unclosed character class")


# --------------------------------------------------------------------------- searching

#: Yields the matches in a buffer from an offset on, each as the spans of the whole match and of its groups.
Matches = Callable[[bytes, int], Iterator[Spans]]


def matches_of(spec: PatternSpec, budget: Budget, slow: Callable[[], Matches]) -> Matches:
    """Return the search for matches, which do not overlap; without -U each is within one line.

    Args:
        spec: The patterns.
        budget: Is charged.
        slow: Returns a search that can be interrupted, for a text that takes RE2 too long. Raises PatternError.
    """
    find = compile_patterns(spec)
    if spec.words:
        find = _without_sides(find)
    if spec.multiline:
        return lambda data, at: _all_in(find, data, at, budget, slow, spans_lines=True)

    def matches(data: bytes, at: int) -> Iterator[Spans]:
        size = len(data)
        while at < size:
            budget.charge(1)
            start = _first_match(find, data, at)
            if start < 0 or (start >= size and data[-1] == 10):
                return
            begin = data.rfind(b"\n", at, start) + 1 or at
            end = data.find(b"\n", start)
            end = size if end < 0 else end
            line = data[begin:end]
            for spans in _all_in(find, line, 0, budget, slow):
                yield tuple([(a + begin, b + begin) if a >= 0 else (a, b) for a, b in spans])
            at = end + 1

    return matches


def _first_match(find: Find, data: bytes, at: int) -> int:
    """Return the offset of the first match, or of a line that must be searched alone; -1 without either."""
    size = len(data)
    try:
        return find(data, at, size)[0][0]
    except SearchTooLong:
        pass
    for begin, end in line_pieces(data, at):
        piece = data[begin:end]
        try:
            start = find(piece, 0, len(piece))[0][0]
        except SearchTooLong:
            return begin
        if start >= 0 and (start < len(piece) or piece[-1] != 10):
            return begin + start
    return -1


def _without_sides(find: Find) -> Find:
    """Return a search whose match is the group for -w, without the characters at its sides."""

    def inner(data: bytes, pos: int, end: int) -> Spans:
        spans = find(data, pos, end)
        return spans[1:] if spans[0][0] >= 0 else spans

    return inner


def _all_in(
    find: Find,
    data: bytes,
    at: int,
    budget: Budget,
    slow: Callable[[], Matches],
    *,
    spans_lines: bool = False,
) -> Iterator[Spans]:
    """Yield the matches in ``data``; with ``spans_lines``, each search is charged for all remaining bytes."""
    last = -1
    size = len(data)
    while at <= size:
        budget.charge(1 + ((size - at) >> 12) if spans_lines else 1)
        try:
            spans = find(data, at, size)
        except SearchTooLong as error:
            yield from _from(at, data, slow, error)
            return
        start, end = spans[0]
        if start < 0:
            return
        if start == end == last:  # an empty match right after another match does not count
            at = _next_character(data, end)
            continue
        yield tuple(spans)  # a tuple of numbers is no work for collections of garbage, a list is
        last = end
        at = end if end > start else _next_character(data, end)


def _from(at: int, data: bytes, slow: Callable[[], Matches], too_long: SearchTooLong) -> Iterator[Spans]:
    """Yield the matches that begin at ``at`` or later, from the search that can be interrupted."""
    try:
        matches = slow()
    except PatternError:
        raise too_long from None
    for spans in matches(data, 0):
        if spans[0][0] >= at:
            yield spans


def _next_character(data: bytes, at: int) -> int:
    at += 1
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at
