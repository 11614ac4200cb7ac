"""Dates of digits only: ``touch -t`` and the operand of ``date``.

Source: POSIX.1-2024 XCU 3, touch, date. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import re

from sandhook.dates.clock import Zone, days_from_civil, days_in_month, moment, zone_of
from sandhook.dates.parse import BadDate, full_year

_STAMP = re.compile(r"((?:\d\d){0,2})(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?", re.ASCII)


def parse_stamp(text: str, now: int, tz: str | None) -> int:
    """Return ``touch -t``'s [[CC]YY]MMDDhhmm[.ss] as nanoseconds since the epoch. Raises BadDate."""
    match = _STAMP.fullmatch(text)
    if match is None:
        raise BadDate
    zone = zone_of(tz)
    year = full_year(match[1]) if match[1] else moment(now // 10**9, zone).year
    return _at(zone, year, *map(int, match.groups("0")[1:]))


_SET = re.compile(r"(\d\d)(\d\d)(\d\d)(\d\d)((?:\d\d){0,2})(?:\.(\d\d))?", re.ASCII)


def parse_setting(text: str, now: int, tz: str | None) -> int:
    """Return ``date``'s operand MMDDhhmm[[CC]YY][.ss] as nanoseconds since the epoch. Raises BadDate."""
    match = _SET.fullmatch(text)
    if match is None:
        raise BadDate
    zone = zone_of(tz)
    year = full_year(match[5]) if match[5] else moment(now // 10**9, zone).year
    numbers = [int(match[index]) for index in range(1, 5)]
    return _at(zone, year, *numbers, int(match[6] or "0"))


def _at(zone: Zone, year: int, *fields: int) -> int:
    month, day, hour, minute, second = fields
    is_date = 1 <= month <= 12 and 1 <= day <= days_in_month(year, month)
    if not is_date or hour > 23 or minute > 59 or second > 60:
        raise BadDate
    return (
        zone.to_seconds(days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
        * 10**9
    )
