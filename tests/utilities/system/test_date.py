from __future__ import annotations

import pytest

from sandhook.dates.clock import strftime, zone_of
from sandhook.dates.parse import BadDate, parse_date

STAMP = "@1769853605.123456789"  # Saturday 2026-01-31 10:00:05 UTC


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("%Y-%m-%d %H:%M:%S", "2026-01-31 10:00:05"),
        ("%F %T", "2026-01-31 10:00:05"),
        ("%a %A %b %B %h", "Sat Saturday Jan January Jan"),
        ("%c|%D|%x|%X|%r|%R", "Sat Jan 31 10:00:05 2026|01/31/26|01/31/26|10:00:05|10:00:05 AM|10:00"),
        ("%C %y %g %G %V %U %W %u %w %j", "20 26 26 2026 05 04 04 6 6 031"),
        ("%e %k %l %I %p %P %q", "31 10 10 10 AM am 1"),
        ("%s %N %3N %6N %-N", "1769853605 123456789 123 123456 123456789"),
        ("%z %:z %::z %:::z %Z", "+0000 +00:00 +00:00:00 +00 UTC"),
        ("%n%t%%", "\n\t%"),
        ("%-d %-m %_m %05d %_5d %e", "31 1  1 00031    31 31"),
        ("%^a %#a %#p %#Z %^B", "SAT SAT am utc JANUARY"),
        ("%10Y|%-y|%_10Y|%010a|%10a|%-10a", "0000002026|26|      2026|0000000Sat|       Sat|Sat"),
        ("%Ey %Od", "26 31"),
        ("%Q %:d %", "%Q %:d %"),
        ("%020T|%12F|%+F|%+5Y", "00000000000010:00:05|002026-01-31|2026-01-31|+2026"),
        ("%^c", "SAT JAN 31 10:00:05 2026"),
        ("", ""),
        ("plain", "plain"),
    ],
)
def test_formats(utility, format_, text):
    assert utility("date", "-u", "-d", STAMP, f"+{format_}") == (0, f"{text}\n", "")


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        ([], "Sat Jan 31 10:00:05 UTC 2026"),
        (["-I"], "2026-01-31"),
        (["-Ihours"], "2026-01-31T10+00:00"),
        (["-Iminutes"], "2026-01-31T10:00+00:00"),
        (["-Iseconds"], "2026-01-31T10:00:05+00:00"),
        (["-Ins"], "2026-01-31T10:00:05,123456789+00:00"),
        (["--iso-8601=seconds"], "2026-01-31T10:00:05+00:00"),
        (["-Is"], "2026-01-31T10:00:05+00:00"),
        (["-R"], "Sat, 31 Jan 2026 10:00:05 +0000"),
        (["--rfc-3339=date"], "2026-01-31"),
        (["--rfc-3339=seconds"], "2026-01-31 10:00:05+00:00"),
        (["--rfc-3339=ns"], "2026-01-31 10:00:05.123456789+00:00"),
        (["--utc", "+%H"], "10"),
    ],
)
def test_options(utility, argv, text):
    assert utility("date", "-d", STAMP, *argv, env={"TZ": "UTC0"}) == (0, f"{text}\n", "")


@pytest.mark.parametrize(
    ("zone", "winter", "summer"),
    [
        ("UTC0", "10 +0000 UTC", "10 +0000 UTC"),
        ("", "10 +0000 UTC", "10 +0000 UTC"),
        ("EST5EDT,M3.2.0,M11.1.0", "05 -0500 EST", "06 -0400 EDT"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "11 +0100 CET", "12 +0200 CEST"),
        ("<+0330>-3:30", "13 +0330 +0330", "13 +0330 +0330"),
        ("NZST-12NZDT,M9.5.0,M4.1.0/3", "23 +1300 NZDT", "22 +1200 NZST"),
        ("AAA3BBB,J60/1,J300", "07 -0300 AAA", "08 -0200 BBB"),
        ("AAA3BBB4,59,299/25", "07 -0300 AAA", "06 -0400 BBB"),
        (":XYZ-2", "12 +0200 XYZ", "12 +0200 XYZ"),
        ("Nosuch/Place", "10 +0000 Nosuch", "10 +0000 Nosuch"),
        ("Europe/Berlin", "11 +0100 CET", "12 +0200 CEST"),
        ("America/New_York", "05 -0500 EST", "06 -0400 EDT"),
        (":Australia/Sydney", "21 +1100 AEDT", "20 +1000 AEST"),
        ("Europe/Dublin", "10 +0000 GMT", "11 +0100 IST"),
        ("Etc/GMT+5", "05 -0500 -05", "05 -0500 -05"),
        ("Japan", "19 +0900 JST", "19 +0900 JST"),
        ("ab", "10 +0000 ", "10 +0000 "),
    ],
)
def test_zones(utility, zone, winter, summer):
    for stamp, text in (("@1769853605", winter), ("@1782900005", summer)):
        assert utility("date", "-d", stamp, "+%H %z %Z", env={"TZ": zone}) == (0, f"{text}\n", "")


@pytest.mark.parametrize(
    ("zone", "stamp", "text"),
    [
        ("Europe/Berlin", 15_000_000, "15 +0100 CET"),  # no summer time in 1970
        ("Europe/Berlin", -3_000_000_000, "19 +0053 LMT"),
        ("America/New_York", 1_143_900_000, "09 -0500 EST"),  # from 2007 on it began in March
        ("EST5EDT", 1_143_900_000, "09 -0500 EST"),
        ("America/Sao_Paulo", 1_546_300_800, "22 -0200 -02"),  # summer time, given up in 2019
        ("Pacific/Apia", 1_325_200_000, "13 -1000 -10"),
        ("Pacific/Apia", 1_325_300_000, "16 +1400 +14"),  # the day between them never was
        ("Europe/Berlin", 300_000_000_000, "07 +0200 CEST"),  # beyond the year 9999
        ("GB", 0, "01 +0100 BST"),
        ("UTC", 0, "00 +0000 UTC"),
        ("Antarctica/Troll", 0, "00 -0000 -00"),  # nobody was there: no local time is known
    ],
)
def test_named_zones_have_their_history(utility, zone, stamp, text):
    assert utility("date", "-d", f"@{stamp}", "+%H %z %Z", env={"TZ": zone}) == (0, f"{text}\n", "")


def test_local_times_of_named_zones(utility):
    """Hours that come twice and hours that are skipped, as glibc finds them."""
    for zone, local, seconds in [
        ("Europe/Berlin", "2024-10-27 02:30", 1_729_992_600),
        ("America/New_York", "2024-11-03 01:30", 1_730_611_800),
        ("Europe/Berlin", "1970-07-01 12:00", 15_678_000),
        ("Asia/Kolkata", "1900-01-01", -2_209_008_070),
    ]:
        assert utility("date", "-d", local, "+%s", env={"TZ": zone}) == (0, f"{seconds}\n", "")


NOW = 1795262369 * 10**9 + 5  # Saturday 2026-11-21 11:59:29 UTC
DATES = {
    "now": "2026-11-21 11:59:29",
    "today": "2026-11-21 11:59:29",
    "yesterday": "2026-11-20 11:59:29",
    "tomorrow": "2026-11-22 11:59:29",
    "": "2026-11-21 00:00:00",
    "2 days ago": "2026-11-19 11:59:29",
    "-1 hour": "2026-11-21 10:59:29",
    "last week": "2026-11-14 11:59:29",
    "next month": "2026-12-21 11:59:29",
    "1 year ago": "2025-11-21 11:59:29",
    "3 fortnights": "2027-01-02 11:59:29",
    "next monday": "2026-11-23 00:00:00",
    "monday": "2026-11-23 00:00:00",
    "last friday": "2026-11-20 00:00:00",
    "saturday": "2026-11-21 00:00:00",
    "next saturday": "2026-11-28 00:00:00",
    "third monday": "2026-12-07 00:00:00",
    "monday next week": "2026-11-30 00:00:00",
    "2026-01-01 +1 month": "2026-02-01 00:00:00",
    "2026-01-31 +1 month": "2026-03-03 00:00:00",
    "2024-02-29 1 year": "2025-03-01 00:00:00",
    "2026-01-31": "2026-01-31 00:00:00",
    "2026-01-31 10:00": "2026-01-31 10:00:00",
    "2026-01-31T10:00:00Z": "2026-01-31 10:00:00",
    "2026-01-31T10:00:00+02:00": "2026-01-31 08:00:00",
    "2026-01-31T10+02": "2026-01-31 08:00:00",
    "2026-01-31 10:00:00.5 +0530": "2026-01-31 04:30:00",
    "20260131": "2026-01-31 00:00:00",
    "20260131 1030": "2026-01-31 10:30:00",
    "1/31/2026": "2026-01-31 00:00:00",
    "2026/01/31": "2026-01-31 00:00:00",
    "1/31": "2026-01-31 00:00:00",
    "31 Jan 2026": "2026-01-31 00:00:00",
    "31-Jan-2026": "2026-01-31 00:00:00",
    "31 jan 26": "2026-01-31 00:00:00",
    "Jan 31, 2026": "2026-01-31 00:00:00",
    "Jan 31 2026 10:00 pm": "2026-01-31 22:00:00",
    "Sept 5": "2026-09-05 00:00:00",
    "Jan 5 10:00 2025": "2025-01-05 10:00:00",
    "Sat, 31 Jan 2026 10:00:00 +0000": "2026-01-31 10:00:00",
    "Sat Jan 31 10:00:00 UTC 2026": "2026-01-31 10:00:00",
    "10:00": "2026-11-21 10:00:00",
    "10pm": "2026-11-21 22:00:00",
    "12am": "2026-11-21 00:00:00",
    "10:00 A.M.": "2026-11-21 10:00:00",
    "tomorrow 10:00": "2026-11-22 10:00:00",
    "10:00 EST": "2026-11-21 15:00:00",
    "10:00 UTC+2": "2026-11-21 08:00:00",
    "10:00 +1 hour": "2026-11-21 10:00:00",  # +1 is a zone here
    "10:00 1 hour": "2026-11-21 11:00:00",
    "UTC": "2026-11-21 00:00:00",
    "a": "2026-11-20 23:00:00",  # a military zone
    "@0": "1970-01-01 00:00:00",
    "@-1": "1969-12-31 23:59:59",
    "@1.5": "1970-01-01 00:00:01",
    "70-01-01": "1970-01-01 00:00:00",
    "99-01-02": "1999-01-02 00:00:00",
    "2026-07-01 10:00 (a (nested) comment)": "2026-07-01 10:00:00",
    'TZ="EST5EDT,M3.2.0,M11.1.0" 2026-07-01 10:00': "2026-07-01 14:00:00",
    "12 hours ago": "2026-11-20 23:59:29",
    "1.5 seconds": "2026-11-21 11:59:30",
    "2026-01-31 10:00:00,25": "2026-01-31 10:00:00",
    "10000 years": "12026-11-21 11:59:29",
    "1 hour ago 2 minutes": "2026-11-21 11:01:29",
    "1030": "2026-11-21 10:30:00",
}
NO_DATES = [
    "2026-02-30", "2026-01", "24:00", "10:60", "10:00:60", "foo", "next", "ago", "2 2", "10:00 11:00",
    "mon tue", "13:00 pm", "2530", "5 Jan 10:00", "2026-01-31T10", "2026-01-31, 10:00", ", 10:00", "@x", "@",
    "noon", "10:00 10:00", "13/1/2026", "99999999999999999999 days", "2147483647 years", "1.5 hours ago",
]  # fmt: skip


@pytest.mark.parametrize("text", DATES)
def test_reads_dates(text):
    seconds, _ = divmod(parse_date(text, NOW, None), 10**9)
    assert strftime("%Y-%m-%d %H:%M:%S", seconds, None) == DATES[text]


@pytest.mark.parametrize("text", NO_DATES)
def test_refuses_what_is_no_date(utility, text):
    with pytest.raises(BadDate):
        parse_date(text, NOW, None)
    assert utility("date", "-d", text) == (1, "", f"date: invalid date '{text}'\n")


@pytest.mark.parametrize("text", DATES)
def test_reads_the_same_dates_as_the_oracle(utility, text):
    assert utility("date", "-d", text, "+%F %H", env={"TZ": "UTC0"})[0] == 0


def test_an_hour_that_is_skipped_or_comes_twice():
    zone = zone_of("EST5EDT,M3.2.0,M11.1.0")
    assert zone.at(1772953199)[1] == "EST"
    assert zone.at(1772953200)[1] == "EDT"
    assert strftime("%H:%M %Z", 1772953200, "EST5EDT,M3.2.0,M11.1.0") == "03:00 EDT"


def test_the_time_of_a_file(steps):
    steps("touch", "-d", "@100", "f")
    assert steps("date", "-r", "f", "+%s") == (0, "100\n", "")
    assert steps("date", "-r", "nope") == (1, "", "date: nope: No such file or directory\n")


def test_a_file_of_dates(utility):
    files = {"f": "2026-01-31\nzzz\n@0\n"}
    got = utility("date", "-u", "-f", "f", "+%F", files=files)
    assert got == (1, "2026-01-31\n1970-01-01\n", "date: invalid date 'zzz'\n")


def test_prints_the_present_time(utility):
    import time

    before = int(time.time())
    status, out, _ = utility("date", "+%s", same=False)
    assert status == 0
    assert before <= int(out) <= before + 2


@pytest.mark.parametrize("argv", [["-s", "now"], ["01311000"], ["--set=2026-01-31"]])
def test_the_clock_cannot_be_set(utility, argv):
    status, out, err = utility("date", *argv, same=False)
    assert (status, err) == (1, "date: cannot set date: Operation not permitted\n")
    assert out.endswith(" UTC 2026\n")  # what it would have been set to


@pytest.mark.parametrize(
    ("argv", "message", "hint"),
    [
        (["a"], "invalid date 'a'", False),
        (["+%Y", "b"], "extra operand 'b'", True),
        (["-I", "-R"], "multiple output formats specified", False),
        (["-I", "+%Y"], "multiple output formats specified", False),
        (["-d", "now", "-r", "f"], "the options to specify dates for printing are mutually exclusive", True),
        (["-q"], "invalid option -- 'q'", True),
    ],
)
def test_refuses(utility, argv, message, hint):
    tail = "Try 'date --help' for more information.\n" if hint else ""
    assert utility("date", *argv) == (1, "", f"date: {message}\n{tail}")


def test_widths_are_clamped():
    assert len(strftime("%999999999Y", 0, None)) == 4096


@pytest.mark.parametrize(
    "text",
    [
        "1 Jan 2020 10:00 +029,5",  # an offset with a fraction
        "10:00 -02.5",
        "12/31/99999999999",
        "1234567890123-01-01",
        "306783379 weeks",  # more days than an int holds
        "d.",  # periods belong to names of zones, not to letters
        "10:00 z.",
        "132/1/10",  # a year that comes first has four digits
        "10:00 t-0130",  # T separates date and time
    ],
)
def test_texts_that_gnu_date_rejects(text):
    with pytest.raises(BadDate):
        parse_date(text, 1_769_853_605 * 10**9, "UTC0")


@pytest.mark.parametrize(
    ("text", "seconds"), [("12/31/2147483647", 67767976233446400), ("2147485547-12-31", 67768036191590400)]
)
def test_years_of_ten_digits(text, seconds):
    assert parse_date(text, 0, "UTC0") == seconds * 10**9
