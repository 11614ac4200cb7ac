"""mcookie: print 128 random bits.

Oracle: util-linux 2.38. The randomness is the operating system's.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.counts import parse_count
from sandhook.command.operands import reason
from sandhook.command.options import VERSION, opt, option_set
from sandhook.command.utility import WRITE_ERROR_UTIL_LINUX


def _size(text: str) -> int:
    try:
        return parse_count(text, "length")
    except Failure:
        raise Failure(f"failed to parse length: '{text}': Invalid argument") from None


WRITE_ERROR = WRITE_ERROR_UTIL_LINUX


@option_set
class Options:
    """mcookie [-v] [-f FILE [-m BYTES]]

    Print a random number in hexadecimal, mixed with the contents of FILE.
    """

    file: str | None = opt("-f", "--file", "FILE", "mix in up to 4096 bytes of this file")
    max_size: int | None = opt(
        "-m", "--max-size", "BYTES", "mix in at most BYTES bytes of FILE", convert=_size
    )
    verbose: bool = opt("-v", "--verbose", help="print the number of bytes from each source")
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, also when FILE cannot be read, because it is only an additional source of randomness."""
    from hashlib import md5

    if options.max_size is not None and options.file is None:
        ctx.error("--max-size ignored when used without --file")
    with ctx.open("/dev/urandom") as reader:
        fresh = reader.read(128)
    seed = fresh
    if options.file is not None:
        try:
            with ctx.open(options.file) as reader:
                extra = _read_at_most(reader, options.max_size)
        except OSError as error:
            ctx.error(f"cannot open {options.file}: {reason(error)}")
            extra = b""
        seed += extra
        if options.verbose:
            _print(f"Got {len(extra)} bytes from {options.file}", ctx)
    if options.verbose:
        _print(f"Got {len(fresh)} bytes from getrandom() function", ctx)
    ctx.write_line(md5(seed, usedforsecurity=False).hexdigest())
    return 0


def _read_at_most(reader: Reader, max_size: int | None) -> bytes:
    """Read up to ``max_size`` bytes, by default 4096."""
    remaining = 4096 if max_size is None else max_size
    pieces = []
    while remaining > 0 and (data := reader.read(min(remaining, 65_536))):
        pieces.append(data)
        remaining -= len(data)
    return b"".join(pieces)


def _print(line: str, ctx: Context) -> None:
    ctx.process.write_error(f"{line}\n".encode("utf-8", "surrogateescape"))
