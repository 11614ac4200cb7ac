"""Resource limits of programs of the machine, in the units of ``ulimit`` (POSIX)."""

from __future__ import annotations

import sys
from collections.abc import Mapping

#: Letter of ``ulimit`` to the system's name of the limit, and its unit in bytes, seconds or items.
_NAMES = {
    "R": ("RTTIME", 1), "c": ("CORE", 1024), "d": ("DATA", 1024), "e": ("NICE", 1), "f": ("FSIZE", 1024),
    "i": ("SIGPENDING", 1), "l": ("MEMLOCK", 1024), "m": ("RSS", 1024), "n": ("NOFILE", 1), "q": ("MSGQUEUE", 1),
    "r": ("RTPRIO", 1), "s": ("STACK", 1024), "t": ("CPU", 1), "u": ("NPROC", 1), "v": ("AS", 1024),
}  # fmt: skip

_MAX = (1 << 63) - 1


def current_limits(letter: str) -> tuple[int | None, int | None] | None:
    """Return the soft and the hard limit of this process in the unit of ``ulimit``; None for an unknown limit."""
    limit = _limit(letter)
    if sys.platform == "win32" or limit is None:
        return None
    import resource

    number, unit = limit
    soft, hard = (
        None if value == resource.RLIM_INFINITY else value // unit for value in resource.getrlimit(number)
    )
    return soft, hard


def limits_to_set(limits: Mapping[tuple[str, bool], int | None]) -> dict[int, tuple[int, int]]:
    """Return the arguments of setrlimit for the limits that a script has set: number to (soft, hard)."""
    result: dict[int, tuple[int, int]] = {}
    for letter in {letter for letter, _ in limits}:
        limit = _limit(letter)
        if sys.platform == "win32" or limit is None:
            continue
        import resource

        number, unit = limit
        values = list(resource.getrlimit(number))
        for hard in (False, True):
            if (letter, hard) in limits:
                value = limits[letter, hard]
                values[hard] = (
                    resource.RLIM_INFINITY if value is None or value * unit > _MAX else value * unit
                )
        result[number] = values[0], values[1]
    return result


def _limit(letter: str) -> tuple[int, int] | None:
    """Return the system's number of a limit and its unit, None if the system has no such limit."""
    if sys.platform == "win32" or letter not in _NAMES:
        return None
    import resource

    name, unit = _NAMES[letter]
    number = getattr(resource, f"RLIMIT_{name}", None)
    return None if number is None else (number, unit)
