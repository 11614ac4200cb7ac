"""Random numbers and the time, as closures.

Source: POSIX.1-2024 XCU 3, awk, "functions"; gawk 5.2 manual, "Time Functions".
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sandhook.typed import TYPE_CHECKING
from sandhook.utilities.languages.awk.compile.protocol import Compiler
from sandhook.utilities.languages.awk.nodes import Expression
from sandhook.utilities.languages.awk.program import ToNumber, ToText
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.values import numeric_value

if TYPE_CHECKING:
    from sandhook.dates.clock import Zone


def rand(compiler: Compiler, arguments: Sequence[Expression]) -> ToNumber:
    """Compile rand()."""

    def rand(rt: Runtime) -> float:
        """Return the next number of SplitMix64, whose seed is the same in every run without srand."""
        mask = (1 << 64) - 1
        rt.random = (rt.random + 0x9E3779B97F4A7C15) & mask
        bits = rt.random
        bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & mask
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & mask
        return ((bits ^ (bits >> 31)) >> 11) / float(1 << 53)

    return rand


def srand(compiler: Compiler, arguments: Sequence[Expression]) -> ToNumber:
    """Compile srand([seed])."""
    seed = compiler.number(arguments[0]) if arguments else None

    def srand(rt: Runtime) -> float:
        old_seed = rt.seed
        value = float(int(rt.ctx.now())) if seed is None else seed(rt)
        rt.seed = rt.random = int(value) & ((1 << 64) - 1) if value - value == 0.0 else 0
        return float(old_seed)

    return srand


def strftime(compiler: Compiler, arguments: Sequence[Expression]) -> ToText:
    """Compile strftime([format [, seconds [, utc]]])."""
    format_ = compiler.text(arguments[0]) if arguments else None
    seconds = compiler.number(arguments[1]) if len(arguments) > 1 else None
    universal = compiler.condition(arguments[2]) if len(arguments) > 2 else None

    def strftime(rt: Runtime) -> str:
        from sandhook.dates.clock import strftime as format_time

        text = format_(rt) if format_ is not None else "%a %b %e %H:%M:%S %Z %Y"
        when = rt.ctx.now() if seconds is None else seconds(rt)
        if not abs(when) < 1e15:
            return ""
        if universal is not None and universal(rt):
            text = "%%".join([piece.replace("%Z", "GMT") for piece in text.split("%%")])
            return format_time(text, math.floor(when), "UTC0")
        return format_time(text, math.floor(when), rt.ctx.environment.get("TZ"))

    return strftime


def systime(compiler: Compiler, arguments: Sequence[Expression]) -> ToNumber:
    """Compile systime()."""
    return lambda rt: float(int(rt.ctx.now()))


def _with_daylight_flag(zone: Zone, seconds: int, year: int, flag: float | None) -> int:
    """Return the time that a C library computes if the caller states whether daylight saving time is in force."""
    if flag is None or flag < 0:
        return seconds
    from sandhook.dates.clock import days_from_civil

    standard = min(zone.at(days_from_civil(year, month, 1) * 86_400)[0] for month in (1, 7))
    is_daylight = zone.at(seconds)[0] > standard
    return seconds + 3600 * (is_daylight - (flag >= 1))


def mktime(compiler: Compiler, arguments: Sequence[Expression]) -> ToNumber:
    """Compile mktime(datespec [, utc])."""
    text = compiler.text(arguments[0])
    universal = compiler.condition(arguments[1]) if len(arguments) > 1 else None

    def mktime(rt: Runtime) -> float:
        from sandhook.dates.clock import days_from_civil, zone_of

        words = text(rt).split()
        if len(words) < 6:
            return -1.0
        numbers = [numeric_value(word) for word in words[:6]]
        if any(number is None or not abs(number) < 1e9 for number in numbers):
            return -1.0
        year, month, day, hour, minute, second = [int(number or 0) for number in numbers]
        year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
        local = (days_from_civil(year, month, 1) + day - 1) * 86_400 + hour * 3600 + minute * 60 + second
        if universal is not None and universal(rt):
            return float(local)
        zone = zone_of(rt.ctx.environment.get("TZ"))
        flag = numeric_value(words[6]) if len(words) > 6 else None
        return float(_with_daylight_flag(zone, zone.to_seconds(local), year, flag))

    return mktime
