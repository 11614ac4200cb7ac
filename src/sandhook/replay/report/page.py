"""Writes the report of a replay.

Every text of an event is compressed data in the file. A script of the page decompresses it and shows it as text,
so no payload is ever parsed as HTML. The page may connect to nothing: its policy forbids it.
"""

from __future__ import annotations

import json
import os
import zlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from itertools import islice
from pkgutil import get_data

from sandhook.hooks.event import Json, JsonObject
from sandhook.replay.compare import CHANGES
from sandhook.replay.errors import ReplayError
from sandhook.replay.report.plots import latency, timeline
from sandhook.replay.run import Result
from sandhook.typed import TextIO

#: Changed events in the table, and those that open to the full run.
MOST_ROWS, MOST_RUNS = 200_000, 20_000

#: Rows, and full runs, of one block of compressed data.
_ROWS, _RUNS = 5_000, 100

_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"


def write_report(
    path: str, value: JsonObject, result: Result, broken: Sequence[str], *, hooks: Sequence[str]
) -> None:
    """Write a report.

    Args:
        value: See ``run.result_json``.
        broken: The rules that are broken.
        hooks: The files of the new hooks, for the command that fires one event again.

    Raises ReplayError.
    """
    library = plot_library()
    try:
        with open(f"{path}.tmp", "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123
            _write(file, value, result, broken, hooks, library=library)
        os.replace(f"{path}.tmp", path)  # noqa: PTH105 - pathlib costs 10 ms
    except OSError as error:
        raise ReplayError(f"--report {path}: {error.strerror}") from None


def plot_library() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as JavaScript. Raises ReplayError if they are not installed."""
    try:
        import vl_convert
    except ImportError:
        raise ReplayError(
            "--report needs the extra sandhook[replay]: there is no module vl_convert"
        ) from None
    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _write(
    file: TextIO,
    value: JsonObject,
    result: Result,
    broken: Sequence[str],
    hooks: Sequence[str],
    *,
    library: str,
) -> None:
    view = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<meta charset="utf-8">{view}<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    file.write(f'<!doctype html><html lang="en"><head>{head}<title>sandhook replay</title>')
    file.write(f"<style>{_asset('page.css')}</style></head><body>{_asset('page.html')}")
    count = result.rows.count()
    summary: JsonObject = {
        "result": {name: each for name, each in value.items() if name != "groups"},
        "groups": value["groups"],
        "broken": list(broken),
        "hooks": list(hooks),
        "changes": list(CHANGES),
        "rows": min(count, MOST_ROWS),
        "left_out": max(0, count - MOST_ROWS),
        "runs_of_block": _RUNS,
        "most_runs": MOST_RUNS,
        "timeline": timeline(result.tally),
        "latency": latency(result.tally),
    }
    file.write(_block("summary", summary))
    rows = islice(result.rows.all(), MOST_ROWS)
    pending: list[Json] = []
    blocks = 0
    for index, run in enumerate(_runs_written(file, rows)):
        pending.append(run)
        if len(pending) == _ROWS or index + 1 == min(count, MOST_ROWS):
            file.write(_block(f"rows-{blocks}", pending))
            blocks += 1
            pending = []
    file.write(f"<script>{library}</script><script>{_asset('page.js')}</script></body></html>\n")


def _runs_written(file: TextIO, rows: Iterator[JsonObject]) -> Iterator[list[Json]]:
    """Write the full runs of events in blocks, and yield the cells of each event."""
    runs: list[Json] = []
    blocks = count = 0
    for row in rows:
        yield _cells(row)
        if count < MOST_RUNS:
            runs.append({name: row.get(name) for name in ("old", "new", "old_ms", "new_ms", "run", "parts")})
            count += 1
        if len(runs) == _RUNS:
            file.write(_block(f"runs-{blocks}", runs))
            blocks += 1
            runs = []
    if runs:
        file.write(_block(f"runs-{blocks}", runs))


def _cells(row: JsonObject) -> list[Json]:
    """Return what the table shows of an event."""
    new, changes = row["new"], row["changes"]
    assert isinstance(new, dict) and isinstance(changes, list)
    words = [*changes, "slower"] if row["slower"] else changes
    return [
        row["time"],
        " ".join(str(word) for word in words),
        row["hook"],
        row["tool"] or "",
        row["shape"],
        new["reason"] or "",
        row["id"],
    ]


def _block(name: str, value: Json) -> str:
    """Return a JSON value as an element of compressed data."""
    data = zlib.compress(json.dumps(value, separators=(",", ":")).encode("ascii"), 6)
    return f'<script type="application/octet-stream" id="{name}">{b64encode(data).decode("ascii")}</script>\n'


def _asset(name: str) -> str:
    data = get_data("sandhook.replay.report", name)
    assert data is not None
    return data.decode("utf-8")
