"""csv: cut, search, sort and print tables of comma-separated values, or convert them to JSON.

The sub-commands are like csvkit's programs (see ``csvkit``), but fields are always text: no types are inferred.
Regular expressions are RE2's. Divergence: L-CSV-001.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from json import dumps

from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError, opt, option_set
from sandhook.formats import FormatError
from sandhook.formats.table import column_name, read_rows, write_row
from sandhook.pattern.errors import PatternError
from sandhook.pattern.linear import compile_re2

Row = list[str]

#: Characters of a column that ``look`` prints.
_MAX_WIDTH = 80


@option_set
class Options:
    """csv SUB-COMMAND [OPTION]... [FILE]

    Read a table whose first line has the names of its columns, and process it. COLUMNS are names,
    numbers from 1, and ranges of numbers, separated by commas.
    """

    columns: str | None = opt("-c", "--columns", "COLUMNS", "columns to cut, search, or sort by")
    not_columns: str | None = opt("-C", "--not-columns", "COLUMNS", "cut: all columns but these")
    match: str | None = opt("-m", "--match", "TEXT", "grep: rows with TEXT in one of the columns")
    regex: str | None = opt("-r", "--regex", "REGEX", "grep: rows that match REGEX")
    invert: bool = opt("-i", "--invert-match", help="grep: rows that do not match")
    any_match: bool = opt("-a", "--any-match", help="grep: one of the columns suffices; else all must match")
    reverse: bool = opt("--reverse", help="sort: in descending order")
    numeric: bool = opt("-n", "--numeric", help="sort: by number; other text comes last")
    names: bool = opt("--names", help="print the names of the columns with their numbers")
    delimiter: str = opt("-d", "--delimiter", "CHARACTER", "the separator of input fields (,)", default=",")
    tabs: bool = opt("-t", "--tabs", help="input fields are separated by tabs")
    quote: str = opt("-q", "--quotechar", "CHARACTER", 'the quote around input fields (")', default='"')
    no_header: bool = opt(
        "-H", "--no-header-row", help="the first line is a row; columns are called a, b, c ..."
    )
    out_delimiter: str = opt(
        "-D", "--out-delimiter", "CHARACTER", "the separator of output fields (,)", default=","
    )
    out_tabs: bool = opt("-T", "--out-tabs", help="separate output fields by tabs")
    lines: bool = opt("--stream", help="json: one object on each line")
    indent: str | None = opt("--indent", "N", "json: on several lines, indented by N spaces")
    key: str | None = opt("-k", "--key", "COLUMN", "json: one object, with the values of COLUMN as keys")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when the table could not be read."""
    operands = list(operands)
    if not operands:
        raise UsageError(f"missing sub-command: {', '.join(_COMMANDS)}")
    command = operands.pop(0)
    action = _COMMANDS.get(command)
    if action is None:
        raise UsageError(f"unknown sub-command '{command}'")
    if len(operands) > 1:
        raise UsageError(f"extra operand '{operands[1]}'")
    name = operands[0] if operands else "-"
    try:
        with ctx.open(name) as reader:
            table = _Table(options, (line.decode("utf-8", "surrogateescape") for line in reader.lines()), ctx)
            (_headers if options.names else action)(table)
    except OSError as error:
        error.filename = name
        raise
    except FormatError as error:
        raise Failure(f"{name}: {error}") from None
    return 0


class _Table:
    """The input table: the names of its columns, and its rows, which are read on demand."""

    def __init__(self, options: Options, lines: Iterable[str], ctx: Context) -> None:
        self.options = options
        self.ctx = ctx
        delimiter = "\t" if options.tabs else options.delimiter
        for character, name in (
            (delimiter, "delimiter"),
            (options.quote, "quote"),
            (options.out_delimiter, "delimiter"),
        ):
            if len(character) != 1 or character in "\r\n":
                raise UsageError(f"the {name} must be one character, not '{character}'")
        if delimiter == options.quote:
            raise UsageError("the delimiter and the quote are the same")
        self._rows = read_rows(lines, delimiter=delimiter, quote=options.quote)
        first = next(self._rows, None)
        self._first = first if options.no_header else None
        self.names = (
            [column_name(n) for n in range(len(first or ()))] if options.no_header else list(first or ())
        )
        if self.names:
            self.names[0] = self.names[0].removeprefix("\ufeff")
        self._out = "\t" if options.out_tabs else options.out_delimiter

    def rows(self) -> Iterator[Row]:
        """Yield the rows, padded or cut to the number of columns."""
        width = len(self.names)
        if self._first is not None:
            yield self._first
        for row in self._rows:
            if len(row) != width:
                row = [*row, *[""] * (width - len(row))][:width]
            yield row

    def all_rows(self) -> list[Row]:
        """Return all rows, and check their size against the memory limit."""
        rows: list[Row] = []
        size = 0
        for row in self.rows():
            size += 64 + sum(map(len, row)) + 56 * len(row)
            self.ctx.budget.check_fits(size)
            rows.append(row)
        return rows

    def write(self, row: Sequence[str]) -> None:
        """Print a row."""
        self.ctx.write(write_row(row, delimiter=self._out).encode("utf-8", "surrogateescape"))

    def write_names(self, names: Sequence[str]) -> None:
        """Print the line of names, if the table has one."""
        if not self.options.no_header and names:
            self.write(names)

    def indexes(self, text: str | None) -> list[int]:
        """Return the indexes of the columns in a list; None means all columns."""
        if text is None:
            return list(range(len(self.names)))
        return [index for part in text.split(",") for index in self._index(part.strip())]

    def _index(self, part: str) -> list[int]:
        if part in self.names:
            return [self.names.index(part)]
        low, dash, high = part.partition("-")
        ends = [low, high] if dash else [low]
        if part and all(end == "" or (end.isascii() and end.isdigit()) for end in ends):
            first = int(low[:9] or "1")
            last = int(high[:9] or str(len(self.names))) if dash else first
            if 1 <= first <= last <= len(self.names):
                return list(range(first - 1, last))
        raise Failure(f"there is no column '{part}'; the columns are: {', '.join(self.names)}"[:500])


def _cut(table: _Table) -> None:
    columns = table.indexes(table.options.columns)
    if table.options.not_columns is not None:
        excluded = set(table.indexes(table.options.not_columns))
        columns = [index for index in columns if index not in excluded]
    table.write_names([table.names[index] for index in columns])
    for row in table.rows():
        table.write([row[index] for index in columns])


def _grep(table: _Table) -> None:
    options = table.options
    if options.columns is None:
        raise UsageError("grep needs columns to search: -c COLUMNS")
    if (options.match is None) == (options.regex is None):
        raise UsageError("grep needs a text (-m) or an expression (-r)")
    columns = table.indexes(options.columns)
    matches = _predicate(options)
    combine = any if options.any_match else all
    table.write_names(table.names)
    for row in table.rows():
        if combine(matches(row[index]) for index in columns) != options.invert:
            table.write(row)


def _predicate(options: Options) -> Callable[[str], bool]:
    if options.match is not None:
        text = options.match
        return lambda field: text in field
    try:
        return compile_re2(options.regex or "", groups=False).search
    except PatternError as error:
        raise Failure(f"invalid expression: {error}") from None


def _sort(table: _Table) -> None:
    options = table.options
    columns = table.indexes(options.columns)
    rows = table.all_rows()
    table.ctx.charge(len(rows))

    def key(row: Row) -> list[tuple[bool, float, str]]:
        return [
            _number(row[index], options.reverse) if options.numeric else (False, 0.0, row[index])
            for index in columns
        ]

    rows.sort(key=key, reverse=options.reverse)
    table.write_names(table.names)
    for row in rows:
        table.write(row)


def _number(text: str, reverse: bool) -> tuple[bool, float, str]:
    """Return a sort key that puts text that is not a number at the end in both orders."""
    try:
        value = float(text[:400])
    except ValueError:
        value = float("nan")
    return (not reverse, 0.0, text) if value != value else (reverse, value, "")


def _json(table: _Table) -> None:
    options = table.options
    names = [name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for name in table.names]
    space = None
    if options.indent is not None:
        if not (options.indent.isascii() and options.indent.isdigit() and int(options.indent[:3]) <= 16):
            raise UsageError(f"invalid number of spaces: '{options.indent}'")
        space = int(options.indent)
    key_columns = table.indexes(options.key) if options.key is not None else []
    keys: set[str] = set()
    has_rows = False
    for row in table.rows():
        values = dict(
            zip(names, (f.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for f in row))
        )
        text = dumps(values, indent=space, ensure_ascii=False)
        if key_columns:
            name = row[key_columns[0]]
            if name in keys:
                raise Failure(f"the value '{name}' of the key column is not unique")
            keys.add(name)
            table.ctx.budget.check_fits(100 * len(keys))
            text = f"{dumps(name)}: {text}"
        if options.lines:
            table.ctx.write((text + "\n").encode())
            continue
        prefix = (
            ("," if space is None else ",\n")
            if has_rows
            else ("{" if key_columns else "[") + ("" if space is None else "\n")
        )
        margin = "" if space is None else " " * space
        table.ctx.write((prefix + margin + text.replace("\n", "\n" + margin)).encode())
        has_rows = True
    if not options.lines:
        end = "}" if key_columns else "]"
        table.ctx.write(
            (("" if space is None else "\n") + end + "\n").encode()
            if has_rows
            else (("{" if key_columns else "[") + end + "\n").encode()
        )


def _look(table: _Table) -> None:
    rows = table.all_rows()
    lines = [[_shorten(field) for field in row] for row in ([table.names, *rows] if table.names else rows)]
    widths = [max(len(row[index]) for row in lines) for index in range(len(table.names))]
    for number, row in enumerate(lines):
        cells = (field.ljust(width) for field, width in zip(row, widths))
        table.ctx.write_line(f"| {' | '.join(cells)} |")
        if number == 0:
            table.ctx.write_line(f"| {' | '.join('-' * width for width in widths)} |")


def _shorten(field: str) -> str:
    text = "".join(c if c.isprintable() else " " for c in field)
    return text if len(text) <= _MAX_WIDTH else text[: _MAX_WIDTH - 3] + "..."


def _headers(table: _Table) -> None:
    for number, name in enumerate(table.names, 1):
        table.ctx.write_line(f"{number:3d}: {name}")


def _count(table: _Table) -> None:
    table.ctx.write_line(str(sum(1 for _ in table.rows())))


_COMMANDS: dict[str, Callable[[_Table], None]] = {
    "cut": _cut,
    "grep": _grep,
    "sort": _sort,
    "json": _json,
    "look": _look,
    "headers": _headers,
    "names": _headers,
    "count": _count,
}
OPERAND_WORDS = {"Sub-commands": tuple(_COMMANDS)}
