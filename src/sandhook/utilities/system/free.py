"""free: print the memory of the (virtual) machine, which is the run's memory limit.

Oracle: procps 4.0 for the format of its lines. Divergence: L-FREE-001.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import VERSION, UsageError, also, opt, option_set

_UNITS = "BKMGTPE"
_COLUMNS = ("total", "used", "free", "shared", "buff/cache", "available")
_WIDE_COLUMNS = ("total", "used", "free", "shared", "buffers", "cache", "available")


def _seconds(text: str) -> float:
    try:
        value = float(text) if text[:1] not in ("-", "") and "_" not in text else -1.0
    except ValueError:
        raise Failure(f"seconds argument failed: '{text}': Invalid argument") from None
    if not 0 < value < 1e9:
        raise Failure(f"seconds argument `{text}' is not positive number")
    return value


def _count(text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise Failure(f"failed to parse count argument: '{text}'")
    if text[0] == "-" or not digits.strip("0") or len(digits) > 9:
        raise Failure(f"failed to parse count argument: '{text}': Numerical result out of range")
    return int(digits)


@option_set
class Options:
    """free [-bkmgh] [-tvw] [--si] [-s SECONDS] [-c COUNT]

    Print total, used and free memory in KiB.
    """

    unit: int = also(
        opt("-b", "--bytes", help="in bytes", const=1, default=1024),
        opt("-k", "--kibi", help="in KiB", const=1024),
        opt("-m", "--mebi", help="in MiB", const=1 << 20),
        opt("-g", "--gibi", help="in GiB", const=1 << 30),
        opt("--tebi", help="in TiB", const=1 << 40),
        opt("--kilo", help="in units of 1000 bytes", const=1000),
        opt("--mega", help="in units of 1,000,000 bytes", const=10**6),
        opt("--giga", help="in units of 10^9 bytes", const=10**9),
        opt("--tera", help="in units of 10^12 bytes", const=10**12),
        opt("--pebi", help="in PiB", const=1 << 50),
        opt("--peta", help="in units of 10^15 bytes", const=10**15),
    )
    human: bool = opt("-h", "--human", help="in the largest suitable units")
    si: bool = opt("--si", help="use powers of 1000")
    low: bool = opt("-l", "--lohi", help="lines for low and high memory")
    total: bool = opt("-t", "--total", help="a line with the sums")
    committed: bool = opt("-v", "--committed", help="a line for committed memory, which is the used memory")
    seconds: float | None = opt("-s", "--seconds", "SECONDS", "print again every SECONDS", convert=_seconds)
    count: int | None = opt("-c", "--count", "COUNT", "print COUNT times", convert=_count)
    wide: bool = opt("-w", "--wide", help="columns for buffers and cache")
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if operands:
        raise UsageError(f"extra operand '{operands[0]}'")
    if options.seconds is None and options.count is None:
        _print(options, ctx)
        return 0
    remaining = options.count
    while True:
        ctx.charge()
        _print(options, ctx)
        if remaining is not None:
            remaining -= 1
            if not remaining:
                return 0
        ctx.write_line("")
        ctx.flush()
        ctx.sleep(options.seconds or 1.0)


def _print(options: Options, ctx: Context) -> None:
    total = ctx.budget.memory_bytes
    used = min(max(ctx.budget.memory_used, 0), total)
    available = total - used
    zeros = (0, 0) if options.wide else (0,)
    rows = [("Mem:", (total, used, available, 0, *zeros, available))]
    if options.low:
        rows += [("Low:", (total, used, available)), ("High:", (0, 0, 0))]
    rows.append(("Swap:", (0, 0, 0)))
    if options.total:
        rows.append(("Total:", (total, used, available)))
    if options.committed:
        rows.append(("Comm:", (total, used, available)))
    titles = _WIDE_COLUMNS if options.wide else _COLUMNS
    ctx.write_line(" " * 8 + "".join(f"{title:>12}" for title in titles))
    for name, values in rows:
        ctx.write_line(f"{name:<8}" + "".join(f"{_format(value, options):>12}" for value in values))


def _format(value: int, options: Options) -> str:
    step = 1000 if options.si else 1024
    if not options.human:
        unit = (
            {1024: 1000, 1 << 20: 10**6, 1 << 30: 10**9}.get(options.unit, options.unit)
            if options.si
            else options.unit
        )
        return str(value // unit)
    size, power = float(value), 0
    while size >= step and power < len(_UNITS) - 1:
        size /= step
        power += 1
    suffix = _UNITS[power] + ("" if options.si or not power else "i")
    return f"{size:.1f}{suffix}" if power and size < 10 else f"{int(size)}{suffix}"
