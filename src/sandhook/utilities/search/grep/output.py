"""How grep goes through one input and prints what it selects.

Source: POSIX.1-2024 XCU 3, grep. Oracle: GNU grep 3.8.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sandhook.command.context import Context, Reader
from sandhook.kernel.descriptor import File
from sandhook.record import Record
from sandhook.utilities.search.grep.colors import PLAIN, Palette, palette_of
from sandhook.utilities.search.grep.matcher import Find, Matcher, Spans


class Style(Record):
    """What to print about selected lines."""

    invert: bool
    limit: int  #: selected lines; -1 for no limit
    offsets: bool
    numbers: bool
    names: bool | None
    only: bool
    first: bool  #: one selected line decides: -q, -l, -L
    list_: str
    count_: bool
    null: bool
    tab: bool
    color: bool
    before: int
    after: int
    groups: bool  #: some context option was given
    separator: bytes | None
    delimiter: bytes
    binary: str
    silent: bool
    buffered: bool
    label: str

    @classmethod
    def of(cls, options: Any) -> Style:
        """Work out what the options mean together."""
        both = options.context
        if both is None and options.legacy_context:
            both = int(options.legacy_context[-18:])
        before = options.before if options.before is not None else both
        after = options.after if options.after is not None else both
        separator = options.separator
        return cls(
            invert=options.invert,
            limit=options.limit,
            offsets=options.offsets,
            numbers=options.numbers,
            names=options.names,
            only=options.only,
            first=options.quiet or bool(options.list_),
            list_="" if options.quiet else options.list_,
            count_=options.count and not options.quiet and not options.list_,
            null=options.null,
            tab=options.tab,
            color=options.color in ("always", "yes", "force"),
            before=before or 0,
            after=after or 0,
            groups=before is not None or after is not None,
            separator=None if separator is None else separator.encode("utf-8", "surrogateescape"),
            delimiter=b"\0" if options.zero else b"\n",
            binary=options.binary,
            silent=options.silent,
            buffered=options.buffered,
            label=options.label,
        )


class Searcher:
    """Searches inputs one after another.

    Attributes:
        name_by_default: Lines get file names unless -h or -H says otherwise.
    """

    def __init__(self, matcher: Matcher, style: Style, ctx: Context) -> None:
        self._find, self._spans = matcher.bind(ctx.budget)
        self._style = style
        self._ctx = ctx
        self.name_by_default = False
        self._printed = False  # some line, so that a group needs a separator before it
        self._palette: Palette | None = None
        if style.color:
            old = ctx.environment.get("GREP_COLOR")
            if old:
                ctx.error(f"warning: GREP_COLOR='{old}' is deprecated; use GREP_COLORS='mt={old}'")
            self._palette = palette_of(ctx.environment)

    def search(self, reader: Reader, name: str) -> bool:
        """Search one input and print; return whether a line was selected."""
        style = self._style
        if style.first:
            selected = style.limit != 0 and self._any(reader)
            self._list(name, selected)
            return selected
        named = self._named()
        if not style.count_ and style.limit != 1 and reader.is_output(empty=True):
            self._ctx.fail(f"{name}: input file is also the output", 2)
            return False
        one = self._one(name)
        one.width = _digits(reader) if style.tab else 0
        selected = one.run(reader, name)
        self._printed = one.printed
        if style.count_:
            self._count(one, named)
        return selected

    def unread(self, name: str) -> None:
        """Print what -c and -L say of a directory, which has no lines."""
        if self._style.list_:
            self._list(name, False)
        elif self._style.count_:
            self._count(self._one(name), self._named())

    def _named(self) -> bool:
        return self.name_by_default if self._style.names is None else self._style.names

    def _one(self, name: str) -> OneInput:
        shown = name if self._named() else None
        labels = Labels(shown, self._palette or PLAIN, self._printed)
        return OneInput(self._find, self._spans, self._style, labels, self._ctx)

    def _list(self, name: str, selected: bool) -> None:
        style = self._style
        if style.list_ and selected == (style.list_ == "l"):
            shown = encode(name)
            if self._palette is not None:
                shown = self._palette.paint(self._palette.name, shown)
            self._ctx.write(shown + (b"\0" if style.null else b"\n"))

    def _count(self, one: OneInput, named: bool) -> None:
        self._ctx.write((one.name_prefix(b":") if named else b"") + b"%d\n" % one.selected)

    def _any(self, reader: Reader) -> bool:
        """Look for the first selected line."""
        style = self._style
        binary = False
        for block in reader.blocks(style.delimiter):
            if style.binary != "text" and style.delimiter == b"\n" and (binary or b"\0" in block):
                if style.binary == "without-match":
                    return False
                binary = True
                block = block.replace(b"\0", b"\n")
            if next(selected_regions(self._find, block, 0, style), None) is not None:
                return True
        return False


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _digits(reader: Reader) -> int:
    """Return the digits of the greatest offset in an input, which -T makes room for."""
    description = reader.description
    return len(str(description.handle.stat().size if isinstance(description, File) else 2**63 - 1))


def selected_regions(find: Find, data: bytes, start: int, style: Style) -> Iterator[tuple[int, int]]:
    """Yield where selected lines stand: one line, or with -v some that follow each other.

    Args:
        start: Beginning of the first line to look at.
    """
    delimiter = style.delimiter
    invert = style.invert
    size = len(data)
    at = start
    while at < size:
        found = find(data, at)
        if found < 0:
            break
        begin = data.rfind(delimiter, at, found) + 1 or at
        end = data.find(delimiter, found) + 1 or size
        if not invert:
            yield begin, end
        elif begin > at:
            yield at, begin
        at = end
    if invert and at < size:
        yield at, size


class Labels(Record):
    """What the lines of one input are printed with."""

    shown: str | None  #: the name before each line, None for no name
    palette: Palette
    printed: bool  #: something was printed before, so that "--" separates groups


class OneInput:
    """One pass over one input.

    Attributes:
        selected: Lines selected so far.
        printed: Something was printed, here or before.
        width: Columns of a number (-T).
    """

    def __init__(
        self,
        find: Find,
        spans: Spans,
        style: Style,
        labels: Labels,
        ctx: Context,
    ) -> None:
        shown, palette, printed = labels
        self._find = find
        self._spans = spans
        self._style = style
        self._ctx = ctx
        self._shown = shown
        self._palette = palette
        self.width = 0
        self.printed = printed
        self.selected = 0
        self._data = b""
        self._base = 0  # offset of _data in the input
        self._until_selected = 0  # in _data: the end of the last selected line
        self._unprintable = False  # a line was left out, for it has bytes that are not UTF-8
        self._until = -1 if printed else 0  # in _data: where the last printed line ended; -1 for elsewhere
        self._pending = 0  # lines of context that are still to come
        self._numbered = (0, 1)  # an offset in _data, and the number of the line there
        self._clean = True  # no line of _data has bytes that are not UTF-8
        plain = not (style.offsets or style.numbers or style.only or style.color or style.groups)
        self._plain = plain and shown is None and not style.tab

    def run(self, reader: Reader, name: str) -> bool:
        """Go through the input; return whether a line was selected."""
        style = self._style
        binary = False
        for block in reader.blocks(style.delimiter):
            if style.binary != "text" and style.delimiter == b"\n" and (binary or b"\0" in block):
                if style.binary == "without-match":
                    self.selected = 0
                    return False
                binary = True
                block = block.replace(b"\0", b"\n")
            if binary and not style.count_:
                if next(selected_regions(self._find, block, 0, style), None) is not None:
                    return self._binary_matches(name)
                continue
            fresh = self._take(block)
            going_on = self._block(fresh)
            if style.buffered:
                self._ctx.flush()
            if not going_on:
                reader.unread(self._data[self._until_selected :])
                break
        if self._unprintable:
            self._binary_matches(name)
        return self.selected > 0

    def _binary_matches(self, name: str) -> bool:
        if self._style.binary != "without-match":
            self._ctx.error(f"{name}: binary file matches")
        self.printed = True
        return True

    def _take(self, block: bytes) -> int:
        """Put a block after the lines that may yet be context; return where it begins."""
        style = self._style
        if not style.groups:
            number = self._numbered[1]
            if style.numbers:
                number += self._data.count(style.delimiter, self._numbered[0])
            self._base += len(self._data)
            self._data, self._numbered = block, (0, number)
            fresh = 0
        else:
            keep = self._back(len(self._data), style.before, self._until)
            number = self._number(keep) if keep else self._numbered[1]
            kept = self._data[keep:]
            self._base += keep
            self._until = max(self._until - keep, -1)
            self._data, self._numbered = kept + block, (0, number)
            fresh = len(kept)
        self._until_selected = fresh
        self._clean = style.binary == "text" or is_utf8(block)
        return fresh

    def _back(self, at: int, lines: int, least: int) -> int:
        """Return the beginning of the line that stands ``lines`` lines before ``at``."""
        least = max(least, 0)
        while lines > 0 and at > least:
            at = self._data.rfind(self._style.delimiter, least, at - 1) + 1 or least
            lines -= 1
        return at

    def _block(self, fresh: int) -> bool:
        """Deal with the lines from ``fresh`` on; False at -m's limit."""
        style = self._style
        data = self._data
        budget = self._ctx.budget
        limit = style.limit
        for begin, end in selected_regions(self._find, data, fresh, style):
            if 0 <= limit <= self.selected:  # only context is missing, whatever is in it
                break
            budget.slice_left -= 1
            if budget.slice_left < 0:
                budget.next_slice()
            count = 1
            if style.invert:
                count = data.count(style.delimiter, begin, end) or 1
                if data[end - 1 : end] != style.delimiter and data.find(style.delimiter, begin, end) >= 0:
                    count += 1
                if 0 <= limit <= self.selected + count:
                    count = limit - self.selected
                    end = begin
                    for _ in range(count):
                        end = data.find(style.delimiter, end) + 1
            if not style.count_:
                self._print_region(begin, end)
            self.selected += count
            self._until_selected = end
            if self.selected == limit and not self._pending:
                return False
        if not style.count_:
            self._print_pending(len(data))
        return not (self.selected == limit and not self._pending)

    # ------------------------------------------------------------------ printing

    def _print_region(self, begin: int, end: int) -> None:
        """Print selected lines, and what belongs before them."""
        style = self._style
        if self._plain and self._clean:
            text = self._data[begin:end]
            self._ctx.write(text if text[-1:] == style.delimiter else text + style.delimiter)
            return
        if style.groups:
            self._print_pending(begin)
            start = self._back(begin, style.before, self._until)
            if self.printed and start != self._until and style.separator is not None:
                self._ctx.write(self._color(self._palette.separator, style.separator) + b"\n")
            self._print_lines(start, begin, False)
            self._pending = style.after
        self.printed = True
        self._print_lines(begin, end, True)
        self._until = end

    def _print_pending(self, end: int) -> None:
        """Print the context after a selected line, as far as it goes before ``end``."""
        at = max(self._until, 0)
        while self._pending and at < end:
            after = self._data.find(self._style.delimiter, at) + 1 or len(self._data)
            self._print_lines(at, after, False)
            self._until = at = after
            self._pending -= 1

    def _print_lines(self, begin: int, end: int, selected: bool) -> None:
        delimiter = self._style.delimiter
        budget = self._ctx.budget
        while begin < end:
            budget.slice_left -= 1
            if budget.slice_left < 0:
                budget.next_slice()
            after = self._data.find(delimiter, begin, end)
            if after < 0:
                after = end
            self._print_line(begin, after, selected)
            begin = after + 1

    def _print_line(self, begin: int, end: int, selected: bool) -> None:
        style = self._style
        line = self._data[begin:end]
        mark = b":" if selected else b"-"
        matching = selected != style.invert
        if style.only:
            if matching and selected:
                for start, stop in self._spans(line):
                    if stop > start:
                        if not (self._clean or is_utf8(line[start:stop])):
                            self._unprintable = True
                            return
                        piece = self._color(self._palette.selected, line[start:stop])
                        self._ctx.write(
                            self._prefix(begin + start, begin, mark, True) + piece + style.delimiter
                        )
            return
        if not (self._clean or is_utf8(line)):
            self._unprintable = True
            return
        if self._plain:
            self._ctx.write(line + style.delimiter)
            return
        prefix = self._prefix(begin, begin, mark, end > begin)
        if style.color:
            line = self._highlight(line, selected, matching)
        self._ctx.write(prefix + line + style.delimiter)

    def _highlight(self, line: bytes, selected: bool, matching: bool) -> bytes:
        """Return a line with the colors of what matches, and of the line itself."""
        palette = self._palette
        code = palette.selected if selected else palette.context
        whole = palette.line if selected != (self._style.invert and palette.reversed_) else palette.other
        pieces = []
        at = 0
        if matching and code:
            for start, stop in self._spans(line):
                if stop > start:
                    pieces += [palette.start(whole), line[at:start], palette.paint(code, line[start:stop])]
                    at = stop
        rest = line[at:]
        tail = rest[:-1] if rest[-1:] == b"\r" else rest
        pieces += [palette.paint(whole, tail), rest[len(tail) :]]
        return b"".join(pieces)

    def _color(self, code: bytes, text: bytes) -> bytes:
        return self._palette.paint(code, text) if self._style.color else text

    def name_prefix(self, mark: bytes) -> bytes:
        """Return the file's name and what follows it."""
        palette = self._palette
        name = self._color(palette.name, encode(self._shown or ""))
        return name + (b"\0" if self._style.null else self._color(palette.separator, mark))

    def _number(self, at: int) -> int:
        """Return the number of the line that begins at an offset of _data; offsets only grow."""
        known, number = self._numbered
        number += self._data.count(self._style.delimiter, known, at)
        self._numbered = (at, number)
        return number

    def _prefix(self, offset: int, line: int, mark: bytes, filled: bool) -> bytes:
        style = self._style
        palette = self._palette
        pieces = []
        if self._shown is not None:
            pieces.append(self.name_prefix(mark))
        if style.numbers:
            number = b"%*d" % (self.width, self._number(line))
            pieces += [self._color(palette.number, number), self._color(palette.separator, mark)]
        if style.offsets:
            number = b"%*d" % (self.width, self._base + offset)
            pieces += [self._color(palette.offset, number), self._color(palette.separator, mark)]
        if style.tab and pieces and filled:
            pieces.append(b"\t")
        return b"".join(pieces)


def is_utf8(data: bytes) -> bool:
    """Return whether all of ``data`` are characters."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
