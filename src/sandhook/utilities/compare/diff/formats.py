"""diff's formats for groups of lines and for lines, on which -D is based.

Source: GNU diffutils 3.8 manual, "Merging Files with If-then-else". Text that is not a directive is literal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from sandhook.record import Record

_NUMBER = re.compile(rb"(-?'?-?)([0-9]*)(?:\.([0-9]*))?([doxX])(.)", re.DOTALL)
_CHARACTER = re.compile(rb"c'(\\[0-7]{1,3}|[^'\\])'", re.DOTALL)
_CONDITION = re.compile(rb"\(([0-9]+|[eflmnEFLMN])=([0-9]+|[eflmnEFLMN])\?", re.DOTALL)
_MAX_WIDTH = 4096
_MAX_DEPTH = 50

_Value = Callable[[str], int | None]
OLD, NEW, CHANGED, UNCHANGED = "old", "new", "changed", "unchanged"


class Formats(Record):
    """A format for each kind of group, and for the lines of each kind except "changed"."""

    groups: dict[str, bytes]
    lines: dict[str, bytes]


def make_formats(groups: dict[str, str], lines: dict[str, str]) -> Formats:
    """Return the formats, with defaults for those that are not set."""
    custom = {kind: text.encode("utf-8", "surrogateescape") for kind, text in groups.items()}
    changed = custom.get(CHANGED)
    group_formats = {
        OLD: custom.get(OLD, b"%<" if changed is None else changed),
        NEW: custom.get(NEW, b"%>" if changed is None else changed),
        UNCHANGED: custom.get(UNCHANGED, b"%="),
    }
    group_formats[CHANGED] = group_formats[OLD] + group_formats[NEW] if changed is None else changed
    line_formats = {
        kind: lines[kind].encode("utf-8", "surrogateescape") if kind in lines else b"%l\n"
        for kind in (OLD, NEW, UNCHANGED)
    }
    return Formats(group_formats, line_formats)


def conditional(name: str) -> dict[str, str]:
    """Return the groups of ``-D NAME``: both texts, separated by lines for the C preprocessor."""
    return {
        OLD: f"#ifndef {name}\n%<#endif /* ! {name} */\n",
        NEW: f"#ifdef {name}\n%>#endif /* {name} */\n",
        UNCHANGED: "%=",
        CHANGED: f"#ifndef {name}\n%<#else /* {name} */\n%>#endif /* {name} */\n",
    }


class Group:
    """Lines of both files that one format writes.

    Attributes:
        old, new: The lines.
        old_start, new_start: The offsets of their first lines, from 0.
    """

    __slots__ = ("new", "new_start", "old", "old_start")

    def __init__(self, old: Sequence[bytes], old_start: int, new: Sequence[bytes], new_start: int) -> None:
        self.old = old
        self.old_start = old_start
        self.new = new
        self.new_start = new_start

    def value(self, letter: str) -> int | None:
        """Return the value of a letter: a line number or a number of lines; capitals mean the second file."""
        lines, start = (self.old, self.old_start) if letter.islower() else (self.new, self.new_start)
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
    """The destination of the output: the context, or the collector for pr."""

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

    def _group(self, text: bytes, at: int, end: bytes, group: Group, visible: bool, depth: int) -> int:
        """Write a format from ``at`` up to the byte ``end``; return its offset. Write nothing unless ``visible``."""
        out: list[bytes] = []

        def flush() -> None:
            if visible and out:
                self._ctx.write(b"".join(out))
            out.clear()

        while at < len(text) and text[at : at + 1] != end:
            mark = text.find(b"%", at)
            stop = len(text) if mark < 0 else mark
            if end:
                closing = text.find(end, at, stop)
                stop = closing if closing >= 0 else stop
            out.append(text[at:stop])
            at = stop
            if at >= len(text) or text[at : at + 1] != b"%":
                continue
            directive = text[at + 1 : at + 2]
            if directive in (b"<", b">", b"="):
                flush()
                if visible:
                    self._lines(directive, group)
                at += 2
                continue
            condition = _CONDITION.match(text, at + 1)
            if condition is not None and depth < _MAX_DEPTH:
                flush()
                holds = _operand(condition[1], group) == _operand(condition[2], group)
                at = self._group(text, condition.end(), b":", group, visible and holds, depth + 1)
                at = self._group(text, at + 1, b")", group, visible and not holds, depth + 1)
                at += 1
                continue
            piece, at = _directive(text, at, group.value)
            out.append(piece)
        flush()
        return at

    def _lines(self, which: bytes, group: Group) -> None:
        kind, lines, start = {
            b"<": (OLD, group.old, group.old_start),
            b">": (NEW, group.new, group.new_start),
            b"=": (UNCHANGED, group.old, group.old_start),
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
    """Expand a directive of both kinds of formats; return the text and the offset after it, ``%`` if unknown."""
    if text[at + 1 : at + 2] == b"%":
        return b"%", at + 2
    match = _CHARACTER.match(text, at + 1)
    if match is not None:
        return bytes([int(match[1][1:], 8) & 255]) if len(match[1]) > 1 else match[1], match.end()
    match = _NUMBER.match(text, at + 1)
    if match is not None:
        number = value(match[5].decode("latin-1"))
        width, digits = int(match[2][:9] or b"0"), int((match[3] or b"0")[:9])
        if number is not None and width <= _MAX_WIDTH and digits <= _MAX_WIDTH:
            text_value = format(number, match[4].decode()).rjust(digits, "0")
            if b"-" in match[1]:
                text_value = text_value.ljust(width)
            else:
                text_value = text_value.rjust(
                    width, "0" if match[2][:1] == b"0" and match[3] is None else " "
                )
            return text_value.encode(), match.end()
    return b"%", at + 1
