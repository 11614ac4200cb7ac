"""The worker for SQLite: a database in memory, statements and dot-commands on it. Runs inside the worker process.

A request is a JSON header (the host's ``utilities/sqlite3.py`` writes it) and the bytes of the database file. SQLite's code is C
and its statements are the script's, so they stay in a process without files, bounded in memory and killed in time.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import suppress
from json import loads
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandhook.worker import frames, server
    from sandhook.worker.sqlite_dots import Failed, Quit, run_dot
    from sandhook.worker.sqlite_modes import Style
    from sandhook.worker.sqlite_text import Parameters, plan_lines, says_more, statements
else:  # inside a worker the package sandhook is not there, only this directory
    import frames
    import server
    from sqlite_dots import Failed, Quit, run_dot
    from sqlite_modes import Style
    from sqlite_text import Parameters, plan_lines, says_more, statements

#: Bytes of one value, and of one statement.
MAX_LENGTH = 64 << 20
MAX_SQL = 8 << 20

_USAGE = 1

_VACUUM = re.compile(r"\s*VACUUM(?:\s+main)?\s*;?\s*\Z", re.IGNORECASE)
_PLAN = re.compile(r"\s*EXPLAIN\s+QUERY\s+PLAN\b", re.IGNORECASE)
_BINDINGS = re.compile(r"Incorrect number of bindings supplied\. The current statement uses (\d+)")


class Session:
    """One call of sqlite3."""

    def __init__(self, header: dict[str, Any], data: bytes) -> None:
        self.header = header
        self.files: dict[str, str | None] = header["files"]
        self._pieces: list[bytes] = []
        self._size = 0
        self.target = ""
        self.once = False
        self.bail: bool = header["bail"]
        self.echo: bool = header["echo"]
        self.changes = False
        self.parameters: dict[str, Any] = {}
        self.depth = 0
        self.errors = 0
        self.db = sqlite3.connect(":memory:", isolation_level=None, cached_statements=64)
        self._helper = sqlite3.connect(":memory:", isolation_level=None)
        self._image = data
        if data:
            self.db.deserialize(data)
        self.db.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        self._confine()
        self.style = Style(self._number)
        self._apply(header)

    def _confine(self) -> None:
        db = self.db
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_LENGTH)
        db.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, MAX_SQL)
        db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        db.execute("PRAGMA temp_store = MEMORY")
        with suppress(sqlite3.Error):  # no database: the first statement says so
            page = db.execute("PRAGMA page_size").fetchone()[0]
            db.execute(f"PRAGMA max_page_count = {max(16, self.header['max_bytes'] // page)}")
        db.execute("PRAGMA trusted_schema = OFF")
        if self.header["readonly"]:
            db.execute("PRAGMA query_only = ON")
        db.set_authorizer(_authorize)

    def _apply(self, header: dict[str, Any]) -> None:
        style = self.style
        if header["mode"]:
            style.set_mode(header["mode"], by_command=False)
        if header["headers"] is not None:
            style.headers, style.headers_set = header["headers"], True
        for name, field in (("null", "null"), ("column", "column"), ("row", "row")):
            if header[name] is not None:
                setattr(style, field, header[name])

    def _number(self, value: float, digits: int) -> str:
        found: str = self._helper.execute(f"SELECT printf('%!.{digits}g', ?)", (value,)).fetchone()[0]
        return found

    # ------------------------------------------------------------------ running

    def main(self) -> int:
        """Run all commands; return the exit status."""
        header = self.header
        try:
            for text in header["first"]:
                self.script(text)
            for text in header["commands"]:
                if status := self._command_line(text):
                    return status
            if header["script"] is not None:
                self.script(header["script"])
                return int(self.errors > 0)
        except Quit as quit_:
            return quit_.status
        return int(self.errors > 0)

    def _command_line(self, text: str) -> int:
        """Run one argument of the command line: a dot-command or statements; stop at the first error."""
        if text.lstrip().startswith("."):
            try:
                run_dot(self, text.strip())
            except Failed:
                return 1
            return 0
        for statement, _ in statements(text):
            try:
                self._execute(statement)
            except sqlite3.Error as error:
                code = _code(error)
                place = "in prepare" if self._is_wrong(statement, error) else "stepping"
                self.say(f"Error: {place}, {_message(error)}{self._excerpt(statement, error)}\n")
                return code & 0xFF or 1
        return 0

    def script(self, text: str) -> None:
        """Run lines as from standard input: statements over several, dot-commands between."""
        pending = ""
        begun = 0
        for number, line in enumerate(text.split("\n"), 1):
            if not pending and line.startswith("."):
                if self.echo:
                    self.write(line + "\n")
                self._try_dot(line.strip())
                continue
            if not pending and not says_more(line):
                continue
            if not pending:
                begun = number
            pending = f"{pending}\n{line}" if pending else line
            if ";" in line and sqlite3.complete_statement(pending):
                self._statements(pending, begun)
                pending = ""
        if pending.strip():
            self._statements(pending, begun)

    def _try_dot(self, line: str) -> None:
        try:
            run_dot(self, line)
        except Failed:
            self.errors += 1
            if self.bail:
                raise Quit(1) from None

    def _statements(self, text: str, line: int) -> None:
        if self.echo:
            self.write(text + "\n")
        for statement, _ in statements(text):
            try:
                self._execute(statement)
            except sqlite3.Error as error:
                wrong = self._is_wrong(statement, error)
                self.errors += 1
                self.say(
                    f"{'Parse' if wrong else 'Runtime'} error near line {line}: {_message(error)}{self._excerpt(statement, error)}\n"
                )
                if self.bail:
                    raise Quit(1) from None
                break
        if self.changes:
            changes = self.db.execute("SELECT changes(), total_changes()").fetchone()
            self.write(f"changes: {changes[0]}   total_changes: {changes[1]}\n")
        if self.once:
            self.send_to("")

    def _execute(self, statement: str) -> None:
        if _VACUUM.match(statement):
            self._vacuum()
            return
        cursor = self._begun(statement)
        try:
            if cursor.description is not None:
                names = [column[0] for column in cursor.description]
                if _PLAN.match(statement) and len(names) == 4:
                    self.write("".join(plan_lines(cursor.fetchall())))
                else:
                    self.style.print(names, cursor, self.write)
        finally:
            cursor.close()

    def _begun(self, statement: str) -> sqlite3.Cursor:
        """Begin a statement; its variables are those of .parameter, or NULL."""
        if not any(sign in statement for sign in "?:@$"):
            return self.db.execute(statement)
        named = Parameters(self.parameters)
        try:
            return self.db.execute(statement)
        except sqlite3.ProgrammingError as error:
            count = _BINDINGS.search(str(error))
            if count is None:
                raise
        try:
            return self.db.execute(statement, named)
        except sqlite3.ProgrammingError:
            places = range(1, int(count[1]) + 1)
            return self.db.execute(statement, [self.parameters.get(f"?{place}") for place in places])

    def _vacuum(self) -> None:
        """Pack the database; SQLite does that by attaching another one."""
        db = self.db
        db.set_authorizer(None)
        db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)
        try:
            db.execute("VACUUM")
        finally:
            db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            db.set_authorizer(_authorize)

    def _is_wrong(self, statement: str, error: sqlite3.Error) -> bool:
        """Tell whether a statement could not even be prepared."""
        try:
            self.db.execute("EXPLAIN " + statement.lstrip()).close()
        except sqlite3.Error as again:
            return str(again) == str(error)
        return False

    def _excerpt(self, statement: str, error: sqlite3.Error) -> str:
        """Return the line of a statement with a mark below the token that SQLite did not expect."""
        text = str(error)
        if not text.startswith('near "') or not text.endswith('": syntax error'):
            return ""
        token = text[6:-15]
        at = statement.find(token)
        for _ in range(20):
            try:
                self.db.execute("EXPLAIN " + statement[: at + len(token)]).close()
            except sqlite3.Error as again:
                if str(again) == text:
                    break
            following = statement.find(token, at + 1)
            if following < 0:
                break
            at = following
        start = max(0, at - 50)
        shown = "".join(" " if c.isspace() else c for c in statement[start : start + 78])
        mark = (
            " " * (at - start) + "^--- error here"
            if at - start < 25
            else " " * (at - start - 14) + "error here ---^"
        )
        return f"\n  {shown}\n  {mark}"

    # ------------------------------------------------------------------ output

    def write(self, text: str) -> None:
        data = text.encode("utf-8", "surrogateescape")
        self._pieces.append(data)
        self._size += len(data)
        if self._size > frames.CHUNK:
            self.flush()

    def flush(self) -> None:
        """Send the gathered output in pieces, each after the host's consent."""
        data = b"".join(self._pieces)
        self._pieces = []
        self._size = 0
        server.hand_over(data)

    def say(self, text: str) -> None:
        """Send what goes to standard error."""
        self.flush()
        server.send(frames.FAILED, text.encode("utf-8", "surrogateescape"))

    def send_to(self, name: str) -> None:
        self.flush()
        self.once = False
        server.send(frames.TARGET, name.encode("utf-8", "surrogateescape"))

    def image(self) -> bytes:
        """Return the database file's bytes: none, if nothing was ever written.

        Of such a database serialize() makes an error or a page, by SQLite's version.
        """
        if self.db.execute("PRAGMA page_count").fetchone() == (0,):
            return b""
        return self.db.serialize()

    def end(self, status: int) -> None:
        """Send the rest and the database, if it was changed."""
        self.flush()
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")
        image = b""
        if not self.header["readonly"] and self.header["name"]:
            with suppress(sqlite3.DatabaseError):  # no database, and so not changed
                image = self.image()
            if image == self._image:
                image = b""
        server.send(frames.DONE, frames.ENDED.pack(status, 0) + image)


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", _USAGE) & 0xFF


def _message(error: sqlite3.Error) -> str:
    code = _code(error)
    row = " (L-SQLITE-001)" if code == sqlite3.SQLITE_AUTH or str(error).startswith("not authorized") else ""
    return f"{error} ({code}){row}" if code > 1 else f"{error}{row}"


def _authorize(action: int, first: str | None, *rest: object) -> int:
    """Refuse what leads out of the database; there is nothing to be reached anyway."""
    if action in (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH):
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_PRAGMA and str(first).lower() in _PRAGMAS:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and rest and str(rest[0]).lower() == "load_extension":
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


_PRAGMAS = frozenset(
    ("temp_store", "temp_store_directory", "data_store_directory", "max_page_count", "hard_heap_limit",
     "soft_heap_limit", "trusted_schema", "writable_schema", "mmap_size", "threads")
)  # fmt: skip


def main(_: str) -> None:
    """Confine the process and serve."""
    server.confine()
    server.send(frames.READY, b"")
    try:
        while True:
            seconds, head, body = frames.NATIVE.unpack(server.read_exactly(frames.NATIVE.size))
            request = server.read_exactly(head + body)
            server.arm(seconds)
            _serve(loads(request[:head]), request[head:])
            server.arm(0)
    except MemoryError:
        server.send(frames.MEMORY, b"")
        os._exit(1)


def _serve(header: dict[str, Any], data: bytes) -> None:
    if not hasattr(sqlite3.Connection, "deserialize"):
        server.send(
            frames.FAILED, b"Error: this Python's SQLite cannot hold a database in memory (L-SQLITE-003)\n"
        )
        server.send(frames.DONE, frames.ENDED.pack(1, 1))
        return
    try:
        session = Session(header, data)
        try:
            session.end(session.main())
        finally:
            session.db.close()
    except server.Stop:
        return
    except sqlite3.Error as error:
        server.send(frames.FAILED, f"Error: {error}\n".encode("utf-8", "replace"))
        server.send(frames.DONE, frames.ENDED.pack(_code(error) or 1, 1))
    except (ValueError, OverflowError, RecursionError, sqlite3.Warning) as error:
        server.send(frames.FAILED, f"Error: {error}\n".encode("utf-8", "replace"))
        server.send(frames.DONE, frames.ENDED.pack(1, 1))
