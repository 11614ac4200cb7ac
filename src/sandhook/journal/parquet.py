"""A record as a directory of Parquet parts.

Lines are appended to a file ``NAME.jsonl``. When it is long enough it becomes ``NAME.parquet`` in one step. So a process
that is killed leaves lines, which a reader reads like a part.
"""

# ruff: noqa: PTH103, PTH105, PTH108, PTH123 (pathlib costs 10 ms)

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from threading import Lock

from sandhook.hooks.event import Json, JsonObject
from sandhook.journal.appending import FileTarget, column, present_time, timed
from sandhook.journal.errors import JournalError
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow

PARQUET = "parquet:"

#: A part ends after so many lines or characters; a group of rows is what a reader reads at once.
PART_LINES = 50_000
PART_CHARACTERS = 64 << 20
GROUP_LINES = 5_000

#: Columns that a query can use without parsing lines; the line has everything.
_TEXTS = ("time", "type", "id", "agent", "event", "kind", "tool", "session_id", "hook_id", "version")

_MISSING = "a record of Parquet needs the extra sandhook[replay]: there is no module pyarrow"


def check_available() -> None:
    """Raise JournalError if pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise JournalError(_MISSING) from None


class ParquetTarget:
    """A directory of parts. Each process writes parts of its own, so several may write to one directory."""

    def __init__(self, path: str, label: str = "") -> None:
        check_available()
        self._name = f"{label}{PARQUET}{path}"
        self._directory = path
        self._lock = Lock()
        self._lines: FileTarget | None = None
        self._part = ""
        self._count = self._characters = self._parts = 0
        try:
            os.makedirs(path, 0o700, exist_ok=True)
        except OSError as error:
            raise JournalError(f"{self._name}: {error.strerror}") from None

    def write(self, lines: Sequence[str]) -> None:
        now = present_time()
        with self._lock:
            if self._lines is None:
                self._parts += 1
                name = f"{time.time_ns():016x}-{os.getpid()}-{self._parts}"
                self._part = f"{self._directory}/{name}"
                self._lines = FileTarget(f"{self._part}.jsonl")
            self._lines.write([timed(line, now) for line in lines])
            self._count += len(lines)
            self._characters += sum(map(len, lines))
            if self._count >= PART_LINES or self._characters >= PART_CHARACTERS:
                self._finish()

    def close(self) -> None:
        with self._lock:
            if self._lines is not None:
                self._finish()

    def _finish(self) -> None:
        """Make the lines a part, in one step."""
        assert self._lines is not None
        self._lines.close()
        self._lines = None
        self._count = self._characters = 0
        try:
            write_part(f"{self._part}.jsonl", f"{self._part}.parquet")
            os.unlink(f"{self._part}.jsonl")
        except OSError as error:
            raise JournalError(f"{self._name}: {error.strerror or error}") from None


def write_part(source: str, target: str) -> None:
    """Write the lines of a file as a part, a group of rows at a time."""
    import pyarrow
    from pyarrow import parquet

    fields = [pyarrow.field(name, pyarrow.string()) for name in _TEXTS]
    fields += [
        pyarrow.field("refused", pyarrow.bool_()),
        pyarrow.field("permission", pyarrow.string()),
        pyarrow.field("reason", pyarrow.string()),
        pyarrow.field("duration_ms", pyarrow.float64()),
        pyarrow.field("line", pyarrow.string()),
    ]
    schema = pyarrow.schema(fields)
    unfinished = f"{target}.tmp"
    with (
        open(source, encoding="ascii") as file,
        parquet.ParquetWriter(
            unfinished, schema, compression="zstd", write_page_checksum=True, use_dictionary=list(_TEXTS[3:7])
        ) as writer,
    ):
        group: list[str] = []
        for line in file:
            group.append(line.rstrip("\n"))
            if len(group) >= GROUP_LINES:
                writer.write_table(_table(group, schema))
                group = []
        if group:
            writer.write_table(_table(group, schema))
    descriptor = os.open(unfinished, os.O_RDWR)
    os.fsync(descriptor)
    os.close(descriptor)
    os.replace(unfinished, target)


def _table(lines: list[str], schema: pyarrow.Schema) -> pyarrow.Table:
    import pyarrow

    values: list[JsonObject] = [json.loads(line) for line in lines]
    columns: dict[str, list[Json]] = {name: [_cell(value.get(name)) for value in values] for name in _TEXTS}
    decisions = [value.get("decision") for value in values]
    for name in ("refused", "permission", "reason"):
        columns[name] = [_cell(each.get(name)) if isinstance(each, dict) else None for each in decisions]
    columns["duration_ms"] = [value.get("duration_ms") for value in values]
    columns["line"] = list(lines)
    return pyarrow.Table.from_pydict(columns, schema=schema)


def _cell(value: Json) -> Json:
    return column(value) if isinstance(value, str) else value


def groups_of(path: str) -> int:
    """Return how many groups of rows a part has. Raises JournalError."""
    from pyarrow import lib, parquet

    try:
        with parquet.ParquetFile(path) as part:
            count: int = part.num_row_groups
            return count
    except (OSError, lib.ArrowException) as error:
        raise JournalError(f"is not a part of Parquet: {_first_line(error)}") from None


def lines_of(path: str, group: int) -> list[str | None]:
    """Return the lines of a group of rows. Raises JournalError."""
    from pyarrow import lib, parquet

    try:
        with parquet.ParquetFile(path, page_checksum_verification=True) as part:
            lines: list[str | None] = part.read_row_group(group, columns=["line"]).column("line").to_pylist()
            return lines
    except (OSError, KeyError, UnicodeDecodeError, lib.ArrowException) as error:
        raise JournalError(f"group {group + 1} cannot be read: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
