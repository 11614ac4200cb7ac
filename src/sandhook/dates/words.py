"""The words of dates: months, days, units, ordinals and zones.

Source: GNU coreutils 9.1 manual, "Date input formats".
"""

from __future__ import annotations

MONTHS = {
    name: number
    for number, names in enumerate(
        ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
         "november", "december"), 1,
    )
    for name in (names, names[:3])
} | {"sept": 9}  # fmt: skip
DAYS = {
    name: number
    for number, names in enumerate(
        ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
    )
    for name in (names, names[:3])
} | {"tues": 2, "wednes": 3, "thur": 4, "thurs": 4}
#: Unit to (field of the sum, factor).
UNITS = {
    "year": ("month", 12), "month": ("month", 1), "fortnight": ("day", 14), "week": ("day", 7),
    "day": ("day", 1), "hour": ("second", 3600), "minute": ("second", 60), "min": ("second", 60),
    "second": ("second", 1), "sec": ("second", 1),
}  # fmt: skip
WORDS_AS_DAYS = {"tomorrow": 1, "yesterday": -1, "today": 0, "now": 0}
ORDINALS = {
    "last": -1, "this": 0, "next": 1, "first": 1, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6,
    "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
}  # fmt: skip
#: Zone abbreviations outside the time zone database, in seconds east of UTC.
ZONES = {
    "utc": 0, "ut": 0, "gmt": 0, "z": 0, "wet": 0, "west": 3600, "bst": 3600, "cet": 3600, "cest": 7200,
    "met": 3600, "mest": 7200, "mesz": 7200, "eet": 7200, "eest": 10_800, "msk": 10_800, "msd": 14_400,
    "ist": 19_800, "sgt": 28_800, "jst": 32_400, "nzst": 43_200, "nzdt": 46_800, "est": -18_000,
    "edt": -14_400, "cst": -21_600, "cdt": -18_000, "mst": -25_200, "mdt": -21_600, "pst": -28_800,
    "pdt": -25_200, "akst": -32_400, "akdt": -28_800, "hst": -36_000, "art": -10_800, "brt": -10_800,
    "brst": -7200, "nst": -12_600, "ndt": -9000, "ast": -14_400, "adt": -10_800, "clt": -14_400,
    "clst": -10_800, "cat": 7200, "sast": 7200, "eat": 10_800, "gst": 36_000,
}  # fmt: skip

#: One-letter zones, in hours east of UTC.
MILITARY = dict(zip("abcdefghiklmnopqrstuvwxyz", (*range(1, 13), *(-n for n in range(1, 13)), 0)))


#: Names of months and days that may end in a period.
SHORT = frozenset(name[:3] for name in (*MONTHS, *DAYS))

#: Words for the halves of the day.
HALVES = ("am", "pm", "a.m.", "p.m.")
