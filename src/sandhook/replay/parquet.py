"""The changed events of a replay as a file of Parquet."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import islice

from sandhook.hooks.event import JsonObject
from sandhook.journal.appending import column
from sandhook.journal.parquet import check_available
from sandhook.replay.errors import ReplayError
from sandhook.replay.store import Rows

_TEXTS = ("time", "id", "agent", "event", "tool", "hook", "shape")
_GROUP = 5_000


def write_rows(path: str, rows: Rows) -> None:
    """Write the changed events in their order, a group of rows at a time. Raises ReplayError, JournalError."""
    check_available()
    import pyarrow
    from pyarrow import parquet

    fields = [pyarrow.field(name, pyarrow.string()) for name in (*_TEXTS, "old", "new")]
    fields.append(pyarrow.field("changes", pyarrow.list_(pyarrow.string())))
    fields.append(pyarrow.field("slower", pyarrow.bool_()))
    fields += [pyarrow.field(name, pyarrow.float64()) for name in ("old_ms", "new_ms")]
    schema = pyarrow.schema(fields)
    try:
        with parquet.ParquetWriter(f"{path}.tmp", schema, compression="zstd") as writer:
            for group in _groups(rows):
                columns: dict[str, list[object]] = {
                    name: [None if row[name] is None else column(str(row[name])) for row in group]
                    for name in _TEXTS
                }
                for name in ("old", "new"):
                    columns[name] = [json.dumps(row[name]) for row in group]
                for name in ("changes", "slower", "old_ms", "new_ms"):
                    columns[name] = [row[name] for row in group]
                writer.write_table(pyarrow.Table.from_pydict(columns, schema=schema))
        os.replace(f"{path}.tmp", path)  # noqa: PTH105 - pathlib costs 10 ms
    except OSError as error:
        raise ReplayError(f"--output {path}: {error.strerror or error}") from None


def _groups(rows: Rows) -> Iterator[list[JsonObject]]:
    each = rows.all()
    while group := list(islice(each, _GROUP)):
        yield group
