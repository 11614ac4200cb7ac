"""The dot-commands of SQLite's command line. Runs inside the worker.

Each takes the session and its words, and tells whether they were right.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from csv import Error as CsvError
from csv import reader as csv_reader
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandhook.worker import frames, server
    from sandhook.worker.sqlite import Session
    from sandhook.worker.sqlite_modes import MODES, name_of
else:  # inside a worker the package sandhook is not there, only this directory
    import frames
    import server
    from sqlite_modes import MODES, name_of

#: Nesting of ``.read``.
MAX_READ = 10


class Failed(Exception):
    """A dot-command failed; the message was printed."""


class Quit(Exception):
    """``.exit`` or ``.quit``."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def run_dot(session: Session, line: str) -> None:
    words = words_of(line[1:].rstrip(";"))
    name = words[0] if words else ""
    known = [command for command in _DOTS if command.startswith(name)] if name else []
    exact = name if name in _DOTS else known[0] if known and len(name) > 2 else ""
    if not exact or not _DOTS[exact](session, words[1:]):
        if name in _REFUSED:
            session.say(f"Error: .{name} is not supported (L-SQLITE-001)\n")
        else:
            session.say(f'Error: unknown command or invalid arguments:  "{name}". Enter ".help" for help\n')
        raise Failed


def _help(session: Session, words: list[str]) -> bool:
    session.write("".join(f".{name}\n" for name in sorted(_DOTS)))
    return True


def _mode(session: Session, words: list[str]) -> bool:
    if not words:
        session.write(f"current output mode: {session.style.mode}\n")
        return True
    options, plain = [], []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word in ("--wrap", "-wrap", "--wordwrap", "-wordwrap") and rest:
            options.append((word.lstrip("-"), rest.pop()))
        elif word.startswith("-"):
            options.append((word.lstrip("-"), ""))
        else:
            plain.append(word)
    if plain[:1] == ["qbox"]:
        plain[0] = "box"
        options.append(("quote", ""))
    if not plain or plain[0] not in MODES or any(name not in _MODE_OPTIONS for name, _ in options):
        session.say(f"Error: mode should be one of: {' '.join(sorted([*MODES, 'qbox']))}\n")
        raise Failed
    style = session.style
    style.set_mode(plain[0], by_command=True)
    if plain[0] == "insert":
        style.table = plain[1] if len(plain) > 1 else "table"
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


def _headers(session: Session, words: list[str]) -> bool:
    if len(words) != 1:
        session.say("Usage: .headers on|off\n")
        raise Failed
    session.style.headers, session.style.headers_set = _on(words[0]), True
    return True


def _null(session: Session, words: list[str]) -> bool:
    if len(words) == 1:
        session.style.null = words[0]
    return len(words) == 1


def _separator(session: Session, words: list[str]) -> bool:
    if not 1 <= len(words) <= 2:
        return False
    session.style.column = words[0]
    if len(words) == 2:
        session.style.row = words[1]
    return True


def _width(session: Session, words: list[str]) -> bool:
    try:
        session.style.widths = [max(-1000, min(1000, int(word[:6]))) for word in words[:100]]
    except ValueError:
        return False
    return True


def _print(session: Session, words: list[str]) -> bool:
    session.write(" ".join(words) + "\n")
    return True


def _switch(session: Session, words: list[str], field: str) -> bool:
    if len(words) == 1:
        setattr(session, field, _on(words[0]))
    return len(words) == 1


def _off(session: Session, words: list[str]) -> bool:
    """Accept that something is not printed, which never is."""
    if len(words) == 1 and not _on(words[0]):
        return True
    session.say("Error: only off is supported (L-SQLITE-001)\n")
    raise Failed


def _parameter(session: Session, words: list[str]) -> bool:
    """Keep values for the variables of statements."""
    parameters = session.parameters
    match words:
        case ["init"]:
            return True
        case ["clear"]:
            parameters.clear()
        case ["list"]:
            widest = max(map(len, parameters), default=0)
            for name in sorted(parameters):
                session.write(f"{name:<{widest}} {session.style.quoted(parameters[name])}\n")
        case ["set", name, text]:
            try:
                value = _rows(session, f"SELECT {text}")[0][0]
            except (sqlite3.Error, IndexError):
                value = text
            parameters[name] = value
        case ["unset", name]:
            parameters.pop(name, None)
        case _:
            return False
    return True


def _exit(session: Session, words: list[str]) -> bool:
    raise Quit(int(words[0][:6]) & 0xFF if words and words[0].lstrip("-").isdigit() else 0)


def _read(session: Session, words: list[str]) -> bool:
    if len(words) != 1:
        return False
    text = session.files.get(words[0])
    if text is None or session.depth >= MAX_READ:
        session.say(f'Error: cannot open "{words[0]}"\n')
        raise Failed
    session.depth += 1
    session.script(text)
    session.depth -= 1
    return True


def _output(session: Session, words: list[str]) -> bool:
    session.send_to(words[0] if words and words[0] != "stdout" else "")
    return len(words) <= 1


def _output_once(session: Session, words: list[str]) -> bool:
    if len(words) != 1:
        return False
    session.send_to(words[0])
    session.once = True
    return True


def _save(session: Session, words: list[str]) -> bool:
    if len(words) != 1:
        return False
    session.flush()
    server.send(frames.FILE, words[0].encode("utf-8", "surrogateescape") + b"\0" + session.image())
    return True


def _rows(session: Session, statement: str, *values: Any) -> list[Any]:
    return session.db.execute(statement, values).fetchall()


def _tables(session: Session, words: list[str], kinds: str = "'table','view'") -> bool:
    found = _rows(
        session,
        f"SELECT name FROM sqlite_schema WHERE type IN ({kinds}) AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        f" AND {'name' if 'view' in kinds else 'tbl_name'} LIKE ? ORDER BY 1",
        words[0] if words else "%",
    )
    names = [row[0] for row in found]
    if names:
        widest = max(map(len, names))
        across = max(1, 80 // (widest + 2))
        down = -(-len(names) // across)
        for at in range(down):
            session.write("  ".join(name.ljust(widest) for name in names[at::down]) + "\n")
    return True


def _indexes(session: Session, words: list[str]) -> bool:
    return _tables(session, words, "'index'")


def _schema(session: Session, words: list[str]) -> bool:
    found = _rows(
        session,
        "SELECT type, name, sql FROM sqlite_schema WHERE sql NOT NULL AND lower(tbl_name) LIKE lower(?)"
        " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
        words[0] if words else "%",
    )
    for kind, name, sql in found:
        text = sql
        if kind == "table" and sql[:13].upper() == "CREATE TABLE " and sql[13:14] in ("'", '"'):
            text = "CREATE TABLE IF NOT EXISTS " + sql[13:]
        if kind == "view":
            columns = ",".join(
                name_of(row[1]) for row in _rows(session, f"PRAGMA table_info({name_of(name)})")
            )
            text += f"\n/* {name_of(name)}({columns}) */"
        session.write(text + ";\n")
    return True


def _databases(session: Session, words: list[str]) -> bool:
    session.write(
        f"main: {session.header['name'] or chr(34) * 2} r/{'o' if session.header['readonly'] else 'w'}\n"
    )
    return not words


def _dump(session: Session, words: list[str]) -> bool:
    like = words[0] if words else "%"
    session.write("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n")
    found = _rows(
        session,
        "SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL AND type = 'table' AND name LIKE ?"
        " ORDER BY tbl_name = 'sqlite_sequence', rowid",
        like,
    )
    for name, sql in found:
        if name == "sqlite_sequence":
            session.write("DELETE FROM sqlite_sequence;\n")
        elif name.startswith("sqlite_"):
            continue
        elif sql[:13].upper() == "CREATE TABLE " and sql[13:14] in ("'", '"'):
            session.write(f"CREATE TABLE IF NOT EXISTS {sql[13:]};\n")
        else:
            session.write(sql + ";\n")
        head = f"INSERT INTO {name_of(name)} VALUES("
        for row in session.db.execute(f"SELECT * FROM {name_of(name)}"):
            session.write(head + ",".join(map(partial(_dumped, session), row)) + ");\n")
    others = _rows(
        session,
        "SELECT sql FROM sqlite_schema WHERE sql NOT NULL AND type IN ('index','trigger','view') AND tbl_name LIKE ?",
        like,
    )
    session.write("".join(f"{row[0]};\n" for row in others) + "COMMIT;\n")
    return True


def _dumped(session: Session, value: Any) -> str:
    text = session.style.quoted(value)
    if isinstance(value, str) and ("\n" in value or "\r" in value):
        for code, mark in ((13, "\\r"), (10, "\\n")):
            if chr(code) in value:
                while mark in value:
                    mark += "x"
                text = f"replace({text.replace(chr(code), mark)},'{mark}',char({code}))"
    return text


def _import(session: Session, words: list[str]) -> bool:
    csv_mode, skip, names = session.style.mode == "csv", 0, []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word in ("--csv", "-csv"):
            csv_mode = True
        elif word in ("--skip", "-skip") and rest and rest[-1].isdigit():
            skip = int(rest.pop()[:6])
        elif word.startswith("-"):
            return False
        else:
            names.append(word)
    if len(names) != 2:
        return False
    text = session.files.get(names[0])
    if text is None:
        session.say(f'Error: cannot open "{names[0]}"\n')
        raise Failed
    if session.style.mode == "csv" and session.style.row == "\r\n":
        session.style.row = "\n"  # sqlite3 does so, and leaves it
    try:
        _take_rows(session, names[1], _parsed(session, text, csv_mode), skip)
    except (sqlite3.Error, CsvError) as error:
        session.say(f"Error: {error}\n")
        raise Failed from None
    return True


def _parsed(session: Session, text: str, csv_mode: bool) -> Iterator[list[str]]:
    lines = text.splitlines(keepends=True)
    if csv_mode:
        return (row for row in csv_reader(lines) if row)
    separator = session.style.column
    return (line.rstrip("\r\n").split(separator) for line in lines)


def _take_rows(session: Session, table: str, rows: Iterator[list[str]], skip: int) -> None:
    for _ in range(skip):
        next(rows, None)
    columns = [row[1] for row in _rows(session, f"PRAGMA table_info({name_of(table)})")]
    if not columns:
        columns = next(rows, [])
        if not columns:
            return
        quoted = ", ".join('"' + name.replace('"', '""') + '" TEXT' for name in columns)
        session.db.execute('CREATE TABLE "' + table.replace('"', '""') + f'"(\n{quoted})')
    insert = f"INSERT INTO {name_of(table)} VALUES({','.join('?' * len(columns))})"
    own = not session.db.in_transaction
    if own:
        session.db.execute("BEGIN")
    width = len(columns)
    session.db.executemany(insert, ((row + [None] * (width - len(row)))[:width] for row in rows))
    if own:
        session.db.execute("COMMIT")


_DOTS: dict[str, Callable[[Session, list[str]], bool]] = {
    "backup": _save,
    "bail": lambda session, words: _switch(session, words, "bail"),
    "changes": lambda session, words: _switch(session, words, "changes"),
    "databases": _databases,
    "dump": _dump,
    "echo": lambda session, words: _switch(session, words, "echo"),
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
    "read": _read,
    "save": _save,
    "schema": _schema,
    "separator": _separator,
    "stats": _off,
    "tables": _tables,
    "timeout": lambda session, words: True,
    "timer": _off,
    "width": _width,
}

_REFUSED = frozenset(
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
    """Return the words of a dot-command: quotes hold them together, and only single ones keep backslashes."""
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
