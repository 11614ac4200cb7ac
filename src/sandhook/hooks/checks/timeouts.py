"""Timeouts that seem to be in another unit than the agent's."""

from __future__ import annotations

from sandhook.hooks.model import HookSpec

#: Whole numbers of seconds from here on that are multiples of _STEP look like milliseconds.
_LONG, _STEP = 1000, 500

_KEYS = ("timeout", "timeoutSec")

#: Fields in milliseconds, and the most of them in which no hook ends.
_MILLISECONDS, _SHORT = ("timeout_ms", "timeoutMs"), 60


def doubtful_timeout(spec: HookSpec) -> str | None:
    """Return why a hook's timeout seems to be in the wrong unit, or None."""
    entry = spec.entry if isinstance(spec.entry, dict) else {}
    short = next((entry[key] for key in _MILLISECONDS if key in entry), None)
    if isinstance(short, int) and 0 < short <= _SHORT and spec.timeout * 1000 == short:
        return (
            f"a timeout of {short} milliseconds: no program starts so fast, and this is a number of seconds"
        )
    for key in _KEYS:
        number = entry.get(key)
        if isinstance(number, bool) or not isinstance(number, (int, float)) or number <= 0:
            continue
        if number >= _LONG and number % _STEP == 0 and spec.timeout * 1000 != number:
            return f"{key} {number:g}: the unit is seconds, and this is a number of milliseconds"
        if spec.timeout < 1 and spec.timeout * 1000 == number:
            return f"{key} {number:g}: the unit is milliseconds, and this is a number of seconds"
    return None
