"""Results of partitions: what one is as bytes, and how several become one.

Folding is associative: results of any neighbours, folded in their order, are what one result of all would be. So workers
fold what they have, and whoever asked folds the rest. Changed events are encoded where they were found. Nobody decodes
them on the way.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from hashlib import blake2b

from sandhook.hooks.event import Json, JsonObject
from sandhook.journal.appending import column
from sandhook.journal.reading import MOST_SKIPPED, Skipped
from sandhook.record import Record
from sandhook.replay.compare import CHANGES, Change
from sandhook.replay.tally import Tally
from sandhook.typed import Any

#: The version of the bytes, which a directory of ``--resume`` keeps.
VERSION = 2

#: Bytes at the beginning that have the length of the head, and bytes of a digest.
_LENGTH, _DIGEST = 8, 12

#: Members of a changed event that it is found by.
KEYS = ("time", "id", "hook", "tool", "shape")

#: A shorter changed event is not compressed: that takes as long as all else that is done with it.
_LONG = 1_000


class ChangedRow(Record):
    """An event that something changed for.

    Attributes:
        keys: The texts that it is found by, in the order of KEYS.
        flags: For each of CHANGES, whether that changed.
        digest: Of all that does not depend on the machine; it orders events that have one id.
        data: Everything, as ``row_of`` reads it.
    """

    keys: tuple[str, ...]
    flags: tuple[bool, ...]
    digest: bytes
    data: bytes


def changed_row(lasting: JsonObject, measured: JsonObject, changes: Sequence[Change]) -> ChangedRow:
    """Return a changed event.

    Args:
        lasting: What depends on the event, the hooks and the files alone.
        measured: What depends on the machine.
    """
    text = json.dumps(lasting, separators=(",", ":"))
    data = f"{text[:-1]},{json.dumps(measured, separators=(',', ':'))[1:]}".encode("ascii")
    return ChangedRow(
        keys=tuple([column(str(lasting[name] or "")) for name in KEYS]),
        flags=tuple([name in changes for name in CHANGES]),
        digest=blake2b(text.encode("ascii"), digest_size=_DIGEST).digest(),
        data=zlib.compress(data, 1) if len(data) > _LONG else data,
    )


def row_of(data: bytes) -> JsonObject:
    """Return a changed event as JSON values."""
    value: JsonObject = json.loads(data if data[:1] == b"{" else zlib.decompress(data))
    return value


class Part(Record):
    """What reading one partition found.

    Attributes:
        lines: Line feeds, for the numbers of later lines.
        skipped_count: Places that could not be read.
        skipped: The first of them.
    """

    lines: int
    skipped_count: int
    skipped: tuple[Skipped, ...]


def skipped_json(loss: Skipped, lines_before: int) -> JsonObject:
    """Return what could not be read as JSON values.

    Args:
        lines_before: Lines of earlier partitions of its file.
    """
    return {
        "file": loss.path,
        "unit": loss.unit,
        "place": loss.place,
        "line": loss.line + lines_before if loss.unit == "byte" else None,
        "reason": loss.reason,
        "recovered": loss.recovered,
    }


class Partial(Record):
    """The result of neighbouring partitions.

    Attributes:
        tally: What was counted.
        parts: What reading them found, in their order.
        rows: The changed events, in any order.
    """

    tally: Tally
    parts: tuple[Part, ...]
    rows: tuple[ChangedRow, ...]

    def to_bytes(self) -> bytes:
        """Return the result as bytes: a head of JSON, then what is no text."""
        parts: list[Json] = [
            [lines, count, [list(each) for each in skipped]] for lines, count, skipped in self.parts
        ]
        rows: list[Json] = [
            [*keys, "".join("1" if each else "0" for each in flags), len(data)]
            for keys, flags, _, data in self.rows
        ]
        head = _head(self.tally, parts, rows)
        return b"".join([head, *(each for row in self.rows for each in (row.digest, row.data))])

    @classmethod
    def from_bytes(cls, data: bytes) -> Partial:
        """Return what ``to_bytes`` returned. Raises ValueError for something else."""
        head, at = _read_head(data)
        rows: list[ChangedRow] = []
        for *keys, flags, length in head["rows"]:
            begin, end = at + _DIGEST, at + _DIGEST + length
            changed = tuple([each == "1" for each in flags])
            rows.append(ChangedRow(tuple(keys), changed, data[at:begin], data[begin:end]))
            at = end
        if at != len(data):
            raise ValueError(f"has {len(data)} bytes, not {at}")
        parts = [
            Part(lines, count, tuple([Skipped(*each) for each in skipped]))
            for lines, count, skipped in head["parts"]
        ]
        return cls(Tally.from_json(head["tally"]), tuple(parts), tuple(rows))


def fold(results: Sequence[bytes]) -> bytes:
    """Return the results of neighbours as one, in their order."""
    tally = Tally()
    parts: list[Json] = []
    rows: list[Json] = []
    bodies: list[bytes] = []
    room = MOST_SKIPPED
    for result in results:
        head, at = _read_head(result)
        tally.merge(Tally.from_json(head["tally"]))
        for lines, count, skipped in head["parts"]:
            parts.append([lines, count, skipped[:room]])
            room = max(0, room - len(skipped))
        rows += head["rows"]
        bodies.append(result[at:])
    return b"".join([_head(tally, parts, rows), *bodies])


def _head(tally: Tally, parts: list[Json], rows: list[Json]) -> bytes:
    value: JsonObject = {"tally": tally.to_json(), "parts": parts, "rows": rows}
    head = json.dumps(value, separators=(",", ":")).encode("ascii")
    return len(head).to_bytes(_LENGTH, "big") + head


def _read_head(data: bytes) -> tuple[dict[str, Any], int]:
    """Return the head of a result, and where what is no text begins."""
    end = _LENGTH + int.from_bytes(data[:_LENGTH], "big")
    head: dict[str, Any] = json.loads(data[_LENGTH:end])
    return head, end
