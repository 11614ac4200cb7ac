"""The script's time zone as a POSIX TZ string for libjq. libc never sees the script's text, which could name a file.

Divergence: L-DATE-001, a named zone means its current rules.
"""

from __future__ import annotations

from sandhook.dates.clock import Rule, zone_of

_MAX_NAME = 16  #: characters of a name
_DAY = 86_400


def posix_zone(text: str) -> str:
    """Return the POSIX form of the zone in a TZ variable; UTC for a zone that this form cannot express."""
    zone = zone_of(text)
    names = [zone.name, zone.summer_name]
    if any(len(name) > _MAX_NAME or not name.isascii() for name in names) or abs(zone.offset) > _DAY:
        return "UTC0"
    if len(zone.name) < 3:
        return "UTC0"
    standard = f"<{zone.name}>{_clock(-zone.offset)}"
    if zone.start is None or zone.end is None or abs(zone.summer_offset) > _DAY:
        return standard
    summer = f"<{zone.summer_name}>{_clock(-zone.summer_offset)}"
    return f"{standard}{summer},{_rule(zone.start)},{_rule(zone.end)}"


def _clock(seconds: int) -> str:
    sign = "-" if seconds < 0 else ""
    minutes, rest = divmod(abs(seconds), 60)
    return f"{sign}{minutes // 60}:{minutes % 60:02}:{rest:02}"


def _rule(rule: Rule) -> str:
    day = {"M": f"M{rule.month}.{rule.week}.{rule.day}", "J": f"J{rule.day}"}.get(rule.kind, str(rule.day))
    return f"{day}/{_clock(max(min(rule.time, 7 * _DAY - 1), 1 - 7 * _DAY))}"
