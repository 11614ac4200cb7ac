"""Parses dates as people write them, for ``date -d``, ``touch -d`` and ``find -newermt``.

Source: GNU coreutils 9.1 manual, "Date input formats". Items may come in any order: calendar
dates, times of day, zones, days of the week, and relative items, of which any number adds up.
"""

from __future__ import annotations

import re

from sandhook.dates.clock import Zone, days_from_civil, days_in_month, moment, zone_of
from sandhook.dates.words import DAYS, HALVES, MILITARY, MONTHS, ORDINALS, SHORT, UNITS, WORDS_AS_DAYS, ZONES
from sandhook.lazy import lazily

#: Digits of one number; more cannot be a date.
_DIGITS = 18
#: Times from the year -2,147,481,748 to the year 2,147,485,547: the range of a C library's broken-down time.
_FIRST, _LAST = -67_768_040_609_740_800, 67_768_036_191_676_799
#: Days that can be added: the field of the broken-down time is an int.
_INT_MAX = 2_147_483_647


class BadDate(Exception):
    """The text is not a date, or it is out of range: then the argument is its seconds since the epoch."""


_TOKEN = re.compile(
    r"""
      (?P<date>\d{1,99}-(?:\d{1,2}-\d{1,99}(?:[Tt](?=\d{1,2}[:+-]))?|[A-Za-z]{3,9}\.?-\d{1,99}))
    | (?P<slashed>\d{1,99}/\d{1,99}(?:/\d{1,99})?)
    | (?P<time>\d{1,2}:\d{1,2}(?::\d{1,2}(?:[.,]\d{1,99})?)?)
    | (?P<zone>[+-][ \t]*\d{1,2}:\d{1,2})
    | (?P<number>[+-]?[ \t]*\d{1,99}(?:[.,]\d{1,99})?)
    | (?P<word>[A-Za-z][A-Za-z.]*)
    | (?P<comma>,)
    """,
    re.ASCII | re.VERBOSE,
)


#: A sign that does not precede a number is ignored.
_SIGNS = ("+", "-")
_NO_SIGN = lazily(r"[+-](?!\s*\d)", re.ASCII)


def parse_date(text: str, now: int, tz: str | None) -> int:
    """Return a date as nanoseconds since the epoch.

    Args:
        text: "2026-01-31 10:00", "@5", "next monday", "2 days ago", "" (today's midnight) ...
        now: The current time, in nanoseconds since the epoch.
        tz: The value of TZ; ``TZ="..."`` at the beginning of the text takes precedence.

    Raises:
        BadDate: The text is not a date, or it is out of range.
    """
    text = _without_comments(text).strip()
    named = re.match(r'TZ="((?:[^"\\]|\\.)*)"\s*', text)
    if named:
        tz = re.sub(r"\\(.)", r"\1", named[1])
        text = text[named.end() :]
    if text[:1] == "@":
        return _in_range(_since_epoch(text[1:]))
    return _in_range(_Parser(text, zone_of(tz), now).result())


def _in_range(nanoseconds: int) -> int:
    if not _FIRST * 10**9 <= nanoseconds <= _LAST * 10**9:
        raise BadDate(nanoseconds // 10**9)
    return nanoseconds


def _without_comments(text: str) -> str:
    """Remove (comments), which may nest."""
    if "(" not in text:
        return text
    letters = []
    depth = 0
    for letter in text:
        if letter == "(":
            depth += 1
        elif letter == ")" and depth:
            depth -= 1
        elif not depth:
            letters.append(letter)
    return "".join(letters)


def _since_epoch(text: str) -> int:
    match = re.fullmatch(r"\s*([+-]?)(\d{1,19})(?:[.,](\d{1,99}))?", text, re.ASCII)
    if match is None:
        raise BadDate
    value = int(match[2]) * 10**9 + int((match[3] or "0")[:9].ljust(9, "0"))
    if match[1] == "-":
        value = -value
        if len((match[3] or "")[9:].strip("0")):
            value -= 1
    return value


class _Parser:
    """Parses the items of one date and adds them up."""

    def __init__(self, text: str, zone: Zone, now: int) -> None:
        self.zone = zone
        self.base = moment(now // 10**9, zone)
        self.base_fraction = now % 10**9
        self.date: tuple[int, int, int] | None = None
        self.has_year = False
        self.time: tuple[int, int, int, int] | None = None
        self.offset: int | None = None
        self.claimed: int | None = (
            None  # offset of the local zone's name, which must be in force at that time
        )
        self.weekday: tuple[int, int] | None = None
        self.months = self.days = self.seconds = self.fraction = 0
        self.relative = False
        self.tokens = self._tokens(text)
        self.index = 0
        while self.index < len(self.tokens):
            self._item()

    def _tokens(self, text: str) -> list[tuple[str, str]]:
        tokens: list[tuple[str, str]] = []
        index = 0
        while index < len(text):
            if text[index] in " \t\n\r\f\v" or (text[index] in "+-" and _NO_SIGN.match(text, index)):
                index += 1
                continue
            match = _TOKEN.match(text, index)
            if match is None:
                raise BadDate
            kind = match.lastgroup or ""
            token = match[0]
            if kind in ("word", "date"):
                token = token.lower()
            if kind == "word" and "." in token:
                token = self._without_periods(token)
            tokens.append((kind, token))
            index = match.end()
        return tokens

    def _without_periods(self, word: str) -> str:
        """Return "sep." and "e.s.t." without their periods; besides a.m. and p.m., no other words have periods."""
        if len(word) == 4 and word[:3] in SHORT:
            return word[:3]
        bare = word.replace(".", "")
        return bare if len(bare) > 1 and (bare in ZONES or bare in self._local_names()) else word

    def _peek(self, kind: str, offset: int = 0) -> str:
        """Return the text of the token at ``offset`` from the current one if it is of this kind, else ""."""
        index = self.index + offset
        return self.tokens[index][1] if index < len(self.tokens) and self.tokens[index][0] == kind else ""

    def _item(self) -> None:
        kind, text = self.tokens[self.index]
        self.index += 1
        if kind == "date":
            self._parse_dashed(text)
        elif kind == "slashed":
            self._parse_slashed(text)
        elif kind == "time":
            self._clock(text)
        elif kind == "number":
            self._number(text.replace(" ", "").replace("\t", ""))
        elif kind == "word":
            self._word(text)
        else:  # a comma or an offset of a zone in a wrong position
            raise BadDate

    # Dates.

    def _set_date(self, year: int, month: int, day: int) -> None:
        if self.date is not None or not 1 <= month <= 12 or not 1 <= day <= days_in_month(2000, month):
            raise BadDate  # any year may follow: "Feb 29 2020"
        self.date = (year, month, day)

    def _parse_dashed(self, text: str) -> None:
        first, middle, last = text.split("-")
        self.has_year = True
        if middle.isdigit():
            self._set_date(full_year(first), int(middle), int(last.rstrip("t")))
            if text[-1] == "t" and self._peek("word", 1) in HALVES:
                raise BadDate
            if text[-1] == "t" and not self._peek("time"):  # T10+02
                self._set_time(int(self._peek("number")), 0, 0, 0, "")
                self.index += 1
                if not self._correction():
                    raise BadDate
        else:  # 31-jan-2026, 31-jan.-2026
            month = MONTHS.get(self._without_periods(middle) if "." in middle else middle)
            if month is None:
                raise BadDate
            self._set_date(full_year(last), month, int(first))

    def _parse_slashed(self, text: str) -> None:
        parts = text.split("/")
        self.has_year = len(parts) == 3
        if len(parts[0]) > 3:  # 2026/01/31
            if len(parts) != 3:
                raise BadDate
            self._set_date(full_year(parts[0]), int(parts[1]), int(parts[2]))
        elif len(parts) == 3:
            self._set_date(full_year(parts[2]), int(parts[0]), int(parts[1]))
        else:
            self._set_date(self.base.year, int(parts[0]), int(parts[1]))

    def _month(self, month: int) -> None:
        """Parse a date after the name of its month: "Jan 31", "Jan 31, 2026", "Jan 31 10:00 2026"."""
        day = self._peek("number")
        year_text = self._peek("number", 1)
        if day[:1] == "-" and year_text[:1] in ("+", "-") and year_text:  # Jan-31-2026
            self.has_year = True
            if not (day[1:].isdigit() and year_text[1:].isdigit()) or len(day) > 3:
                raise BadDate
            self.index += 2
            self._set_date(_signed_year(year_text), month, int(day[1:]))
            return
        if not day.isdigit():
            raise BadDate
        if len(day) > 2:
            raise BadDate
        self.index += 1
        year = self.base.year
        if self._peek("comma") and self._peek("number", 1).isdigit():
            self.index += 1
            year = full_year(self._peek("number"))
            self.index += 1
            self.has_year = True
        self._set_date(year, month, int(day))

    def _number(self, text: str) -> None:
        unsigned = text.isdigit()
        following = self._peek("word")
        if following and _unit(following):
            self.index += 1
            self._add(text, following)
            return
        if unsigned and following in HALVES and int(text[:9]) <= 12:
            self.index += 1
            self._set_time(int(text), 0, 0, 0, following)
            return
        if unsigned and following in DAYS:
            self.index += 1
            self._day(DAYS[following], int(text[:9]))
            return
        if unsigned and following in MONTHS:  # 31 Jan [2026]
            if len(text) > 2:
                raise BadDate
            self.index += 1
            year = self.base.year
            number = self._peek("number").replace(" ", "").replace("\t", "")
            if number.lstrip("+-").isdigit():
                year = _signed_year(number)
                self.has_year = True
                self.index += 1
            elif self._peek("time"):  # GNU would parse the hour as the year
                raise BadDate
            self._set_date(year, MONTHS[following], int(text))
            return
        if not unsigned:
            raise BadDate
        if self._peek("zone") or (self._peek("number")[:1] in _SIGNS and not _unit(self._peek("word", 1))):
            self._set_time(int(text[:9]), 0, 0, 0, "")  # 10 -05:00
            self._correction()
            return
        self._bare_number(text)

    def _bare_number(self, text: str) -> None:
        """Parse a single number: a year after date and time, else YYYYMMDD, else HH or HHMM."""
        if self.date and not self.has_year and not self.relative and (self.time is not None or len(text) > 2):
            self.date = (full_year(text), self.date[1], self.date[2])
            self.has_year = True
        elif len(text) > 4:
            if len(text) > _DIGITS:
                raise BadDate
            self._set_date(full_year(text[:-4]), int(text[-4:-2]), int(text[-2:]))
            self.has_year = True
        elif len(text) <= 2:
            self._set_time(int(text), 0, 0, 0, "")
        else:
            self._set_time(int(text[:-2]), int(text[-2:]), 0, 0, "")

    # Times of day and zones.

    def _clock(self, text: str) -> None:
        hour, minute, *rest = text.split(":")
        second, fraction = 0, 0
        if rest:
            whole, _, decimals = rest[0].replace(",", ".").partition(".")
            second, fraction = int(whole), int(decimals[:9].ljust(9, "0"))
        half = self._peek("word")
        if half in HALVES:
            self.index += 1
        else:
            half = ""
        self._set_time(int(hour), int(minute), second, fraction, half)
        if not half:
            self._correction()

    def _correction(self) -> bool:
        """Parse an offset directly after a time or a zone; as in GNU, +1 in "10:00 +1 hour" is an offset."""
        text = self._peek("zone") or self._peek("number")
        if text[:1] not in ("+", "-") or not text:
            return False
        self.index += 1
        self._set_offset(_zone_seconds(text.replace(" ", "").replace("\t", "")))
        return True

    def _set_time(self, hour: int, minute: int, second: int, fraction: int, half: str) -> None:
        if half:
            if not 1 <= hour <= 12:
                raise BadDate
            hour = hour % 12 + (12 if half[0] == "p" else 0)
        if self.time is not None or hour > 23 or minute > 59 or second > 59:
            raise BadDate
        self.time = (hour, minute, second, fraction)

    def _set_offset(self, seconds: int) -> None:
        if self.offset is not None:
            raise BadDate
        self.offset = seconds

    # Words.

    def _word(self, text: str) -> None:
        if text in MONTHS:
            self._month(MONTHS[text])
        elif text in DAYS:
            self._day(DAYS[text], 0, numbered=False)
        elif text in WORDS_AS_DAYS:
            self.days += WORDS_AS_DAYS[text]
            self.relative = True
        elif text in ORDINALS and text != "second":
            following = self._peek("word")
            self.index += 1
            if following in DAYS:
                self._day(DAYS[following], ORDINALS[text])
            elif following and _unit(following):
                self._add(str(ORDINALS[text]), following)
            else:
                raise BadDate
        elif _unit(text):
            self._add("1", text)
        elif text == "t" and self._follows_iso_date():
            if not self._peek("time") or self._peek("word", 1) in HALVES:
                raise BadDate
        elif text in ZONES or text in self._local_names() or text in MILITARY:
            self._zone_word(text)
        else:
            raise BadDate

    def _follows_iso_date(self) -> bool:
        """Return True if a T begins a time of day, and is not a zone."""
        kind, text = self.tokens[self.index - 2] if self.index > 1 else ("", "")
        return kind == "date" and text.replace("-", "").isdigit()

    def _local_names(self) -> tuple[str, str]:
        return self.zone.name.lower(), self.zone.summer_name.lower()

    def _zone_word(self, text: str) -> None:
        if text in self._local_names() and text != "utc":
            self.claimed = self.zone.offset if text == self._local_names()[0] else self.zone.summer_offset
            self._set_offset(self.claimed)
            return
        seconds = ZONES[text] if text in ZONES else MILITARY[text] * 3600
        shift = self._peek("number").replace(" ", "").replace("\t", "")
        unit = self._peek("word", 1)
        signed = shift[:1] in ("+", "-") and shift != ""
        if signed and unit and _unit(unit):  # UTC +2 days, without "ago"
            if self._peek("word", 2) == "ago":
                raise BadDate
        elif signed or self._peek("zone"):  # UTC+2
            if text == "t":  # which separates date and time, too
                raise BadDate
            self._correction()
            seconds += self.offset or 0
            self.offset = None
        elif self._peek("word") == "dst":
            self.index += 1
            seconds += 3600
        self._set_offset(seconds)

    def _day(self, weekday: int, ordinal: int, *, numbered: bool = True) -> None:
        if self.weekday is not None:
            raise BadDate
        if not numbered and self._peek("comma"):
            self.index += 1
        self.weekday = (weekday, ordinal)

    def _add(self, amount: str, unit: str) -> None:
        """Add a relative item; "ago" after it negates it."""
        sign = -1 if amount[0] == "-" else 1
        if self._peek("word") == "ago":
            self.index += 1
            sign = -sign
        whole, dot, decimals = amount.lstrip("+-").replace(",", ".").partition(".")
        if len(whole) > _DIGITS:
            raise BadDate
        field, factor = _unit(unit) or ("", 0)
        if dot:
            if field != "second" or factor != 1:
                raise BadDate
            self.fraction += sign * int(decimals[:9].ljust(9, "0"))
        value = sign * int(whole) * factor
        self.relative = True
        if field == "month":
            self.months += value
        elif field == "day":
            self.days += value
        else:
            self.seconds += value

    # The sum.

    def result(self) -> int:
        """Return nanoseconds since the epoch."""
        base = self.base
        year, month, day = self.date or (base.year, base.month, base.day)
        if day > days_in_month(year, month):
            raise BadDate
        has_date = self.date is not None or self.weekday is not None
        hour, minute, second, fraction = self.time or (0, 0, 0, 0)
        if self.time is None and self.relative and not has_date:
            hour, minute, second, fraction = base.hour, base.minute, base.second, self.base_fraction
        day_shift = self.days
        if self.weekday is not None and self.date is None:
            weekday, ordinal = self.weekday
            today = (days_from_civil(year, month, day) + 4) % 7
            day_shift += (weekday - today) % 7
            day_shift += 7 * (ordinal - (1 if ordinal > 0 and today != weekday else 0))
        start = days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
        months = year * 12 + month - 1 + self.months
        if not -(10**11) < months < 10**11 or abs(day_shift + day) > _INT_MAX or abs(self.seconds) > 10**18:
            raise BadDate
        year, month = months // 12, months % 12 + 1
        days = days_from_civil(year, month, day) + day_shift
        local = days * 86_400 + hour * 3600 + minute * 60 + second
        if self.offset is not None:
            seconds = local - self.offset
            if self.claimed is not None and self.zone.at(start - self.claimed)[0] != self.claimed:
                raise BadDate
        elif has_date or self.time is not None:
            self._check_clock(start)
            seconds = self.zone.to_seconds(local)
        else:  # "1 month ago" keeps the current offset, with or without daylight saving time
            seconds = local - base.offset
        return (seconds + self.seconds) * 10**9 + fraction + self.fraction

    def _check_clock(self, local: int) -> None:
        """Raise BadDate for a time of day that the clocks of the zone skip."""
        seconds = self.zone.to_seconds(local)
        if self.zone.at(seconds)[0] != local - seconds:
            raise BadDate


def _unit(text: str) -> tuple[str, int] | None:
    return UNITS.get(text) or (UNITS.get(text[:-1]) if text[-1:] == "s" else None)


def full_year(text: str) -> int:
    """Parse a year; two digits mean 1969 to 2068."""
    if len(text) > 10:
        raise BadDate
    year = int(text)
    if len(text) == 2:
        year += 1900 if year >= 69 else 2000
    return year


def _signed_year(text: str) -> int:
    """Parse the year of "10-Feb-99", "10 Feb 99" or "10 Feb +99": after a plus, 99 is the year 99, but 00 is 2000."""
    digits = text.lstrip("+-")
    if text[0] == "-" or len(digits) == len(text) or digits == "00":
        return full_year(digits)
    year = digits.lstrip("0")
    if len(year) > 10:
        raise BadDate
    return int(year or "0")


def _zone_seconds(text: str) -> int:
    sign = -1 if text[0] == "-" else 1
    digits = text[1:]
    if ":" in digits:
        hours, minutes = digits.split(":")
    elif len(digits) > 2:
        hours, minutes = digits[:-2], digits[-2:]
    else:
        hours, minutes = digits, "0"
    if not digits.replace(":", "").isdigit():  # +02,5
        raise BadDate
    if int(hours) * 60 + int(minutes) > 24 * 60:
        raise BadDate
    return sign * (int(hours) * 3600 + int(minutes) * 60)
