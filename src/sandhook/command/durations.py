"""Intervals of time on command lines, with GNU's units."""

from __future__ import annotations

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


#: Longer intervals are clamped to this, which keeps the arithmetic of the clock exact.
FOREVER = 1e10


def interval(text: str) -> float | None:
    """Return a non-negative interval in seconds ("1.5", "2m", "inf"), or None for other text."""
    unit = 1
    if text[-1:] in _UNITS:
        unit = _UNITS[text[-1]]
        text = text[:-1]
    if not text or "_" in text or text != text.strip() or not text.isascii() or text.lower() == "nan":
        return None
    try:
        if text.lower().removeprefix("+")[:2] == "0x":
            seconds = float.fromhex(text)
        else:
            seconds = float(text)
    except (ValueError, OverflowError):
        return None
    return min(seconds, FOREVER) * unit if seconds >= 0 else None
