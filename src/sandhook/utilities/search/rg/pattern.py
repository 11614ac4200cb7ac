"""What rg looks for: its patterns in Rust's syntax, made into a search of whole buffers.

Without -U a match never holds a newline: what RE2 finds is looked for again in the line where it
begins when it goes beyond, as grep does here.

Source: the documentation of Rust's regex crate, "Syntax"; messages are ripgrep 13.0's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from sandhook.lazy import lazily
from sandhook.limits import Budget
from sandhook.pattern.engine import Find, Spans, compile_linear
from sandhook.pattern.errors import PatternError
from sandhook.pattern.linear import MAX_LENGTH, rust_syntax
from sandhook.record import Record

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


class Wanted(Record):
    """Patterns and how they are meant; hashable, so that what is compiled can be kept."""

    patterns: tuple[str, ...]
    fixed: bool
    icase: bool
    words: bool
    lines: bool
    multiline: bool
    dotall: bool


def is_lower(patterns: tuple[str, ...], fixed: bool) -> bool:
    """Return whether the literal characters of patterns have no capital: -S ignores case then."""
    for pattern in patterns:
        text = pattern if fixed else re.sub(r"\\(?:[pP]\{[^}]*\}|.)", "", pattern, flags=re.DOTALL)
        if any(char.isupper() for char in text):
            return False
    return any(char.isalpha() for pattern in patterns for char in pattern)


def escape(text: str) -> str:
    """Return an expression that matches a text alone."""
    return "".join(["\\" + char if char in _META and char.isascii() else char for char in text])


@lru_cache(maxsize=128)
def compile_wanted(wanted: Wanted) -> Find:
    """Return the search for any of the patterns. Raises PatternError with ripgrep's text."""
    pieces = []
    for pattern in wanted.patterns:
        if len(pattern) > MAX_LENGTH:
            raise PatternError(f"regex of over {MAX_LENGTH} characters")
        if wanted.fixed:
            pattern = escape(pattern)
        if not wanted.multiline and _has_newline(pattern):
            raise PatternError(_NO_NEWLINE)
        _Checked(pattern).run()
        pieces.append(pattern)
    body = (
        "|".join(f"(?:{piece})" for piece in pieces)
        if len(pieces) > 1
        else pieces[0]
        if pieces
        else "[^\\x00-\\x{10FFFF}]"
    )
    flags = "(?ms)" if wanted.dotall else "(?m)"
    try:
        text = rust_syntax(body, within_lines=not wanted.multiline)
        if wanted.lines:
            text = f"^(?:{text})$"
        elif wanted.words:
            text = f"(?:^|{_NOT_WORD})({text})(?:$|{_NOT_WORD}|\\n)"
        return compile_linear(flags + text, latin1=False, icase=wanted.icase, longest=False)
    except PatternError as error:
        raise _parse_error(body, 0, 0, str(error)) from None


def group_names(patterns: tuple[str, ...]) -> dict[str, int]:
    """Return the numbers of the named groups of patterns."""
    found: dict[str, int] = {}
    number = 0
    for pattern in patterns:
        for name in _Checked(pattern).run():
            number += 1
            if name:
                found.setdefault(name, number)
    return found


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


class _Checked:
    """Goes over an expression and refuses what Rust refuses, where RE2 is silent or says it in other words."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._open: list[int] = []
        self._names: list[str] = []
        self._repeatable = False

    def _fail(self, start: int, size: int, reason: str) -> PatternError:
        return _parse_error(self._pattern, start, size, reason)

    def run(self) -> list[str]:
        """Return the name of each capturing group, "" for one without."""
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
                    raise self._fail(start, 1, "unopened group")
                self._open.pop()
                self._repeatable = True
            elif char in "*+?{":
                self._repetition(char, start)
            else:
                self._repeatable = char != "|"
        if self._open:
            raise self._fail(self._open[-1], 1, "unclosed group")
        return self._names

    def _escape(self, start: int) -> None:
        after = self._pattern[self._at : self._at + 1]
        self._at += 1
        if not after:
            raise self._fail(start, 1, "incomplete escape sequence, reached end of pattern prematurely")
        if after in "123456789":
            raise self._fail(start, 2, "backreferences are not supported" + _NO_BACKTRACKING)
        if (after.isascii() and after.isalnum() and after not in "pPdDsSwWbBAzxuUafnrtv") or (
            after.isascii() and not after.isalnum() and after not in _META
        ):
            raise self._fail(start, 2, "unrecognized escape sequence")
        if after in "pPxuU" and self._pattern[self._at : self._at + 1] == "{":
            end = self._pattern.find("}", self._at)
            self._at = len(self._pattern) if end < 0 else end + 1

    def _group(self, start: int) -> None:
        rest = self._pattern[start : start + 4]
        for opening in ("(?=", "(?!", "(?<=", "(?<!"):
            if rest.startswith(opening):
                reason = "look-around, including look-ahead and look-behind, is not supported"
                raise self._fail(start, len(opening), reason + _NO_BACKTRACKING)
        self._open.append(start)
        if rest[1:2] != "?":
            self._names.append("")
        else:
            end = self._pattern.find(">" if rest[2:3] in ("P", "<") else ":", start)
            closed = self._pattern.find(")", start)
            if rest[2:3] not in ("P", "<") and closed >= 0 and (end < 0 or closed < end):
                self._open.pop()  # flags alone: (?i)
                end = closed
            if end < 0:
                raise self._fail(start, 1, "unclosed group")
            if rest[2:3] in ("P", "<"):
                self._names.append(self._pattern[self._pattern.find("<", start) + 1 : end])
            self._at = end + 1

    def _repetition(self, char: str, start: int) -> None:
        if not self._repeatable:
            raise self._fail(start, 1, "repetition operator missing expression")
        if char != "{":
            return
        found = _COUNT.match(self._pattern, start)
        if found is None:
            if "}" not in self._pattern[start:]:
                raise self._fail(start, 1, "unclosed counted repetition")
            raise self._fail(start + 1, 1, "repetition quantifier expects a valid decimal")
        least, _, most = found[0][1:-1].partition(",")
        if most and int(least[:9]) > int(most[:9]):
            reason = "invalid repetition count range, the start must be <= the end"
            raise self._fail(start, found.end() - start, reason)
        self._at = found.end()

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
                    raise self._fail(at, 3, reason)
                at += 2
            at += 1
        raise self._fail(start, 1, "unclosed character class")


# --------------------------------------------------------------------------- searching

#: The matches in a buffer, from an offset on: the spans of the whole and of each group.
Matches = Callable[[bytes, int], Iterator[Spans]]


def matches_of(wanted: Wanted, budget: Budget) -> Matches:
    """Return what yields the matches that do not overlap, in order; without -U each within its line."""
    find = compile_wanted(wanted)
    if wanted.words:
        find = _without_sides(find)
    if wanted.multiline:
        return lambda data, at: _all_in(find, data, at, len(data), budget, far=True)

    def matches(data: bytes, at: int) -> Iterator[Spans]:
        size = len(data)
        while at < size:
            budget.charge(1)
            start = find(data, at, size)[0][0]
            if start < 0 or (start >= size and data[-1] == 10):
                return
            begin = data.rfind(b"\n", at, start) + 1 or at
            end = data.find(b"\n", start)
            end = size if end < 0 else end
            line = data[begin:end]
            for spans in _all_in(find, line, 0, len(line), budget):
                yield [(a + begin, b + begin) if a >= 0 else (a, b) for a, b in spans]
            at = end + 1

    return matches


def _without_sides(find: Find) -> Find:
    """Make the group of -w the whole match."""

    def inner(data: bytes, pos: int, end: int) -> Spans:
        spans = find(data, pos, end)
        return spans[1:] if spans[0][0] >= 0 else spans

    return inner


def _all_in(
    find: Find, data: bytes, at: int, size: int, budget: Budget, far: bool = False
) -> Iterator[Spans]:
    """Yield the matches in ``data``; ``far``: each may look at all of the rest, and is charged so."""
    last = -1
    while at <= size:
        budget.charge(1 + ((size - at) >> 12) if far else 1)
        spans = find(data, at, size)
        start, end = spans[0]
        if start < 0:
            return
        if start == end == last:  # an empty match right after another one does not count
            at = _behind(data, end)
            continue
        yield spans
        last = end
        at = end if end > start else _behind(data, end)


def _behind(data: bytes, at: int) -> int:
    at += 1
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at
