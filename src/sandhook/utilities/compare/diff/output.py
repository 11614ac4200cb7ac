"""The formats of diff: normal, unified, context, ed, RCS and side by side.

Source: POSIX.1-2024 XCU 3, diff, "Diff Default/-c/-e/-u Output Format". Oracle: GNU diffutils 3.8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandhook.utilities.compare.diff.formats import (
    CHANGED,
    NEW,
    OLD,
    UNCHANGED,
    Formatter,
    Group,
    Sink,
)
from sandhook.utilities.compare.diff.sides import Sides
from sandhook.utilities.compare.diff.style import Style
from sandhook.utilities.compare.matching import Change
from sandhook.utilities.compare.sides import Lines, heading

_NO_NEWLINE = b"\n\\ No newline at end of file\n"


class Output:
    """Writes the differences between two texts."""

    def __init__(self, lines: Lines, style: Style, heads: tuple[str, str], ctx: Sink) -> None:
        self._lines = lines
        self._style = style
        self._heads = heads
        self._ctx = ctx

    def write(self) -> None:
        """Write all significant differences."""
        writers: dict[str, Callable[[], None]] = {
            "normal": self._normal,
            "unified": self._write_unified,
            "context": self._context,
            "ed": self._write_ed_script,
            "forward": self._forward,
            "groups": self._groups,
            "rcs": self._rcs,
            "sides": self._sides,
        }
        writers[self._style.kind]()

    # ------------------------------------------------------------------ pieces

    def _write_text(self, text: str) -> None:
        self._ctx.write(text.encode("utf-8", "surrogateescape"))

    def _head(self, kind: str, text: str, end: bytes = b"\n") -> None:
        """Write a heading line in its colour, then ``end`` without colour."""
        self._ctx.write(self._colour(kind, text.encode("utf-8", "surrogateescape")) + end)

    def _colour(self, kind: str, text: bytes) -> bytes:
        colours = self._style.colours
        if colours is None or not kind:
            return text
        return b"\x1b[%bm%b\x1b[%bm" % (colours[kind].encode(), text, colours["rs"].encode())

    def _line(self, mark: bytes, line: bytes, colour: str = "") -> None:
        """Write a line after its mark, with a note if it has no newline."""
        self._ctx.charge()
        style = self._style
        if style.indent:
            mark = mark.rstrip(b" ") + b"\t" if mark.strip() else b"\t"
        body = line.removesuffix(b"\n")
        if style.expand:
            body = body.expandtabs(style.tab)
        if style.bare and not body:
            mark = mark.rstrip(b" \t")
        self._ctx.write(self._colour(colour, mark + body) + (b"\n" if line[-1:] == b"\n" else _NO_NEWLINE))

    def _significant(self) -> Iterator[Change]:
        for change, trivial in zip(self._lines.changes, self._lines.trivial):
            if not trivial:
                yield change

    # ------------------------------------------------------------------ one change at a time

    def _normal(self) -> None:
        for change in self._significant():
            spans = _span(change.old, change.old_end), _span(change.new, change.new_end)
            self._head("ln", f"{spans[0]}{_letter(change)}{spans[1]}")
            for line in self._lines.old[change.old : change.old_end]:
                self._line(b"< ", line, "de")
            if _letter(change) == "c":
                self._write_text("---\n")
            for line in self._lines.new[change.new : change.new_end]:
                self._line(b"> ", line, "ad")

    def _forward(self) -> None:
        """Write ed commands in forward order, which ed would misread because line numbers shift."""
        for change in self._significant():
            self._write_text(f"{_letter(change)}{_span(change.old, change.old_end).replace(',', ' ')}\n")
            if change.new_end > change.new:
                self._ctx.charge(change.new_end - change.new)
                for line in self._lines.new[change.new : change.new_end]:
                    self._ctx.write(line.removesuffix(b"\n") + b"\n")
                self._write_text(".\n")

    def _groups(self) -> None:
        style, lines = self._style, self._lines
        assert style.formats is not None
        formatter = Formatter(style.formats, style.tab if style.expand else None, self._ctx)
        old_start = new_start = 0
        end = Change(len(lines.old), len(lines.old), len(lines.new), len(lines.new))
        for change in [*self._significant(), end]:
            if old_start < change.old or new_start < change.new:
                group = Group(
                    lines.old[old_start : change.old], old_start, lines.new[new_start : change.new], new_start
                )
                formatter.write(UNCHANGED, group)
            if change is not end:
                kind = {"a": NEW, "d": OLD, "c": CHANGED}[_letter(change)]
                old, new = lines.old[change.old : change.old_end], lines.new[change.new : change.new_end]
                formatter.write(kind, Group(old, change.old, new, change.new))
            old_start, new_start = change.old_end, change.new_end

    def _rcs(self) -> None:
        for change in self._significant():
            if change.old_end > change.old:
                self._write_text(f"d{change.old + 1} {change.old_end - change.old}\n")
            if change.new_end > change.new:
                self._write_text(f"a{change.old_end} {change.new_end - change.new}\n")
                self._ctx.write(b"".join(self._lines.new[change.new : change.new_end]))

    def _write_ed_script(self) -> None:
        """Write an ed script, last change first, so that the line numbers stay valid as ed applies it."""
        for change in reversed(list(self._significant())):
            self._write_text(f"{_span(change.old, change.old_end)}{_letter(change)}\n")
            inserting = change.new_end > change.new
            for line in self._lines.new[change.new : change.new_end]:
                self._ctx.charge()
                if not inserting:
                    self._write_text("a\n")
                    inserting = True
                body = line.removesuffix(b"\n")
                if body == b".":  # it would end the insertion
                    self._write_text("..\n.\ns/.//\n")
                    inserting = False
                else:
                    self._ctx.write(body + b"\n")
            if inserting:
                self._write_text(".\n")

    # ------------------------------------------------------------------ with context

    def _hunks(self) -> Iterator[list[Change]]:
        """Yield the changes of each hunk; a hunk of only trivial changes is omitted."""
        context = self._style.context
        hunk: list[Change] = []
        is_significant = False
        for change, trivial in zip(self._lines.changes, self._lines.trivial):
            gap = context if trivial else 2 * context + 1
            if hunk and change.old - hunk[-1].old_end >= gap:
                if is_significant:
                    yield hunk
                hunk, is_significant = [], False
            hunk.append(change)
            is_significant = is_significant or not trivial
        if is_significant:
            yield hunk

    def _shown_range(self, hunk: list[Change]) -> tuple[int, int, int, int]:
        """Return the ranges of lines of both files that a hunk shows."""
        context = self._style.context
        lines = self._lines
        first, last = hunk[0], hunk[-1]
        before = min(context, first.old)
        return (
            first.old - before,
            min(last.old_end + context, len(lines.old)),
            max(first.new - context, 0),
            min(last.new_end + context, len(lines.new)),
        )

    def _function(self, before: int) -> bytes:
        if not self._style.functions:
            return b""
        name = heading(self._lines.old, before, self._style.function)
        return b" " + name if name else b""

    def _write_unified(self) -> None:
        self._head("hd", f"--- {self._heads[0]}")
        self._head("hd", f"+++ {self._heads[1]}")
        lines = self._lines
        for hunk in self._hunks():
            old, old_end, new, new_end = self._shown_range(hunk)
            spans = _unified_span(old, old_end), _unified_span(new, new_end)
            self._head("ln", f"@@ -{spans[0]} +{spans[1]} @@", self._function(old) + b"\n")
            at = old
            for change in hunk:
                for line in lines.old[at : change.old]:
                    self._line(b" ", line)
                for line in lines.old[change.old : change.old_end]:
                    self._line(b"-", line, "de")
                for line in lines.new[change.new : change.new_end]:
                    self._line(b"+", line, "ad")
                at = change.old_end
            for line in lines.old[at:old_end]:
                self._line(b" ", line)

    def _context(self) -> None:
        self._head("hd", f"*** {self._heads[0]}")
        self._head("hd", f"--- {self._heads[1]}")
        lines = self._lines
        for hunk in self._hunks():
            old, old_end, new, new_end = self._shown_range(hunk)
            self._ctx.write(b"***************" + self._function(old) + b"\n")
            self._head("ln", f"*** {_span(old, old_end)} ****")
            if any(change.old_end > change.old for change in hunk):
                spans = [(c.old, c.old_end, b"! " if c.new_end > c.new else b"- ") for c in hunk]
                self._context_half(lines.old, old, old_end, spans, "de")
            self._head("ln", f"--- {_span(new, new_end)} ----")
            if any(change.new_end > change.new for change in hunk):
                spans = [(c.new, c.new_end, b"! " if c.old_end > c.old else b"+ ") for c in hunk]
                self._context_half(lines.new, new, new_end, spans, "ad")

    def _context_half(
        self, lines: list[bytes], at: int, end: int, spans: list[tuple[int, int, bytes]], colour: str
    ) -> None:
        for first, last, mark in spans:
            for line in lines[at:first]:
                self._line(b"  ", line, colour)
            for line in lines[first:last]:
                self._line(mark, line, colour)
            at = last
        for line in lines[at:end]:
            self._line(b"  ", line, colour)

    # ------------------------------------------------------------------ side by side

    def _sides(self) -> None:
        lines, style = self._lines, self._style
        sides = Sides(style)
        old_start = new_start = 0
        for change, trivial in [*zip(lines.changes, lines.trivial), (None, False)]:
            stop = len(lines.old) if change is None else change.old
            for offset, line in enumerate(lines.old[old_start:stop]):
                self._ctx.charge()
                if not style.changed_only:
                    right = lines.new[new_start + offset] if new_start + offset < len(lines.new) else b""
                    self._ctx.write(
                        sides.row(line, "(" if style.left_only else " ", None if style.left_only else right)
                    )
            if change is None:
                return
            if trivial:
                self._trivial_rows(change, sides)
            else:
                self._changed_rows(change, sides)
            old_start, new_start = change.old_end, change.new_end

    def _trivial_rows(self, change: Change, sides: Sides) -> None:
        """Write an insignificant change."""
        old = self._lines.old[change.old : change.old_end]
        new = self._lines.new[change.new : change.new_end]
        common = min(len(old), len(new))
        for left, right in zip(old, new):
            self._ctx.write(sides.row(left, " ", right))
        for left in old[common:]:
            self._ctx.write(sides.row(left, "(", None))
        for right in new[common:]:
            self._ctx.write(sides.row(None, ")", right))

    def _changed_rows(self, change: Change, sides: Sides) -> None:
        old = self._lines.old[change.old : change.old_end]
        new = self._lines.new[change.new : change.new_end]
        common = min(len(old), len(new))
        self._ctx.charge(len(old) + len(new))
        for left, right in zip(old, new):
            self._ctx.write(sides.row(left, "|", right))
        for left in old[common:]:
            self._row("de", sides.row(left, "<", None))
        for right in new[common:]:
            self._row("ad", sides.row(None, ">", right))

    def _row(self, colour: str, row: bytes) -> None:
        self._ctx.write(self._colour(colour, row))


def _letter(change: Change) -> str:
    return "a" if change.old == change.old_end else "d" if change.new == change.new_end else "c"


def _span(first: int, end: int) -> str:
    """Return a range of lines as the normal and context formats write it: 3 or 3,5; the line before an empty one."""
    return f"{first + 1},{end}" if end - first > 1 else str(end)


def _unified_span(first: int, end: int) -> str:
    if end - first == 1:
        return str(end)
    return f"{first + 1},{end - first}" if end > first else f"{end},0"
