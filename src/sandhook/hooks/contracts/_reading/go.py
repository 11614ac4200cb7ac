"""What agents that are written in Go share: how they print a duration, and which keys name a field."""

from __future__ import annotations

from collections.abc import Iterable

from sandhook.hooks.event import JsonObject

_NANO = 1_000_000_000


def go_duration(seconds: float) -> str:
    """Return a duration as Go prints it: 300ms, 1.5s, 1m30s, 1h0m0s."""
    left = round(abs(seconds) * _NANO)
    sign = "-" if seconds < 0 else ""
    if not left:
        return "0s"
    for unit, size in (("ns", 1), ("\u00b5s", 1_000), ("ms", 1_000_000)):
        if left < size * 1000:
            return f"{sign}{_number(left, size)}{unit}"
    minutes, rest = divmod(left, 60 * _NANO)
    hours, minutes = divmod(minutes, 60)
    text = f"{_number(rest, _NANO)}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{text}"
    return f"{sign}{minutes}m{text}" if minutes else f"{sign}{text}"


def folded(value: JsonObject, fields: Iterable[str]) -> JsonObject:
    """Return an object with the names of fields for their keys, whose case Go's decoder ignores; the last one counts."""
    own = {field.lower(): field for field in fields}
    named: JsonObject = {}
    for key, item in value.items():
        named[own.get(key.lower(), key)] = item
    return named


def _number(count: int, size: int) -> str:
    whole, part = divmod(count, size)
    digits = f"{part:0{len(str(size)) - 1}d}".rstrip("0") if part else ""
    return f"{whole}.{digits}" if digits else str(whole)
