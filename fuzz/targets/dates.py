"""Dates as people write them: any text is a date or BadDate, and what sandhook accepts is the same date in GNU's program."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable

from fuzz import real
from fuzz.pieces import Pieces, promise, within
from sandhook.dates.parse import BadDate, parse_date
from sandhook.dates.stamp import parse_setting, parse_stamp

WORDS = (
    *(
        "now ",
        "today ",
        "tomorrow ",
        "yesterday ",
        "next ",
        "last ",
        "ago ",
        "days ",
        "week ",
        "month ",
        "year ",
        "hour ",
    ),
    *(
        "monday ",
        "Fri ",
        "Jan ",
        "february ",
        "2024-02-29 ",
        "10:30 ",
        "10:30:15.5 ",
        "UTC ",
        "+02:00 ",
        "@0 ",
        "am ",
        "pm ",
    ),
    *(
        "T",
        "Z ",
        "12/31/1999 ",
        "1 ",
        "-1 ",
        "20240229 ",
        "fortnight ",
        "noon ",
        "EST ",
        "DST ",
        "sec ",
        "20240101T1200",
    ),
)

_ALPHABET = "0123456789 +-:/.,@TZabcdefghijklmnopqrstuvwxyADFJMNOSUW"


def seeds() -> Iterable[bytes]:
    yield from (
        *(
            b"2024-02-29 12:34:56",
            b"next monday",
            b"2 days ago",
            b"@1700000000.5",
            b"1 Jan 2020 10:00 +0200",
            b"12/31/1999",
        ),
        *(
            b"last friday 3pm",
            b"tomorrow noon",
            b"2024-01-31 +1 month",
            b"20240229T101530Z",
            b"third week",
            b"yesterday",
        ),
    )


def target(data: bytes) -> None:
    pieces = Pieces(data)
    raw = pieces.texts(1)[0]
    for read in (parse_date, parse_stamp, parse_setting):
        try:
            read(raw, 1_700_000_000 * 10**9, None)
        except BadDate:
            continue
    text = within(raw, _ALPHABET)[:40]
    if real.not_gnu("date") or real.no_bash() or re.search(r"[0-9]{10}", text):
        return  # the bounds of GNU's integers are another subject
    for attempt in range(2):
        now = time.time_ns()
        expected = gnu(text)
        if expected is None or _agrees(text, now, expected):
            return
        if attempt:
            promise(False, "a date as GNU's", text, expected, ours(text, now))


def _agrees(text: str, now: int, expected: str) -> bool:
    found = ours(text, now)
    return not found or found == expected or (bool(expected) and abs(int(found) - int(expected)) <= 2)


def ours(text: str, now: int) -> str:
    """Return the seconds since the epoch, "" for an error."""
    try:
        return str(parse_date(text, now, "UTC0") // 10**9)
    except BadDate:
        return ""


def gnu(text: str) -> str | None:
    """Return the same of GNU date; None when it does not answer."""
    try:
        status, stdout = real.run("date", "-d", text, "+%s")
    except real.NoAnswer:
        return None
    return "" if status else stdout.strip()
