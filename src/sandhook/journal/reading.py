"""Reads records in partitions; what is damaged is reported with its place, and everything else is read.

A partition is a range of bytes of a file, of rows of a database, or a group of rows of a part. It holds the lines that
begin in it. So partitions need no index, and any process can read any of them.
"""

# ruff: noqa: PTH100, PTH113, PTH202, PTH112, PTH123, PTH208 (pathlib costs 10 ms)

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from io import BytesIO

from sandhook.journal.appending import SQLITE
from sandhook.journal.errors import DamagedLine, JournalError
from sandhook.journal.parquet import PARQUET
from sandhook.journal.schema import Entry, decode
from sandhook.record import Record
from sandhook.typed import Literal

Kind = Literal["lines", "sqlite", "parquet"]

#: The least and the most bytes of a partition of lines, and into how many partitions a shorter record is divided.
LEAST_BYTES, MOST_BYTES, PARTITIONS = 64 << 10, 4 << 20, 64

#: Rows of one partition of a database.
PARTITION_ROWS = 5_000

#: Bytes that the line of an event has at least.
_LEAST_ROW = 300

#: The longest line that is read.
MAX_LINE = 96 << 20

#: Bytes of a file that are read at once: a line has half a kilobyte, and a call of the system some microseconds.
_BUFFER = 256 << 10

_RANGE = "SELECT id, line FROM audit WHERE id BETWEEN ? AND ? ORDER BY id"
#: Why a row of a damaged database is not read that SQLite does not find, though later ones are there.
_ABSENT = "is missing in a damaged database"

_ROW = "SELECT line FROM audit WHERE id = ?"

_SQLITE_MAGIC, _PARQUET_MAGIC = b"SQLite format 3\0", b"PAR1"

#: How compressed files begin, and what decompresses them.
_COMPRESSED = {
    b"\x1f\x8b": "gzip -d",
    b"\x28\xb5\x2f\xfd": "zstd -d",
    b"\xfd7zXZ\0": "xz -d",
    b"BZh": "bzip2 -d",
}

#: Where an event begins and ends in a line that also has something else.
_START = re.compile(rb'\{"time":"')
_END = re.compile(rb'"crc":"[0-9a-f]{8}"\}')
_MOST_STARTS = 64

#: Bytes of such a line that are decoded in search of events: each place of a beginning is tried with each end.
_MOST_TRIED = 64 << 20

#: Places that could not be read of which a partition, and a result, has more than their number.
MOST_SKIPPED = 1_000


class Partition(Record):
    """A piece of a record.

    Attributes:
        path: The file.
        kind: Its form.
        start, end: Bytes of a file, ids of rows, or numbers of groups of rows; ``end`` is not included.
        damaged: Of a database: rows may be missing without an error.
    """

    path: str
    kind: Kind
    start: int
    end: int
    damaged: bool = False


class Skipped(Record):
    """What could not be read.

    Attributes:
        path: The file.
        unit: What ``place`` counts: bytes (0-based), rows or groups (1-based).
        place: Where it is.
        line: Number of the line in its partition (1-based), 0 in a file without lines.
        reason: Why.
        recovered: Events that were read from the line nevertheless.
    """

    path: str
    unit: Literal["byte", "row", "group", "file"]
    place: int
    line: int
    reason: str
    recovered: int = 0


class Plan(Record):
    """The partitions of records, and what of them cannot be read at all."""

    partitions: tuple[Partition, ...]
    skipped: tuple[Skipped, ...] = ()


class Contents:
    """The events of one partition.

    Args:
        data: The bytes of its file, from the one before its start; None reads them.

    Attributes:
        skipped: What could not be read, the first MOST_SKIPPED places.
        skipped_count: How many places could not be read.
        lines: Line feeds that were seen, for the numbers of later lines.
    """

    def __init__(self, partition: Partition, data: bytes | None = None) -> None:
        self.partition = partition
        self._data = data
        self.skipped: list[Skipped] = []
        self.skipped_count = 0
        self.lines = 0

    def entries(self) -> Iterator[Entry]:
        """Yield the events. Raises JournalError if the file cannot be opened any more."""
        try:
            if self.partition.kind == "lines":
                yield from self._of_lines()
                return
            with open(self.partition.path, "rb"):
                pass  # a file that is not there is no damage of its rows, each of which would be reported
            if self.partition.kind == "sqlite":
                yield from self._of_rows()
            else:
                yield from self._of_groups()
        except OSError as error:
            raise JournalError(f"{self.partition.path}: {error.strerror}") from None

    def _of_lines(self) -> Iterator[Entry]:
        path, _, start, end, _ = self.partition
        base = 0 if self._data is None else max(start - 1, 0)
        with open(path, "rb", _BUFFER) if self._data is None else BytesIO(self._data) as file:
            if start:
                file.seek(start - 1 - base)
                while (rest := file.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                    pass
            place = file.tell() + base
            while place < end and (line := file.readline(MAX_LINE)):
                self.lines += 1
                length = len(line)
                if length >= MAX_LINE and not line.endswith(b"\n"):
                    while (more := file.readline(MAX_LINE)) and not more.endswith(b"\n"):
                        length += len(more)
                    self._skip("byte", place, f"is longer than {MAX_LINE} bytes")
                    place += length + len(more)
                    continue
                text = line.removesuffix(b"\n").removesuffix(b"\r")
                if place == 0:
                    text = text.removeprefix(b"\xef\xbb\xbf")
                if text:
                    yield from self._decoded(text, "byte", place)
                place += length

    def _of_rows(self) -> Iterator[Entry]:
        connection = _database(self.partition.path)
        try:
            yield from self._rows_between(connection)
        finally:
            connection.close()

    def _rows_between(self, connection: sqlite3.Connection) -> Iterator[Entry]:
        """Yield the events of rows. In a damaged database, each row that is missing is asked for by itself.

        SQLite has no checksums: a damaged page may also end the search for a range early, without an error.
        """
        _, _, start, end, damaged = self.partition
        rows: dict[int, object] = {}
        broken: tuple[int, str] | None = (
            None  # where neighbouring rows that cannot be read begin; they are one place
        )
        try:
            rows = dict(connection.execute(_RANGE, (start, end - 1)))
        except (sqlite3.Error, UnicodeDecodeError):
            damaged = True
        for number in range(start, end) if damaged else rows:
            try:
                found = (rows[number],) if number in rows else connection.execute(_ROW, (number,)).fetchone()
                reason = _ABSENT if found is None else ""
            except (sqlite3.Error, UnicodeDecodeError) as error:
                found, reason = None, str(error)
            if broken is not None and broken[1] != reason:
                self._skip_rows(broken, number - 1)
                broken = None
            if reason and broken is None:
                broken = number, reason
            if found is not None:
                (line,) = found
                data = line if isinstance(line, bytes) else str(line).encode("utf-8", "surrogatepass")
                yield from self._decoded(data, "row", number)
        if broken is not None and broken[1] != _ABSENT:  # else this is the end of the table
            self._skip_rows(broken, end - 1)

    def _skip_rows(self, broken: tuple[int, str] | None, last: int) -> None:
        if broken is not None:
            start, reason = broken
            self._skip("row", start, reason if last == start else f"{reason}, up to row {last}")

    def _of_groups(self) -> Iterator[Entry]:
        from sandhook.journal.parquet import lines_of

        path, _, start, end, _ = self.partition
        for group in range(start, end):
            try:
                lines = lines_of(path, group)
            except JournalError as error:
                self._skip("group", group + 1, str(error))
                continue
            for line in lines:
                yield from self._decoded((line or "").encode("utf-8", "surrogatepass"), "group", group + 1)

    def _decoded(self, data: bytes, unit: Literal["byte", "row", "group"], place: int) -> Iterator[Entry]:
        try:
            entry = decode(data)
        except DamagedLine as error:
            found = list(recovered(data))
            self._skip(unit, place, str(error), len(found))
            yield from found
        else:
            if entry is not None:
                yield entry

    def _skip(
        self, unit: Literal["byte", "row", "group"], place: int, reason: str, recovered: int = 0
    ) -> None:
        self.skipped_count += 1
        if len(self.skipped) < MOST_SKIPPED:
            self.skipped.append(Skipped(self.partition.path, unit, place, self.lines, reason, recovered))


def recovered(data: bytes) -> Iterator[Entry]:
    """Yield the whole events in a line that also has something else, such as one that was cut."""
    starts = [match.start() for match in _START.finditer(data)][:_MOST_STARTS]
    begin = tried = 0
    for end in _END.finditer(data):
        for start in starts:
            if not begin <= start < end.start() or (start, end.end()) == (0, len(data)):
                continue
            if (tried := tried + end.end() - start) > _MOST_TRIED:
                return
            try:
                entry = decode(data[start : end.end()])
            except DamagedLine:
                continue
            if entry is not None:
                yield entry
            begin = end.end()
            break


def plan(records: Sequence[str], size: int | None = None, rows: int = PARTITION_ROWS) -> Plan:
    """Return the partitions of records: files, directories, ``sqlite:FILE`` or ``parquet:DIR``.

    Args:
        size: Bytes of a partition of lines; None chooses them by the length of the record alone, so that a replay
            can go on with other workers.
        rows: Rows of a partition of a database.

    Raises JournalError for a record that does not exist.
    """
    partitions: list[Partition] = []
    skipped: list[Skipped] = []
    files = [file for record in records for file in _files(record.removeprefix(SQLITE).removeprefix(PARQUET))]
    if size is None:
        total = sum(os.path.getsize(file) for file in files if os.path.isfile(file))
        size = min(max(total // PARTITIONS, LEAST_BYTES), MOST_BYTES)
    for file in files:
        try:
            partitions += _partitions(file, size, rows)
        except JournalError as error:
            skipped.append(Skipped(file, "file", 0, 0, str(error)))
        except OSError as error:
            raise JournalError(f"{file}: {error.strerror}") from None
    return Plan(tuple(partitions), tuple(skipped))


def _files(path: str) -> list[str]:
    """Return the files of a record; lines that became a part since are left out."""
    if not os.path.isdir(path):
        return [path]
    names = sorted(os.listdir(path))
    parts = {name.removesuffix(".parquet") for name in names if name.endswith(".parquet")}
    wanted = [
        name
        for name in names
        if name.endswith(".parquet") or (name.endswith(".jsonl") and name.removesuffix(".jsonl") not in parts)
    ]
    if not wanted:
        raise JournalError(f"{path}: has no part of a record (*.parquet, *.jsonl)")
    return [f"{path}/{name}" for name in wanted]


def _partitions(path: str, size: int, rows: int) -> list[Partition]:
    with open(path, "rb") as file:
        head = file.read(16)
        length = file.seek(0, os.SEEK_END)
    if head == _SQLITE_MAGIC:
        return _row_partitions(path, rows, length)
    if head[:4] == _PARQUET_MAGIC or path.endswith(".parquet"):
        from sandhook.journal.parquet import check_available, groups_of

        check_available()
        return [Partition(path, "parquet", group, group + 1) for group in range(groups_of(path))]
    for magic, program in _COMPRESSED.items():
        if head.startswith(magic):
            raise JournalError(f"is compressed: decompress it with {program}")
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or head[1:2] == b"\0" or head[:1] == b"\0" != head[1:2]:
        raise JournalError("is not UTF-8, but seems to be UTF-16: convert it")
    return [Partition(path, "lines", start, min(start + size, length)) for start in range(0, length, size)]


def _database(path: str) -> sqlite3.Connection:
    place = os.path.abspath(path).replace("\\", "/")
    for sign, escaped in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        place = place.replace(sign, escaped)
    connection = sqlite3.connect(f"file:{place if place.startswith('/') else f'/{place}'}?mode=ro", uri=True)
    connection.execute("PRAGMA writable_schema=ON")  # else nothing is read of a file that was cut
    return connection


def _row_partitions(path: str, rows: int, length: int) -> list[Partition]:
    """Return the ranges of ids that have rows; of a damaged database, also those whose rows cannot be found."""
    found: list[Partition] = []
    connection = _database(path)
    try:
        connection.execute("SELECT id, line FROM audit LIMIT 0")
        damaged = connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",)
        start, left = 1 if damaged else -(1 << 63), length // _LEAST_ROW
        while left > 0:
            try:
                start = connection.execute("SELECT min(id) FROM audit WHERE id >= ?", (start,)).fetchone()[0]
                if start is None:
                    break
            except sqlite3.DatabaseError:
                left -= rows  # nobody knows which is the next row: as many are tried as the file can have
            end = min(start + rows, 1 << 63)  # an id has 64 bits
            found.append(Partition(path, "sqlite", start, end, damaged))
            if (start := end) == 1 << 63:
                break
    except sqlite3.Error as error:
        raise JournalError(f"is not a record: {error}") from None
    finally:
        connection.close()
    return found
