"""fallocate: make files longer, with zeros.

Oracle: util-linux 2.38. Divergence: L-FALLOCATE-001, holes are not dug, and ranges not moved.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities._base import Context, Failure, opt, option_set
from sandhook.utilities._counts import parse_count
from sandhook.utilities._files import reason, stat_of

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def _bytes(text: str, what: str) -> int:
    try:
        return parse_count(text, what)
    except Failure:
        raise Failure(f"invalid {what} value specified") from None


@option_set
class Options:
    """fallocate [-n] [-o OFFSET] -l LENGTH FILE

    Let FILE, which is made if need be, have room for LENGTH bytes from OFFSET on.
    """

    length: str | None = opt("-l", "--length", "LENGTH", "bytes, or with K, M, G ... more")
    offset: str = opt("-o", "--offset", "OFFSET", "where they begin (0)", default="0")
    keep: bool = opt("-n", "--keep-size", help="the file does not become longer")
    posix: bool = opt("-x", "--posix", help="taken, and without effect")
    verbose: bool = opt("-v", "--verbose", help="say what was done")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when FILE cannot be made longer."""
    if not operands:
        raise Failure("no filename specified")
    if len(operands) > 1:
        raise Failure("unexpected number of arguments")
    if options.length is None:
        raise Failure("no length argument specified")
    length = _bytes(options.length, "length")
    offset = _bytes(options.offset, "offset")
    if not length:
        raise Failure("invalid length value specified")
    name = operands[0]
    try:
        file = ctx.process.open(name, write=True, create=True)
    except OSError as error:
        raise Failure(f"cannot open {name}: {reason(error)}") from None
    try:
        size = stat_of(ctx, name).size
        missing = 0 if options.keep else offset + length - size
        file.seek(size)
        while missing > 0:
            step = min(missing, 65_536)
            ctx.charge(1 + (step >> 10))
            file.write(bytes(step))
            missing -= step
    except OSError as error:
        raise Failure(f"fallocate failed: {reason(error)}") from None
    finally:
        file.release()
    if options.verbose:
        ctx.write_line(f"{name}: {_human(length)} ({length} bytes) allocated.")
    return 0


def _human(size: int) -> str:
    value, unit = float(size), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value /= 1024
        unit += 1
    return f"{value:.1f}".removesuffix(".0") + f" {_UNITS[unit]}"
