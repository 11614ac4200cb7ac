"""free: print how much memory the (virtual) machine has: what the run may use.

Oracle: procps 4.0 for the forms of its lines. Divergence: L-FREE-001.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities._base import Context, UsageError, also, opt, option_set

_UNITS = "BKMGTPE"
_COLUMNS = ("total", "used", "free", "shared", "buff/cache", "available")
_WIDE_COLUMNS = ("total", "used", "free", "shared", "buffers", "cache", "available")


@option_set
class Options:
    """free [-bkmgh] [-tw] [--si]

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
    )
    human: bool = opt("-h", "--human", help="in units that fit")
    si: bool = opt("--si", help="units are powers of 1000")
    low: bool = opt("-l", "--lohi", help="lines for low and high memory")
    total: bool = opt("-t", "--total", help="a line with the sums")
    wide: bool = opt("-w", "--wide", help="columns for buffers and cache")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if operands:
        raise UsageError(f"extra operand '{operands[0]}'")
    total = ctx.budget.limits.memory_bytes
    used = min(max(ctx.budget.held, 0), total)
    left = total - used
    zeros = (0, 0) if options.wide else (0,)
    rows = [("Mem:", (total, used, left, 0, *zeros, left))]
    if options.low:
        rows += [("Low:", (total, used, left)), ("High:", (0, 0, 0))]
    rows.append(("Swap:", (0, 0, 0)))
    if options.total:
        rows.append(("Total:", (total, used, left)))
    titles = _WIDE_COLUMNS if options.wide else _COLUMNS
    ctx.write_line(" " * 8 + "".join(f"{title:>12}" for title in titles))
    for name, values in rows:
        ctx.write_line(f"{name:<8}" + "".join(f"{_shown(value, options):>12}" for value in values))
    return 0


def _shown(value: int, options: Options) -> str:
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
