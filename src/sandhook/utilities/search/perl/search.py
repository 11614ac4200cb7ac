"""grep -P: Perl's regular expressions on the ``regex`` module, under a time limit.

Divergence: L-GREP-002, some verbs are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from sandhook.limits import Budget
from sandhook.pattern.errors import PatternError
from sandhook.record import Record
from sandhook.utilities.search.perl.classes import not_beside_words
from sandhook.utilities.search.perl.syntax import NO_GROUP, NO_ITEM, TOO_LARGE, PerlTranslator

#: The module's words for what PCRE2 has words for.
_MESSAGES = {
    "missing )": "missing closing parenthesis",
    "unbalanced parenthesis": "unmatched closing parenthesis",
    "nothing to repeat": NO_ITEM,
    "multiple repeat": NO_ITEM,
    "invalid group reference": NO_GROUP,
    "unknown group": NO_GROUP,
}


def perl_spans(
    pattern: bytes,
    icase: bool,
    words: bool,
    lines: bool,
    budget: Budget,
    *,
    wide: bool = False,
    flags: str = "",
) -> PerlSpans:
    """Return the search for all matches in a line. Raises PatternError.

    Args:
        pattern: UTF-8.
        icase: Ignore case.
        words: Only whole words.
        lines: Only whole lines.
        budget: What gives the time that is left.
        wide: ``\\w`` and so on are Unicode's, as in rg.
        flags: Those that the expression begins with, of "ms".
    """
    return PerlSpans(_Wanted(pattern, icase, words, lines, wide, flags), budget)


class _Wanted(Record):
    """A pattern and how it is meant; see ``perl_spans``."""

    pattern: bytes
    icase: bool
    words: bool
    lines: bool
    wide: bool
    flags: str


class PerlSpans:
    """Yields the spans of matches, in bytes."""

    __slots__ = ("_budget", "_narrow", "_wanted")

    def __init__(self, wanted: _Wanted, budget: Budget) -> None:
        self._wanted = wanted
        self._narrow = _compiled(wanted, True)
        self._budget = budget

    def __call__(self, line: bytes) -> Iterator[tuple[int, int]]:
        for spans in self.matches(line):
            yield spans[0]

    def group_names(self) -> dict[str, int]:
        """Return the numbers of the named groups."""
        return dict(self._narrow.groupindex)

    def matches(self, line: bytes) -> Iterator[list[tuple[int, int]]]:
        """Yield the spans of each match and of its groups, (-1, -1) for one that took no part."""
        budget = self._budget
        text = line.decode("utf-8", "surrogateescape")
        same = len(text) == len(line)
        compiled = self._narrow if same else _compiled(self._wanted, False)
        at = known = offset = 0
        while at <= len(text):
            left = budget.remaining()
            if left <= 0:
                budget.fail("wall_seconds")
            try:
                found = compiled.search(text, at, timeout=left, concurrent=True)
            except TimeoutError:
                budget.fail("wall_seconds")
            if found is None:
                return
            start, end = found.span()
            if same:
                yield found.regs
            else:
                offset += _size(text, known, start)
                known = start
                yield [
                    (offset + _size(text, start, first), offset + _size(text, start, last))
                    if first >= 0
                    else (-1, -1)
                    for first, last in found.regs
                ]
            at = end if end > start else end + 1


def _size(text: str, start: int, end: int) -> int:
    """Return the bytes from one character to another; negative when that stands before it."""
    if end < start:
        return -len(text[end:start].encode("utf-8", "surrogateescape"))
    return len(text[start:end].encode("utf-8", "surrogateescape"))


@lru_cache(maxsize=64)
def _compiled(wanted: _Wanted, narrow: bool) -> Any:
    """Return the compiled pattern; ``narrow``: for a line of ASCII alone."""
    import regex

    if b"\n" in wanted.pattern:
        raise PatternError("the -P option only supports a single pattern")
    translator = PerlTranslator(
        wanted.pattern.decode("utf-8", "surrogateescape"), wide=wanted.wide, narrow=narrow
    )
    text = translator.run()
    if wanted.lines:
        text = f"^(?:{text})$"
    elif wanted.words:
        text = not_beside_words(text, translator.wide)
    try:
        if wanted.flags:
            text = f"(?{wanted.flags}:{text})"
        return regex.compile(text, regex.V0 | (regex.IGNORECASE if wanted.icase else 0), cache_pattern=False)
    except regex.error as error:
        raise PatternError(_MESSAGES.get(error.msg, error.msg)) from None
    except (OverflowError, RecursionError):
        raise PatternError(TOO_LARGE) from None
