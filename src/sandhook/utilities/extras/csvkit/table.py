"""The tables of csvkit's programs: reading them, selecting columns by name or number, and inferring types.

Source: csvkit's manual; oracle: csvkit 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any

from sandhook.command.context import Context, Failure
from sandhook.command.pieces import split_lines
from sandhook.formats.table import column_name, read_rows, write_row
from sandhook.lazy import lazily
from sandhook.vfs.errors import fs_error

Row = list[str]
_LINES = 65_536  #: lines that one call compares
_LINE = 20  #: memory for a line, in bytes, of which a table of one column may have millions
_CELL = 100  #: memory for a cell and its inferred value, in bytes
_COLUMN = 800  #: memory for a column: its name, its list of cells, its place in an output

#: A cell of an inferred column: None for one without a value.
Cell = str | bool | Decimal | None

_NULLS = frozenset({"", "na", "n/a", "none", "null", "."})
_TRUE = frozenset({"1", "yes", "y", "true", "t"})
_FALSE = frozenset({"0", "no", "n", "false", "f"})
_NUMBER = lazily(
    r"[+-]?[$\u20ac\u00a3\u00a5]?((?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,300})?(?:\.[0-9]{0,300})?(?:[eE][+-]?[0-9]{1,3})?)%?"
)
_DATE = lazily(r"(?a)[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")


class Date(str):
    """A date, or a date with time, in ISO 8601 format."""

    __slots__ = ()


class Table:
    """A table: the ``names`` of its columns, and its ``rows``, which are read on demand."""

    def __init__(self, ctx: Context, name: str, options: Any) -> None:
        self.ctx = ctx
        self.name = name
        with _open(ctx, name) as reader:
            data = reader.read_all()
        ctx.budget.check_fits(6 * len(data))
        self.typed = hasattr(options, "sniff")
        encoding = options.encoding.lower().replace("_", "-")
        errors = "surrogateescape" if encoding.startswith("utf") else "strict"
        try:
            text = data.decode(encoding, errors).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise Failure(f'Your file is not "{options.encoding}" encoded: {error.reason}.') from None
        size = len(data)
        del data
        lines = [line for part in split_lines(text, ctx.charge) for line in part]
        del text, lines[: int(options.skip)]
        ctx.hold(size + _LINE * len(lines))  # until the end: csvstack and csvjoin have all tables at once
        most = 0
        for start in range(0, len(lines), _LINES):
            ctx.charge(_LINES >> 3)
            longest = max(lines[start : start + _LINES], key=len)
            most = max(most, *map(longest.count, ",;\t|"))
        ctx.budget.check_fits(_COLUMN * most)
        delimiter = _delimiter(options, lines)
        quote = _quote(options, delimiter)
        rows = read_rows(lines, delimiter=delimiter, quote=quote, empty=not self.typed)
        if options.skip_space:
            rows = ([field.lstrip(" ") for field in row] for row in rows)
        first = next(rows, [])
        self.names = [column_name(n) for n in range(len(first))] if options.no_header else first
        self._first = [first] if options.no_header and first else []
        self._rows = rows
        if self.typed:
            self.names = _distinct(self.names)
        self.lead = int(options.line_numbers)
        if options.line_numbers:
            self.names = ["line_numbers", *self.names]
        self._zero = bool(options.zero)

    def rows(self) -> Iterator[Row]:
        """Yield the rows unchanged."""
        for number, row in enumerate(chain(self._first, self._rows), 1):
            self.ctx.charge(1 + (len(row) >> 3))
            yield [str(number), *row] if self.lead else row

    def all_rows(self) -> list[tuple[str, ...]]:
        """Return all rows, padded to the number of columns. Raises Failure for a longer row."""
        width = len(self.names)
        rows: list[tuple[str, ...]] = []
        for row in self.rows():
            if len(row) > width:
                raise Failure(
                    f"ValueError: Row {len(rows)} has {len(row)} values, but Table only has {width} columns."
                )
            self.ctx.budget.check_fits(_CELL * width * (len(rows) + 1))
            rows.append((*row, *[""] * (width - len(row))))  # a collection of garbage skips tuples of texts
        return rows

    def indexes(self, text: str | None) -> list[int]:
        """Return the indexes of the columns in a list; None means all columns."""
        if text is None:
            return list(range(self.lead, len(self.names)))
        return [index + self.lead for part in text.split(",") for index in self._index(part.strip())]

    def _index(self, part: str) -> list[int]:
        names = self.names[self.lead :]
        if part in names:
            return [names.index(part)]
        base = 0 if self._zero else 1
        if part.isascii() and part.isdigit():
            number = int(part[:9]) - base
            if not 0 <= number < len(names):
                last = names[-1] if names else ""
                place = len(names) - 1 + base
                raise Failure(
                    f"ColumnIdentifierError: Column {part} is invalid. The last column is '{last}' at index {place}."
                )
            return [number]
        for sign in "-:":
            low, separator, high = part.partition(sign)
            if separator and all(not end or (end.isascii() and end.isdigit()) for end in (low, high)):
                first = int(low[:9]) - base if low else 0
                last_index = int(high[:9]) - base if high else len(names) - 1
                return [
                    index for each in range(first, last_index + 1) for index in self._index(str(each + base))
                ]
            if separator and not (low[:1].isalpha() and high == ""):
                raise Failure(
                    "ColumnIdentifierError: Invalid range %s. Ranges must be two integers separated by a - or : character."
                )
        column_names = ", ".join(f"'{name}'" for name in names)
        raise Failure(
            f"ColumnIdentifierError: Column '{part}' is invalid. It is neither an integer nor a column name. "
            f"Column names are: {column_names}"[:600]
        )


def _open(ctx: Context, name: str) -> Any:
    try:
        return ctx.open(name)
    except OSError as error:
        raise Failure(
            f"{type(fs_error(error.errno or 0)).__name__}: [Errno {error.errno}] {error.strerror}: '{name}'"
        ) from None


def _delimiter(options: Any, lines: Sequence[str]) -> str:
    """Return the separator of fields: from the options, or guessed from the first line."""
    if options.tabs:
        return "\t"
    if options.delimiter is not None:
        if len(options.delimiter) != 1 or options.delimiter in "\r\n":
            raise Failure('TypeError: "delimiter" must be a 1-character string')
        return str(options.delimiter)
    head = lines[0] if lines and hasattr(options, "sniff") else ""
    return next((each for each in ",;\t|" if each in head), ",")


def _quote(options: Any, delimiter: str) -> str:
    """Return the quote around fields."""
    if len(options.quote) != 1 or options.quote in "\r\n":
        raise Failure('TypeError: "quotechar" must be a 1-character string')
    if options.quote == delimiter:  # Python 3.13 no longer accepts it
        raise Failure("ValueError: bad delimiter or quotechar value")
    return str(options.quote)


def infer_types(rows: Sequence[Sequence[str]], width: int) -> list[list[Cell]]:
    """Return the columns of a table as booleans, numbers or dates if all their cells are, else as text."""
    return [_column([row[index] for row in rows]) for index in range(width)]


def as_text(rows: Sequence[Sequence[str]], width: int) -> list[list[Cell]]:
    """Return the columns as text, with None for cells without a value."""
    return [[_null(row[index]) for row in rows] for index in range(width)]


def _null(field: str) -> Cell:
    return None if field.strip().lower() in _NULLS else field


def _column(fields: list[str]) -> list[Cell]:
    lower = [field.strip().lower() for field in fields]
    values = [each for each in lower if each not in _NULLS]
    if all(each in _TRUE or each in _FALSE for each in values):
        return [None if each in _NULLS else each in _TRUE for each in lower]
    numbers = [_number(each) if each not in _NULLS else None for each in lower]
    if sum(number is not None for number in numbers) == len(values):
        return list(numbers)
    if all(_DATE.fullmatch(each.upper()) for each in values):
        return [None if each in _NULLS else Date(field.strip()) for field, each in zip(fields, lower)]
    return [_null(field) for field in fields]


def _number(text: str) -> Decimal | None:
    match = _NUMBER.fullmatch(text)
    if match is None or not any(c.isdigit() for c in match[1]):
        return None
    value = Decimal(match[1].replace(",", ""))
    return -value if text.startswith("-") else value


def _distinct(names: Sequence[str]) -> list[str]:
    """Make names unique and not empty."""
    result: list[str] = []
    names_in_use: set[str] = set()
    for index, name in enumerate(names):
        candidate = name or column_name(index)
        number = 2
        while candidate in names_in_use:
            candidate = f"{name or column_name(index)}_{number}"
            number += 1
        names_in_use.add(candidate)
        result.append(candidate)
    return result


def cell_text(cell: Cell) -> str:
    """Return the text of a cell."""
    return "" if cell is None else str(cell)


class Writer:
    """Prints rows."""

    def __init__(self, ctx: Context, delimiter: str = ",") -> None:
        self._ctx = ctx
        self._delimiter = delimiter

    def row(self, fields: Sequence[str]) -> None:
        """Print one row."""
        self._ctx.write(write_row(fields, delimiter=self._delimiter).encode("utf-8", "surrogateescape"))

    def rows(self, rows: Iterable[Sequence[str]]) -> None:
        """Print rows."""
        for row in rows:
            self._ctx.charge(1)
            self.row(row)
