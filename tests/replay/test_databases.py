"""Records in databases that are damaged, and files that are no record."""

from __future__ import annotations

import gzip
import lzma
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sandhook.hooks.engine import HookEngine
from sandhook.journal.journal import Journal
from sandhook.journal.reading import Contents, Skipped, plan
from tests.replay.replaytools import payload, settings


def _database_of(path: Path, count: int) -> int:
    """Write a record of so many events to a database; return the bytes of a page."""
    with Journal(f"sqlite:{path}") as journal:
        engine = HookEngine.load(settings("exit 2"), "claude_code", audit=journal)
        for number in range(count):
            engine.fire_native(payload(f"ls {number}"))
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=DELETE")
        size: int = database.execute("PRAGMA page_size").fetchone()[0]
    return size


def _read(path: Path, rows: int = 5_000) -> tuple[list[int], list[Skipped], int]:
    """Return the numbers of the events of a record, and what could not be read."""
    whole = plan([str(path)], rows=rows)
    found, skipped, count = [], list(whole.skipped), 0
    for partition in whole.partitions:
        contents = Contents(partition)
        for each in contents.entries():
            assert isinstance(each.payload, dict)
            found.append(int(str(each.payload["tool_input"]["command"]).removeprefix("ls ")))  # type: ignore
        skipped += contents.skipped
        count += contents.skipped_count
    return found, skipped, count


@pytest.mark.parametrize("filling", [b"A", b"\0", b"\xff"])
@pytest.mark.parametrize("rows", [7, 5_000])
def test_a_damaged_page_of_a_database_costs_its_rows(tmp_path: Path, filling: bytes, rows: int) -> None:
    """A page of garbage may end SQLite's search for a range without an error."""
    size = _database_of(tmp_path / "r", 60)
    data = bytearray((tmp_path / "r").read_bytes())
    assert len(data) // size > 8
    data[5 * size : 6 * size] = filling * size
    (tmp_path / "r").write_bytes(data)
    found, skipped, _ = _read(tmp_path / "r", rows)
    lost = set(range(60)) - set(found)
    assert 0 < len(lost) < 12 and found == sorted(found)
    assert skipped and all(each.unit == "row" for each in skipped)
    if rows > 60:  # a range that ends within the damage may end without an error
        assert min(each.place for each in skipped) - 1 == min(lost)


def test_a_database_that_was_cut_has_its_first_rows(tmp_path: Path) -> None:
    size = _database_of(tmp_path / "r", 60)
    data = (tmp_path / "r").read_bytes()
    (tmp_path / "r").write_bytes(data[: len(data) // 2 // size * size + 100])
    found, skipped, _ = _read(tmp_path / "r")
    assert found[:20] == list(range(20)) and len(found) < 50
    assert skipped[-1].unit == "row" and "malformed" in skipped[-1].reason


def test_a_database_with_strange_ids_is_read(tmp_path: Path) -> None:
    """Ids decide how many partitions there are: only those with rows."""
    _database_of(tmp_path / "r", 6)
    with closing(sqlite3.connect(tmp_path / "r")) as database:
        for number, place in ((1, -(1 << 63)), (2, -5), (5, 1 << 40), (6, (1 << 63) - 1)):
            database.execute("UPDATE audit SET id = ? WHERE id = ?", (place, number))
        database.commit()
    found, skipped, _ = _read(tmp_path / "r", 2)
    assert found == [0, 1, 2, 3, 4, 5] and not skipped


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (gzip.compress(b"x"), "is compressed: decompress it with gzip -d"),
        (lzma.compress(b"x"), "is compressed: decompress it with xz -d"),
        (b"SQLite format 3\0" + bytes(2_000), "is not a record: "),
    ],
    ids=["gzip", "xz", "sqlite"],
)
def test_a_file_that_is_no_record_has_a_reason(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "r").write_bytes(data)
    (skipped,) = plan([str(tmp_path / "r")]).skipped
    assert skipped.unit == "file" and skipped.reason.startswith(why)
