"""cal: print a calendar.

Source: POSIX.1-2024 XCU 3, cal. Oracle: the cal of bsdmainutils 12 (Debian's); today is never highlighted.
Divergence: L-CAL-001.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.dates.clock import days_from_civil, moment, zone_of
from sandhook.record import Record
from sandhook.text.numbers import is_number

WRITE_ERROR = ""

USAGE_STATUS = 64
_NAMES = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS = ("Su", "Mo", "Tu", "We", "Th", "Fr", "Sa")
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MAX_MONTHS = 12 * 9999
_REFORM = (1752, 9)  #: the month in which Britain went from the 2nd to the 14th
_SKIPPED_DAYS = range(3, 14)
_WEEKS = 6


class Month(Record):
    """A month of a year, 1 to 12."""

    year: int
    number: int


@option_set
class Options:
    """cal [-13jyMS] [-A COUNT] [-B COUNT] [[MONTH] YEAR] | cal [-13jMS] -m MONTH [YEAR] | cal -d YYYY-MM

    Print the calendar of this month, or of MONTH of YEAR, or of all of YEAR.
    """

    three: bool = also(
        opt("-3", help="the months before and after, too"),
        opt("-1", help="one month (the default)", const=False),
    )
    after: str = opt("-A", "COUNT", "COUNT months after it, too", default="0")
    before: str = opt("-B", "COUNT", "COUNT months before it, too", default="0")
    date: str | None = opt("-d", "YYYY-MM", "treat YYYY-MM as the current month")
    julian: bool = opt("-j", help="number the days from the 1st of January")
    month: str | None = opt("-m", "MONTH", "the month, by its number or name")
    first: int = also(
        opt("-M", help="weeks begin on Monday", const=1, default=0),
        opt("-S", help="weeks begin on Sunday (the default)", const=0),
    )
    year: bool = opt("-y", help="the whole year")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 64 after a usage error."""
    if len(operands) > 2:
        raise UsageError(f"extra operand '{operands[2]}'")
    now = moment(int(ctx.now()), zone_of(ctx.environment.get("TZ")))
    current = Month(now.year, now.month) if options.date is None else _date(options.date)
    month, year = options.month, ""
    if len(operands) == 2:
        month, year = operands
    elif operands:
        year = operands[0]
    whole_year = options.year or (bool(operands) and month is None)
    if options.three and whole_year and not options.year:
        raise Failure("-3 together with a given year but no given month is not supported.")
    number = current.number if month is None else _month(month)
    month_to_print = Month(_year(year) if operands else current.year, number)
    page = _Page(options, ctx)
    if whole_year:
        page.print([Month(month_to_print.year, each) for each in range(1, 13)])
        return 0
    before = int(options.three) + _count(options.before)
    after = int(options.three) + _count(options.after)
    index = month_to_print.year * 12 + month_to_print.number - 1
    last = min(index + after, _MAX_MONTHS + 11)
    page.print([Month(*_split(each)) for each in range(max(index - before, 12), last + 1)])
    return 0


def _split(months: int) -> tuple[int, int]:
    return months // 12, months % 12 + 1


def _count(text: str) -> int:
    digits = text.removeprefix("+")
    if not (digits.isascii() and digits.isdigit()):
        raise Failure(f"wrong number of months '{text}'")
    return min(int(digits[:9]), _MAX_MONTHS)


def _year(text: str) -> int:
    digits = text.removeprefix("+")
    if text and not (digits.isascii() and digits.isdigit()):
        raise Failure(f"not a valid year {text}")
    value = int(digits[:9] or "0")
    if not 1 <= value <= 9999:
        raise Failure(f"year `{text}' not in range 1..9999")
    return value


def _month(text: str) -> int:
    digits = text.removeprefix("+")
    digits = digits[:-1] if digits[-1:] in ("f", "p") and is_number(digits[:-1]) else digits
    if digits.isascii() and digits.isdigit() and 1 <= int(digits[:9]) <= 12:
        return int(digits)
    if text.isalpha() and len(text) >= 3:
        for number, name in enumerate(_NAMES, 1):
            if name.lower().startswith(text.lower()):
                return number
    raise Failure(f"{text} is neither a month number (1..12) nor a name")


def _date(text: str) -> Month:
    year, _, rest = text.partition("-")
    month = rest.partition("-")[0]
    if not is_number(month) or not 1 <= int(month[:3]) <= 12:
        raise Failure(f"'{text}' is not a month of the form YYYY-MM")
    return Month(_year(year), int(month))


def _centre(text: str, width: int) -> str:
    return " " * ((width - len(text)) // 2) + text


class _Page:
    """Prints months side by side."""

    def __init__(self, options: Options, ctx: Context) -> None:
        self._ctx = ctx
        self._cell = 3 if options.julian else 2
        self._julian = options.julian
        self._first = options.first
        self.across = 2 if options.julian else 3
        self.width = 7 * (self._cell + 1) + 1

    def print(self, months: Sequence[Month]) -> None:
        """Print months; the year is in each title, or above each row of whole rows of a year."""
        aligned = (months[0].number - 1) % self.across == 0 and len(months) >= self.across
        printed_year = 0
        for at in range(0, len(months), self.across):
            months_in_row = months[at : at + self.across]
            row = [self._lines(month, not aligned) for month in months_in_row]
            if at:
                self._ctx.write(b"\n")
            if aligned and months_in_row[0].year != printed_year:
                printed_year = months_in_row[0].year
                self._ctx.write_line(_centre(str(printed_year), (self.width - 2) * self.across))
            for parts in zip(*row, strict=True):
                self._ctx.charge()
                self._ctx.write_line("".join(parts))

    def _lines(self, month: Month, years: bool) -> list[str]:
        title = _NAMES[month.number - 1] + (f" {month.year}" if years else "")
        names = (_DAYS[self._first :] + _DAYS[: self._first]) if self._first else _DAYS
        lines = [_centre(title, self.width - 2), " ".join([name.rjust(self._cell) for name in names])]
        days = _days_of(month)
        start = (_weekday(month, 1) - self._first) % 7
        offset = _days_before(month) if self._julian else 0
        cells = [" " * self._cell] * start
        cells += [
            f"{offset + at + (1 if self._julian else 0) if self._julian else day:{self._cell}}"
            for at, day in enumerate(days)
        ]
        cells += [" " * self._cell] * (7 * _WEEKS - len(cells))
        lines += [" ".join(cells[at : at + 7]) for at in range(0, 7 * _WEEKS, 7)]
        return [line.ljust(self.width) for line in lines]


def _is_old(month: Month, day: int) -> bool:
    return (month.year, month.number, day) <= (*_REFORM, 2)


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year <= _REFORM[0] or year % 100 != 0 or year % 400 == 0)


def _days_of(month: Month) -> list[int]:
    length = 29 if month.number == 2 and _is_leap(month.year) else _LENGTHS[month.number - 1]
    days = range(1, length + 1)
    if (month.year, month.number) == _REFORM:
        return [day for day in days if day not in _SKIPPED_DAYS]
    return list(days)


def _days_before(month: Month) -> int:
    return sum([len(_days_of(Month(month.year, number))) for number in range(1, month.number)])


def _weekday(month: Month, day: int) -> int:
    """Return 0 for Sunday to 6 for Saturday; before the reform, by the Julian calendar."""
    if not _is_old(month, day):
        return (days_from_civil(month.year, month.number, day) + 4) % 7
    years = month.year - 1
    elapsed = (
        years * 365 + years // 4 + _days_before(month) + day
    )  # the 1st of January of year 1 was a Saturday
    return (elapsed + 5) % 7
