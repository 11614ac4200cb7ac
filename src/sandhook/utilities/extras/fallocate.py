"""fallocate: allocate space for files, filled with zeros.

Oracle: util-linux 2.38. Divergence: L-FALLOCATE-001, holes are zeros, and ranges are not moved.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.counts import parse_count
from sandhook.command.operands import reason, stat_of
from sandhook.command.options import VERSION, also, opt, option_set
from sandhook.kernel.descriptor import Description

_OPERATION_NAMES = {"": "allocated", "p": "hole created", "z": "zeroed"}
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def _bytes(text: str, name: str) -> int:
    try:
        return parse_count(text, name)
    except Failure:
        raise Failure(f"invalid {name} value specified") from None


@option_set
class Options:
    """fallocate [-n] [-p | -z] [-o OFFSET] -l LENGTH FILE | fallocate -d FILE

    Allocate LENGTH bytes from OFFSET on in FILE, which is created if necessary.
    """

    length: str | None = opt("-l", "--length", "LENGTH", "bytes; the suffixes K, M, G ... are allowed")
    offset: str = opt("-o", "--offset", "OFFSET", "the first byte (0)", default="0")
    keep: bool = opt("-n", "--keep-size", help="do not extend the file")
    operation: str = also(
        opt(
            "-p",
            "--punch-hole",
            help="replace the bytes with zeros, without extending the file",
            const="p",
            default="",
        ),
        opt("-z", "--zero-range", help="replace the bytes with zeros", const="z"),
        opt("-d", "--dig-holes", help="without effect: files have no blocks", const="d"),
        opt("-c", "--collapse-range", help="not supported, as on most file systems", const="c"),
        opt("-i", "--insert-range", help="not supported, as on most file systems", const="i"),
    )
    posix: bool = opt("-x", "--posix", ignored="")
    verbose: bool = opt("-v", "--verbose", help="print the result")
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 after an error."""
    if not operands:
        raise Failure("no filename specified")
    if len(operands) > 1:
        raise Failure("unexpected number of arguments")
    if options.operation == "d":
        return _dig(operands[0], options, ctx)
    if options.length is None:
        raise Failure("no length argument specified")
    length = _bytes(options.length, "length")
    offset = _bytes(options.offset, "offset")
    if not length:
        raise Failure("invalid length value specified")
    name = operands[0]
    try:
        file = ctx.process.open(name, write=True, create=not options.operation)
    except OSError as error:
        raise Failure(f"cannot open {name}: {reason(error)}") from None
    try:
        size = stat_of(ctx, name).size
        if options.operation in ("c", "i"):
            raise OSError(errno.EOPNOTSUPP, "")
        if options.operation:
            _fill(file, offset, min(length, size - offset), ctx)
        missing = 0 if options.keep or options.operation == "p" else offset + length - size
        _fill(file, size, missing, ctx)
    except OSError as error:
        raise Failure(f"fallocate failed: {reason(error)}") from None
    finally:
        file.release()
    if options.verbose:
        ctx.write_line(f"{name}: {_human(length)} ({length} bytes) {_OPERATION_NAMES[options.operation]}.")
    return 0


def _fill(file: Description, offset: int, length: int, ctx: Context) -> None:
    """Write zeros; nothing for a length of 0 or less."""
    if length > 0:
        file.seek(offset)
    while length > 0:
        step = min(length, 65_536)
        ctx.charge(1 + (step >> 10))
        file.write(bytes(step))
        length -= step


def _dig(name: str, options: Options, ctx: Context) -> int:
    """Report that there are no blocks of zeros to convert into holes."""
    try:
        stat_of(ctx, name)
    except OSError as error:
        raise Failure(f"cannot open {name}: {reason(error)}") from None
    if options.verbose:
        ctx.write_line(f"{name}: 0 B (0 bytes) converted to sparse holes.")
    return 0


def _human(size: int) -> str:
    value, unit = float(size), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value /= 1024
        unit += 1
    return f"{value:.1f}".removesuffix(".0") + f" {_UNITS[unit]}"
