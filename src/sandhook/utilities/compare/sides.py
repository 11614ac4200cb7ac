"""The two texts that diff compares, as lines with a number that equal lines share."""

from __future__ import annotations

import re
from collections.abc import Callable

from sandhook.command.context import Context
from sandhook.command.pieces import PIECE, Charge, pieces, split
from sandhook.pattern.posix import Regex
from sandhook.utilities.compare.matching import Change, compare, equal_ends

_LINE_COST = 150  #: bytes of memory for each line, in addition to its text
_SPACES = re.compile(rb"[ \t\n\v\f\r]+")
_BLANKS = b" \t\v\f\r"
_FUNCTION = re.compile(rb"[A-Za-z$_]")


class Rules:
    """Which differences count.

    Attributes:
        case: Upper and lower case differ.
        space: "exact", "trailing" (-Z), "amount" (-b) or "none" (-w).
        tabs: A tab equals the blanks up to its tab stop (-E).
        blank_lines: Changes of only empty lines do not count (-B).
        ignored_lines: Changes of only lines that match one of these do not count (-I).
    """

    __slots__ = ("blank_lines", "case", "ignored_lines", "space", "tabs")

    def __init__(
        self,
        *,
        case: bool = True,
        space: str = "exact",
        tabs: bool = False,
        blank_lines: bool = False,
        ignored_lines: tuple[Regex, ...] = (),
    ) -> None:
        self.case = case
        self.space = space
        self.tabs = tabs
        self.blank_lines = blank_lines
        self.ignored_lines = ignored_lines

    @property
    def exact(self) -> bool:
        """Whether every byte counts."""
        return self.case and self.space == "exact" and not self.tabs

    def key(self, charge: Charge) -> Callable[[bytes], bytes] | None:
        """Return a function that normalizes a line for comparison; None when every byte counts."""
        if self.exact:
            return None

        def normal(line: bytes) -> bytes:
            if self.tabs:
                line = line.expandtabs(8)
            if self.space == "none":
                line = line.translate(None, b" \t\n\v\f\r")
            elif self.space == "amount":
                line = _single_spaces(line.rstrip(b" \t\n\v\f\r"), charge)
            elif self.space == "trailing":
                line = line.rstrip(b" \t\n\v\f\r")
            return line if self.case else line.lower()

        return normal

    def ignores(self, line: bytes) -> bool:
        """Return whether the addition or removal of a line does not count."""
        body = line.removesuffix(b"\n")
        if self.blank_lines and not (body if self.space == "exact" else body.strip(_BLANKS)):
            return True
        return any(regex.test(body) for regex in self.ignored_lines)


def _single_spaces(line: bytes, charge: Charge) -> bytes:
    """Return a line with one space for each run of white space."""
    if len(line) <= PIECE:
        return _SPACES.sub(b" ", line)
    parts: list[bytes] = []
    in_space = False
    for piece in pieces(line, charge):
        part = _SPACES.sub(b" ", piece)
        parts.append(part.removeprefix(b" ") if in_space else part)
        in_space = part[-1:] == b" "
    return b"".join(parts)


class Lines:
    """Two texts, and their differences.

    Attributes:
        old, new: Their lines, with newlines.
        changes: The differences, in order.
        trivial: For each change, whether it does not count under the rules.
    """

    __slots__ = ("changes", "new", "old", "trivial")

    def __init__(self, old: bytes, new: bytes, rules: Rules, horizon: int, ctx: Context) -> None:
        line_count = old.count(b"\n") + new.count(b"\n")
        ctx.budget.check_fits(2 * (len(old) + len(new)) + _LINE_COST * line_count)
        ctx.charge(line_count)
        self.old = split_lines(old, ctx.charge)
        self.new = split_lines(new, ctx.charge)
        ends = equal_ends(self.old, self.new, horizon)
        key = rules.key(ctx.charge)
        numbers: dict[bytes, int] = {}
        sides = []
        for lines in (self.old, self.new):
            forms = lines if key is None else list(map(key, lines))
            sides.append([numbers.setdefault(form, len(numbers)) for form in forms])
        self.changes = compare(sides[0], sides[1], ctx.charge, ends)
        self.trivial = [self._is_trivial(change, rules) for change in self.changes]

    def _is_trivial(self, change: Change, rules: Rules) -> bool:
        if not (rules.blank_lines or rules.ignored_lines):
            return False
        lines = [*self.old[change.old : change.old_end], *self.new[change.new : change.new_end]]
        return all(map(rules.ignores, lines))

    @property
    def differs(self) -> bool:
        return not all(self.trivial)


def split_lines(data: bytes, charge: Charge) -> list[bytes]:
    """Return the lines of a text with their newlines; the last line may have none."""
    lines = split(data, b"\n", charge)
    last = lines.pop()
    result = [line + b"\n" for line in lines]
    if last:
        result.append(last)
    return result


def is_binary(data: bytes) -> bool:
    """Return whether a file is binary: it has a NUL in its first block."""
    return b"\0" in data[:4096]


def heading(lines: list[bytes], before: int, regex: Regex | None) -> bytes:
    """Return the last line above ``before`` that looks like the head of a function, or b""."""
    for at in range(before - 1, -1, -1):
        line = lines[at].removesuffix(b"\n")
        if regex.test(line) if regex is not None else _FUNCTION.match(line):
            return line.lstrip(b" \t")[:40].rstrip(b" \t\v\f\r")
    return b""
