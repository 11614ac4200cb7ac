"""A record in a file of JSON lines, or in a database of SQLite.

A line is written before ``write`` returns. So a line that was written survives the end of the process, at any byte
of the next one.
"""

# ruff: noqa: PTH113, PTH123 (pathlib costs 10 ms)

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from threading import Lock

from sandhook.journal.errors import JournalError

SQLITE = "sqlite:"

_TABLE = """\
CREATE TABLE IF NOT EXISTS audit (
  id INTEGER PRIMARY KEY,
  time TEXT NOT NULL,
  type TEXT NOT NULL,
  hook_id TEXT NOT NULL,
  session_id TEXT,
  line TEXT NOT NULL
)"""

_HAS_TIME = '{"time":"'


def timed(line: str, now: str) -> str:
    """Return a line that begins with its time; the line of an event has one."""
    return line if line.startswith(_HAS_TIME) else f'{_HAS_TIME}{now}",{line[1:]}'


def column(text: str) -> str:
    """Return a text as a column can have it: half of a surrogate pair, which JSON may have, is escaped."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


class FileTarget:
    """A file of JSON lines, each of which has its time.

    A line that an earlier process could not complete is ended first, so that it damages no other.
    """

    def __init__(self, path: str, label: str = "") -> None:
        self._name = label + path
        self._lock = Lock()
        try:
            cut = _ends_within_a_line(path)
            self._descriptor = os.open(
                path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o600
            )
            if cut:
                os.write(self._descriptor, b"\n")
        except OSError as error:
            raise JournalError(f"{self._name}: {error.strerror}") from None

    def write(self, lines: Sequence[str]) -> None:
        now = present_time()
        left = memoryview("".join(f"{timed(line, now)}\n" for line in lines).encode("utf-8"))
        with self._lock:
            try:
                while left:
                    left = left[os.write(self._descriptor, left) :]
            except OSError as error:
                raise JournalError(f"{self._name}: {error.strerror}") from None

    def close(self) -> None:
        with self._lock:
            os.close(self._descriptor)


def _ends_within_a_line(path: str) -> bool:
    """Return whether a regular file has a last line without its line feed."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        if size == 0:
            return False
        file.seek(size - 1)
        return file.read(1) != b"\n"


class SqliteTarget:
    """A database with the table ``audit``: a row for each line."""

    def __init__(self, path: str, label: str = "") -> None:
        self._name = f"{label}{SQLITE}{path}"
        self._lock = Lock()
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
            self._connection = _appending_database(path)
        except OSError as error:
            raise JournalError(f"{self._name}: {error.strerror}") from None
        except sqlite3.Error as error:
            raise JournalError(f"{self._name}: {error}") from None

    def write(self, lines: Sequence[str]) -> None:
        now = present_time()
        rows = [_row(line, now) for line in lines]
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
                raise JournalError(f"{self._name}: {error}") from None

    def close(self) -> None:
        with self._lock:
            self._connection.close()


def _appending_database(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(_TABLE)
    except BaseException:
        connection.close()
        raise
    return connection


def _row(line: str, now: str) -> tuple[str, str, str, str | None, str]:
    value = json.loads(line)
    session = value.get("session_id")
    return (
        value.get("time", now),
        value.get("type", ""),
        column(value.get("hook_id", "")),
        None if session is None else column(session),
        line,
    )


def present_time() -> str:
    """Return the time as a line has it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
