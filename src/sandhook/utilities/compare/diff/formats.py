"""The formats that diff is given: whole groups of lines, and the lines in them; -D is made of them.

Source: GNU diffutils 3.8 manual, "Merging Files with If-then-else". What is no directive stands for itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from sandhook.record import Record

_NUMBER = re.compile(rb"(-?'?-?)([0-9]*)(?:\.([0-9]*))?([doxX])(.)", re.DOTALL)
_CHARACTER = re.compile(rb"c'(\\[0-7]{1,3}|[^'\\])'", re.DOTALL)
_CONDITION = re.compile(rb"\(([0-9]+|[eflmnEFLMN])=([0-9]+|[eflmnEFLMN])\?", re.DOTALL)
_MOST_WIDTH = 4096
_MOST_NESTED = 50

_Value = Callable[[str], int | None]
OLD, NEW, CHANGED, UNCHANGED = "old", "new", "changed", "unchanged"


class Formats(Record):
    """A format for each kind of group, and one for the lines of each kind but "changed"."""

    groups: dict[str, bytes]
    lines: dict[str, bytes]


def make_formats(groups: dict[str, str], lines: dict[str, str]) -> Formats:
    """Return the formats that were given, with the defaults for those that were not."""
    given = {kind: text.encode("utf-8", "surrogateescape") for kind, text in groups.items()}
    changed = given.get(CHANGED)
    whole = {
        OLD: given.get(OLD, b"%<" if changed is None else changed),
        NEW: given.get(NEW, b"%>" if changed is None else changed),
        UNCHANGED: given.get(UNCHANGED, b"%="),
    }
    whole[CHANGED] = whole[OLD] + whole[NEW] if changed is None else changed
    each = {
        kind: lines[kind].encode("utf-8", "surrogateescape") if kind in lines else b"%l\n"
        for kind in (OLD, NEW, UNCHANGED)
    }
    return Formats(whole, each)


def conditional(name: str) -> dict[str, str]:
    """Return the groups of ``-D NAME``: both texts, with lines for the preprocessor of C between."""
    return {
        OLD: f"#ifndef {name}\n%<#endif /* ! {name} */\n",
        NEW: f"#ifdef {name}\n%>#endif /* {name} */\n",
        UNCHANGED: "%=",
        CHANGED: f"#ifndef {name}\n%<#else /* {name} */\n%>#endif /* {name} */\n",
    }


class Group:
    """Lines of both files that are written with one format.

    Attributes:
        old, new: The lines.
        first, other: Where they begin (from 0).
    """

    __slots__ = ("first", "new", "old", "other")

    def __init__(self, old: Sequence[bytes], first: int, new: Sequence[bytes], other: int) -> None:
        self.old = old
        self.first = first
        self.new = new
        self.other = other

    def value(self, letter: str) -> int | None:
        """Return what a letter stands for: a number of lines, or of a line; capitals are of the second file."""
        lines, start = (self.old, self.first) if letter.islower() else (self.new, self.other)
        match letter.lower():
            case "f":
                return start + 1
            case "l":
                return start + len(lines)
            case "e":
                return start
            case "m":
                return start + len(lines) + 1
            case "n":
                return len(lines)
            case _:
                return None


class Sink(Protocol):
    """Where the output goes: the context, or what gathers it for pr."""

    def write(self, data: bytes) -> None: ...

    def charge(self, steps: int = 1) -> None: ...


class Formatter:
    """Writes groups."""

    def __init__(self, formats: Formats, tab: int | None, ctx: Sink) -> None:
        self._formats = formats
        self._tab = tab
        self._ctx = ctx

    def write(self, kind: str, group: Group) -> None:
        """Write a group of one kind."""
        self._group(self._formats.groups[kind], 0, b"", group, True, 0)

    def _group(self, text: bytes, at: int, end: bytes, group: Group, shown: bool, depth: int) -> int:
        """Write a format from ``at`` to the byte ``end``; return where that is. Nothing is written unless ``shown``."""
        out: list[bytes] = []

        def flush() -> None:
            if shown and out:
                self._ctx.write(b"".join(out))
            out.clear()

        while at < len(text) and text[at : at + 1] != end:
            mark = text.find(b"%", at)
            stop = len(text) if mark < 0 else mark
            if end:
                found = text.find(end, at, stop)
                stop = found if found >= 0 else stop
            out.append(text[at:stop])
            at = stop
            if at >= len(text) or text[at : at + 1] != b"%":
                continue
            directive = text[at + 1 : at + 2]
            if directive in (b"<", b">", b"="):
                flush()
                if shown:
                    self._lines(directive, group)
                at += 2
                continue
            condition = _CONDITION.match(text, at + 1)
            if condition is not None and depth < _MOST_NESTED:
                flush()
                holds = _operand(condition[1], group) == _operand(condition[2], group)
                at = self._group(text, condition.end(), b":", group, shown and holds, depth + 1)
                at = self._group(text, at + 1, b")", group, shown and not holds, depth + 1)
                at += 1
                continue
            piece, at = _directive(text, at, group.value)
            out.append(piece)
        flush()
        return at

    def _lines(self, which: bytes, group: Group) -> None:
        kind, lines, start = {
            b"<": (OLD, group.old, group.first),
            b">": (NEW, group.new, group.other),
            b"=": (UNCHANGED, group.old, group.first),
        }[which]
        text = self._formats.lines[kind]
        if text == b"%l\n" and self._tab is None:
            self._ctx.charge(len(lines))
            for line in lines:
                self._ctx.write(line if line[-1:] == b"\n" else line + b"\n")
            return
        for number, line in enumerate(lines, start + 1):
            self._ctx.charge()
            self._ctx.write(self._line(text, line, number))

    def _line(self, text: bytes, line: bytes, number: int) -> bytes:
        out: list[bytes] = []
        at = 0
        while at < len(text):
            mark = text.find(b"%", at)
            if mark < 0:
                out.append(text[at:])
                break
            out.append(text[at:mark])
            at = mark
            directive = text[at + 1 : at + 2]
            if directive in (b"l", b"L"):
                body = line.removesuffix(b"\n")
                out.append(body if self._tab is None else body.expandtabs(self._tab))
                if directive == b"L":
                    out.append(line[len(body) :])
                at += 2
                continue
            piece, at = _directive(text, at, lambda letter: number if letter == "n" else None)
            out.append(piece)
        return b"".join(out)


def _operand(text: bytes, group: Group) -> int | None:
    return int(text[:18]) if text.isdigit() else group.value(text.decode())


def _directive(text: bytes, at: int, value: _Value) -> tuple[bytes, int]:
    """Return what a directive of both kinds of formats gives, and where it ends; ``%`` itself for other text."""
    if text[at + 1 : at + 2] == b"%":
        return b"%", at + 2
    found = _CHARACTER.match(text, at + 1)
    if found is not None:
        return bytes([int(found[1][1:], 8) & 255]) if len(found[1]) > 1 else found[1], found.end()
    found = _NUMBER.match(text, at + 1)
    if found is not None:
        number = value(found[5].decode("latin-1"))
        width, digits = int(found[2][:9] or b"0"), int((found[3] or b"0")[:9])
        if number is not None and width <= _MOST_WIDTH and digits <= _MOST_WIDTH:
            shown = format(number, found[4].decode()).rjust(digits, "0")
            if b"-" in found[1]:
                shown = shown.ljust(width)
            else:
                shown = shown.rjust(width, "0" if found[2][:1] == b"0" and found[3] is None else " ")
            return shown.encode(), found.end()
    return b"%", at + 1
