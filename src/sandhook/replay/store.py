"""The state of a replay: the results of finished partitions, in a directory, and what changed in a database.

A result is written to a new file and renamed. So a replay that is killed at any time goes on with what was finished.
"""

# ruff: noqa: PTH103, PTH105, PTH113, PTH123, PTH208 (pathlib costs 10 ms)

from __future__ import annotations

import json
import os
import re
import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence

from sandhook.hooks.event import JsonObject
from sandhook.journal.appending import column
from sandhook.journal.reading import Skipped
from sandhook.replay.compare import CHANGES
from sandhook.replay.errors import ReplayError
from sandhook.replay.folding import ChangedRow, Partial, row_of
from sandhook.replay.tally import BY_TEXT, Tally

_STATE = "replay.json"

#: The result of the partitions between two numbers.
_NAME = re.compile(r"p(\d{8})-(\d{8})\.zlib")


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

    def finished(self) -> Iterator[tuple[tuple[int, ...], Partial]]:
        """Yield the numbers of partitions that were replayed, and their result. Raises ReplayError for a damaged file."""
        for name in sorted(os.listdir(self._directory)):
            if (found := _NAME.fullmatch(name)) is None:
                continue
            path = f"{self._directory}/{name}"
            try:
                with open(path, "rb") as file:
                    partial = Partial.from_bytes(zlib.decompress(file.read()))
                numbers = tuple(range(int(found[1]), int(found[2]) + 1))
                if len(partial.parts) != len(numbers):
                    raise ValueError("has other partitions")
            except (OSError, ValueError, TypeError, KeyError, zlib.error):
                raise ReplayError(f"{path}: is damaged; remove it, and resume again") from None
            yield numbers, partial

    def keep(self, numbers: Sequence[int], result: bytes) -> None:
        """Keep the result of neighbouring partitions. Raises ReplayError."""
        path = f"{self._directory}/p{numbers[0]:08}-{numbers[-1]:08}.zlib"
        try:
            self._write(path, zlib.compress(result, 1))
        except OSError as error:
            raise ReplayError(f"{self._directory}: {error.strerror}") from None

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
        self._connection.execute("CREATE TABLE losses (partition INTEGER, place INTEGER, value TEXT)")
        self._total = Tally()

    def add(self, rows: Sequence[ChangedRow]) -> None:
        """Add changed events."""
        places = ", ".join("?" * (7 + len(CHANGES)))
        self._connection.execute("BEGIN")
        self._connection.executemany(
            f"INSERT INTO rows VALUES ({places})",
            [(*keys, *flags, digest, data) for keys, flags, digest, data in rows],
        )
        self._connection.execute("COMMIT")

    def lose(self, number: int, skipped: Sequence[Skipped]) -> None:
        """Add what of a partition could not be read, in the order of its places."""
        values = [(number, place, json.dumps(list(each))) for place, each in enumerate(skipped)]
        self._connection.executemany("INSERT INTO losses VALUES (?, ?, ?)", values)

    def losses(self, most: int) -> list[tuple[int, Skipped]]:
        """Return the first places that could not be read, each with the number of its partition."""
        query = "SELECT partition, value FROM losses ORDER BY partition, place LIMIT ?"
        found = self._connection.execute(query, (most,))
        return [(number, Skipped(*json.loads(value))) for number, value in found]

    def count_up(self, tally: Tally) -> None:
        """Add counts."""
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
            yield row_of(row)

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
            yield hook, tool, shape, size, [row_of(row) for (row,) in found]

    def close(self) -> None:
        self._connection.close()
