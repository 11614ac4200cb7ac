"""Brace expansion: one word of the script to several, before anything else.

Works on the parts of a word, so that quoting and expansions inside an alternative stay what
they are. Expansion is lazy, so ``{1..1000000000}`` is charged item by item.
Source: bash 5.2 manual, 3.5.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TypeAlias, TypeGuard

from sandhook.errors import LimitExceeded
from sandhook.lazy import lazily
from sandhook.limits import check_clock, timed_items
from sandhook.record import Record
from sandhook.syntax.nodes import ExtendedPattern, Literal, ParameterExpansion, SingleQuoted, Word, WordPart
from sandhook.text.names import is_name

_INTEGERS = lazily(r"([+-]?[0-9]{1,19})\.\.([+-]?[0-9]{1,19})(?:\.\.([+-]?[0-9]{1,19}))?")
_LETTERS = lazily(r"([A-Za-z])\.\.([A-Za-z])(?:\.\.([+-]?[0-9]{1,19}))?")
_PADDED = lazily(r"[{.]-?0[0-9]")
_MIN = -(2**63)
_MAX = 2**63 - 1

#: Brace expressions of one word, nested or in a row.
MAX_BRACES = 100

#: Characters of one word that its braces may copy: each copies the rest of the word.
MAX_COPIED = 1 << 22

#: The item of ``{Z..a}`` that is a backslash: it quotes the next character and vanishes.
_NOTHING = SingleQuoted("")


class _Mark(Record):
    """``@(`` and similar, ``|`` or ``)`` of an extended pattern: text for braces, which may stand across it."""

    text: str


_BAR, _CLOSE = _Mark("|"), _Mark(")")

#: One unit of a word: an unquoted character, a part of an extended pattern, or any other part as a whole.
Unit: TypeAlias = "str | WordPart | _Mark"


def expand_braces(word: Word) -> Iterator[Word]:
    """Yield the words that the braces of a word stand for, or the word itself if it has none."""
    for result in _expand(_units(word)):
        yield Word(_parts(result), word.span)


def are_expanded(word: Word) -> bool:
    """Return True if a word has braces that are more than text."""
    units = _units(word)
    results = list(islice(_expand(units), 2))
    return len(results) > 1 or results[0] != units


def _units(word: Word) -> list[Unit]:
    units: list[Unit] = []
    for part in word.parts:
        if isinstance(part, Literal):
            units.extend(part.text)
        elif isinstance(part, ExtendedPattern):
            units.append(_Mark(part.operator + "("))
            for index, alternative in enumerate(part.alternatives):
                units += [_BAR] * bool(index)
                units += _units(alternative)
            units.append(_CLOSE)
        else:
            units.append(part)
    return units


def plain_sequence(word: Word) -> range | None:
    """Return the numbers of a word that is ``{1..100}`` or ``{10..0..2}`` and nothing else, without padding."""
    only = word.parts[0] if len(word.parts) == 1 else None
    if not isinstance(only, Literal) or only.text[:1] != "{" or only.text[-1:] != "}":
        return None
    match = _INTEGERS.fullmatch(only.text[1:-1])
    if match is None or _PADDED.search(only.text):
        return None
    first, last, step = (int(text or 1) for text in match.groups())
    return None if max(abs(first), abs(last), abs(step)) > _MAX else _range(first, last, step)


def _parts(units: list[Unit]) -> tuple[WordPart, ...]:
    parts: list[WordPart] = []
    text: list[str] = []
    for unit in _grouped(units) if any(isinstance(unit, _Mark) for unit in units) else units:
        if isinstance(unit, _Mark):
            text.append(unit.text)
        elif isinstance(unit, str):
            last = parts[-1] if parts and not text else None
            if (unit == "_" or (unit.isalnum() and unit.isascii())) and _is_open_name(last):
                parts[-1] = last._replace(name=last.name + unit)  # $x{1,2} is $x1 $x2
            else:
                text.append(unit)
        else:
            if text:
                parts.append(Literal("".join(text)))
                text = []
            parts.append(unit)
    if text:
        parts.append(Literal("".join(text)))
    return tuple(parts)


def _grouped(units: list[Unit]) -> list[Unit]:
    """Make extended patterns of their parts again; a part whose partner is in another word stays."""
    current: list[Unit] = []
    opened: list[tuple[list[Unit], _Mark, list[Word]]] = []
    for unit in units:
        if not isinstance(unit, _Mark) or (not opened and unit in (_BAR, _CLOSE)):
            current.append(unit)
        elif unit is _BAR:
            opened[-1][2].append(Word(_parts(current)))
            current = []
        elif unit is _CLOSE:
            before, opening, alternatives = opened.pop()
            alternatives.append(Word(_parts(current)))
            current = [*before, ExtendedPattern(opening.text[:-1], tuple(alternatives))]
        else:
            opened.append((current, unit, []))
            current = []
    while opened:
        before, opening, alternatives = opened.pop()
        inside: list[Unit] = [opening]
        for alternative in alternatives:
            inside += [*_units(alternative), _BAR]
        current = [*before, *inside, *current]
    return current


def _is_open_name(part: WordPart | None) -> TypeGuard[ParameterExpansion]:
    """Return True when a part is ``$name``, so that letters after it extend the name."""
    return isinstance(part, ParameterExpansion) and not part.braces and is_name(part.name)


def _expand(units: list[Unit], depth: int = 0) -> Iterator[list[Unit]]:
    """Yield the expansions of ``units``, leftmost brace first."""
    check_clock()
    if depth > MAX_BRACES or depth * len(units) > MAX_COPIED:
        raise LimitExceeded("nesting", MAX_BRACES)
    span = _find(units)
    if span is None:
        yield units
        return
    start, end = span
    inside, after = units[start + 1 : end], units[end + 1 :]
    if "," in inside:
        items = _alternatives(inside, depth + 1)
    else:
        sequence = _sequence(inside)
        if sequence is not None:
            items = ([_NOTHING] if text == "\\" else [*text] for text in sequence)
        else:  # without a comma or a sequence, braces are text
            items = iter([units[start : end + 1]])
    before = units[:start]
    # The rest is expanded again for every item, as bash multiplies left to right.
    for item in items:
        for tail in _expand(after, depth + 1):
            yield [*before, *item, *tail]


def _alternatives(inside: list[Unit], depth: int) -> Iterator[list[Unit]]:
    """Yield the expansions of the items; commas of inner braces do not separate."""
    start = level = 0
    for index, unit in enumerate(timed_items(inside)):
        if unit == "{":
            level += 1
        elif not isinstance(unit, str):
            level += _count_unclosed(unit)
        elif unit == "}" and level:
            level -= 1
        elif unit == "," and not level:
            yield from _expand(inside[start:index], depth)
            start = index + 1
    yield from _expand(inside[start:], depth)


class _Scope:
    """The text directly inside one {, or outside of all.

    Attributes:
        start: Where its { is; -1 outside.
        separator: Where its last comma or ".." is; -1 without any.
        end: Where its } is; -1 while it is open.
        skipped: It is a { in the word of ``${x-{``, or inside of one: bash skips everything up to its }.
    """

    __slots__ = ("end", "parent", "separator", "skipped", "start")

    def __init__(self, start: int, parent: _Scope | None, skipped: bool = False) -> None:
        self.start = start
        self.parent = parent
        self.skipped: bool = skipped or (parent is not None and parent.skipped)
        self.separator = self.end = -1


def _find(units: list[Unit]) -> tuple[int, int] | None:
    """Return the first { that begins an expansion, and its }.

    A } counts only after a comma or ".." that no inner braces hold, so that the last one of
    ``{a}b,c}`` belongs to the {.
    """
    scope = outside = _Scope(-1, None)
    opened: list[_Scope] = []
    separators: list[int] = []  # those outside of all braces,
    ends: list[int] = []  # and the } there
    depth = 0
    for index, unit in enumerate(timed_items(units)):
        if unit == "{":
            depth += 1
            if depth > 10 * MAX_BRACES:
                raise LimitExceeded("nesting", 10 * MAX_BRACES)
            scope = _Scope(index, scope)
            if not scope.skipped:
                opened.append(scope)
        elif unit == "}":
            if scope.parent is None:
                ends.append(index)
            else:
                scope.end = index
                scope = scope.parent
                depth -= 1
        elif unit == "," or (
            unit == "." and units[index + 1 : index + 2] == ["."] and units[index + 2 : index + 3] != ["}"]
        ):
            scope.separator = index
            if scope is outside:
                separators.append(index)
        elif not isinstance(unit, str):
            for _ in range(_count_unclosed(unit)):
                scope = _Scope(index, scope, skipped=True)
                depth += 1
    for candidate in timed_items(opened):
        start = candidate.start
        if (start == 0 and units[1:2] == ["}"]) or (start and _is_dollar(units[start - 1])):
            continue
        scope = candidate
        while scope.parent is not None and scope.end >= 0:
            if scope.separator > start:
                return start, scope.end
            scope = scope.parent
        if scope is outside:
            from bisect import bisect

            position = bisect(separators, start)
            end = bisect(ends, separators[position]) if position < len(separators) else len(ends)
            if end < len(ends):
                return start, ends[end]
    return None


def _count_unclosed(unit: WordPart | _Mark) -> int:
    """Return the number of { that the word of ``${x:-{a,b}`` leaves open; bash matches them with later }."""
    if not isinstance(unit, ParameterExpansion) or unit.word is None:
        return 0
    return sum(part.text.count("{") for part in unit.word.parts if isinstance(part, Literal))


def _is_dollar(unit: Unit) -> bool:
    """Return True when a unit ends in a "$", so that "{" after it begins an expansion."""
    return unit == "$" or (isinstance(unit, ParameterExpansion) and unit.name == "$" and not unit.braces)


def _sequence(units: list[Unit]) -> Iterator[str] | None:
    """Return the items of x..y[..step], or None when the text is not a sequence."""
    if not units or not all(isinstance(unit, str) for unit in units):
        return None
    text = "".join(unit for unit in units if isinstance(unit, str))
    match = _INTEGERS.fullmatch(text)
    if match:
        first, last, step = match.groups()
        if not all(_MIN <= int(number or 1) <= _MAX for number in (first, last, step)):
            return None
        return _integers(first, last, int(step or 1))
    match = _LETTERS.fullmatch(text)
    if match:
        begin, finish, step = match.groups()
        return (chr(code) for code in _range(ord(begin), ord(finish), int(step or 1)))
    return None


def _integers(first: str, last: str, step: int) -> Iterator[str]:
    padded = any(re.fullmatch(r"-?0[0-9]+", text) for text in (first, last))
    width = max(len(first.lstrip("+")), len(last.lstrip("+"))) if padded else 0
    return (f"{number:0{width}d}" if width else str(number) for number in _range(int(first), int(last), step))


def _range(first: int, last: int, step: int) -> range:
    step = abs(step) or 1
    return range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
