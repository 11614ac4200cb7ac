"""Dates: POSIX time zones, and strftime as in GNU date and printf's %(...)T.

Everything is computed here from seconds since the epoch: the C library would open the host's
time zone files for a script's TZ, and datetime ends at the year 9999. ``zones`` has the named zones.

Source: POSIX.1-2024 XBD 8.3 (TZ), XSH strftime; GNU coreutils 9.1, "date" (flags, %N, %:z).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from sandhook.lazy import cache_short
from sandhook.limits import check_clock, check_fits
from sandhook.record import Record

if TYPE_CHECKING:
    from sandhook.dates.zones import NamedZone

DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)

#: The widest field of a conversion ("%99999Y"), in characters.
MAX_WIDTH = 4096


class Moment(Record):
    """A broken-down time in one zone."""

    year: int
    month: int  #: 1-12
    day: int  #: 1-31
    hour: int
    minute: int
    second: int
    weekday: int  #: 0 is Sunday
    yearday: int  #: 0-365
    offset: int  #: seconds east of UTC
    zone: str  #: abbreviation
    seconds: int  #: since the epoch


# --------------------------------------------------------------------------- the calendar


def is_leap(year: int) -> bool:
    """Return True if a year of the proleptic Gregorian calendar has 366 days."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    """Return the number of days in a month."""
    return 29 if month == 2 and is_leap(year) else (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def days_from_civil(year: int, month: int, day: int) -> int:
    """Return the days since 1970-01-01; ``day`` may lie outside its month."""
    leaps = (year - 1) // 4 - (year - 1) // 100 + (year - 1) // 400
    days_before_month = _BEFORE_MONTH[month - 1] + (1 if month > 2 and is_leap(year) else 0)
    return (year - 1) * 365 + leaps + days_before_month + day - 719_163


def civil_from_days(days: int) -> tuple[int, int, int]:
    """Return year, month and day of a day counted from 1970-01-01."""
    shifted = days + 719_468  # the era begins on a 1 March, so that leap days come last
    era, day_of_era = divmod(shifted, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted_month + 2) // 5 + 1
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    return year_of_era + era * 400 + (1 if month <= 2 else 0), month, day


# --------------------------------------------------------------------------- zones


class Rule(Record):
    """The begin or end of daylight saving time in a year: Mm.w.d, Jn or n, then a time."""

    kind: Literal["M", "J", "n"]
    month: int
    week: int
    day: int
    time: int  #: seconds after local midnight

    def local_seconds(self, year: int) -> int:
        """Return the local time in seconds since the epoch, as if it were UTC."""
        if self.kind == "M":
            first = days_from_civil(year, self.month, 1)
            day = (self.day - (first + 4)) % 7 + (self.week - 1) * 7
            if day >= days_in_month(year, self.month):
                day -= 7
            days = first + day
        else:
            days = days_from_civil(year, 1, 1) + self.day
            if self.kind == "J":
                days += -1 + (1 if is_leap(year) and self.day >= 60 else 0)
        return days * 86_400 + self.time


class Zone(Record):
    """A time zone; without ``start`` its offset never changes."""

    name: str
    offset: int  #: seconds east of UTC
    summer_name: str = ""
    summer_offset: int = 0
    start: Rule | None = None
    end: Rule | None = None
    named: NamedZone | None = None  #: replaces the other fields, which then describe the present only

    def at(self, seconds: int) -> tuple[int, str]:
        """Return the offset and the abbreviation in force at a moment."""
        if self.named is not None:
            return self.named.at(seconds)
        if self.start is None or self.end is None:
            return self.offset, self.name
        year = civil_from_days((seconds + self.offset) // 86_400)[0]
        year = max(year, 1970)  # earlier times use the rule of 1970
        start = self.start.local_seconds(year) - self.offset
        end = self.end.local_seconds(year) - self.summer_offset
        is_summer = start <= seconds < end if start < end else not end <= seconds < start
        return (self.summer_offset, self.summer_name) if is_summer else (self.offset, self.name)

    def to_seconds(self, local: int) -> int:
        """Return the time at which a clock of this zone shows ``local`` (seconds as if UTC).

        An ambiguous hour means standard time, but west of Greenwich daylight saving time, as
        in a C library; a skipped hour uses the offset before it.
        """
        if self.named is not None:
            return self.named.to_seconds(local)
        other = self.summer_offset if self.start else self.offset
        for offset in (other, self.offset) if self.offset < 0 else (self.offset, other):
            if self.at(local - offset)[0] == offset:
                return local - offset
        return local - self.offset


UTC = Zone("UTC", 0)
_NAME = r"(?:<([A-Za-z0-9+-]{3,})>|([A-Za-z]{3,}))"
_OFFSET = r"([+-]?\d{1,3}(?::\d{1,2}(?::\d{1,2})?)?)"
_ZONE = re.compile(rf"{_NAME}{_OFFSET}(?:{_NAME}{_OFFSET}?(?:,([^,]+),([^,]+))?)?", re.ASCII)
_FIXED_NAME = re.compile(_NAME, re.ASCII)
_RULE = re.compile(rf"(?:M(\d\d?)\.(\d)\.(\d)|(J?)(\d{{1,3}}))(?:/{_OFFSET})?", re.ASCII)
_SYNONYMS = {
    "Etc/UTC": "UTC",
    "Etc/UCT": "UTC",
    "Etc/Zulu": "UTC",
    "Zulu": "UTC",
    "Etc/GMT": "GMT",
    "Z": "UTC",
}


@cache_short(64)
def zone_of(text: str | None) -> Zone:
    """Return the zone of a TZ variable; None, "" and invalid values mean UTC.

    As in glibc, a name of the time zone database precedes a POSIX rule of the same form
    (``EST5EDT``), and an unknown name is UTC under its leading letters.
    """
    if not text:
        return UTC
    text = text.removeprefix(":")
    if text in _SYNONYMS:
        return Zone(_SYNONYMS[text], 0)
    if text[0].isalpha():
        from sandhook.dates.zones import named_zone

        named = named_zone(text)
        if named is not None:
            return _posix_zone(named.rule)._replace(named=named)
    return _posix_zone(text)


def _posix_zone(text: str) -> Zone:
    """Return the zone of a POSIX rule."""
    match = _ZONE.match(text)
    if match is None:
        name = _FIXED_NAME.match(text)
        return Zone(name[1] or name[2], 0) if name else Zone("", 0) if text else UTC
    offset = -_clock(match[3])
    name_text = match[1] or match[2]
    summer = match[4] or match[5]
    if not summer:
        return Zone(name_text, offset)
    start = _rule(match[7] or "M3.2.0")
    end = _rule(match[8] or "M11.1.0")
    if start is None or end is None:
        return Zone(name_text, offset)
    summer_offset = -_clock(match[6]) if match[6] else offset + 3600
    return Zone(name_text, offset, summer, summer_offset, start, end)


def _clock(text: str) -> int:
    sign = -1 if text[0] == "-" else 1
    parts = [int(part) for part in text.lstrip("+-").split(":")]
    return sign * sum(part * unit for part, unit in zip(parts, (3600, 60, 1)))


def _rule(text: str) -> Rule | None:
    match = _RULE.fullmatch(text)
    if match is None:
        return None
    time = _clock(match[6]) if match[6] else 7200
    if match[1]:
        month, week, day = int(match[1]), int(match[2]), int(match[3])
        return Rule("M", month, week, day, time) if 1 <= month <= 12 and 1 <= week <= 5 and day < 7 else None
    day = int(match[5])
    if day > 365 or (match[4] and not day):
        return None
    return Rule("J" if match[4] else "n", 0, 0, day, time)


def moment(seconds: int, zone: Zone) -> Moment:
    """Convert seconds since the epoch to a broken-down time."""
    offset, name = zone.at(seconds)
    days, rest = divmod(seconds + offset, 86_400)
    year, month, day = civil_from_days(days)
    yearday = days - days_from_civil(year, 1, 1)
    hour, rest = divmod(rest, 3600)
    return Moment(
        year=year,
        month=month,
        day=day,
        hour=hour,
        minute=rest // 60,
        second=rest % 60,
        weekday=(days + 4) % 7,
        yearday=yearday,
        offset=offset,
        zone=name,
        seconds=seconds,
    )


# --------------------------------------------------------------------------- formatting


def strftime(format_: str, seconds: int, tz: str | None, nanoseconds: int | None = None) -> str:
    """Format a time in the C locale.

    Args:
        format_: Conversions of strftime with GNU's flags (- _ 0 + ^ #) and widths.
        seconds: Since the epoch.
        tz: The TZ variable's value, None when unset.
        nanoseconds: 0 to 999,999,999. None copies %N, %q and %:z, as the C library does that
            bash's printf calls; date supports them.

    Returns:
        The text; an unknown conversion is copied.
    """
    return format_moment(format_, moment(seconds, zone_of(tz)), nanoseconds)


_CONVERSION = re.compile(r"%([-_0+^#]*+)(\d*+)(?:(:{1,3})(?=z)|)([EO]?)(.|\Z)", re.ASCII | re.DOTALL)

#: Conversions that have no other form with E, and with O.
_NOT_WITH = {"": "", "E": "aAbBdDeFgGhHIjklmMNSUVwW", "O": "aAcDFqxXY"}

#: Conversions that stand for others.
_COMPOSED = {
    "c": "%a %b %e %H:%M:%S %Y",
    "D": "%m/%d/%y",
    "r": "%I:%M:%S %p",
    "R": "%H:%M",
    "T": "%H:%M:%S",
    "x": "%m/%d/%y",
    "X": "%H:%M:%S",
    "+": "%a %b %e %H:%M:%S %Z %Y",
}
#: Numbers: smallest width, and the padding unless a flag says otherwise.
_NUMBERS = {
    "C": (2, "0"), "d": (2, "0"), "e": (2, " "), "g": (2, "0"), "G": (4, "0"), "H": (2, "0"), "I": (2, "0"),
    "j": (3, "0"), "k": (2, " "), "l": (2, " "), "m": (2, "0"), "M": (2, "0"), "q": (1, "0"), "s": (1, "0"),
    "S": (2, "0"), "u": (1, "0"), "U": (2, "0"), "V": (2, "0"), "w": (1, "0"), "W": (2, "0"), "y": (2, "0"),
    "Y": (4, "0"),
}  # fmt: skip


def format_moment(format_: str, when: Moment, nanoseconds: int | None = None) -> str:
    """Format a broken-down time; see ``strftime``."""

    size = 0

    def convert(match: re.Match[str]) -> str:
        nonlocal size
        check_clock()
        text = convert_one(match)
        size += len(text)
        if size > MAX_WIDTH:
            check_fits(size)
        return text

    def convert_one(match: re.Match[str]) -> str:
        flags, width_text, colons, other, letter = match.groups("")
        width = min(int(width_text[:9]), MAX_WIDTH) if width_text else 0
        text = None
        if letter and letter not in _NOT_WITH[other]:
            text = _convert(
                _Conversion(letter, len(colons), flags, width, bool(width_text)), when, nanoseconds
            )
        if text is None:  # it is copied, padded to its width
            zeros = next((flag in "0+" for flag in reversed(flags) if flag in "-_0+"), False)
            return match[0].rjust(width + (letter == "%"), "0" if zeros else " ")
        return text

    return _CONVERSION.sub(convert, format_)


class _Conversion(Record):
    """One conversion of a format, such as ``%_10Y`` or ``%::z``."""

    letter: str
    colons: int
    flags: str
    width: int  #: 0 without a width
    has_width: bool


def _convert(conversion: _Conversion, when: Moment, nanoseconds: int | None) -> str | None:
    """Return the text of a conversion, None for an unknown one."""
    letter, colons, flags, width, has_width = conversion
    pad = next((flag for flag in reversed(flags) if flag in "-_0+"), "")
    if colons and (letter != "z" or nanoseconds is None):
        return None
    if letter in _NUMBERS and (letter != "q" or nanoseconds is not None):
        default_width, default_padding = _NUMBERS[letter]
        usual_digits = (2 if letter == "C" else 4) if letter in "CGYgy" else MAX_WIDTH
        return _pad(
            _number(letter, when), pad, width if has_width else default_width, default_padding, usual_digits
        )
    if letter == "F":
        year = _pad(
            when.year, pad or ("0" if has_width else "+"), max(0, width - 6) if has_width else 4, "0", 4
        )
        return f"{year}-{when.month:02d}-{when.day:02d}"
    if letter == "z":
        unknown = nanoseconds is not None and not when.offset and when.zone[:1] == "-"  # GNU's; RFC 3339, 4.3
        return _zone_text(when.offset, colons, pad, width, negative=unknown or when.offset < 0)
    if letter == "N" and nanoseconds is not None:
        return _fraction(nanoseconds, pad, width if has_width else 9)
    if letter == "%" and (flags or has_width):
        return None
    if letter in "n%t":
        text = {"n": "\n", "t": "\t", "%": "%"}[letter]
    elif letter in _COMPOSED:
        text = format_moment(_COMPOSED[letter], when, nanoseconds)
        if letter in "cxXr+" and "^" in flags:
            text = text.upper()
    elif letter in "aAbBhpPZ":
        text = _word(letter, when)
        if letter == "P":
            pass  # lower case, regardless of the flags
        elif "#" in flags:
            text = text.lower() if letter in "pZ" else text.upper()
        elif "^" in flags:
            text = text.upper()
    else:
        return None
    return text.rjust(width, "0" if pad in ("0", "+") else " ") if pad != "-" else text


def _pad(value: int, pad: str, width: int, default_padding: str, digits_without_sign: int) -> str:
    """Pad a number; "+" adds a sign if the number or its width has more digits than usual."""
    fill = {"": default_padding, "_": " ", "0": "0", "+": "0", "-": ""}[pad]
    digits = str(abs(value))
    sign = "-" if value < 0 else ""
    if (
        pad == "+"
        and not sign
        and digits_without_sign < MAX_WIDTH
        and (width > digits_without_sign or len(digits) > digits_without_sign)
    ):
        sign = "+"
    if fill == "0":
        return sign + digits.rjust(width - len(sign), "0")
    return (sign + digits).rjust(width if fill else 0)


def _word(letter: str, when: Moment) -> str:
    if letter in "aA":
        name = DAYS[when.weekday]
        return name if letter == "A" else name[:3]
    if letter in "bBh":
        name = MONTHS[when.month - 1]
        return name if letter == "B" else name[:3]
    if letter == "Z":
        return when.zone
    half = "PM" if when.hour >= 12 else "AM"
    return half if letter == "p" else half.lower()


def _number(letter: str, when: Moment) -> int:
    match letter:
        case "C":
            return when.year // 100 if when.year >= 0 else -(-when.year // 100)
        case "d" | "e":
            return when.day
        case "g":
            return abs(iso_week(when)[0]) % 100
        case "G":
            return iso_week(when)[0]
        case "H" | "k":
            return when.hour
        case "I" | "l":
            return when.hour % 12 or 12
        case "j":
            return when.yearday + 1
        case "m":
            return when.month
        case "M":
            return when.minute
        case "q":
            return (when.month + 2) // 3
        case "s":
            return when.seconds
        case "S":
            return when.second
        case "u":
            return when.weekday or 7
        case "U":
            return (when.yearday + 7 - when.weekday) // 7
        case "V":
            return iso_week(when)[1]
        case "w":
            return when.weekday
        case "W":
            return (when.yearday + 7 - (when.weekday - 1) % 7) // 7
        case "y":
            return abs(when.year) % 100
        case _:
            return when.year


def iso_week(when: Moment) -> tuple[int, int]:
    """Return the ISO 8601 year and week number (1-53)."""
    thursday = when.yearday + 3 - (when.weekday - 1) % 7
    year = when.year
    if thursday < 0:
        year -= 1
        thursday += 366 if is_leap(year) else 365
    elif thursday >= (366 if is_leap(year) else 365):
        thursday -= 366 if is_leap(year) else 365
        year += 1
    return year, thursday // 7 + 1


def _zone_text(offset: int, colons: int, pad: str, width: int, *, negative: bool) -> str:
    sign = "-" if negative else "+"
    hours, rest = divmod(abs(offset), 3600)
    minutes, seconds = divmod(rest, 60)
    if colons == 3:
        colons = 2 if seconds else 1 if minutes else 0
        tail = f":{minutes:02d}:{seconds:02d}" if colons == 2 else f":{minutes:02d}" if colons else ""
    else:
        tail = (f"{minutes:02d}", f":{minutes:02d}", f":{minutes:02d}:{seconds:02d}")[colons]
    digits = f"{hours}{tail}" if colons else str(int(f"{hours}{tail}"))
    if pad == "-":
        return sign + digits
    width = width or len(tail) + 3
    if pad == "_":
        return (sign + digits).rjust(width)
    return sign + digits.rjust(width - 1, "0")


def _fraction(nanoseconds: int, pad: str, width: int) -> str:
    digits = f"{nanoseconds:09d}"[:width] if width else f"{nanoseconds:09d}"
    if pad == "_":
        return (digits.rstrip("0") or "0").ljust(width)
    return digits if pad == "-" else digits.ljust(width, "0")
