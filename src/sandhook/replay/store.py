"""The state of a replay: the result of each finished partition, in a directory, and what changed in a database.

A result is written to a new file and renamed. So a replay that is killed at any time goes on with what was finished.
"""

# ruff: noqa: PTH103, PTH105, PTH113, PTH123, PTH208 (pathlib costs 10 ms)

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b

from sandhook.hooks.event import JsonObject
from sandhook.journal.appending import column
from sandhook.replay.compare import CHANGES
from sandhook.replay.errors import ReplayError
from sandhook.replay.tally import BY_TEXT, Tally

_STATE = "replay.json"

#: What of a changed event depends on the machine: it decides no order, also of events that have one id.
_MEASURED = frozenset({"slower", "old_ms", "new_ms", "run"})


class State:
    """A directory with the results of partitions.

    Args:
        directory: Made if it does not exist.
        fingerprint: Identifies the job and its partitions; a directory with another one is an error.

    Raises ReplayError.
    """

    def __init__(self, directory: str, fingerprint: str) -> None:
        self._directory = directory
        path = f"{directory}/{_STATE}"
        try:
            os.makedirs(directory, 0o700, exist_ok=True)
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as file:
                    known = json.load(file).get("fingerprint")
                if known != fingerprint:
                    raise ReplayError(
                        f"--resume {directory}: is the state of another replay: the records, the hooks or the"
                        " options differ; name another directory"
                    )
            elif os.listdir(directory):
                raise ReplayError(f"--resume {directory}: is not empty, and not the state of a replay")
            else:
                self._write(path, json.dumps({"fingerprint": fingerprint}).encode())
        except OSError as error:
            raise ReplayError(f"--resume {directory}: {error.strerror}") from None
        except (ValueError, AttributeError):
            raise ReplayError(f"--resume {directory}: {_STATE} is not the state of a replay") from None

    def finished(self) -> set[int]:
        """Return the numbers of the partitions that were replayed."""
        names = os.listdir(self._directory)
        return {int(name[1:-5]) for name in names if name.startswith("p") and name.endswith(".zlib")}

    def keep(self, number: int, result: bytes) -> None:
        """Keep the result of a partition. Raises ReplayError."""
        try:
            self._write(self._path(number), zlib.compress(result, 1))
        except OSError as error:
            raise ReplayError(f"{self._directory}: {error.strerror}") from None

    def result(self, number: int) -> JsonObject:
        """Return the result of a partition. Raises ReplayError if the file is damaged."""
        try:
            with open(self._path(number), "rb") as file:
                value: JsonObject = json.loads(zlib.decompress(file.read()))
        except (OSError, ValueError, zlib.error):
            raise ReplayError(f"{self._path(number)}: is damaged; remove it, and resume again") from None
        return value

    def _path(self, number: int) -> str:
        return f"{self._directory}/p{number:08}.zlib"

    @staticmethod
    def _write(path: str, data: bytes) -> None:
        with open(f"{path}.tmp", "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{path}.tmp", path)


class Rows:
    """The changed events of a replay, in the order of time and id, and its counts, on disk.

    Args:
        path: The database, made anew.
    """

    def __init__(self, path: str) -> None:
        for name in (path, f"{path}-journal"):
            if os.path.exists(name):  # noqa: PTH110
                os.unlink(name)  # noqa: PTH108
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=OFF")
        self._connection.execute("PRAGMA synchronous=OFF")
        self._connection.execute("PRAGMA cache_size=-32768")
        flags = ", ".join(f"{name} INTEGER NOT NULL" for name in CHANGES)
        self._connection.execute(
            f"CREATE TABLE rows (time TEXT, id TEXT, hook TEXT, tool TEXT, shape TEXT, {flags}, digest BLOB, row BLOB)"
        )
        self._connection.execute(
            "CREATE TABLE counts (counter TEXT, key TEXT, number INTEGER, PRIMARY KEY (counter, key)) WITHOUT ROWID"
        )
        self._total = Tally()

    def add(self, rows: list[JsonObject]) -> None:
        """Add the changed events of a partition."""
        places = ", ".join("?" * (7 + len(CHANGES)))
        self._connection.execute("BEGIN")
        self._connection.executemany(f"INSERT INTO rows VALUES ({places})", map(_columns, rows))
        self._connection.execute("COMMIT")

    def count_up(self, tally: Tally) -> None:
        """Add the counts of a partition."""
        self._connection.execute("BEGIN")
        for counter in BY_TEXT:
            counts: Counter[str] = getattr(tally, counter)
            self._connection.executemany(
                "INSERT INTO counts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET number = number + excluded.number",
                ((counter, column(key), number) for key, number in counts.items()),
            )
            setattr(tally, counter, Counter())
        self._connection.execute("COMMIT")
        self._total.merge(tally)

    def tally(self) -> Tally:
        """Return all counts; of counts by texts of events the largest ones, and the sum of the others."""
        for counter, most in BY_TEXT.items():
            largest = self._connection.execute(
                "SELECT key, number FROM counts WHERE counter = ? ORDER BY number DESC, key LIMIT ?",
                (counter, most),
            )
            counts: Counter[str] = Counter(dict(largest))
            setattr(self._total, counter, counts)
            query = "SELECT count(*), coalesce(sum(number), 0) FROM counts WHERE counter = ?"
            keys, number = self._connection.execute(query, (counter,)).fetchone()
            self._total.left_out[counter] = (keys - len(counts), number - counts.total())
        return self._total

    def finish(self) -> None:
        """Make the rows ready to be read in their order."""
        self._connection.execute("CREATE INDEX in_time ON rows (time, id, digest)")
        self._connection.execute("CREATE INDEX in_groups ON rows (hook, tool, shape, time, id, digest)")

    def count(self) -> int:
        """Return how many events changed."""
        found: int = self._connection.execute("SELECT count(*) FROM rows").fetchone()[0]
        return found

    def all(self) -> Iterator[JsonObject]:
        """Yield the changed events."""
        for (row,) in self._connection.execute("SELECT row FROM rows ORDER BY time, id, digest"):
            value: JsonObject = json.loads(zlib.decompress(row))
            yield value

    def count_groups(self, change: str) -> int:
        """Return how many groups a change has."""
        query = f"SELECT count(*) FROM (SELECT 1 FROM rows WHERE {change} GROUP BY hook, tool, shape)"
        found: int = self._connection.execute(query).fetchone()[0]
        return found

    def groups(
        self, change: str, most: int, examples: int
    ) -> Iterator[tuple[str, str, str, int, list[JsonObject]]]:
        """Yield hook, tool, shape, count and the first events of the largest groups, the largest first."""
        query = (
            f"SELECT hook, tool, shape, count(*) AS size FROM rows WHERE {change} GROUP BY hook, tool, shape"
            " ORDER BY size DESC, hook, tool, shape LIMIT ?"
        )
        one = (
            f"SELECT row FROM rows WHERE {change} AND hook = ? AND tool = ? AND shape = ?"
            " ORDER BY time, id, digest LIMIT ?"
        )
        for hook, tool, shape, size in self._connection.execute(query, (most,)).fetchall():
            found = self._connection.execute(one, (hook, tool, shape, examples))
            yield hook, tool, shape, size, [json.loads(zlib.decompress(row)) for (row,) in found]

    def close(self) -> None:
        self._connection.close()


def _columns(row: JsonObject) -> tuple[object, ...]:
    changes = row["changes"]
    assert isinstance(changes, list)
    flags = [row[name] if name == "slower" else name in changes for name in CHANGES]
    data = zlib.compress(json.dumps(row, separators=(",", ":")).encode("ascii"), 1)
    texts = (column(str(row[name] or "")) for name in ("time", "id", "hook", "tool", "shape"))
    lasting = json.dumps({name: row[name] for name in row if name not in _MEASURED}, sort_keys=True)
    return *texts, *flags, blake2b(lasting.encode("ascii"), digest_size=12).digest(), data
