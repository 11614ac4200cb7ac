"""grep -P: Perl's regular expressions on the ``regex`` module, under a time limit.

Divergence: L-GREP-002, some verbs are not supported.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from sandhook.errors import LimitExceeded
from sandhook.lazy import cache_short
from sandhook.limits import Budget
from sandhook.pattern.errors import PatternError
from sandhook.pattern.perl.classes import as_whole_word
from sandhook.pattern.perl.syntax import NO_GROUP, NO_ITEM, TOO_LARGE, PerlTranslator
from sandhook.pattern.stack import longest_search
from sandhook.pattern.timed import search_in_time
from sandhook.record import Record

#: Messages of the module, and those of PCRE2 for the same errors.
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
    unicode: bool = False,
    flags: str = "",
    bytewise: bool = False,
    dollar_end_only: bool = False,
) -> PerlSpans:
    """Return the search for all matches in a line. Raises PatternError.

    Args:
        pattern: UTF-8.
        icase: Ignore case.
        words: Only whole words.
        lines: Only whole lines.
        budget: Supplies the remaining time.
        unicode: ``\\w`` and so on match Unicode, as in rg.
        flags: The initial flags of the expression, of "ms".
        bytewise: The C locale: every byte is a character.
        dollar_end_only: ``$`` without ``(?m)`` does not match before a newline at the end of the line.
    """
    spec = _Spec(
        pattern=pattern,
        icase=icase,
        words=words,
        lines=lines,
        unicode=unicode,
        flags=flags,
        bytewise=bytewise,
        dollar_end_only=dollar_end_only,
    )
    return PerlSpans(spec, budget)


class _Spec(Record):
    """A pattern and its options; see ``perl_spans``."""

    pattern: bytes
    icase: bool
    words: bool
    lines: bool
    unicode: bool
    flags: str
    bytewise: bool
    dollar_end_only: bool


class PerlSpans:
    """Yields the spans of matches, in bytes."""

    __slots__ = ("_ascii_regex", "_budget", "_spec")

    def __init__(self, spec: _Spec, budget: Budget) -> None:
        self._spec = spec
        self._ascii_regex = _compile(spec, True)
        self._budget = budget

    def __call__(self, line: bytes) -> Iterator[tuple[int, int]]:
        for spans in self.matches(line):
            yield spans[0]

    def group_names(self) -> dict[str, int]:
        """Return the numbers of the named groups."""
        return dict(self._ascii_regex.groupindex)

    def matches(self, line: bytes) -> Iterator[list[tuple[int, int]]]:
        """Yield the spans of each match and of its groups, (-1, -1) for a group without a match."""
        budget = self._budget
        text = line.decode("latin-1") if self._spec.bytewise else line.decode("utf-8", "surrogateescape")
        is_ascii = len(text) == len(line)
        expression = self._ascii_regex if is_ascii else _compile(self._spec, False)
        longest = longest_search(self._spec.pattern, expression.groups, len(text), budget.memory_bytes)
        at = last_start = offset = 0
        while at <= len(text):
            budget.charge(1)
            search = partial(expression.search, text, at, concurrent=True)
            try:
                match = search_in_time(search, budget.remaining, longest, budget.limits)
            except LimitExceeded as error:
                budget.fail(error.limit)
            if match is None:
                return
            start, end = match.span()
            if is_ascii:
                yield match.regs
            else:
                offset += _size(text, last_start, start)
                last_start = start
                yield [
                    (offset + _size(text, start, begin), offset + _size(text, start, stop))
                    if begin >= 0
                    else (-1, -1)
                    for begin, stop in match.regs
                ]
            at = end if end > start else end + 1


def _size(text: str, start: int, end: int) -> int:
    """Return the number of bytes from one character to another; negative when ``end`` is before ``start``."""
    if end < start:
        return -len(text[end:start].encode("utf-8", "surrogateescape"))
    return len(text[start:end].encode("utf-8", "surrogateescape"))


@cache_short(64)
def _compile(spec: _Spec, ascii_only: bool) -> Any:
    """Compile a pattern; with ``ascii_only``, for lines of ASCII alone. Raises PatternError."""
    import regex

    if b"\n" in spec.pattern:
        raise PatternError("the -P option only supports a single pattern")
    pattern = (
        spec.pattern.decode("latin-1") if spec.bytewise else spec.pattern.decode("utf-8", "surrogateescape")
    )
    ascii_only = ascii_only and not spec.bytewise
    end_only = spec.dollar_end_only
    translator = PerlTranslator(
        pattern, unicode=spec.unicode, ascii_only=ascii_only, dollar_end_only=end_only
    )
    text = translator.run()
    if spec.lines:
        text = f"^(?:{text})" + (r"\Z" if end_only else "$")
    elif spec.words:
        text = as_whole_word(text, translator.unicode)
    try:
        if spec.flags:
            text = f"(?{spec.flags}:{text})"
        flags = regex.V0 | (regex.IGNORECASE if spec.icase else 0) | (regex.ASCII if spec.bytewise else 0)
        return regex.compile(text, flags, cache_pattern=False)
    except regex.error as error:
        raise PatternError(_MESSAGES.get(error.msg, error.msg)) from None
    except (OverflowError, RecursionError):
        raise PatternError(TOO_LARGE) from None
