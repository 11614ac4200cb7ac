"""csvcut, csvgrep, csvsort, csvjson, csvlook, csvstack, csvjoin, csvformat: tables of comma-separated values.

Source: csvkit's manual; oracle: csvkit 2. csvsort, csvjson, csvlook and csvjoin infer the type of a column if all its
cells are numbers, or all are booleans. Regular expressions are RE2's. Divergence: L-CSV-001.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from json import dumps
from typing import Any

from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError
from sandhook.formats import FormatError
from sandhook.pattern.errors import PatternError
from sandhook.pattern.linear import compile_re2
from sandhook.record import Record
from sandhook.text.locale import replace_invalid
from sandhook.utilities.extras.csvkit.options import PROGRAMS, Options, options_of
from sandhook.utilities.extras.csvkit.table import Cell, Date, Table, Writer, as_text, cell_text, infer_types

__all__ = ["PROGRAMS", "Options"]

RAW = True  # each program has its own options: see options.py
USAGE_STATUS = 2


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 when the table cannot be read, 2 after a usage error."""
    program = ctx.program
    try:
        options, operands = options_of(program, arguments)
        _PROGRAMS[program](options, operands, ctx)
    except Failure as failure:
        ctx.write_error(f"{failure}\n")
        return 1
    except FormatError as error:
        ctx.write_error(f"Error: {error}\n")
        return 1
    return 0


def _single_table(options: Any, operands: Sequence[str], ctx: Context) -> Table:
    if len(operands) > 1:
        raise UsageError(f"unrecognized arguments: {' '.join(operands[1:])}", hint=False)
    return Table(ctx, operands[0] if operands else "-", options)


def _print_names(table: Table, options: Any) -> None:
    base = 0 if options.zero else 1
    for number, name in enumerate(table.names, base):
        table.ctx.write_line(f"{number:3d}: {name}")


def _columns(table: Table, options: Any, rows: Sequence[Sequence[str]]) -> list[list[Cell]]:
    table.ctx.budget.check_fits(200 * len(rows) * max(1, len(table.names)))
    return (as_text if options.no_inference else infer_types)(rows, len(table.names))


def _cut(options: Any, operands: Sequence[str], ctx: Context) -> None:
    table = _single_table(options, operands, ctx)
    if options.names:
        _print_names(table, options)
        return
    columns = table.indexes(options.columns)
    if options.not_columns is not None:
        excluded = set(table.indexes(options.not_columns))
        columns = [index for index in columns if index not in excluded]
    if table.lead:
        columns = [0, *columns]
        table.names[0] = "line_number"
    writer = Writer(ctx)
    if not columns:
        ctx.write(b"\n")
        return
    writer.row([table.names[index] for index in columns])
    for row in table.rows():
        cells = [row[index] if index < len(row) else "" for index in columns]
        if not options.delete_empty or any(cells):
            writer.row(cells)


def _grep(options: Any, operands: Sequence[str], ctx: Context) -> None:
    if options.names:
        _print_names(_single_table(options, operands, ctx), options)
        return
    if options.regex is None and options.match is None and options.file is None:
        raise UsageError("One of -r, -m or -f must be specified, unless using the -n option.", hint=False)
    if options.columns is None:
        raise UsageError("You must specify at least one column to search using the -c option.", hint=False)
    matches = _predicate(options, ctx)
    table = _single_table(options, operands, ctx)
    columns = table.indexes(options.columns)
    combine = any if options.any_match else all
    writer = Writer(ctx)
    writer.row(table.names)
    for row in table.rows():
        if combine(matches(row[index] if index < len(row) else "") for index in columns) != options.invert:
            writer.row(row)


def _predicate(options: Any, ctx: Context) -> Callable[[str], bool]:
    if options.file is not None:
        with ctx.open(options.file) as reader:
            lines = {line.decode("utf-8", "surrogateescape").rstrip() for line in reader.lines()}
        return lines.__contains__
    if options.match is not None:
        text: str = options.match
        return lambda field: text in field
    try:
        return compile_re2(options.regex, groups=False).search
    except PatternError as error:
        raise UsageError(f"argument -r/--regex: invalid expression: {error}", hint=False) from None


def _sort(options: Any, operands: Sequence[str], ctx: Context) -> None:
    table = _single_table(options, operands, ctx)
    if options.names:
        _print_names(table, options)
        return
    rows = table.all_rows()
    columns = _columns(table, options, rows)
    key_columns = table.indexes(options.columns)
    ctx.charge(len(rows))

    def key(number: int) -> list[tuple[bool, Any]]:
        cells = (columns[index][number] for index in key_columns)
        return [
            (True, 0)
            if cell is None
            else (False, cell.lower() if options.ignore_case and isinstance(cell, str) else cell)
            for cell in cells
        ]

    order = sorted(range(len(rows)), key=key, reverse=options.reverse)
    writer = Writer(ctx)
    writer.row(table.names)
    writer.rows([cell_text(column[number]) for column in columns] for number in order)


def _json(options: Any, operands: Sequence[str], ctx: Context) -> None:
    table = _single_table(options, operands, ctx)
    rows = table.all_rows()
    columns = _columns(table, options, rows)
    names = [replace_invalid(name) for name in table.names]
    space = None if options.indent is None else _count(options.indent, "-i/--indent")
    if options.key is not None and options.key not in table.names:
        raise Failure(f"KeyError: '{options.key}'")
    key = table.names.index(options.key) if options.key is not None else None
    texts: dict[str, Any] = {}
    for number in range(len(rows)):
        values = {name: _plain(column[number]) for name, column in zip(names, columns)}
        if options.stream:
            ctx.write((dumps(values, ensure_ascii=False) + "\n").encode())
            continue
        name = str(number) if key is None else replace_invalid(cell_text(columns[key][number]))
        if name in texts:
            raise Failure(f"ValueError: Value {name} is not unique in the key column.")
        texts[name] = values
    if not options.stream:
        output = list(texts.values()) if key is None else texts
        ctx.write(dumps(output, ensure_ascii=False, indent=space).encode())


def _plain(cell: Cell) -> Any:
    if isinstance(cell, Decimal):
        return float(cell)
    return replace_invalid(cell) if isinstance(cell, str) else cell


def _count(text: str, option: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise UsageError(f"argument {option}: invalid int value: '{text}'", hint=False)
    return int(text)


def _look(options: Any, operands: Sequence[str], ctx: Context) -> None:
    table = _single_table(options, operands, ctx)
    rows = table.all_rows()
    max_rows = _count(options.max_rows, "--max-rows") if options.max_rows is not None else len(rows)
    width = _count(options.max_width, "--max-column-width") if options.max_width is not None else 1 << 30
    max_columns = (
        _count(options.max_columns, "--max-columns") if options.max_columns is not None else len(table.names)
    )
    columns = _columns(table, options, rows[:max_rows])
    precision = _count(options.precision, "--max-precision")
    printed: list[tuple[str, list[str], bool]] = []
    for name, column in zip(table.names[:max_columns], columns):
        is_text = any(isinstance(cell, str) and not isinstance(cell, Date) for cell in column)
        printed.append(
            (_cell(name, width), [_cell(text, width) for text in _column_texts(column, precision)], is_text)
        )
    if max_columns < len(table.names):
        printed.append(("...", ["..."] * len(columns[0]), True))
    widths = [max(map(len, [name, *cells])) for name, cells, _ in printed]

    def line(texts: Sequence[str]) -> None:
        parts = (
            t.ljust(w) if is_text else t.rjust(w) for t, w, (_, _, is_text) in zip(texts, widths, printed)
        )
        ctx.write_line(f"| {' | '.join(parts)} |")

    if not printed:
        ctx.write(b"||\n|  |\n")
        return
    line([name for name, _, _ in printed])
    ctx.write_line(f"| {' | '.join('-' * width for width in widths)} |")
    for number in range(len(columns[0])):
        ctx.charge(1)
        line([cells[number] for _, cells, _ in printed])


def _column_texts(column: list[Cell], precision: int) -> list[str]:
    """Return the texts of a column for csvlook: all numbers have the same number of decimals."""
    numbers = [cell for cell in column if isinstance(cell, Decimal)]
    if not numbers:
        return [cell.replace("T", " ") if isinstance(cell, Date) else cell_text(cell) for cell in column]
    exponents = (number.normalize().as_tuple().exponent for number in numbers)
    digits = max(0, *(-each for each in exponents if isinstance(each, int)), 0)
    ellipsis = "…" if digits > precision else ""
    digits = min(digits, precision)
    return [f"{cell:,.{digits}f}{ellipsis}" if isinstance(cell, Decimal) else "" for cell in column]


def _cell(text: str, width: int) -> str:
    text = text.replace("\r\n", "↵").replace("\n", "↵").replace("\r", "↵")
    text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= width else text[: max(0, width - 3)] + "..."


def _stack(options: Any, operands: Sequence[str], ctx: Context) -> None:
    names = list(operands) or ["-"]
    groups = options.groups.split(",") if options.groups is not None else None
    if options.filenames:
        groups = [name.rpartition("/")[2] for name in names]
    if groups is not None and len(groups) != len(names):
        raise UsageError(
            "The number of grouping values must be equal to the number of CSV files being stacked.",
            hint=False,
        )
    tables = [Table(ctx, name, options) for name in names]
    all_names = list(dict.fromkeys(name for table in tables for name in table.names))
    writer = Writer(ctx)
    writer.row([options.group_name or "group", *all_names] if groups is not None else all_names)
    for number, table in enumerate(tables):
        indexes = {name: index for index, name in enumerate(table.names)}
        for row in table.rows():
            cells = [
                row[indexes[name]] if name in indexes and indexes[name] < len(row) else ""
                for name in all_names
            ]
            writer.row([groups[number], *cells] if groups is not None else cells)


def _join(options: Any, operands: Sequence[str], ctx: Context) -> None:
    operands = operands or ["-"]
    if (options.left or options.right or options.outer) and options.columns is None:
        raise UsageError("You must provide join column names when performing an outer join.", hint=False)
    tables = [Table(ctx, name, options) for name in operands]
    key_names = options.columns.split(",") if options.columns is not None else []
    if len(key_names) == 1:
        key_names *= len(tables)
    if key_names and len(key_names) != len(tables):
        raise UsageError(
            "The number of join column names must match the number of files, or be a single column name that "
            "exists in all files.",
            hint=False,
        )
    if options.right and key_names:
        tables, key_names = tables[::-1], key_names[::-1]
    joined = _typed_rows(tables[0], options)
    names = list(tables[0].names)
    for number, table in enumerate(tables[1:], 1):
        rows = _typed_rows(table, options)
        if not key_names:
            width, other = len(names), len(table.names)
            count = max(len(joined), len(rows))
            joined = [
                [
                    *(joined[at] if at < len(joined) else [None] * width),
                    *(rows[at] if at < len(rows) else [None] * other),
                ]
                for at in range(count)
            ]
            output_columns = list(range(other))
        else:
            left = tables[0].indexes(key_names[0])[0]
            right = table.indexes(key_names[number])[0]
            output_columns = [index for index in range(len(table.names)) if index != right or options.outer]
            joined = _join_rows(joined, rows, _Keys(left, right, output_columns), options, ctx)
        for index in output_columns:
            name = table.names[index]
            names.append(name if name not in names else _unused_name(name, names))
    writer = Writer(ctx)
    writer.row(names)
    writer.rows([cell_text(cell) for cell in row] for row in joined)


def _typed_rows(table: Table, options: Any) -> list[list[Cell]]:
    rows = table.all_rows()
    columns = _columns(table, options, rows)
    return [[column[number] for column in columns] for number in range(len(rows))]


def _unused_name(name: str, names: Sequence[str]) -> str:
    number = 2
    while f"{name}{number}" in names:
        number += 1
    return f"{name}{number}"


class _Keys(Record):
    """Columns of a join, 0-based."""

    left: int  #: the key of the first table
    right: int  #: the key of the second table
    output_columns: list[int]  #: columns of the second table that are printed


def _join_rows(
    left_rows: list[list[Cell]], rows: list[list[Cell]], keys: _Keys, options: Any, ctx: Context
) -> list[list[Cell]]:
    """Join the rows of two tables with equal keys; an outer join also includes rows without a partner."""
    left, right, output_columns = keys
    rows_by_key: dict[Cell, list[list[Cell]]] = {}
    for row in rows:
        rows_by_key.setdefault(row[right], []).append(row)
    joined: list[list[Cell]] = []
    matched_keys: set[Cell] = set()
    width = len(left_rows[0]) if left_rows else 0
    for row in left_rows:
        partners = rows_by_key.get(row[left], [])
        matched_keys.add(row[left])
        ctx.charge(1 + len(partners))
        joined += [[*row, *(other[index] for index in output_columns)] for other in partners]
        if not partners and (options.left or options.outer or options.right):
            joined.append([*row, *[None] * len(output_columns)])
        ctx.budget.check_fits(100 * len(joined) * (width + len(output_columns)))
    if options.outer:
        joined += [
            [*[None] * width, *(row[index] for index in output_columns)]
            for row in rows
            if row[right] not in matched_keys
        ]
    return joined


def _format(options: Any, operands: Sequence[str], ctx: Context) -> None:
    table = _single_table(options, operands, ctx)
    delimiter = "\t" if options.out_tabs else "\x1f" if options.out_asv else options.out_delimiter
    end = "\x1e" if options.out_asv else options.terminator
    if len(delimiter) != 1 or len(options.out_quote) != 1:
        raise Failure('TypeError: "delimiter" must be a 1-character string')
    if options.quoting not in ("0", "1", "2", "3"):
        raise UsageError(
            f"argument -U/--out-quoting: invalid choice: {options.quoting} (choose from 0, 1, 2, 3)",
            hint=False,
        )
    quote, twice = options.out_quote, options.out_quote * 2

    def quote_field(field: str, *, number: bool = False) -> str:
        if options.quoting == "3" or number:
            return field
        if options.quoting != "0" or any(c in field for c in (delimiter, quote, "\n", "\r", end)):
            return f"{quote}{field.replace(quote, twice)}{quote}"
        return field

    def line(cells: list[str]) -> None:
        ctx.write((delimiter.join(cells) + end).encode("utf-8", "surrogateescape"))

    if not options.skip_header:
        line([quote_field(name) for name in table.names])
    if options.quoting == "2":
        rows = table.all_rows()
        columns = infer_types(rows, len(table.names))
        numbers = [any(isinstance(cell, Decimal) for cell in column) for column in columns]
        texts = as_text(rows, len(table.names))
        for at in range(len(rows)):
            cells = [cell_text(columns[i][at] if numbers[i] else texts[i][at]) for i in range(len(columns))]
            line([quote_field(cell, number=bool(numbers[i] and cell)) for i, cell in enumerate(cells)])
        return
    for row in table.rows():
        is_single_empty = len(row) == 1 and not row[0] and options.quoting == "0"
        line([twice] if is_single_empty else [quote_field(field) for field in row])


_PROGRAMS: dict[str, Callable[[Any, Sequence[str], Context], None]] = {
    "csvcut": _cut,
    "csvgrep": _grep,
    "csvsort": _sort,
    "csvjson": _json,
    "csvlook": _look,
    "csvstack": _stack,
    "csvjoin": _join,
    "csvformat": _format,
}
