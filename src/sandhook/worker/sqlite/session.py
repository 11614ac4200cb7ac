"""The worker for SQLite: statements and dot-commands on a database in memory. Runs inside the worker.

A request is a JSON header (``headers.SqliteHeader``) and the bytes of the database file.
"""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import suppress
from json import loads
from typing import TYPE_CHECKING

from sandhook.worker import frames, process
from sandhook.worker.sqlite.console import Console
from sandhook.worker.sqlite.dots import DotCommandError, Quit, run_dot
from sandhook.worker.sqlite.text import Parameters, has_statement, plan_lines, statements

if TYPE_CHECKING:
    from sandhook.worker.headers import SqliteHeader

_USAGE = 1

_VACUUM = re.compile(r"\s*+VACUUM(?:\s++main)?\s*+;?\s*+\Z", re.IGNORECASE)
_PLAN = re.compile(r"\s*EXPLAIN\s+QUERY\s+PLAN\b", re.IGNORECASE)
_BINDINGS = re.compile(r"Incorrect number of bindings supplied\. The current statement uses (\d+)")


class Session:
    """One call of sqlite3: runs its scripts on a console.

    Args:
        header: The options of the call.
        image: The database file's bytes, b"" for a new one.
    """

    def __init__(self, header: SqliteHeader, image: bytes) -> None:
        self.console = Console(header, image)
        self.errors = 0
        self._header = header
        self._image = image

    # ------------------------------------------------------------------ running

    def main(self) -> int:
        """Run all commands; return the exit status."""
        header = self._header
        try:
            for text in header["first"]:
                self.script(text)
            for text in header["commands"]:
                if status := self._command_line(text):
                    return status
            if header["script"] is not None:
                self.script(header["script"])
                return int(self.errors > 0)
        except Quit as request:
            return request.status
        return int(self.errors > 0)

    def _command_line(self, text: str) -> int:
        """Run one argument of the command line: a dot-command or statements; stop at the first error."""
        if text.lstrip().startswith("."):
            try:
                self._dot(text.strip())
            except DotCommandError:
                return 1
            return 0
        for statement, _ in statements(text):
            try:
                self._execute(statement)
            except sqlite3.Error as error:
                code = _code(error)
                place = "in prepare" if self._is_invalid(statement, error) else "stepping"
                self.console.error(f"Error: {place}, {_message(error)}{self._excerpt(statement, error)}\n")
                return code & 0xFF or 1
        return 0

    def script(self, text: str) -> None:
        """Run the lines of a script: statements, which may have several lines, and dot-commands."""
        pending = ""
        first_line = 0
        for number, line in enumerate(text.split("\n"), 1):
            if not pending and line.startswith("."):
                if self.console.echo:
                    self.console.write(line + "\n")
                self._try_dot(line.strip())
                continue
            if not pending and not has_statement(line):
                continue
            if not pending:
                first_line = number
            pending = f"{pending}\n{line}" if pending else line
            if ";" in line and sqlite3.complete_statement(pending):
                self._statements(pending, first_line)
                pending = ""
        if pending.strip():
            self._statements(pending, first_line)

    def _dot(self, line: str) -> None:
        """Run a dot-command, and the script that it reads."""
        console = self.console
        text = run_dot(console, line)
        if text is not None:
            console.depth += 1
            self.script(text)
            console.depth -= 1

    def _try_dot(self, line: str) -> None:
        try:
            self._dot(line)
        except DotCommandError:
            self.errors += 1
            if self.console.bail:
                raise Quit(1) from None

    def _statements(self, text: str, line: int) -> None:
        if self.console.echo:
            self.console.write(text + "\n")
        for statement, _ in statements(text):
            try:
                self._execute(statement)
            except sqlite3.Error as error:
                is_invalid = self._is_invalid(statement, error)
                self.errors += 1
                self.console.error(
                    f"{'Parse' if is_invalid else 'Runtime'} error near line {line}: {_message(error)}{self._excerpt(statement, error)}\n"
                )
                if self.console.bail:
                    raise Quit(1) from None
                break
        if self.console.changes:
            changes = self.console.db.execute("SELECT changes(), total_changes()").fetchone()
            self.console.write(f"changes: {changes[0]}   total_changes: {changes[1]}\n")
        if self.console.once:
            self.console.send_to("")

    def _execute(self, statement: str) -> None:
        if _VACUUM.match(statement):
            self.console.vacuum()
            return
        cursor = self._cursor(statement)
        try:
            if cursor.description is not None:
                names = [column[0] for column in cursor.description]
                if _PLAN.match(statement) and len(names) == 4:
                    self.console.write("".join(plan_lines(cursor.fetchall())))
                else:
                    self.console.style.print(names, cursor, self.console.write)
        finally:
            cursor.close()

    def _cursor(self, statement: str) -> sqlite3.Cursor:
        """Start a statement and return its cursor; variables have the values of .parameter, or NULL."""
        if not any(sign in statement for sign in "?:@$"):
            return self.console.db.execute(statement)
        parameters = Parameters(self.console.parameters)
        try:
            return self.console.db.execute(statement)
        except sqlite3.ProgrammingError as error:
            count = _BINDINGS.search(str(error))
            if count is None:
                raise
        try:
            return self.console.db.execute(statement, parameters)
        except sqlite3.ProgrammingError:
            places = range(1, int(count[1]) + 1)
            return self.console.db.execute(
                statement, [self.console.parameters.get(f"?{place}") for place in places]
            )

    def _is_invalid(self, statement: str, error: sqlite3.Error) -> bool:
        """Return True if SQLite cannot prepare a statement."""
        try:
            self.console.db.execute("EXPLAIN " + statement.lstrip()).close()
        except sqlite3.Error as explain_error:
            return str(explain_error) == str(error)
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
                self.console.db.execute("EXPLAIN " + statement[: at + len(token)]).close()
            except sqlite3.Error as explain_error:
                if str(explain_error) == text:
                    break
            next_at = statement.find(token, at + 1)
            if next_at < 0:
                break
            at = next_at
        start = max(0, at - 50)
        excerpt = "".join(" " if c.isspace() else c for c in statement[start : start + 78])
        mark = (
            " " * (at - start) + "^--- error here"
            if at - start < 25
            else " " * (at - start - 14) + "error here ---^"
        )
        return f"\n  {excerpt}\n  {mark}"

    def end(self, status: int) -> None:
        """Send the remaining output, and the database if it has changed."""
        self.console.flush()
        if self.console.db.in_transaction:
            self.console.db.execute("ROLLBACK")
        image = b""
        if not self._header["readonly"] and self._header["name"]:
            with suppress(sqlite3.DatabaseError):  # not a database, and so not changed
                image = self.console.image()
            if image == self._image:
                image = b""
        process.send(frames.DONE, frames.RUN_RESULT.pack(status, 0) + image)


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", _USAGE) & 0xFF


def _message(error: sqlite3.Error) -> str:
    code = _code(error)
    divergence = (
        " (L-SQLITE-001)" if code == sqlite3.SQLITE_AUTH or str(error).startswith("not authorized") else ""
    )
    return f"{error} ({code}){divergence}" if code > 1 else f"{error}{divergence}"


def main(_: str) -> None:
    """Confine the process and serve."""
    process.begin()
    try:
        while True:
            seconds, head, body = frames.NATIVE.unpack(process.read_exactly(frames.NATIVE.size))
            request = process.read_exactly(head + body)
            process.arm(seconds)
            _serve(loads(request[:head]), request[head:])
            process.arm(0)
    except MemoryError:
        process.send(frames.MEMORY, b"")
        os._exit(1)


def _serve(header: SqliteHeader, data: bytes) -> None:
    if not hasattr(sqlite3.Connection, "deserialize"):
        process.send(
            frames.FAILED, b"Error: this Python's SQLite cannot hold a database in memory (L-SQLITE-003)\n"
        )
        process.send(frames.DONE, frames.RUN_RESULT.pack(1, 1))
        return
    try:
        session = Session(header, data)
        try:
            session.end(session.main())
        finally:
            session.console.db.close()
    except process.OutputRefused:
        return
    except sqlite3.Error as error:
        process.send(frames.FAILED, f"Error: {error}\n".encode("utf-8", "replace"))
        process.send(frames.DONE, frames.RUN_RESULT.pack(_code(error) or 1, 1))
    except (ValueError, OverflowError, RecursionError, sqlite3.Warning) as error:
        process.send(frames.FAILED, f"Error: {error}\n".encode("utf-8", "replace"))
        process.send(frames.DONE, frames.RUN_RESULT.pack(1, 1))
