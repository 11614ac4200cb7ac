"""Where the audit lines of a service go: a file of JSON lines, or a database of SQLite.

A line is written before the event that it belongs to is answered. So a line that was answered survives the
end of the service.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import Protocol

from sandhook.serve.errors import AuditError

_PREFIX = "sqlite:"

_TABLE = """\
CREATE TABLE IF NOT EXISTS audit (
  id INTEGER PRIMARY KEY,
  time TEXT NOT NULL,
  type TEXT NOT NULL,
  hook_id TEXT NOT NULL,
  session_id TEXT,
  line TEXT NOT NULL
)"""


class AuditLog(Protocol):
    """An open audit log. Any thread may write."""

    def write(self, lines: Sequence[str]) -> None:
        """Write lines. Raises AuditError."""
        ...

    def close(self) -> None:
        """Close the log."""
        ...


def open_audit(target: str) -> AuditLog:
    """Open ``FILE`` or ``sqlite:FILE``; a new file is the user's alone. Raises AuditError."""
    if target.startswith(_PREFIX):
        return SqliteAudit(target.removeprefix(_PREFIX))
    return FileAudit(target)


class FileAudit:
    """A file of JSON lines, each of which has its time."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = Lock()
        try:
            self._descriptor = os.open(
                path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o600
            )
        except OSError as error:
            raise AuditError(f"--audit {path}: {error.strerror}") from None

    def write(self, lines: Sequence[str]) -> None:
        now = _now()
        left = memoryview("".join(f'{{"time":"{now}",{line[1:]}\n' for line in lines).encode("utf-8"))
        with self._lock:
            try:
                while left:
                    left = left[os.write(self._descriptor, left) :]
            except OSError as error:
                raise AuditError(f"--audit {self._path}: {error.strerror}") from None

    def close(self) -> None:
        with self._lock:
            os.close(self._descriptor)


class SqliteAudit:
    """A database with the table ``audit``: a row for each line."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = Lock()
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
            self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute(_TABLE)
        except OSError as error:
            raise AuditError(f"--audit {_PREFIX}{path}: {error.strerror}") from None
        except sqlite3.Error as error:
            raise AuditError(f"--audit {_PREFIX}{path}: {error}") from None

    def write(self, lines: Sequence[str]) -> None:
        now = _now()
        rows = [(now, *_columns(line), line) for line in lines]
        with self._lock:
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    self._connection.executemany(
                        "INSERT INTO audit (time, type, hook_id, session_id, line) VALUES (?, ?, ?, ?, ?)",
                        rows,
                    )
                except BaseException:
                    self._connection.execute("ROLLBACK")
                    raise
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise AuditError(f"--audit {_PREFIX}{self._path}: {error}") from None

    def close(self) -> None:
        with self._lock:
            self._connection.close()


class AuditWriter:
    """Writes lines in a thread, while the event loop goes on: what arrives during one write is the next one.

    Only the event loop's thread may call.
    """

    def __init__(self, log: AuditLog) -> None:
        self._log = log
        self._lines: list[str] = []
        self._waiting: list[Callable[[AuditError | None], object]] = []
        self._is_writing = False

    def write(self, lines: Sequence[str], done: Callable[[AuditError | None], object]) -> None:
        """Write lines; ``done`` receives None after that, or the error."""
        self._lines.extend(lines)
        self._waiting.append(done)
        if not self._is_writing:
            self._is_writing = True
            self._write()

    def _write(self) -> None:
        lines, self._lines = self._lines, []
        waiting, self._waiting = self._waiting, []
        writing = asyncio.get_running_loop().run_in_executor(None, self._log.write, lines)
        writing.add_done_callback(lambda future: self._written(future, waiting))

    def _written(
        self, future: asyncio.Future[None], waiting: list[Callable[[AuditError | None], object]]
    ) -> None:
        if future.cancelled():
            error: AuditError | None = AuditError("the service ended before its audit log was written")
        else:
            failure = future.exception()
            known = failure is None or isinstance(failure, AuditError)
            error = failure if known else AuditError(f"the audit log: {failure}")  # type: ignore[assignment]
        if self._lines:
            self._write()
        else:
            self._is_writing = False
        for done in waiting:
            done(error)


def _columns(line: str) -> tuple[str, str, str | None]:
    value = json.loads(line)
    return value.get("type", ""), value.get("hook_id", ""), value.get("session_id")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
