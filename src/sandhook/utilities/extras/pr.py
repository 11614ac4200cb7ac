"""pr: format files in pages and columns for printing.

Source: POSIX.1-2024 XCU 3, pr. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason, shown_input, stat_of
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.command.pieces import map_bytes
from sandhook.dates.clock import strftime
from sandhook.lazy import lazily
from sandhook.limits import PIECE, check_fits

ANY_ORDER = True
DIGITS = "columns"
JOINS_DIGITS = True

_HEAD = _FOOT = 5  #: lines above and below the text
_MAX_PAGE = 1_000_000
_MAX_INT = 2**31 - 1
_NUMBER = lazily(r"[ \t\n\v\f\r]*([+-]?)([0-9]+)")
_PAGES = lazily(r"(?s)[ \t]*\+?([0-9]+)(?:([^0-9:].*)|:[ \t]*\+?([0-9]+)([^0-9].*)?)?")
_DIGITS = 18  #: of a page number that are read


def _number(text: str, message: str, minimum: int = 1) -> int:
    """Return an option-argument of 32 bits. Raises Failure with GNU's message."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise Failure(f"{message}: '{text}'")
    digits = match[2].lstrip("0") or "0"
    number = int(digits[:_DIGITS])
    if number > _MAX_INT + (match[1] == "-"):
        raise Failure(f"{message}: '{text}': Value too large for defined data type")
    number = -number if match[1] == "-" else number
    if number < minimum:
        raise Failure(f"{message}: '{text}': Numerical result out of range")
    return number


def _pair(text: str, letter: str, separator: str, width: int) -> tuple[str, int]:
    """Parse the argument [CHAR[WIDTH]] of -e, -i and -n."""
    if text and not text[0].isdigit():
        separator, text = text[0], text[1:]
    if text:
        if not text.isascii() or not text.isdigit() or not 0 < int(text[:6]) < 1000:
            raise UsageError(f"'-{letter}' extra characters or invalid number in the argument: '{text}'")
        width = int(text)
    return separator, width


@option_set
class Options:
    """pr [+FIRST[:LAST]] [-COLUMNS] [OPTION]... [FILE]...

    Print the FILEs (standard input) in pages of 66 lines, each with its date, name and number above.
    """

    columns: int | str | None = opt("--columns", "COLUMNS", "print in columns, down each",
                              convert=lambda text: _number(text, "invalid number of columns"))  # fmt: skip
    across: bool = opt("-a", "--across", help="fill columns across")
    merge: bool = opt("-m", "--merge", help="each FILE in a column")
    controls: bool = opt("-c", "--show-control-chars", help="show control characters as ^X and octal numbers")
    octal: bool = opt("-v", "--show-nonprinting", help="show control characters as octal numbers")
    double: bool = opt("-d", "--double-space", help="an empty line after each")
    date: str = opt("-D", "--date-format", "FORMAT", "how strftime writes the date", default="%Y-%m-%d %H:%M")
    untab: tuple[str, int] | None = opt("-e", "--expand-tabs", "CHAR[WIDTH]", "expand tabs of the input (8)",
        optional=True, const=("\t", 8), convert=lambda text: _pair(text, "e", "\t", 8))  # fmt: skip
    tabs: tuple[str, int] | None = opt("-i", "--output-tabs", "CHAR[WIDTH]", "use tabs in the output (8)",
        optional=True, const=("\t", 8), convert=lambda text: _pair(text, "i", "\t", 8))  # fmt: skip
    feeds: bool = opt("-F", "-f", "--form-feed", help="form feeds between pages")
    title: str | None = opt("-h", "--header", "TITLE", "print TITLE instead of the name")
    join: bool = opt("-J", "--join-lines", help="do not cut or align columns")
    length: int = opt("-l", "--length", "LINES", "lines of a page (66)", default=66,
        convert=lambda text: _number(text, "'-l PAGE_LENGTH' invalid number of lines"))  # fmt: skip
    numbers: tuple[tuple[str, int], ...] = opt("-n", "--number-lines", "CHAR[DIGITS]", "number lines (tab, 5)",
        optional=True, const=("", 0), convert=lambda text: _pair(text, "n", "", 0), append=True)  # fmt: skip
    first: int = opt("-N", "--first-line-number", "NUMBER", "the first line's number (1)", default=1,
        convert=lambda text: _number(text, "'-N NUMBER' invalid starting line number", -_MAX_INT - 1))  # fmt: skip
    margin: int = opt("-o", "--indent", "MARGIN", "columns before each line", default=0,
        convert=lambda text: _number(text, "'-o MARGIN' invalid line offset", 0))  # fmt: skip
    silent: bool = opt("-r", "--no-file-warnings", help="no messages about files that cannot be opened")
    separators: tuple[tuple[str, str], ...] = also(
        opt("-s", "--separator", "CHAR", "the separator of columns, which are not aligned (a tab)", optional=True,
            const=("s", ""), convert=lambda text: ("s", text), append=True),
        opt("-S", "--sep-string", "TEXT", "the separator of aligned columns", optional=True, const=("S", ""),
            convert=lambda text: ("S", text), append=True),
    )  # fmt: skip
    plain: bool = opt("-t", "--omit-header", help="omit titles and the empty lines at the end")
    bare: bool = opt("-T", "--omit-pagination", help="like -t, and no form feeds of the input")
    width: int | None = opt("-w", "--width", "COLUMNS", "width of a page with columns (72)",
        convert=lambda text: _number(text, "'-w PAGE_WIDTH' invalid number of characters"))  # fmt: skip
    page_width: int | None = opt("-W", "--page-width", "COLUMNS", "width of every page, cutting lines",
        convert=lambda text: _number(text, "'-W PAGE_WIDTH' invalid number of characters"))  # fmt: skip
    pages: str | None = opt("--pages", "FIRST[:LAST]", "which pages to print")
    without_effect: bool = opt("-b", "-u", ignored="")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    names: list[str] = []
    pages = None if options.pages is None else _range(options.pages, "--pages")
    if options.pages is not None and pages is None:
        raise Failure(f"invalid page range '{options.pages}'")
    for name in operands:
        chosen = _range(name[1:], "+") if name[:1] == "+" and pages is None else None
        if chosen is None:
            names.append(name)
        pages = pages or chosen
    layout = _Layout(options, len(names) or 1, ctx)
    first, last = pages or (1, _MAX_PAGE)
    if options.merge:
        _Printer(layout, ctx, first, last, None).merge(names or ["-"])
        return ctx.failed
    for name in names or ["-"]:
        data = _read(name, options, ctx)
        if data is not None:
            _Printer(layout, ctx, first, last, name).file(data)
    return ctx.failed


def _range(text: str, option: str) -> tuple[int, int] | None:
    """Return the first and the last page of FIRST[:LAST]; None for no range, so that "+2:1" names a file."""
    match = _PAGES.fullmatch(text)
    if match is None:
        raise Failure(f"invalid {option} argument '{text}'")
    first, suffix, last, last_suffix = match.groups()
    if suffix:
        return None
    if last_suffix:
        raise Failure(f"invalid suffix in {option} argument '{text}'")
    start, end = int(first[:_DIGITS]), int(last[:_DIGITS]) if last else _MAX_PAGE
    return (start, end) if 0 < start <= end else None


def _read(name: str, options: Options, ctx: Context) -> bytes | None:
    try:
        with ctx.open(name) as reader:
            data = reader.read_all()
            ctx.budget.check_fits(2 * len(data) + 64 * data.count(b"\n"))
            return data
    except IsADirectoryError as error:  # as any error of reading, it ends the program
        raise Failure(f"{shown_input(name)}: {reason(error)}") from None
    except OSError as error:
        if options.silent:
            ctx.failed = 1
        else:
            ctx.fail(f"{shown_input(name)}: {reason(error)}")
        return None


class _Layout:
    """The layout of pages, computed from the options."""

    def __init__(self, options: Options, files: int, ctx: Context) -> None:
        self.options = options
        self.ctx = ctx
        columns = options.columns
        if isinstance(columns, str):
            columns = _number(columns, "invalid number of columns")
        if options.merge and columns is not None:
            raise Failure("cannot specify number of columns when printing in parallel")
        if options.merge and options.across:
            raise Failure("cannot specify both printing across and printing in parallel")
        self.columns = files if options.merge else columns or 1
        self.has_title = not (options.plain or options.bare) and options.length > _HEAD + _FOOT
        body = options.length - (_HEAD + _FOOT if self.has_title else 0)
        self.body = max(1, body // 2 if options.double else body)
        exact = any(letter == "S" for letter, _ in options.separators)
        separator = _separator(options.separators) if options.separators else "\t" if options.join else " "
        measured = options.width is not None or options.page_width is not None
        self.aligned = self.columns > 1 and not options.join and (exact or not options.separators or measured)
        if self.aligned and separator == "\t":
            separator = " "
        self.separator = separator.encode("utf-8", "surrogateescape")
        self.page = options.page_width or options.width or 72
        self.digits = self.number = 0
        self.mark = b""
        if options.numbers:
            mark = next((char for char, _ in reversed(options.numbers) if char), "\t")
            self.digits = next((digits for _, digits in reversed(options.numbers) if digits), 5)
            self.number = self.digits + (8 - self.digits % 8 if mark == "\t" else 1)
            self.mark = mark.encode("utf-8", "surrogateescape")
        common = self.number if options.merge else 0
        self.cell = (self.page - common - (self.columns - 1) * len(self.separator)) // self.columns
        self.room = self.cell - self.number + common
        self.cut = self.aligned or (options.width is not None and self.columns > 1 and not options.join)
        if options.page_width is not None and not options.join:
            self.cut = True
        if self.cut and (self.cell < 1 or self.room < 1):
            raise Failure("page width too narrow")

    def text(self, line: bytes) -> bytes:
        """Return a line with tabs expanded, controls made visible, and truncated, depending on the options."""
        options = self.options
        if options.untab is not None or (self.columns > 1 and self.separator != b"\t"):
            char, width = options.untab or ("\t", 8)
            offset = self.cell - self.room if self.cut else 0
            line = _expand(line, char.encode("utf-8", "surrogateescape")[:1], width, offset)
        if options.controls or options.octal:
            table = [_visible(byte, options.octal) for byte in range(256)] if len(line) > 256 else None
            if table is None:
                line = b"".join([_visible(byte, options.octal) for byte in line])
            else:
                self.ctx.budget.check_fits(4 * len(line))
                line = b"".join(map_bytes(line, table, self.ctx.charge))
        return line[: self.room] if self.cut else line


def _separator(options: Sequence[tuple[str, str]]) -> str:
    """Return the separator of -s and -S: the last one of -S, which may be empty, or the last text of -s."""
    exact = [text for letter, text in options if letter == "S"]
    return exact[-1] if exact else next((text for _, text in reversed(options) if text), "\t")


def _expand(line: bytes, char: bytes, width: int, column: int) -> bytes:
    """Expand the tabs of a line that begins in a column."""
    out: list[bytes] = []
    pieces = line.split(char)
    for piece in pieces[:-1]:
        gap = width - (column + len(piece)) % width
        out += [piece, b" " * gap]
        column += len(piece) + gap
    return b"".join([*out, pieces[-1]])


def _visible(byte: int, octal: bool) -> bytes:
    if 32 <= byte < 127 or byte in (9, 10, 12):
        return bytes((byte,))
    if octal or byte >= 127:
        return b"\\%03o" % byte
    return b"^" + bytes((byte ^ 64,))


_UNPRINTABLE = bytes((*range(32), *range(127, 256)))


class _LineWriter:
    """Builds one line of output; blanks are delayed until text follows, and then become tabs."""

    __slots__ = ("_pending", "_tab", "_width", "column", "out")

    def __init__(self, tabs: tuple[str, int] | None) -> None:
        self._tab = tabs[0].encode("utf-8", "surrogateescape") if tabs is not None else None
        self._width = tabs[1] if tabs is not None else 8
        self._pending = 0
        self.column = 0  #: the column after the text, without delayed blanks
        self.out: list[bytes] = []

    def move_to(self, column: int) -> None:
        """Continue in a column."""
        check_fits(column - self.column)
        if self._tab is None:
            self.out.append(b" " * (column - self.column))
            self.column = max(column, self.column)
        else:
            self._pending = max(column - self.column, 0)

    def write(self, text: bytes, *, marks: bool = False) -> None:
        """Append text; unprintable bytes have no width, unless the text ``marks`` columns."""
        if self._tab is None:
            self.out.append(text)
            self.column += len(text)
            return
        for number, word in enumerate(text.split(b" ")):
            self._pending += number > 0
            if word:
                self.flush()
                self.out.append(word)
                self.column += len(word if marks else word.translate(None, _UNPRINTABLE)) - word.count(b"\b")

    def tab(self) -> None:
        """Append a tab."""
        self.flush()
        self.out.append(b"\t")
        self.column += self._width - self.column % self._width

    def assume_column(self, column: int) -> None:
        """Set the current column unless blanks are delayed, as GNU's pr does after stored lines."""
        if not self._pending:
            self.column = column

    def flush(self) -> None:
        """Append the delayed blanks."""
        goal = self.column + self._pending
        while (
            goal - self.column > 1
            and (after := self.column - self.column % self._width + self._width) <= goal
        ):
            self.out.append(self._tab or b"")
            self.column = after
        self.out.append(b" " * (goal - self.column))
        self.column = goal
        self._pending = 0


#: A line on the page: its number and its text.
_Cell = tuple[int, bytes]


class _Printer:
    """Prints one file, or all files side by side."""

    def __init__(self, layout: _Layout, ctx: Context, first: int, last: int, name: str | None) -> None:
        self._layout = layout
        self._options = layout.options
        self._ctx = ctx
        self._first, self._last = first, last
        self._name = name
        self._page = 1
        self._line = layout.options.first

    def file(self, data: bytes) -> None:
        """Print a file in one or more columns."""
        layout, columns = self._layout, self._layout.columns
        room = layout.body * columns
        is_full = False
        for lines, form_feed in _sheets(data, room, self._options.bare):
            self._ctx.charge(1 + (len(lines) >> 2))
            texts = [(_wrapped(number), layout.text(line)) for number, line in enumerate(lines, self._line)]
            self._line += len(lines)
            if columns == 1:
                rows: list[list[_Cell | None]] = [[text] for text in texts]
            elif self._options.across:
                rows = [list(texts[at : at + columns]) for at in range(0, len(texts), columns)]
            else:
                rows = _arrange_down(texts, columns, layout.body)
            self._sheet(rows, form_feed)
            is_full = len(lines) == room
        self._end(is_full)

    def merge(self, names: Sequence[str]) -> None:
        """Print the files side by side."""
        layout = self._layout
        contents = [_read(name, self._options, self._ctx) for name in names]
        sources = [_lines(data) for data in contents if data is not None]
        layout.columns = len(sources)
        if not sources:
            return
        count = max(map(len, sources))
        ends_with_newline = all(
            data[-1:] in (b"", b"\n") for data in contents if data is not None and len(_lines(data)) == count
        )
        for start in range(0, count, layout.body):
            stop = min(count, start + layout.body)
            self._ctx.charge(1 + (stop - start >> 1))
            rows = [
                [self._merged_cell(lines, at, at == count - 1 and not ends_with_newline) for lines in sources]
                for at in range(start, stop)
            ]
            self._sheet(rows, False)
        self._end(count % layout.body == 0)

    def _merged_cell(self, lines: list[bytes], at: int, last: bool) -> _Cell | None:
        """Return a line of one of several files; after its end an empty line, or None if ``last``."""
        if at < len(lines):
            return _wrapped(self._line + at), self._layout.text(lines[at])
        return None if last else (_wrapped(self._line + at), b"")

    def _end(self, is_full: bool) -> None:
        """Report that the first page does not exist. As in GNU's, a page after a full last one counts."""
        count = max(self._page - 1 + is_full, 1)
        if self._first > count:
            self._ctx.error(f"starting page number {self._first} exceeds page count {count}")

    # ------------------------------------------------------------------ a page

    def _sheet(self, rows: list[list[_Cell | None]], form_feed: bool) -> None:
        layout, options, ctx = self._layout, self._options, self._ctx
        page = self._page
        self._page += 1
        if not self._first <= page <= self._last:
            return
        if layout.has_title:
            self._title(page)
        line_count = 0
        for number, row in enumerate(rows, 1):
            ctx.write(self._row(row) + b"\n")
            line_count += 1
            if options.double and not (layout.columns > 1 and number == len(rows)):
                ctx.write(b"\n")
                line_count += 1
        if layout.has_title:
            remaining = layout.body * (2 if options.double else 1) + _FOOT - line_count
            if options.feeds:
                ctx.write(b"\f")
            else:
                for start in range(0, remaining, PIECE):
                    ctx.write(b"\n" * min(PIECE, remaining - start))
        elif form_feed and not options.bare:
            ctx.write(b"\f")

    def _row(self, row: list[_Cell | None]) -> bytes:
        layout, options = self._layout, self._options
        has_columns = layout.columns > 1
        writer = _LineWriter(options.tabs or (("\t", 8) if has_columns else None))
        writer.move_to(options.margin)
        start = options.margin
        if options.merge and layout.digits:
            self._number(next(cell[0] for cell in row if cell is not None), writer)
            start += layout.number
        missing_separators = 0
        for place, cell in enumerate(row):
            missing_separators += place > 0
            if cell is None:
                continue
            if has_columns and not place:
                writer.flush()
            for column in range(place - missing_separators + 1, place + 1):
                if layout.aligned:
                    writer.move_to(
                        start + column * (layout.cell + len(layout.separator)) - len(layout.separator)
                    )
                writer.write(layout.separator, marks=True)
                writer.flush()
            missing_separators = 0
            if layout.digits and not options.merge:
                self._number(cell[0], writer)
            writer.write(cell[1])
            if has_columns and not (layout.aligned or options.merge or options.across):
                writer.assume_column((0 if place else options.margin) + len(cell[1].expandtabs(8)))
        return b"".join(writer.out)

    def _number(self, number: int, writer: _LineWriter) -> None:
        layout = self._layout
        writer.write(str(number)[-layout.digits :].rjust(layout.digits).encode())
        if layout.mark != b"\t":
            writer.write(layout.mark)
        elif layout.columns > 1:
            writer.write(b" " * (layout.number - layout.digits))
        else:
            writer.tab()

    def _title(self, page: int) -> None:
        ctx, options = self._ctx, self._options
        time = ctx.now()
        if self._name not in (None, "-"):
            time = stat_of(ctx, self._name or "").mtime_ns // 10**9
        date = strftime(options.date, int(time), ctx.environment.get("TZ"))
        title = (
            options.title
            if options.title is not None
            else ""
            if self._name in (None, "-")
            else self._name or ""
        )
        number = f"Page {page}"
        room = max(self._layout.page - len(date) - len(title) - len(number), 0)
        ctx.budget.check_fits(room + 4 * options.margin)
        left, right = " " * max(room >> 1, 1), " " * max(room - (room >> 1), 1)
        margin = " " * options.margin
        ctx.write(
            f"{margin}\n\n{margin}{date}{left}{title}{right}{number}\n\n\n".encode("utf-8", "surrogateescape")
        )


def _wrapped(number: int) -> int:
    """Return a line number as an integer of 32 bits."""
    return (number + 2**31) % 2**32 - 2**31


def _lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return lines


def _sheets(data: bytes, room: int, bare: bool) -> Iterator[tuple[list[bytes], bool]]:
    """Yield the lines of each page, and whether a form feed ended it."""
    if bare:
        data = data.replace(b"\f\n", b"").replace(b"\f", b"\n")
    parts = data.split(b"\f")
    for number, part in enumerate(parts):
        form_feed = number < len(parts) - 1
        lines = _lines(part[1:] if number and part[:1] == b"\n" else part)
        if not lines and not form_feed:
            continue
        for start in range(0, max(len(lines), 1), room):
            yield lines[start : start + room], form_feed and start + room >= len(lines)


def _arrange_down(texts: list[_Cell], columns: int, body: int) -> list[list[_Cell | None]]:
    """Arrange lines down the columns; the columns of an incomplete page are balanced."""
    if len(texts) >= columns * body:
        sizes = [body] * columns
    else:
        columns = max(1, min(columns, len(texts)))
        base, remainder = divmod(len(texts), columns)
        sizes = [base + (number < remainder) for number in range(columns)]
    starts = tuple(accumulate(sizes[:-1], initial=0))
    return [
        [texts[start + row] for start, size in zip(starts, sizes, strict=True) if row < size]
        for row in range(max(sizes))
    ]
