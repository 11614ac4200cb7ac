"""Named time zones, from the tzdata package: no file of the host is looked up by a script's TZ.

A name is read only if the package lists it. Times outside the years of datetime
follow the Gregorian calendar's cycle of 400 years; times before the year 1 use its rules.

Source: the IANA time zone database, as PyPI's tzdata carries it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from io import BytesIO
from pkgutil import get_data
from zoneinfo import ZoneInfo

_CYCLE = 146_097 * 86_400  #: seconds of 400 Gregorian years
_FIRST = -62_135_510_400  #: 0001-01-02, in seconds since the epoch: local times stay in datetime's range
_LAST = 253_402_214_400  #: 9999-12-31
_DAY = 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)  #: Windows has no fromtimestamp() for times before it


class NamedZone:
    """A zone of the database with its history.

    Attributes:
        rule: The rule for the future, as a POSIX TZ: ``CET-1CEST,M3.5.0,M10.5.0/3``.
    """

    __slots__ = ("_zone", "rule")

    def __init__(self, name: str, data: bytes) -> None:
        self._zone = ZoneInfo.from_file(BytesIO(data), name)
        self.rule = data.rstrip(b"\n").rpartition(b"\n")[2].decode("ascii")  # the footer: RFC 9636, 3.3

    def at(self, seconds: int) -> tuple[int, str]:
        """Return the offset in seconds east of UTC and the abbreviation in force at a moment."""
        if seconds > _LAST:
            seconds -= -(-(seconds - _LAST) // _CYCLE) * _CYCLE
        local = (_EPOCH + timedelta(seconds=max(seconds, _FIRST))).astimezone(self._zone)
        offset = local.utcoffset()
        assert offset is not None  # a ZoneInfo always has one
        return offset.days * _DAY + offset.seconds, local.tzname() or ""

    def to_seconds(self, local: int) -> int:
        """Return the moment at which a clock of this zone shows ``local`` (seconds as if UTC).

        An ambiguous hour means standard time, but west of Greenwich daylight saving
        time, as in a C library; a skipped hour uses the offset before it.
        """
        before, after = self.at(local - _DAY)[0], self.at(local + _DAY)[0]
        standard, summer = min(before, after), max(before, after)
        for offset in (summer, standard) if standard < 0 else (standard, summer):
            if self.at(local - offset)[0] == offset:
                return local - offset
        return local - before


@cache
def zone_names() -> frozenset[str]:
    """Return the names of all zones of the database."""
    return frozenset((get_data("tzdata", "zones") or b"").decode("ascii").split())


@cache
def named_zone(name: str) -> NamedZone | None:
    """Return the zone of a name like ``Europe/Berlin``, None for one that the database does not have."""
    data = get_data("tzdata", f"zoneinfo/{name}") if name in zone_names() else None
    return None if data is None else NamedZone(name, data)
