"""Searches inputs for grep, and prints the lines that it selects.

Source: POSIX.1-2024 XCU 3, grep. Oracle: GNU grep 3.8.
"""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.command.context import Context, Reader
from sandhook.kernel.descriptor import File
from sandhook.record import Record
from sandhook.typed import Any
from sandhook.utilities.search.grep.colors import DEFAULT, Palette, palette_of
from sandhook.utilities.search.grep.matcher import Find, Matcher, Spans


class Style(Record):
    """The selection of lines, and the form of the output."""

    invert: bool
    limit: int  #: selected lines; -1 for no limit
    offsets: bool
    numbers: bool
    names: bool | None
    only: bool
    stops_at_first: bool  #: one selected line decides: -q, -l, -L
    list_: str
    count_: bool
    null: bool
    tab: bool
    color: bool
    before: int
    after: int
    groups: bool  #: a context option is set, so groups of lines are separated
    separator: bytes | None
    delimiter: bytes
    binary: str
    silent: bool
    line_buffered: bool
    label: str
    bytewise: bool  #: the C locale, where all bytes are text

    @classmethod
    def of(cls, options: Any, bytewise: bool) -> Style:
        """Return the style of the options, some of which change the meaning of others."""
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
            stops_at_first=options.quiet or bool(options.list_),
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
            line_buffered=options.line_buffered,
            label=options.label,
            bytewise=bytewise,
        )


class Searcher:
    """Searches inputs one after another.

    Attributes:
        name_by_default: Lines are printed with file names unless -h is set.
    """

    def __init__(self, matcher: Matcher, style: Style, ctx: Context) -> None:
        self._find, self._spans = matcher.bind(ctx.budget)
        self._style = style
        self._ctx = ctx
        self.name_by_default = False
        self._has_printed = False  # a line, so the next group needs a separator before it
        self._palette: Palette | None = None
        if style.color:
            old = ctx.environment.get("GREP_COLOR")
            if old:
                ctx.error(f"warning: GREP_COLOR='{old}' is deprecated; use GREP_COLORS='mt={old}'")
            self._palette = palette_of(ctx.environment)

    def search(self, reader: Reader, name: str) -> bool:
        """Search one input and print its selected lines; return True when there is one."""
        style = self._style
        if style.stops_at_first:
            any_selected = style.limit != 0 and self._any(reader)
            self._list(name, any_selected)
            return any_selected
        with_name = self._prints_names()
        if not style.count_ and style.limit != 1 and reader.is_output(empty=True):
            self._ctx.fail(f"{name}: input file is also the output", 2)
            return False
        scan = self._scan(name)
        scan.width = _digits(reader) if style.tab else 0
        any_selected = scan.run(reader, name)
        self._has_printed = scan.has_printed
        if style.count_:
            self._count(scan, with_name)
        return any_selected

    def print_directory(self, name: str) -> None:
        """Print the line of -c or -L for a directory, which has no lines."""
        if self._style.list_:
            self._list(name, False)
        elif self._style.count_:
            self._count(self._scan(name), self._prints_names())

    def _prints_names(self) -> bool:
        return self.name_by_default if self._style.names is None else self._style.names

    def _scan(self, name: str) -> Scan:
        label_name = name if self._prints_names() else None
        labels = Labels(label_name, self._palette or DEFAULT, self._has_printed)
        return Scan(self._find, self._spans, self._style, labels, self._ctx)

    def _list(self, name: str, any_selected: bool) -> None:
        style = self._style
        if style.list_ and any_selected == (style.list_ == "l"):
            text = encode(name)
            if self._palette is not None:
                text = self._palette.paint(self._palette.name, text)
            self._ctx.write(text + (b"\0" if style.null else b"\n"))

    def _count(self, scan: Scan, with_name: bool) -> None:
        self._ctx.write((scan.name_prefix(b":") if with_name else b"") + b"%d\n" % scan.selected_count)

    def _any(self, reader: Reader) -> bool:
        """Return True when an input has a selected line; stops at the first one."""
        style = self._style
        binary = False
        for block in reader.blocks(style.delimiter):
            if (
                style.binary != "text"
                and style.delimiter == b"\n"
                and (binary or b"\0" in block or b"\0" in reader.pending())
            ):
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
    """Return the number of digits of the largest offset in an input: the width of numbers for -T."""
    description = reader.description
    return len(str(description.handle.stat().size if isinstance(description, File) else 2**63 - 1))


def selected_regions(find: Find, data: bytes, start: int, style: Style) -> Iterator[tuple[int, int]]:
    """Yield the begin and end of each selected line, or with -v of each run of selected lines.

    Args:
        start: Offset of the first line to search.
    """
    delimiter = style.delimiter
    invert = style.invert
    size = len(data)
    at = start
    while at < size:
        match_at = find(data, at)
        if match_at < 0:
            break
        begin = data.rfind(delimiter, at, match_at) + 1 or at
        end = data.find(delimiter, match_at) + 1 or size
        if not invert:
            yield begin, end
        elif begin > at:
            yield at, begin
        at = end
    if invert and at < size:
        yield at, size


class Labels(Record):
    """What is printed with the lines of one input."""

    name: str | None  #: the name before each line, None for no name
    palette: Palette
    has_printed: bool  #: earlier inputs printed lines, so "--" separates the first group


class Scan:
    """One pass over one input.

    Attributes:
        selected_count: Lines selected so far.
        has_printed: A line of this input or an earlier one was printed.
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
        name, palette, has_printed = labels
        self._find = find
        self._spans = spans
        self._style = style
        self._ctx = ctx
        self._name = name
        self._palette = palette
        self.width = 0
        self.has_printed = has_printed
        self.selected_count = 0
        self._data = b""
        self._base = 0  # offset of _data in the input
        self._selected_end = 0  # in _data: the end of the last selected line
        self._has_invalid_line = False  # a selected line was not printed, because it is not UTF-8
        self._printed_end = (
            -1 if has_printed else 0
        )  # in _data: the end of the last printed line; -1 if not in it
        self._pending_context = 0  # lines of context that are still to be printed
        self._line_mark = (0, 1)  # an offset in _data, and the number of the line there
        self._is_valid = True  # all of _data is UTF-8, or -a is set
        is_plain = not (style.offsets or style.numbers or style.only or style.color or style.groups)
        self._is_plain = is_plain and name is None and not style.tab

    def run(self, reader: Reader, name: str) -> bool:
        """Search the input; return True when a line was selected."""
        style = self._style
        binary = False
        for block in reader.blocks(style.delimiter):
            if (
                style.binary != "text"
                and style.delimiter == b"\n"
                and (binary or b"\0" in block or b"\0" in reader.pending())
            ):
                if style.binary == "without-match":
                    self.selected_count = 0
                    return False
                binary = True
                block = block.replace(b"\0", b"\n")
            if binary and not style.count_:
                if next(selected_regions(self._find, block, 0, style), None) is not None:
                    return self._binary_matches(name)
                continue
            block_start = self._append_block(block)
            continues = self._search_block(block_start)
            if style.line_buffered:
                self._ctx.flush()
            if not continues:
                reader.unread(self._data[self._selected_end :])
                break
        if self._has_invalid_line:
            self._binary_matches(name)
        return self.selected_count > 0

    def _binary_matches(self, name: str) -> bool:
        if self._style.binary != "without-match":
            self._ctx.error(f"{name}: binary file matches")
        self.has_printed = True
        return True

    def _append_block(self, block: bytes) -> int:
        """Append a block to the lines that may still be context; return its offset in ``_data``."""
        style = self._style
        if not style.groups:
            number = self._line_mark[1]
            if style.numbers:
                number += self._data.count(style.delimiter, self._line_mark[0])
            self._base += len(self._data)
            self._data, self._line_mark = block, (0, number)
            block_start = 0
        else:
            context_start = self._context_start(len(self._data), style.before, self._printed_end)
            number = self._number(context_start) if context_start else self._line_mark[1]
            context = self._data[context_start:]
            self._base += context_start
            self._printed_end = max(self._printed_end - context_start, -1)
            self._data, self._line_mark = context + block, (0, number)
            block_start = len(context)
        self._selected_end = block_start
        self._is_valid = style.binary == "text" or style.bytewise or is_utf8(block)
        return block_start

    def _context_start(self, at: int, lines: int, least: int) -> int:
        """Return the offset of the line that is ``lines`` lines before ``at``, but at least ``least``."""
        least = max(least, 0)
        while lines > 0 and at > least:
            at = self._data.rfind(self._style.delimiter, least, at - 1) + 1 or least
            lines -= 1
        return at

    def _search_block(self, block_start: int) -> bool:
        """Print the selected lines from ``block_start`` on; return False at the limit of -m."""
        style = self._style
        data = self._data
        budget = self._ctx.budget
        limit = style.limit
        for begin, end in selected_regions(self._find, data, block_start, style):
            if 0 <= limit <= self.selected_count:  # only context is still printed, even when it matches
                break
            budget.slice_left -= 1
            if budget.slice_left < 0:
                budget.next_slice()
            count = 1
            if style.invert:
                count = data.count(style.delimiter, begin, end) or 1
                if data[end - 1 : end] != style.delimiter and data.find(style.delimiter, begin, end) >= 0:
                    count += 1
                if 0 <= limit <= self.selected_count + count:
                    count = limit - self.selected_count
                    end = begin
                    for _ in range(count):
                        end = data.find(style.delimiter, end) + 1
            if not style.count_:
                self._print_region(begin, end)
            self.selected_count += count
            self._selected_end = end
            if self.selected_count == limit and not self._pending_context:
                return False
        if not style.count_:
            self._print_pending(len(data))
        return not (self.selected_count == limit and not self._pending_context)

    # ------------------------------------------------------------------ printing

    def _print_region(self, begin: int, end: int) -> None:
        """Print selected lines after the context and the separator that belong before them."""
        style = self._style
        if self._is_plain and self._is_valid:
            text = self._data[begin:end]
            self._ctx.write(text if text[-1:] == style.delimiter else text + style.delimiter)
            return
        if style.groups:
            self._print_pending(begin)
            start = self._context_start(begin, style.before, self._printed_end)
            if self.has_printed and start != self._printed_end and style.separator is not None:
                self._ctx.write(self._color(self._palette.separator, style.separator) + b"\n")
            self._print_lines(start, begin, False)
            self._pending_context = style.after
        self.has_printed = True
        self._print_lines(begin, end, True)
        self._printed_end = end

    def _print_pending(self, end: int) -> None:
        """Print the part before ``end`` of the context after a selected line."""
        at = max(self._printed_end, 0)
        while self._pending_context and at < end:
            line_end = self._data.find(self._style.delimiter, at) + 1 or len(self._data)
            self._print_lines(at, line_end, False)
            self._printed_end = at = line_end
            self._pending_context -= 1

    def _print_lines(self, begin: int, end: int, is_selected: bool) -> None:
        delimiter = self._style.delimiter
        budget = self._ctx.budget
        while begin < end:
            budget.slice_left -= 1
            if budget.slice_left < 0:
                budget.next_slice()
            line_end = self._data.find(delimiter, begin, end)
            if line_end < 0:
                line_end = end
            self._print_line(begin, line_end, is_selected)
            begin = line_end + 1

    def _print_line(self, begin: int, end: int, is_selected: bool) -> None:
        style = self._style
        line = self._data[begin:end]
        mark = b":" if is_selected else b"-"
        matching = is_selected != style.invert
        if style.only:
            if matching and is_selected:
                for start, stop in self._spans(line):
                    if stop > start:
                        if not (self._is_valid or is_utf8(line[start:stop])):
                            self._has_invalid_line = True
                            return
                        piece = self._color(self._palette.selected_match, line[start:stop])
                        self._ctx.write(
                            self._prefix(begin + start, begin, mark, True) + piece + style.delimiter
                        )
            return
        if not (self._is_valid or is_utf8(line)):
            self._has_invalid_line = True
            return
        if self._is_plain:
            self._ctx.write(line + style.delimiter)
            return
        prefix = self._prefix(begin, begin, mark, end > begin)
        if style.color:
            line = self._highlight(line, is_selected, matching)
        self._ctx.write(prefix + line + style.delimiter)

    def _highlight(self, line: bytes, is_selected: bool, matching: bool) -> bytes:
        """Return a line with the colors of its matches and of the line itself."""
        palette = self._palette
        code = palette.selected_match if is_selected else palette.context_match
        is_swapped = self._style.invert and palette.swapped
        line_color = palette.selected_line if is_selected != is_swapped else palette.context_line
        pieces = []
        at = 0
        if matching and code:
            for start, stop in self._spans(line):
                if stop > start:
                    pieces += [
                        palette.start(line_color),
                        line[at:start],
                        palette.paint(code, line[start:stop]),
                    ]
                    at = stop
        rest = line[at:]
        tail = rest[:-1] if rest[-1:] == b"\r" else rest
        pieces += [palette.paint(line_color, tail), rest[len(tail) :]]
        return b"".join(pieces)

    def _color(self, code: bytes, text: bytes) -> bytes:
        return self._palette.paint(code, text) if self._style.color else text

    def name_prefix(self, mark: bytes) -> bytes:
        """Return the file's name and the separator after it."""
        palette = self._palette
        name = self._color(palette.name, encode(self._name or ""))
        return name + (b"\0" if self._style.null else self._color(palette.separator, mark))

    def _number(self, at: int) -> int:
        """Return the number of the line at an offset of ``_data``; offsets must not decrease between calls."""
        offset, number = self._line_mark
        number += self._data.count(self._style.delimiter, offset, at)
        self._line_mark = (at, number)
        return number

    def _prefix(self, offset: int, line: int, mark: bytes, has_text: bool) -> bytes:
        style = self._style
        palette = self._palette
        pieces = []
        if self._name is not None:
            pieces.append(self.name_prefix(mark))
        if style.numbers:
            number = b"%*d" % (self.width, self._number(line))
            pieces += [self._color(palette.number, number), self._color(palette.separator, mark)]
        if style.offsets:
            number = b"%*d" % (self.width, self._base + offset)
            pieces += [self._color(palette.offset, number), self._color(palette.separator, mark)]
        if style.tab and pieces and has_text:
            pieces.append(b"\t")
        return b"".join(pieces)


def is_utf8(data: bytes) -> bool:
    """Return True when ``data`` is valid UTF-8."""
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
