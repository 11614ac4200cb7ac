"""Tables as csvkit's programs see them: read with their options, columns found by name or number, types inferred.

Source: csvkit's manual; oracle: csvkit 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any

from sandhook.command.context import Context, Failure
from sandhook.formats.table import read_rows, write_row
from sandhook.lazy import lazily
from sandhook.vfs.errors import fs_error

Row = list[str]

#: A cell of an inferred column: None for one without a value.
Cell = str | bool | Decimal | None

_NULLS = frozenset({"", "na", "n/a", "none", "null", "."})
_TRUE = frozenset({"1", "yes", "y", "true", "t"})
_FALSE = frozenset({"0", "no", "n", "false", "f"})
_NUMBER = lazily(
    r"[+-]?[$\u20ac\u00a3\u00a5]?((?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,300})?(?:\.[0-9]{0,300})?(?:[eE][+-]?[0-9]{1,3})?)%?"
)
_DATE = lazily(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?", re.ASCII)


class Date(str):
    """A date or a time of a day, as ISO 8601 writes it."""

    __slots__ = ()


class Table:
    """A table: ``names`` of its columns and its ``rows`` as they come."""

    def __init__(self, ctx: Context, name: str, options: Any) -> None:
        self.ctx = ctx
        self.name = name
        with _opened(ctx, name) as reader:
            data = reader.read_all()
        ctx.budget.check_fits(6 * len(data))
        self.typed = hasattr(options, "sniff")
        encoding = options.encoding.lower().replace("_", "-")
        errors = "surrogateescape" if encoding.startswith("utf") else "strict"
        try:
            text = data.decode(encoding, errors).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise Failure(f'Your file is not "{options.encoding}" encoded: {error.reason}.') from None
        lines = text.splitlines(keepends=True)[int(options.skip) :]
        rows = read_rows(
            lines, delimiter=_delimiter(options, lines), quote=options.quote, empty=not self.typed
        )
        if options.skip_space:
            rows = ([field.lstrip(" ") for field in row] for row in rows)
        first = next(rows, [])
        self.names = [letters(n) for n in range(len(first))] if options.no_header else first
        self._first = [first] if options.no_header and first else []
        self._rows = rows
        if self.typed:
            self.names = _distinct(self.names)
        self.lead = int(options.line_numbers)
        if options.line_numbers:
            self.names = ["line_numbers", *self.names]
        self._zero = bool(options.zero)

    def rows(self) -> Iterator[Row]:
        """Yield the rows as they stand."""
        for number, row in enumerate(chain(self._first, self._rows), 1):
            self.ctx.charge(1)
            yield [str(number), *row] if self.lead else row

    def held(self) -> list[Row]:
        """Return all rows, as long as the table is wide."""
        width = len(self.names)
        found: list[Row] = []
        for row in self.rows():
            if len(row) > width:
                raise Failure(
                    f"ValueError: Row {len(found)} has {len(row)} values, but Table only has {width} columns."
                )
            found.append([*row, *[""] * (width - len(row))])
            self.ctx.budget.check_fits(200 * len(found))
        return found

    def indexes(self, text: str | None) -> list[int]:
        """Return the columns that a list names; all for None."""
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
            low, found, high = part.partition(sign)
            if found and all(not end or (end.isascii() and end.isdigit()) for end in (low, high)):
                first = int(low[:9]) - base if low else 0
                last_index = int(high[:9]) - base if high else len(names) - 1
                return [
                    index for each in range(first, last_index + 1) for index in self._index(str(each + base))
                ]
            if found and not (low[:1].isalpha() and high == ""):
                raise Failure(
                    "ColumnIdentifierError: Invalid range %s. Ranges must be two integers separated by a - or : character."
                )
        known = ", ".join(f"'{name}'" for name in names)
        raise Failure(
            f"ColumnIdentifierError: Column '{part}' is invalid. It is neither an integer nor a column name. "
            f"Column names are: {known}"[:600]
        )


def _opened(ctx: Context, name: str) -> Any:
    try:
        return ctx.open(name)
    except OSError as error:
        raise Failure(
            f"{type(fs_error(error.errno or 0)).__name__}: [Errno {error.errno}] {error.strerror}: '{name}'"
        ) from None


def _delimiter(options: Any, lines: Sequence[str]) -> str:
    """Return what stands between fields: as it is said, or as the first line shows."""
    if options.tabs:
        return "\t"
    if options.delimiter is not None:
        if len(options.delimiter) != 1 or options.delimiter in "\r\n":
            raise Failure('TypeError: "delimiter" must be a 1-character string')
        return str(options.delimiter)
    head = lines[0] if lines and hasattr(options, "sniff") else ""
    return next((each for each in ",;\t|" if each in head), ",")


def letters(number: int) -> str:
    """Return the name of a column without one: a, b, ..., z, aa, ..."""
    text = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        text = chr(ord("a") + letter) + text
    return text


def inferred(rows: Sequence[Row], width: int) -> list[list[Cell]]:
    """Return the columns of a table as booleans or numbers, where all that stands in them is such; else as text."""
    return [_column([row[index] for row in rows]) for index in range(width)]


def as_text(rows: Sequence[Row], width: int) -> list[list[Cell]]:
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
    found = _NUMBER.fullmatch(text)
    if found is None or not any(c.isdigit() for c in found[1]):
        return None
    value = Decimal(found[1].replace(",", ""))
    return -value if text.startswith("-") else value


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names of which none is empty, and none stands twice."""
    made: list[str] = []
    taken: set[str] = set()
    for index, name in enumerate(names):
        free = name or letters(index)
        number = 2
        while free in taken:
            free = f"{name or letters(index)}_{number}"
            number += 1
        taken.add(free)
        made.append(free)
    return made


def shown(cell: Cell) -> str:
    """Return a cell as it is written into a table."""
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
