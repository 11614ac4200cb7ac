"""The plots of a report, as specifications of Vega-Lite."""

from __future__ import annotations

from collections import Counter

from sandhook.hooks.event import Json, JsonObject
from sandhook.replay.compare import bucket_start
from sandhook.replay.tally import Tally

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"

#: Points of the timeline; more hours become days.
_MOST_POINTS = 2_000

_WORDS: list[Json] = ["allowed", "asked", "changed", "continued", "could not run", "refused"]
_COLOURS: list[Json] = ["#9ecae1", "#fdd0a2", "#c7e9c0", "#dadaeb", "#969696", "#de2d26"]


def timeline(tally: Tally) -> JsonObject:
    """Return the plot of decisions over time, old above new; dragging and the wheel zoom."""
    hours = {key.split("\t")[0] for key in tally.timeline}
    length = 13 if len(hours) * 4 <= _MOST_POINTS else 10
    counts: Counter[tuple[str, str, str]] = Counter()
    for key, count in tally.timeline.items():
        hour, side, word = key.split("\t")
        counts[hour[:length], side, word] += count
    values: list[Json] = [
        {"time": f"{hour}:00:00Z" if length == 13 else hour, "side": side, "decision": word, "events": count}
        for (hour, side, word), count in sorted(counts.items())
    ]
    encoding: JsonObject = {
        "x": {"field": "time", "type": "temporal", "title": None},
        "y": {"field": "events", "type": "quantitative"},
        "color": {
            "field": "decision",
            "type": "nominal",
            "scale": {"domain": _WORDS, "range": _COLOURS},
        },
        "row": {"field": "side", "type": "nominal", "sort": ["old", "new"], "title": None},
        "tooltip": [{"field": name} for name in ("time", "side", "decision", "events")],
    }
    return {
        "$schema": _SCHEMA,
        "data": {"values": values},
        "mark": {"type": "bar", "width": 3},
        "width": 860,
        "height": 120,
        "params": [{"name": "zoom", "select": {"type": "interval", "encodings": ["x"]}, "bind": "scales"}],
        "encoding": encoding,
    }


def latency(tally: Tally) -> JsonObject:
    """Return the plot of how long runs took, old and new, for a hook that the reader selects."""
    totals: Counter[tuple[str, str]] = Counter()
    rows: list[tuple[str, str, int, int]] = []
    for key, count in tally.latency.items():
        side, rest = key.split("\t", 1)
        hook, _, bucket = rest.rpartition("\t")
        rows.append((hook, side, int(bucket), count))
        totals[hook, side] += count
    values: list[Json] = [
        {
            "hook": hook,
            "side": side,
            "ms": round(bucket_start(bucket), 4),
            "share": round(count / totals[hook, side], 6),
            "runs": count,
        }
        for hook, side, bucket, count in sorted(rows)
    ]
    hooks: list[Json] = list(sorted({hook for hook, _ in totals}))  # noqa: C413 - the type of its items
    return {
        "$schema": _SCHEMA,
        "data": {"values": values},
        "transform": [{"filter": "datum.hook == hook"}],
        "mark": {"type": "line", "point": True, "interpolate": "step"},
        "width": 860,
        "height": 220,
        "params": [
            {
                "name": "hook",
                "value": hooks[0] if hooks else "",
                "bind": {"input": "select", "options": hooks, "name": "hook "},
            },
            {"name": "zoom", "select": "interval", "bind": "scales"},
        ],
        "encoding": {
            "x": {"field": "ms", "type": "quantitative", "scale": {"type": "log"}, "title": "milliseconds"},
            "y": {"field": "share", "type": "quantitative", "axis": {"format": "%"}, "title": "runs"},
            "color": {"field": "side", "type": "nominal", "sort": ["old", "new"], "title": None},
            "tooltip": [{"field": name} for name in ("side", "ms", "share", "runs")],
        },
    }
