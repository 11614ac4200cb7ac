"""POSIX basic and extended regular expressions with GNU's extensions, and RE2's own.

Everything that RE2 can express runs there, in linear time. The ``regex`` module runs the rest,
under a time limit: back-references, word boundaries next to text that may not be a word, and searches
that RE2 may not finish in time.

GNU's captures are those of the first alternative that leads to the longest match, not those
that POSIX requires (for ``feature``, ``(feat|feature)(.*)`` captures ``feat`` and ``ure``); RE2's
longest match returns the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sandhook.lazy import cache_short, lazily
from sandhook.limits import Budget, Limits, present_budget
from sandhook.pattern.engine import Find, Spans, compile_backtracking, compile_linear
from sandhook.pattern.errors import PatternError, SearchTooLong
from sandhook.pattern.translate import TOO_BIG, Dialect, Translator
from sandhook.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The longest expression, in characters.
MAX_LENGTH = 65_536

#: Seconds for one match with back-references when the caller passes no remaining time.
_DEFAULT = Limits(wall_seconds=1.0)

#: What sed and expr read, and ``[[ =~ ]]``: the dialects of glibc's regcomp.
BRE = Dialect(extended=False)
ERE = Dialect(extended=True)
_BYTE_BRE = Dialect(extended=False, bytewise=True)
_BYTE_ERE = Dialect(extended=True, bytewise=True)

#: The same with REG_NEWLINE, for texts of several lines.
LINE_BRE = Dialect(extended=False, newline=True)
LINE_ERE = Dialect(extended=True, newline=True)

#: Code points of classes that are not bytes.
_WIDE = lazily(r"\\x\{[0-9a-f]{3,}\}(?:-\\x\{[0-9a-f]{3,}\})?")

Remaining = Callable[[], float]


class Match:
    """One match in bytes. Group 0 is the whole match; a group that did not match has the span (-1, -1)."""

    __slots__ = ("data", "spans")

    def __init__(self, data: bytes, spans: Spans) -> None:
        self.data = data
        self.spans = spans

    def span(self, group: int = 0) -> tuple[int, int]:
        return self.spans[group]

    def start(self, group: int = 0) -> int:
        return self.spans[group][0]

    def end(self, group: int = 0) -> int:
        return self.spans[group][1]

    def group(self, group: int = 0) -> bytes | None:
        """Return the text of a group, or None when it did not match."""
        start, end = self.spans[group]
        return None if start < 0 else self.data[start:end]

    def groups(self) -> list[bytes | None]:
        """Return the text of the whole match and of every group."""
        return [self.group(index) for index in range(len(self.spans))]


class Regex:
    """A compiled expression; immutable and shared.

    Attributes:
        groups: The number of capturing groups.
        warnings: The warnings of GNU grep, for example ``* at start of expression``.
        superset: For GNU grep, a line that matches must match this expression, too; None if that is certain.
    """

    __slots__ = (
        "_backtracking",
        "_find",
        "_selecting",
        "_source",
        "_words",
        "groups",
        "superset",
        "warnings",
    )

    def __init__(self, pattern: str, latin1: bool, icase: bool, dialect: Dialect) -> None:
        folds = icase and dialect.bytewise
        translation = Translator(pattern, dialect, folds=folds).run()
        self._source = (pattern, latin1, icase, dialect)
        self._words = translation.words
        self.groups = translation.groups
        self.warnings = tuple(translation.warnings)
        self._backtracking: Any = None
        self._find: Find | None = None
        self._selecting: Regex | None = None
        self.superset: Regex | None = None
        if translation.irregular and dialect.lenient and not dialect.selects:
            selecting = Regex(pattern, latin1, icase, dialect._replace(selects=True))
            self.warnings = selecting.warnings
            if translation.backrefs or translation.words:
                self.superset = selecting
            else:
                self._selecting = selecting
        if translation.backrefs or translation.unproven:
            self._backtracking = self._compile_backtracking()
        else:
            text = _WIDE.sub("", translation.text) if latin1 else translation.text
            icase = icase and not folds
            self._find = compile_linear(text, latin1=latin1, icase=icase, longest=True, message=TOO_BIG)

    def _compile_backtracking(self) -> Any:
        pattern, latin1, icase, dialect = self._source
        text = Translator(pattern, dialect, fallback=True).run().text
        return compile_backtracking(text, latin1=latin1, icase=icase, message=TOO_BIG)

    @property
    def selecting(self) -> Regex:
        """The expression that decides whether GNU grep and awk select a line.

        Their two programs differ about a repeat with nothing to repeat: ``^*1`` selects every line with a "1",
        and matches at the beginning of a line only.
        """
        return self._selecting or self

    def search(
        self,
        data: bytes,
        pos: int = 0,
        endpos: int | None = None,
        *,
        remaining: Remaining | None = None,
        linear: bool = False,
    ) -> Match | None:
        """Return the leftmost, longest match that begins at ``pos`` or later.

        Args:
            data: UTF-8 text; other bytes match neither "." nor a bracket expression, except in the C locale.
            pos: Offset to begin at; "^" still means the beginning of ``data``.
            endpos: Offset where the data ends, for "$" too.
            remaining: Returns the remaining seconds, for matches with back-references.
            linear: Raise SearchTooLong rather than continue with the other engine when RE2 may not finish in time.

        Raises:
            LimitExceeded: A search used all the time, or the memory that its stack may have.
        """
        end = len(data) if endpos is None else endpos
        if pos > end:
            return None
        find = self._find
        if find is None or (self._words and not data.isascii()):
            return self._backtrack(data, pos, end, remaining)
        try:
            spans = find(data if end == len(data) else data[:end], pos, end)  # for RE2 "$" is the end of all
        except SearchTooLong:
            if linear:
                raise
            return self._backtrack(data, pos, end, remaining)
        return Match(data, spans) if spans[0][0] >= 0 else None

    def is_linear(self, data: bytes) -> bool:
        """Return True if a search in ``data`` takes linear time: it runs on RE2."""
        return self._find is not None and not (self._words and not data.isascii())

    def test(self, data: bytes, *, remaining: Remaining | None = None) -> bool:
        """Return True if there is a match anywhere."""
        return self.search(data, remaining=remaining) is not None

    def finditer(self, data: bytes, *, remaining: Remaining | None = None) -> Iterator[Match]:
        """Yield the matches that do not overlap, without empty ones directly after another match."""
        offset = 0
        last = -1
        while (match := self.search(data, offset, remaining=remaining)) is not None:
            start, end = match.spans[0]
            if end > start or start != last:
                yield match
                last = end
            offset = end if end > start else self.after(data, end)

    def after(self, data: bytes, at: int) -> int:
        """Return the offset after the character at ``at``, which is a byte in the C locale."""
        return at + 1 if self._source[3].bytewise else after_character(data, at)

    def search_text(self, text: str, *, remaining: Remaining | None = None) -> list[str | None] | None:
        """Return the text of a match in ``text`` (surrogateescape) and of its groups; None without a match."""
        if text.isascii():
            match = self.search(text.encode(), remaining=remaining)
            if match is None:
                return None
            return [None if start < 0 else text[start:end] for start, end in match.spans]
        match = self.search(text.encode("utf-8", "surrogateescape"), remaining=remaining)
        if match is None:
            return None
        return [None if part is None else part.decode("utf-8", "surrogateescape") for part in match.groups()]

    def _backtrack(self, data: bytes, pos: int, end: int, remaining: Remaining | None) -> Match | None:
        if self._backtracking is None:
            self._backtracking = self._compile_backtracking()
        latin1 = self._source[1]
        budget = present_budget()
        limits = Limits() if budget is None else budget.limits
        if remaining is None:
            remaining = Budget(_DEFAULT).remaining if budget is None else budget.remaining
        codec = "latin-1" if latin1 or data.isascii() else "utf-8"
        text = data[:end].decode(codec, "surrogateescape")
        start = pos if codec == "latin-1" else len(data[:pos].decode(codec, "surrogateescape"))
        from sandhook.pattern.stack import longest_search
        from sandhook.pattern.timed import search_in_time

        longest = longest_search(self._source[0].encode(), self.groups, len(text), limits.memory_bytes)
        search = partial(self._backtracking.search, text, start, concurrent=True)
        match = search_in_time(search, remaining, longest, limits)
        if match is None:
            return None
        spans: Spans = [match.span(index) for index in range(self.groups + 1)]
        if codec != "latin-1":
            spans = [_in_bytes(text, span) for span in spans]
        return Match(data, spans)


def _in_bytes(text: str, span: tuple[int, int]) -> tuple[int, int]:
    if span[0] < 0:
        return span
    start = len(text[: span[0]].encode("utf-8", "surrogateescape"))
    return start, start + len(text[span[0] : span[1]].encode("utf-8", "surrogateescape"))


def after_character(data: bytes, at: int) -> int:
    """Return the offset after the UTF-8 character at ``at``; a stray byte is one character."""
    at += 1
    while at < len(data) and data[at] & 0xC0 == 0x80:
        at += 1
    return at


@cache_short(512)
def _compile(pattern: bytes, icase: bool, dialect: Dialect) -> Regex:
    if len(pattern) > MAX_LENGTH:
        raise PatternError(TOO_BIG)
    if dialect.bytewise:
        return Regex(pattern.decode("latin-1"), True, icase, dialect)
    try:
        return Regex(pattern.decode(), False, icase, dialect)
    except UnicodeDecodeError:  # an expression with stray bytes is matched byte by byte
        return Regex(pattern.decode("latin-1"), True, icase, dialect)


def compile_regex(pattern: bytes | str, dialect: Dialect, *, icase: bool = False) -> Regex:
    """Compile a regular expression of POSIX, with GNU's ``\\+ \\? \\|`` and escapes.

    Args:
        pattern: UTF-8; with other bytes it matches bytes instead of characters.
        dialect: How it is written, and how much "." and the anchors match.
        icase: Ignore case.

    Raises:
        PatternError: With glibc's wording.
    """
    data = pattern.encode("utf-8", "surrogateescape") if isinstance(pattern, str) else bytes(pattern)
    return _compile(data, icase, dialect)


def compile_bre(pattern: bytes | str, *, icase: bool = False, bytewise: bool = False) -> Regex:
    """Compile a basic regular expression as regcomp does, with ``bytewise`` for the C locale."""
    return compile_regex(pattern, _BYTE_BRE if bytewise else BRE, icase=icase)


def compile_ere(pattern: bytes | str, *, icase: bool = False, bytewise: bool = False) -> Regex:
    """Compile an extended regular expression as regcomp does, with ``bytewise`` for the C locale."""
    return compile_regex(pattern, _BYTE_ERE if bytewise else ERE, icase=icase)
