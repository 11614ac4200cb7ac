"""The output modes of SQLite's command line. Runs inside the worker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, TypeAlias, get_args

from sandhook.worker.sqlite.text import Field

Mode: TypeAlias = Literal[
    "ascii",
    "box",
    "column",
    "csv",
    "html",
    "insert",
    "json",
    "line",
    "list",
    "markdown",
    "quote",
    "table",
    "tabs",
    "tcl",
]
MODES: dict[str, Mode] = {mode: mode for mode in get_args(Mode)}

#: Modes that read all rows before they print the first.
TABULAR = frozenset({"box", "column", "markdown", "table"})

#: The width at which these modes break lines if ``.mode`` has set them.
WRAP = 60

_C_ESCAPES = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n", "\r": "\\r"}

Number = Callable[[float, int], str]


class Style:
    """The layout of results; dot-commands change it.

    Attributes:
        number: Returns a float in SQLite's notation, with a number of significant digits.
    """

    def __init__(self, number: Number) -> None:
        self.number = number
        self.mode: Mode = "list"
        self.headers = False
        self.headers_set = False
        self.null = ""
        self.column = "|"
        self.row = "\n"
        self.table = "table"
        self.widths: list[int] = []
        self.wrap = 0
        self.words = False  # lines are broken between words
        self.literal = False  # fields of tables are SQL literals

    def set_mode(self, mode: Mode, *, by_command: bool) -> None:
        """Set a mode with the separators that belong to it."""
        self.mode = mode
        self.words = self.literal = False
        self.wrap = WRAP if by_command and mode in TABULAR else 0
        if mode in ("list", "csv", "tabs", "ascii", "quote", "tcl"):
            self.column, self.row = {
                "list": ("|", "\n"),
                "csv": (",", "\r\n" if by_command else "\n"),
                "tabs": ("\t", "\n"),
                "ascii": ("\x1f", "\x1e"),
                "quote": (",", "\n"),
                "tcl": (" ", "\n"),
            }[mode]
        if mode == "tabs":
            self.mode = "list"
        if by_command and mode == "column" and not self.headers_set:
            self.headers = True

    # ------------------------------------------------------------------ fields

    def text(self, value: Field) -> str:
        """Return a field as plain text; a blob up to its first NUL."""
        if value is None:
            return self.null
        if isinstance(value, float):
            return self.number(value, 15)
        if isinstance(value, bytes):
            return value.partition(b"\0")[0].decode("utf-8", "surrogateescape")
        return value.partition("\0")[0] if isinstance(value, str) else str(value)

    def literal_of(self, value: Field, *, digits: int = 20) -> str:
        """Return a field as an SQL literal."""
        if value is None:
            return "NULL"
        if isinstance(value, float):
            return self.number(value, digits)
        if isinstance(value, bytes):
            return f"X'{value.hex()}'"
        return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)

    def _json(self, value: Field) -> str:
        if value is None:
            return "null"
        if isinstance(value, float):
            text = self.number(value, 20)
            return {"Inf": "1e999", "-Inf": "-1e999"}.get(text, text)
        if isinstance(value, bytes):
            value = value.decode("utf-8", "surrogateescape")
        return json_string(value) if isinstance(value, str) else str(value)

    def _csv(self, value: Field) -> str:
        if value is None:
            return self.null
        text = self.text(value)
        if not text:
            return '""'
        if any(c in text for c in (self.column, '"', "'", " ")) or not all(32 < ord(c) < 127 for c in text):
            return '"' + text.replace('"', '""') + '"'
        return text

    def _tcl(self, value: Field) -> str:
        """Return a field as a string of C."""
        text = "".join(
            _C_ESCAPES.get(c) or (c if " " <= c != "\x7f" else f"\\{ord(c):03o}") for c in self.text(value)
        )
        return f'"{text}"'

    # ------------------------------------------------------------------ results

    def print(
        self, names: Sequence[str], rows: Iterable[Sequence[Field]], write: Callable[[str], None]
    ) -> None:
        """Print the rows of one statement; nothing if there are no rows."""
        if self.mode in TABULAR:
            show = self.literal_of if self.literal else self.text
            self._tabular(names, [[show(value) for value in row] for row in rows], write)
        elif self.mode == "json":
            has_output = False
            for row in rows:
                items = ",".join(
                    f"{json_string(name)}:{self._json(value)}" for name, value in zip(names, row)
                )
                write((",\n" if has_output else "[") + "{" + items + "}")
                has_output = True
            if has_output:
                write("]\n")
        else:
            row_text = self._row_formatter(names)
            has_output = False
            for row in rows:
                if (
                    not has_output
                    and self.headers
                    and self.mode in ("list", "csv", "ascii", "quote", "tcl", "html")
                ):
                    write(self._header(names))
                write(("\n" if has_output and self.mode == "line" else "") + row_text(row))
                has_output = True

    def _header(self, names: Sequence[str]) -> str:
        if self.mode == "html":
            return "<TR>" + "\n".join(f"<TH>{escape(name)}</TH>" for name in names) + "\n</TR>\n"
        show: Callable[[str], str] = {"csv": self._csv, "quote": self.literal_of, "tcl": self._tcl}.get(
            self.mode, str
        )
        return self.column.join(show(name) for name in names) + self.row

    def _row_formatter(self, names: Sequence[str]) -> Callable[[Sequence[Field]], str]:
        if self.mode == "line":
            width = max(5, *map(len, names))
            return lambda row: "".join(
                f"{name:>{width}} = {self.text(value)}\n" for name, value in zip(names, row)
            )
        if self.mode == "html":
            return lambda row: (
                "<TR>" + "\n".join(f"<TD>{escape(self.text(value))}</TD>" for value in row) + "\n</TR>\n"
            )
        if self.mode == "insert":
            head = f"INSERT INTO {name_of(self.table)}"
            if self.headers:
                head += f"({','.join(map(name_of, names))})"
            return lambda row: f"{head} VALUES({','.join(map(self.literal_of, row))});\n"
        show = {"csv": self._csv, "quote": self.literal_of, "tcl": self._tcl}.get(self.mode, self.text)
        return lambda row: self.column.join(map(show, row)) + self.row

    def _tabular(self, names: Sequence[str], rows: list[list[str]], write: Callable[[str], None]) -> None:
        if not rows:
            return
        steps = [abs(width) or self.wrap for width in self.widths] + [self.wrap] * len(names)
        cells = [
            [self._broken_lines(text, step) for text, step in zip(row, steps)]
            for row in ([list(names), *rows])
        ]
        widths = [max(max(map(len, row[index])) for row in cells) for index in range(len(names))]
        right = [False] * len(names)
        for index, width in enumerate(self.widths[: len(names)]):
            right[index] = width < 0
            if width:
                widths[index] = max(widths[index], abs(width)) if self.mode != "column" else abs(width)
        has_multiline = any(len(cell) > 1 for row in cells[1:] for cell in row)
        left, middle, end, rules = _FRAMES[self.mode]
        has_frame = self.mode != "column"
        if rules:
            write(_rule(rules[0], widths))
        if has_frame or self.headers:
            for line in _lines(cells[0], widths, [None] * len(names) if has_frame else right):
                write(left + middle.join(line) + end)
            if has_frame:
                write(_rule(rules[1] if rules else "|-|-|", widths))
            else:
                write("  ".join("-" * width for width in widths) + "\n")
        for number, row in enumerate(cells[1:]):
            if number and has_multiline and (rules or not has_frame):
                write(_rule(rules[1], widths) if rules else "\n")
            for line in _lines(row, widths, right):
                write(left + middle.join(line) + end)
        if rules:
            write(_rule(rules[2], widths))

    def _broken_lines(self, text: str, step: int) -> list[str]:
        """Return the lines of a field, at most ``step`` characters long unless that is 0."""
        lines = text.replace("\r\n", "\n").split("\n")
        if not step:
            return lines
        return [piece for line in lines for piece in _pieces(line, step, words=self.words)]


def _pieces(line: str, step: int, *, words: bool) -> Iterator[str]:
    """Yield the pieces of a line; with ``words``, a piece ends between words if a word ends within it."""
    at = 0
    while len(line) - at > step:
        end = at + step
        if words and not line[end].isspace():
            blank = max(line.rfind(" ", at, end), line.rfind("\t", at, end))
            end = blank + 1 if blank > at else end
        yield line[at:end]
        at = end
        while words and at < len(line) and line[at].isspace():
            at += 1
    yield line[at:]


#: Mode to (text before a row, between its fields, after it, characters of the three rules).
_FRAMES: dict[str, tuple[str, str, str, tuple[str, str, str] | None]] = {
    "column": ("", "  ", "\n", None),
    "markdown": ("| ", " | ", " |\n", None),
    "table": ("| ", " | ", " |\n", ("+-+-+", "+-+-+", "+-+-+")),
    "box": ("│ ", " │ ", " │\n", ("┌─┬─┐", "├─┼─┤", "└─┴─┘")),
}


def _rule(characters: str, widths: Sequence[int]) -> str:
    left, dash, middle, right = characters[0], characters[1], characters[2], characters[4]
    return left + middle.join(dash * (width + 2) for width in widths) + right + "\n"


def _lines(
    row: Sequence[list[str]], widths: Sequence[int], right: Sequence[bool | None]
) -> Iterable[list[str]]:
    """Yield the lines of a row, each a list of fields that are padded to the widths of their columns."""
    for number in range(max(map(len, row))):
        line = []
        for cell, width, side in zip(row, widths, right):
            text = cell[number] if number < len(cell) else ""
            if side is None:
                padding = (width - len(text)) // 2
                line.append(" " * padding + text + " " * (width - len(text) - padding))
            else:
                line.append(
                    text.rjust(width)
                    if side
                    else text.ljust(width)[:width]
                    if width < len(text)
                    else text.ljust(width)
                )
        yield line


def escape(text: str) -> str:
    """Return a text as HTML."""
    for mark, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        text = text.replace(mark, entity)
    return text


def json_string(text: str) -> str:
    """Return a JSON string with the notation of SQLite's command line: as few escapes as possible."""
    from json import dumps

    return dumps(text, ensure_ascii=False)


def name_of(name: str) -> str:
    """Return a name as SQL, in quotes if it needs them."""
    plain = name and (name[0].isalpha() or name[0] == "_") and all(c.isalnum() or c == "_" for c in name)
    if plain and name.isascii() and name.upper() not in _KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


_KEYWORDS = frozenset(
    [
        "ABORT",
        "ACTION",
        "ADD",
        "AFTER",
        "ALL",
        "ALTER",
        "ALWAYS",
        "ANALYZE",
        "AND",
        "AS",
        "ASC",
        "ATTACH",
        "AUTOINCREMENT",
        "BEFORE",
        "BEGIN",
        "BETWEEN",
        "BY",
        "CASCADE",
        "CASE",
        "CAST",
        "CHECK",
        "COLLATE",
        "COLUMN",
        "COMMIT",
        "CONFLICT",
        "CONSTRAINT",
        "CREATE",
        "CROSS",
        "CURRENT",
        "CURRENT_DATE",
        "CURRENT_TIME",
        "CURRENT_TIMESTAMP",
        "DATABASE",
        "DEFAULT",
        "DEFERRABLE",
        "DEFERRED",
        "DELETE",
        "DESC",
        "DETACH",
        "DISTINCT",
        "DO",
        "DROP",
        "EACH",
        "ELSE",
        "END",
        "ESCAPE",
        "EXCEPT",
        "EXCLUDE",
        "EXCLUSIVE",
        "EXISTS",
        "EXPLAIN",
        "FAIL",
        "FILTER",
        "FIRST",
        "FOLLOWING",
        "FOR",
        "FOREIGN",
        "FROM",
        "FULL",
        "GENERATED",
        "GLOB",
        "GROUP",
        "GROUPS",
        "HAVING",
        "IF",
        "IGNORE",
        "IMMEDIATE",
        "IN",
        "INDEX",
        "INDEXED",
        "INITIALLY",
        "INNER",
        "INSERT",
        "INSTEAD",
        "INTERSECT",
        "INTO",
        "IS",
        "ISNULL",
        "JOIN",
        "KEY",
        "LAST",
        "LEFT",
        "LIKE",
        "LIMIT",
        "MATCH",
        "MATERIALIZED",
        "NATURAL",
        "NO",
        "NOT",
        "NOTHING",
        "NOTNULL",
        "NULL",
        "NULLS",
        "OF",
        "OFFSET",
        "ON",
        "OR",
        "ORDER",
        "OTHERS",
        "OUTER",
        "OVER",
        "PARTITION",
        "PLAN",
        "PRAGMA",
        "PRECEDING",
        "PRIMARY",
        "QUERY",
        "RAISE",
        "RANGE",
        "RECURSIVE",
        "REFERENCES",
        "REGEXP",
        "REINDEX",
        "RELEASE",
        "RENAME",
        "REPLACE",
        "RESTRICT",
        "RETURNING",
        "RIGHT",
        "ROLLBACK",
        "ROW",
        "ROWS",
        "SAVEPOINT",
        "SELECT",
        "SET",
        "TABLE",
        "TEMP",
        "TEMPORARY",
        "THEN",
        "TIES",
        "TO",
        "TRANSACTION",
        "TRIGGER",
        "UNBOUNDED",
        "UNION",
        "UNIQUE",
        "UPDATE",
        "USING",
        "VACUUM",
        "VALUES",
        "VIEW",
        "VIRTUAL",
        "WHEN",
        "WHERE",
        "WINDOW",
        "WITH",
        "WITHOUT",
    ]
)
