"""Dates as git prints and reads them.

Source: git 2.39, date.c.
"""

from __future__ import annotations

import re

from sandhook.dates.clock import (
    civil_from_days,
    days_from_civil,
    days_in_month,
    moment,
    strftime,
    zone_of,
)
from sandhook.dates.parse import BadDate
from sandhook.dates.parse import parse_date as parse_gnu_date
from sandhook.text.numbers import is_number
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.commits import Identity

_DAY = 86_400
_SECONDS = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "day": _DAY, "week": 7 * _DAY}
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "last": 1,
}  # fmt: skip
_MODES = ("default", "iso", "iso8601", "iso-strict", "iso8601-strict", "rfc", "rfc2822", "short", "raw", "unix",
          "relative", "human", "local", "normal")  # fmt: skip
_STEP = re.compile(
    r"(?:(\d+)|([a-z]+))[ .]+(second|sec|minute|min|hour|day|week|month|year)s?(?:[ .]+ago)?[ .,]*"
)
_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_MOST = 1 << 40


def offset_of(zone: str) -> int:
    """Return the seconds east of Greenwich of "+0130"."""
    digits = zone.lstrip("+-")
    if not is_number(digits) or len(digits) > 4:
        return 0
    seconds = (int(digits) // 100) * 3600 + (int(digits) % 100) * 60
    return -seconds if zone.startswith("-") else seconds


def show_date(person: Identity, mode: str, now: float, tz: str | None) -> str:
    """Return the time of a person in one of git's forms.

    Args:
        mode: "default", "iso", "short", "relative", "format:...", also with "-local".

    Raises:
        GitError: The mode is not known.
    """
    when = min(person.time, _MOST)
    if mode.startswith(("format:", "format-local:")):
        local = mode.startswith("format-local:")
        return _with_format(mode.partition(":")[2], when, person.zone, tz if local else None)
    base = mode.removesuffix("-local")
    if base not in _MODES:
        raise GitError(f"unknown date format {mode}")
    if base == "relative":
        return relative_date(when, now)
    if base == "unix":
        return str(when)
    zone = person.zone
    if mode != base or mode == "local":
        zone = local_zone(when, tz)
    if base == "raw":
        return f"{when} {zone}"
    return _civil(base, when, zone, now)


def local_zone(when: int, tz: str | None) -> str:
    """Return the zone of a time where TZ is ``tz``: "+0100"."""
    offset = moment(when, zone_of(tz)).offset
    minutes = abs(offset) // 60
    return f"{'-' if offset < 0 else '+'}{minutes // 60:02d}{minutes % 60:02d}"


def _with_format(text: str, when: int, zone: str, tz: str | None) -> str:
    if tz is None:
        text = text.replace("%z", zone).replace("%Z", "").replace("%s", str(when))
        return strftime(text, when + offset_of(zone), "UTC0")
    return strftime(text, when, tz)


def _civil(mode: str, when: int, zone: str, now: float) -> str:
    local = when + offset_of(zone)
    if mode == "short":
        return strftime("%Y-%m-%d", local, "UTC0")
    if mode in ("iso", "iso8601"):
        return strftime("%Y-%m-%d %H:%M:%S", local, "UTC0") + f" {zone}"
    if mode in ("iso-strict", "iso8601-strict"):
        return strftime("%Y-%m-%dT%H:%M:%S", local, "UTC0") + f"{zone[:3]}:{zone[3:]}"
    if mode in ("rfc", "rfc2822"):
        return strftime("%a, %-d %b %Y %H:%M:%S", local, "UTC0") + f" {zone}"
    if mode == "human":
        return _human(when, zone, now)
    text = strftime("%a %b %-d %H:%M:%S %Y", local, "UTC0")
    return text if mode == "local" else f"{text} {zone}"


def _human(when: int, zone: str, now: float) -> str:
    local = when + offset_of(zone)
    days = int(now) // _DAY - local // _DAY
    if now - when >= 0 and days <= 0:
        return relative_date(when, now)
    if days < 5:
        return strftime("%a %H:%M", local, "UTC0")
    if strftime("%Y", local, "UTC0") == strftime("%Y", int(now), "UTC0"):
        return strftime("%a %b %-d %H:%M", local, "UTC0")
    return strftime("%b %-d %Y", local, "UTC0")


def _units(count: int, unit: str) -> str:
    return f"{count} {unit}{'s' * (count != 1)}"


def relative_date(when: int, now: float) -> str:
    """Return "3 days ago"."""
    distance = int(now) - when
    if distance < 0:
        return "in the future"
    if distance < 90:
        return f"{_units(distance, 'second')} ago"
    distance = (distance + 30) // 60
    if distance < 90:
        return f"{_units(distance, 'minute')} ago"
    distance = (distance + 30) // 60
    if distance < 36:
        return f"{_units(distance, 'hour')} ago"
    distance = (distance + 12) // 24
    if distance < 14:
        return f"{_units(distance, 'day')} ago"
    if distance < 70:
        return f"{_units((distance + 3) // 7, 'week')} ago"
    if distance < 365:
        return f"{_units((distance + 15) // 30, 'month')} ago"
    if distance < 1825:
        months = (distance * 24 + 365) // 730
        years, months = divmod(months, 12)
        if months:
            return f"{_units(years, 'year')}, {_units(months, 'month')} ago"
        return f"{_units(years, 'year')} ago"
    return f"{_units((distance + 183) // 365, 'year')} ago"


# --------------------------------------------------------------------------- reading


def parse_expiry(text: str, now: int, tz: str | None) -> int | None:
    """Return the time that a text means as a limit of age, None for words without a meaning.

    "never" and "false" are before all times, "all" and "now" after them.
    """
    word = text.strip().lower()
    if word in ("never", "false"):
        return 0
    if word in ("all", "now"):
        return _MOST
    # words without a meaning are the present, whenever that is
    if not word or (word != "today" and parse_date(text, now, tz) == now and parse_date(text, 0, tz) == 0):
        return None
    return parse_date(text, now, tz)


def parse_date(text: str, now: int, tz: str | None) -> int:
    """Return the time that a text such as "2.weeks.ago" or "2024-01-31" means; ``now`` for words without a meaning.

    As in git, a date without a time of day has the present one.
    """
    word = text.strip().lower()[:200]
    if word.startswith("@") and is_number(word[1:].split(" ")[0]):
        return int(word[1:].split(" ")[0][:15])
    if is_number(word) and len(word) >= 9:
        return int(word[:15])
    if word in ("now", "today", ""):
        return now
    if word == "never":
        return 0
    if (steps := _steps(word, now, tz)) is not None:
        return steps
    match = _DATE.fullmatch(word)
    if match is not None:
        return _on_date(int(match[1]), int(match[2]), int(match[3]), now, tz)
    if word.startswith("yesterday"):
        rest = word[9:].strip(" .")
        return now - _DAY if not rest else _parsed(f"{rest} yesterday", now, tz)
    return _parsed(text.strip(), now, tz)


def _parsed(text: str, now: int, tz: str | None) -> int:
    try:
        return parse_gnu_date(text, now * 10**9, tz) // 10**9
    except BadDate:
        return now


def _steps(word: str, now: int, tz: str | None) -> int | None:
    """Return the time for "1 day 2 hours ago"; None for another form."""
    at, when = 0, now
    while at < len(word):
        match = _STEP.match(word, at)
        if match is None:
            return None
        count = int(match[1][:9]) if match[1] else _NUMBERS.get(match[2], -1)
        if count < 0:
            return None
        unit = match[3]
        if unit in _SECONDS:
            when -= count * _SECONDS[unit]
        else:
            when = _months_before(when, count * (12 if unit == "year" else 1), tz)
        at = match.end()
    return max(0, when)


def _months_before(when: int, count: int, tz: str | None) -> int:
    offset = moment(when, zone_of(tz)).offset
    local = when + offset
    year, month, day = civil_from_days(local // _DAY)
    total = year * 12 + month - 1 - count
    if total < 1970 * 12:
        return 0
    year, month = total // 12, total % 12 + 1
    extra = max(0, day - days_in_month(year, month))
    days = days_from_civil(year, month, day - extra) + extra
    return days * _DAY + local % _DAY - offset


def _on_date(year: int, month: int, day: int, now: int, tz: str | None) -> int:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return now
    offset = moment(now, zone_of(tz)).offset
    return max(0, days_from_civil(year, month, day) * _DAY + (now + offset) % _DAY - offset)
