"""The dot-commands of SQLite's command line. Runs inside the worker.

Each receives the console and the words after its name, and returns False for invalid words.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from csv import Error as CsvError
from csv import reader as csv_reader
from functools import partial
from typing import Any

from sandhook.worker import frames, process
from sandhook.worker.sqlite.console import Console
from sandhook.worker.sqlite.modes import MODES, name_of
from sandhook.worker.sqlite.text import Field

#: The maximum nesting depth of ``.read``.
MAX_READ = 10


class DotCommandError(Exception):
    """A dot-command failed; the message was printed."""


class Quit(Exception):
    """``.exit`` or ``.quit`` ends the session with ``status``."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def run_dot(console: Console, line: str) -> str | None:
    """Run a dot-command.

    Returns:
        The text of the file that ``.read`` names, for the caller to run; None for other commands.

    Raises:
        DotCommandError: The command is invalid or failed; the message was printed.
        Quit: The command ends the console.
    """
    words = words_of(line[1:].rstrip(";"))
    name = words[0] if words else ""
    candidates = [command for command in _DOTS if command.startswith(name)] if name else []
    exact = name if name in _DOTS else candidates[0] if candidates and len(name) > 2 else ""
    if exact == "read" and len(words) == 2:
        return _read(console, words[1])
    if not exact or not _DOTS[exact](console, words[1:]):
        if name in _UNSUPPORTED:
            console.error(f"Error: .{name} is not supported (L-SQLITE-001)\n")
        else:
            console.error(f'Error: unknown command or invalid arguments:  "{name}". Enter ".help" for help\n')
        raise DotCommandError
    return None


def _help(console: Console, words: list[str]) -> bool:
    console.write("".join(f".{name}\n" for name in sorted(_DOTS)))
    return True


def _mode(console: Console, words: list[str]) -> bool:
    if not words:
        console.write(f"current output mode: {console.style.mode}\n")
        return True
    options, operands = [], []
    pending = list(reversed(words))
    while pending:
        word = pending.pop()
        if word in ("--wrap", "-wrap", "--wordwrap", "-wordwrap") and pending:
            options.append((word.lstrip("-"), pending.pop()))
        elif word.startswith("-"):
            options.append((word.lstrip("-"), ""))
        else:
            operands.append(word)
    if operands[:1] == ["qbox"]:
        operands[0] = "box"
        options.append(("quote", ""))
    mode = MODES.get(operands[0]) if operands else None
    if mode is None or any(name not in _MODE_OPTIONS for name, _ in options):
        console.error(f"Error: mode should be one of: {' '.join(sorted([*MODES, 'qbox']))}\n")
        raise DotCommandError
    style = console.style
    style.set_mode(mode, by_command=True)
    if mode == "insert":
        style.table = operands[1] if len(operands) > 1 else "table"
    for name, value in options:
        if name == "wrap":
            style.wrap = int(value[:4]) if value.isascii() and value.isdigit() else 0
        elif name == "wordwrap":
            style.words = _on(value)
        elif name == "ww":
            style.words = True
        else:
            style.literal = name == "quote"
    return True


_MODE_OPTIONS = frozenset({"wrap", "wordwrap", "ww", "quote", "noquote"})


def _headers(console: Console, words: list[str]) -> bool:
    if len(words) != 1:
        console.error("Usage: .headers on|off\n")
        raise DotCommandError
    console.style.headers, console.style.headers_set = _on(words[0]), True
    return True


def _null(console: Console, words: list[str]) -> bool:
    if len(words) == 1:
        console.style.null = words[0]
    return len(words) == 1


def _separator(console: Console, words: list[str]) -> bool:
    if not 1 <= len(words) <= 2:
        return False
    console.style.column = words[0]
    if len(words) == 2:
        console.style.row = words[1]
    return True


def _width(console: Console, words: list[str]) -> bool:
    try:
        console.style.widths = [max(-1000, min(1000, int(word[:6]))) for word in words[:100]]
    except ValueError:
        return False
    return True


def _print(console: Console, words: list[str]) -> bool:
    console.write(" ".join(words) + "\n")
    return True


def _bail(console: Console, words: list[str]) -> bool:
    if len(words) == 1:
        console.bail = _on(words[0])
    return len(words) == 1


def _changes(console: Console, words: list[str]) -> bool:
    if len(words) == 1:
        console.changes = _on(words[0])
    return len(words) == 1


def _echo(console: Console, words: list[str]) -> bool:
    if len(words) == 1:
        console.echo = _on(words[0])
    return len(words) == 1


def _off(console: Console, words: list[str]) -> bool:
    """Accept only "off": the output of this command is not supported."""
    if len(words) == 1 and not _on(words[0]):
        return True
    console.error("Error: only off is supported (L-SQLITE-001)\n")
    raise DotCommandError


def _parameter(console: Console, words: list[str]) -> bool:
    """Store values for the variables of statements."""
    parameters = console.parameters
    match words:
        case ["init"]:
            return True
        case ["clear"]:
            parameters.clear()
        case ["list"]:
            widest = max(map(len, parameters), default=0)
            for name in sorted(parameters):
                console.write(f"{name:<{widest}} {console.style.literal_of(parameters[name])}\n")
        case ["set", name, text]:
            try:
                value = _rows(console, f"SELECT {text}")[0][0]
            except (sqlite3.Error, IndexError):
                value = text
            parameters[name] = value
        case ["unset", name]:
            parameters.pop(name, None)
        case _:
            return False
    return True


def _exit(console: Console, words: list[str]) -> bool:
    raise Quit(int(words[0][:6]) & 0xFF if words and _is_integer(words[0]) else 0)


def _is_integer(word: str) -> bool:
    """Return whether int() accepts a word of an operator; the module of the host is not loaded here."""
    digits = word[1:] if word[:1] == "-" else word
    return digits.isascii() and digits.isdigit()


def _read(console: Console, name: str) -> str:
    text = console.files.get(name)
    if text is None or console.depth >= MAX_READ:
        console.error(f'Error: cannot open "{name}"\n')
        raise DotCommandError
    return text


def _output(console: Console, words: list[str]) -> bool:
    console.send_to(words[0] if words and words[0] != "stdout" else "")
    return len(words) <= 1


def _output_once(console: Console, words: list[str]) -> bool:
    if len(words) != 1:
        return False
    console.send_to(words[0])
    console.once = True
    return True


def _save(console: Console, words: list[str]) -> bool:
    if len(words) != 1:
        return False
    console.flush()
    process.send(frames.FILE, words[0].encode("utf-8", "surrogateescape") + b"\0" + console.image())
    return True


def _rows(console: Console, statement: str, *values: str) -> list[Any]:
    return console.db.execute(statement, values).fetchall()


def _tables(console: Console, words: list[str], kinds: str = "'table','view'") -> bool:
    rows = _rows(
        console,
        f"SELECT name FROM sqlite_schema WHERE type IN ({kinds}) AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        f" AND {'name' if 'view' in kinds else 'tbl_name'} LIKE ? ORDER BY 1",
        words[0] if words else "%",
    )
    names = [row[0] for row in rows]
    if names:
        widest = max(map(len, names))
        across = max(1, 80 // (widest + 2))
        down = -(-len(names) // across)
        for at in range(down):
            console.write("  ".join(name.ljust(widest) for name in names[at::down]) + "\n")
    return True


def _indexes(console: Console, words: list[str]) -> bool:
    return _tables(console, words, "'index'")


def _schema(console: Console, words: list[str]) -> bool:
    rows = _rows(
        console,
        "SELECT type, name, sql FROM sqlite_schema WHERE sql NOT NULL AND lower(tbl_name) LIKE lower(?)"
        " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
        words[0] if words else "%",
    )
    for kind, name, sql in rows:
        text = sql
        if kind == "table" and sql[:13].upper() == "CREATE TABLE " and sql[13:14] in ("'", '"'):
            text = "CREATE TABLE IF NOT EXISTS " + sql[13:]
        if kind == "view":
            columns = ",".join(
                name_of(row[1]) for row in _rows(console, f"PRAGMA table_info({name_of(name)})")
            )
            text += f"\n/* {name_of(name)}({columns}) */"
        console.write(text + ";\n")
    return True


def _databases(console: Console, words: list[str]) -> bool:
    console.write(
        f"main: {console.header['name'] or chr(34) * 2} r/{'o' if console.header['readonly'] else 'w'}\n"
    )
    return not words


def _dump(console: Console, words: list[str]) -> bool:
    like = words[0] if words else "%"
    console.write("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n")
    tables = _rows(
        console,
        "SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL AND type = 'table' AND name LIKE ?"
        " ORDER BY tbl_name = 'sqlite_sequence', rowid",
        like,
    )
    for name, sql in tables:
        if name == "sqlite_sequence":
            console.write("DELETE FROM sqlite_sequence;\n")
        elif name.startswith("sqlite_"):
            continue
        elif sql[:13].upper() == "CREATE TABLE " and sql[13:14] in ("'", '"'):
            console.write(f"CREATE TABLE IF NOT EXISTS {sql[13:]};\n")
        else:
            console.write(sql + ";\n")
        head = f"INSERT INTO {name_of(name)} VALUES("
        for row in console.db.execute(f"SELECT * FROM {name_of(name)}"):
            console.write(head + ",".join(map(partial(_dump_literal, console), row)) + ");\n")
    objects = _rows(
        console,
        "SELECT sql FROM sqlite_schema WHERE sql NOT NULL AND type IN ('index','trigger','view') AND tbl_name LIKE ?",
        like,
    )
    console.write("".join(f"{row[0]};\n" for row in objects) + "COMMIT;\n")
    return True


def _dump_literal(console: Console, value: Field) -> str:
    text = console.style.literal_of(value)
    if isinstance(value, str) and ("\n" in value or "\r" in value):
        for code, mark in ((13, "\\r"), (10, "\\n")):
            if chr(code) in value:
                while mark in value:
                    mark += "x"
                text = f"replace({text.replace(chr(code), mark)},'{mark}',char({code}))"
    return text


def _import(console: Console, words: list[str]) -> bool:
    csv_mode, skip, names = console.style.mode == "csv", 0, []
    pending = list(reversed(words))
    while pending:
        word = pending.pop()
        if word in ("--csv", "-csv"):
            csv_mode = True
        elif word in ("--skip", "-skip") and pending and _is_integer(pending[-1]):
            skip = int(pending.pop()[:6])
        elif word.startswith("-"):
            return False
        else:
            names.append(word)
    if len(names) != 2:
        return False
    text = console.files.get(names[0])
    if text is None:
        console.error(f'Error: cannot open "{names[0]}"\n')
        raise DotCommandError
    if console.style.mode == "csv" and console.style.row == "\r\n":
        console.style.row = "\n"  # sqlite3 changes it permanently, too
    try:
        _insert_rows(console, names[1], _parse_rows(console, text, csv_mode), skip)
    except (sqlite3.Error, CsvError) as error:
        console.error(f"Error: {error}\n")
        raise DotCommandError from None
    return True


def _parse_rows(console: Console, text: str, csv_mode: bool) -> Iterator[list[str]]:
    lines = text.splitlines(keepends=True)
    if csv_mode:
        return (row for row in csv_reader(lines) if row)
    separator = console.style.column
    return (line.rstrip("\r\n").split(separator) for line in lines)


def _insert_rows(console: Console, table: str, rows: Iterator[list[str]], skip: int) -> None:
    for _ in range(skip):
        next(rows, None)
    columns = [row[1] for row in _rows(console, f"PRAGMA table_info({name_of(table)})")]
    if not columns:
        columns = next(rows, [])
        if not columns:
            return
        declarations = ", ".join('"' + name.replace('"', '""') + '" TEXT' for name in columns)
        console.db.execute('CREATE TABLE "' + table.replace('"', '""') + f'"(\n{declarations})')
    insert = f"INSERT INTO {name_of(table)} VALUES({','.join('?' * len(columns))})"
    begins_transaction = not console.db.in_transaction
    if begins_transaction:
        console.db.execute("BEGIN")
    width = len(columns)
    console.db.executemany(insert, ((row + [None] * (width - len(row)))[:width] for row in rows))
    if begins_transaction:
        console.db.execute("COMMIT")


_DOTS: dict[str, Callable[[Console, list[str]], bool]] = {
    "backup": _save,
    "bail": _bail,
    "changes": _changes,
    "databases": _databases,
    "dump": _dump,
    "echo": _echo,
    "exit": _exit,
    "headers": _headers,
    "help": _help,
    "import": _import,
    "indexes": _indexes,
    "mode": _mode,
    "nullvalue": _null,
    "parameter": _parameter,
    "once": _output_once,
    "output": _output,
    "print": _print,
    "quit": _exit,
    "read": lambda console, words: False,  # run_dot handles it with one word
    "save": _save,
    "schema": _schema,
    "separator": _separator,
    "stats": _off,
    "tables": _tables,
    "timeout": lambda console, words: True,
    "timer": _off,
    "width": _width,
}

_UNSUPPORTED = frozenset(
    [
        "archive",
        "auth",
        "binary",
        "cd",
        "check",
        "clone",
        "connection",
        "dbconfig",
        "dbinfo",
        "eqp",
        "excel",
        "expert",
        "explain",
        "filectrl",
        "fullschema",
        "imposter",
        "iotrace",
        "limit",
        "lint",
        "load",
        "log",
        "nonce",
        "open",
        "progress",
        "prompt",
        "recover",
        "restore",
        "scanstats",
        "selftest",
        "session",
        "sha3sum",
        "shell",
        "show",
        "system",
        "testcase",
        "testctrl",
        "trace",
        "unmodule",
        "vfsinfo",
        "vfslist",
        "vfsname",
        "version",
    ]
)


def _on(word: str) -> bool:
    return word.lower() in ("on", "yes", "true", "1")


_ESCAPES = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}


def words_of(line: str) -> list[str]:
    """Return the words of a dot-command; quotes enclose a word, and backslashes are literal only in single quotes."""
    words: list[str] = []
    at = 0
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        quote = line[at] if line[at] in "'\"" else ""
        at += len(quote)
        word: list[str] = []
        while at < len(line) and (line[at] != quote if quote else not line[at].isspace()):
            if line[at] == "\\" and quote != "'" and at + 1 < len(line):
                at += 1
                word.append(_ESCAPES.get(line[at], line[at]))
            else:
                word.append(line[at])
            at += 1
        at += len(quote)
        words.append("".join(word))
    return words
