"""The expressions of git grep: patterns that --and, --or, --not and parentheses combine.

Source: git-grep(1); git 2.39, grep.c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from sandhook.command.context import Context
from sandhook.limits import Budget
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import compile_regex
from sandhook.pattern.translate import Dialect
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.access import encode

#: A word of an expression: its kind, and the text of a pattern.
Term = tuple[Literal["pattern", "file", "and", "not", "(", ")"], str]

#: Returns the first match of a pattern in a line from an offset on.
Find = Callable[[bytes, int], "tuple[int, int] | None"]

#: Returns whether a line matches a part of an expression.
Check = Callable[[bytes], bool]

_MOST_LEVELS = 200


class Expression:
    """What a line must match.

    Attributes:
        alternatives: The expressions of which one must match; all of them in a file with --all-match.
    """

    def __init__(self, terms: Sequence[Term], finders: Sequence[Find], first: Find) -> None:
        self._terms = terms
        self._finders = iter(finders)
        self._at = 0
        self.first = first
        self.alternatives = self._either(0)
        if self._at < len(terms):
            raise GitError(f"incomplete pattern expression: {terms[self._at][1] or terms[self._at][0]}")

    @property
    def is_plain(self) -> bool:
        """True if the patterns are alternatives, so that the first match decides."""
        return all(kind == "pattern" for kind, _ in self._terms)

    def matches(self, line: bytes) -> bool:
        """Return True for a line that the expression selects."""
        return any(each(line) for each in self.alternatives)

    # ------------------------------------------------------------------ grammar

    def _kind(self) -> str:
        return self._terms[self._at][0] if self._at < len(self._terms) else ""

    def _either(self, depth: int) -> list[Check]:
        if depth > _MOST_LEVELS:
            raise GitError("the expression is nested too deeply for the sandbox (L-GIT-003)", status=129)
        found: list[Check] = []
        while self._kind() not in ("", ")"):
            kind, text = self._terms[self._at]
            each = self._both(depth)
            if each is None and found:
                raise GitError(f"not a pattern expression {text or kind}")
            if each is None:
                break
            found.append(each)
        return found

    def _both(self, depth: int) -> Check | None:
        parts: list[Check] = []
        part = self._negated(depth)
        while self._kind() == "and":
            if part is None:
                raise GitError("--and not preceded by pattern expression")
            parts.append(part)
            self._at += 1
            part = self._negated(depth) if self._kind() else None
            if part is None and self._kind() != "and":
                raise GitError("--and not followed by pattern expression")
        if part is None or not parts:
            return part
        checks = [*parts, part]
        return lambda line: all(check(line) for check in checks)

    def _negated(self, depth: int) -> Check | None:
        negated, is_negation = False, self._kind() == "not"
        while self._kind() == "not":
            self._at += 1
            negated = not negated
            if not self._kind():
                raise GitError("--not not followed by pattern expression")
        check = self._atom(depth)
        if check is None and is_negation:
            raise GitError("--not followed by non pattern expression")
        if check is None or not negated:
            return check
        wanted = check
        return lambda line: not wanted(line)

    def _atom(self, depth: int) -> Check | None:
        if self._kind() == "pattern":
            self._at += 1
            find = next(self._finders)
            return lambda line: find(line, 0) is not None
        if self._kind() != "(":
            return None
        self._at += 1
        checks = self._either(depth + 1)
        if self._kind() != ")":
            raise GitError("unmatched parenthesis")
        self._at += 1
        return (lambda line: any(check(line) for check in checks)) if checks else None


def build(
    terms: Sequence[Term], syntax: str, ctx: Context, *, icase: bool, words: bool, combined: bool
) -> Expression:
    """Return the expression of the command line. Raises GitError for a wrong one.

    Args:
        combined: The expressions are searched one by one, for --all-match.
    """
    single = [
        (kind, part) for kind, text in terms for part in (text.split("\n") if kind == "pattern" else (text,))
    ]
    patterns = [text for kind, text in single if kind == "pattern"]
    plain = len(patterns) == len(single) and not combined

    def compiled(texts: Sequence[str]) -> Find:
        find = _perl(texts, ctx.budget, icase) if syntax == "perl" else _posix(texts, syntax, icase)
        return _whole_words(find) if words else find

    first = compiled(patterns)
    finders = [first] * len(patterns) if plain else [compiled([text]) for text in patterns]
    return Expression(single[:1] if plain else single, finders, first)


def _posix(patterns: Sequence[str], syntax: str, icase: bool) -> Find:
    if syntax == "fixed":
        special = "\\.[]*^$"
        patterns = ["".join(f"\\{c}" if c in special else c for c in pattern) for pattern in patterns]
    text = "\n".join(patterns)
    try:
        regex = compile_regex(
            text, Dialect(extended=syntax == "extended", newline=True, lenient=True), icase=icase
        )
    except PatternError as error:
        raise GitError(f"command line, '{text}': {error}") from None

    def find(line: bytes, start: int) -> tuple[int, int] | None:
        match = regex.search(line, start)
        return None if match is None else match.span()

    return find


def _perl(patterns: Sequence[str], budget: Budget, icase: bool) -> Find:
    """Return the search for the leftmost match of Perl's expressions, of those the longest."""
    from sandhook.pattern.perl.search import perl_spans

    searches = []
    for text in patterns:
        try:
            searches.append(perl_spans(encode(text), icase, False, False, budget))
        except PatternError as error:
            raise GitError(f"command line, '{text}': {error}") from None

    def find(line: bytes, start: int) -> tuple[int, int] | None:
        best: tuple[int, int] | None = None
        for spans in searches:
            span = next((span for span in spans(line) if span[0] >= start), None)
            if span is not None and (best is None or (span[0], -span[1]) < (best[0], -best[1])):
                best = span
        return best

    return find


def _whole_words(find: Find) -> Find:
    """Return the search for matches that are whole words (-w)."""

    def search(line: bytes, start: int) -> tuple[int, int] | None:
        while start <= len(line):
            span = find(line, start)
            if span is None:
                return None
            begin, end = span
            before, after = line[begin - 1 : begin] if begin else b"", line[end : end + 1]
            if begin != end and not _is_word(before) and not _is_word(after):
                return span
            start = begin + 1
        return None

    return search


def _is_word(byte: bytes) -> bool:
    return byte == b"_" or byte.isalnum()
