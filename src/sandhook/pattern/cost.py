"""What RE2 needs to compile an expression, estimated from its text, and to search with it.

RE2's compiler cannot be interrupted. Its time grows with the square of the parts in a row that may be absent, as
in ``a?a?a?``, and a class of Unicode costs as much as a thousand letters. Above a million nodes it writes to
the standard error of the process, whatever its options say.
"""

from __future__ import annotations

from sandhook.lazy import lazily
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re

#: Instructions of one expression: RE2 has no memory for more.
MAX_SIZE = 350_000

#: Parts in a row that may be absent.
MAX_OPTIONAL = 4_000

#: An expression of fewer characters is compiled without an estimate, if it has no count.
_SHORT = 250

_UNICODE_CLASS = 1_000
_CLASS = 10

_TOKEN = lazily(
    r"(?s)(?P<unicode>\\[pP](?:\{[^}]*\}|.))"
    r"|(?P<many>\[\^?\]?(?>\[:\^?\w+:\]|\\.|[^]\\])*+\]|\\[wWdDsSbB]|\.)"
    r"|\{(?P<low>[0-9]++)(?P<comma>,)?(?P<high>[0-9]*)\}|(?P<optional>[?*+])"
    r"|(?P<bar>\|)|(?P<open>\((?:\?(?:P?<\w+>|[a-zA-Z-]*[:)])?)?)|(?P<close>\))"
    r"|(?P<plain>[^\\\[.{?*+|()]+|\\.|.)",
)
_UNICODE = lazily(r"\\[pP]")


#: Seconds of one instruction at one byte of the text: without groups, with them, and for each of them more. Measured
#: on CPython 3.11 with 100 to 15,000 instructions: 1 to 4.5, 1 to 8.5 and 0.1 to 0.4 nanoseconds.
_STEP, _STEP_WITH_GROUPS, _STEP_OF_GROUP = 6e-9, 10e-9, 0.5e-9


def seconds_per_byte(instructions: int, groups: int) -> float:
    """Return the most seconds that RE2 searches for each byte of a text.

    Args:
        instructions: Of the compiled expression.
        groups: How many groups a search returns; -1 if it returns the span of the match alone.
    """
    step = _STEP if groups < 0 else _STEP_WITH_GROUPS + groups * _STEP_OF_GROUP
    return max(1, instructions) * step


class _Part:
    """A part of an expression: its instructions, and how many parts of it in a row may be absent."""

    __slots__ = ("optional", "size")

    def __init__(self, size: int = 0, optional: int = 0) -> None:
        self.size = size
        self.optional = optional


class _Group:
    """A group that is open: what its branches need, and the last part of the present branch."""

    __slots__ = ("_branch", "_most_optional", "_size", "last")

    def __init__(self) -> None:
        self._size = self._most_optional = 0
        self._branch = _Part()
        self.last = _Part()

    def add(self, part: _Part) -> None:
        self.end_part()
        self.last = part

    def end_part(self) -> None:
        self._branch.size += self.last.size
        self._branch.optional += self.last.optional
        self.last = _Part()

    def end_branch(self) -> None:
        self.end_part()
        self._size += self._branch.size + 1
        self._most_optional = max(self._most_optional, self._branch.optional)
        self._branch = _Part()

    def total(self) -> _Part:
        self.end_branch()
        return _Part(self._size, self._most_optional)


def is_too_large(pattern: str) -> bool:
    """Return True for an expression that RE2 refuses, or whose compilation takes longer than some 0.1 s."""
    if len(pattern) < _SHORT and "{" not in pattern:
        return False
    if len(pattern) > MAX_SIZE:
        return True
    groups = [_Group()]
    for match in _TOKEN.finditer(pattern):
        _add(groups, match)
        if groups[-1].last.size > MAX_SIZE or groups[-1].last.optional > MAX_OPTIONAL:
            return True
    while len(groups) > 1:  # the expression is not valid, which RE2 reports
        part = groups.pop().total()
        groups[-1].add(part)
    total = groups[0].total()
    return total.size > MAX_SIZE or total.optional > MAX_OPTIONAL


def _add(groups: list[_Group], match: re.Match[str]) -> None:
    group = groups[-1]
    kind = match.lastgroup
    if kind == "plain":
        group.add(_Part(len(match[0])))
    elif kind == "many":
        wide = len(_UNICODE.findall(match[0])) if "\\" in match[0] else 0
        group.add(_Part(_CLASS + wide * _UNICODE_CLASS))
    elif kind == "unicode":
        group.add(_Part(_UNICODE_CLASS))
    elif kind == "optional":
        group.last.size += 1
        group.last.optional += match[0] != "+"
    elif kind == "bar":
        group.end_branch()
    elif kind == "open":
        if not match[0].endswith(")"):  # flags alone
            groups.append(_Group())
    elif kind == "close":
        if len(groups) > 1:
            part = groups.pop().total()
            groups[-1].add(part)
    else:
        low = int(match["low"][:4])
        high = int(match["high"][:4]) if match["high"] else low
        copies = max(low, high, 1)
        last = group.last
        last.size = last.size * copies + copies
        last.optional = last.optional * copies + max(high - low, 0)
