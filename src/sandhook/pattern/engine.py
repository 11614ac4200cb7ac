"""The two engines of regular expressions; the only importer of ``re2`` and ``regex``.

Both are imported on first use (15 and 29 ms). RE2 is called below its interface
like ``re``, which costs a microsecond per match.

Nothing can interrupt a search of RE2. Where its automaton needs too many states, it simulates all instructions of the
expression at every byte: 4 s for ``(a|b)*a(a|b){900}c`` on 1 MB. So a search begins only if the run has that much time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.limits import check_clock, present_budget
from sandhook.pattern.errors import PatternError, SearchTooLong
from sandhook.pattern.kept import Kept
from sandhook.typed import Any

#: The most bytes for one compiled expression and its automata.
MAX_MEMORY = 8 << 20

#: All compiled expressions of the process together, and one of them: as measured, it has no more than 3 MB.
KEPT = Kept(96 << 20, 4 << 20)

#: What an instruction needs in the programs forwards and backwards, and in a state of the automaton; a state at least;
#: and the least states that are accounted for at once. A byte of a text makes one state at most.
_INSTRUCTION_BYTES, _IN_STATE, _STATE_BYTES, _STATES = 40, 4, 200, 1_024

#: A search that takes no longer begins without a look at the clock.
_SHORT_SECONDS = 0.02

Spans = Sequence[tuple[int, int]]
Find = Callable[[bytes, int, int], Spans]


def compile_linear(
    pattern: str, *, latin1: bool, icase: bool, longest: bool, message: str = "", groups: bool = True
) -> Find:
    """Compile with RE2.

    Args:
        pattern: In RE2's syntax.
        latin1: Every byte is a character; otherwise pattern and data are UTF-8.
        icase: Ignore case.
        longest: Leftmost-longest rather than leftmost-first.
        message: Text of the PatternError; "" for RE2's own.
        groups: Also return the spans of groups. The time for them grows with the size of the expression
            times the data; without them it grows only with the length of the data.

    Returns:
        ``find(data, pos, end)``: the spans of the match and of every group, (-1, -1) for no match. It raises
        SearchTooLong if the run that the thread is in may have ended before the search.
    """
    from sandhook.pattern.cost import is_too_large

    if is_too_large(pattern):
        raise PatternError(message or "pattern too large")
    from re2 import _re2

    options = _re2.RE2.Options()
    options.max_mem = MAX_MEMORY
    options.log_errors = False
    options.longest_match = longest
    options.never_capture = not groups
    options.case_sensitive = not icase
    if latin1:
        options.encoding = _re2.RE2.Options.Encoding.LATIN1
    try:
        encoded = pattern.encode("latin-1" if latin1 else "utf-8")
    except UnicodeEncodeError:
        raise PatternError(message or "invalid UTF-8") from None
    try:
        return _LinearSearch(lambda: _re2.RE2(encoded, options), _re2.RE2.Anchor.UNANCHORED, groups).find
    except _NotCompiled as error:
        raise PatternError(message or str(error)) from None


class _NotCompiled(Exception):
    """RE2's own message."""


class _LinearSearch:
    """An expression on RE2.

    Args:
        compile_: Returns the compiled expression.
        unanchored: RE2's constant.
        groups: A search returns the spans of groups.
    """

    __slots__ = (
        "__weakref__",
        "_bytes",
        "_compile",
        "_left",
        "_match",
        "_program_bytes",
        "_rate",
        "_short",
        "_unanchored",
    )

    def __init__(self, compile_: Callable[[], Any], unanchored: Any, groups: bool) -> None:
        from sandhook.pattern.cost import seconds_per_byte

        compiled = compile_()
        if not compiled.ok():
            raise _NotCompiled(compiled.error().decode("utf-8", "replace"))
        size = compiled.ProgramSize()
        self._compile = compile_
        self._unanchored = unanchored
        self._rate = seconds_per_byte(size, compiled.NumberOfCapturingGroups() if groups else -1)
        self._short = int(_SHORT_SECONDS / self._rate)
        self._bytes = size * _IN_STATE + _STATE_BYTES
        self._program_bytes = size * _INSTRUCTION_BYTES
        self._match: Callable[[Any, bytes, int, int], Spans] | None = compiled.Match
        self._left = 0
        KEPT.add(self, self._program_bytes)

    def find(self, data: bytes, pos: int, end: int) -> Spans:
        """Return the spans; see ``compile_linear``."""
        left = self._left = self._left - (end - pos)
        match = self._match
        if left < 0 or match is None:
            match = self._prepare(end - pos)
        return match(self._unanchored, data, pos, end)

    def _prepare(self, size: int) -> Callable[[Any, bytes, int, int], Spans]:
        """Check the time of a long search, account for the states of many bytes, and compile again what was released."""
        if size > self._short:
            _check_time(self._rate * size)
        match = self._match
        if match is None:
            check_clock()
            match = self._match = self._compile().Match
            KEPT.add(self, self._program_bytes)
        self._left = min(self._short, _STATES * _STATE_BYTES // self._bytes)
        KEPT.add(self, self._bytes * max(size, self._left))
        return match

    def release(self) -> None:
        """Free the compiled expression; a search compiles it again."""
        self._match = None


def _check_time(seconds: float) -> None:
    """Raise SearchTooLong if the present run has less time left. Expressions of the host itself may take any time."""
    budget = present_budget()
    if budget is not None and seconds > budget.remaining():
        raise SearchTooLong(budget.limits.wall_seconds)


def compile_backtracking(pattern: str, *, latin1: bool, icase: bool, message: str) -> Any:
    """Compile with ``regex``, leftmost-longest; the caller must have checked the size."""
    import regex

    flags = regex.V0 | regex.POSIX | (regex.IGNORECASE if icase else 0)
    flags |= regex.ASCII if latin1 else regex.UNICODE
    try:
        return regex.compile(pattern, flags, cache_pattern=False)
    except (regex.error, OverflowError, RecursionError):
        raise PatternError(message) from None
