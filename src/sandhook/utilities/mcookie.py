"""mcookie: print 128 random bits.

Oracle: util-linux 2.38. The randomness is the operating system's.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities._base import Context, opt, option_set
from sandhook.utilities._files import reason


@option_set
class Options:
    """mcookie [-v] [-f FILE]

    Print a magic number in hexadecimal, mixed with what FILE has.
    """

    file: str | None = opt("-f", "--file", "FILE", "mix in up to 4096 bytes of this file")
    verbose: bool = opt("-v", "--verbose", help="say how many bytes came from where")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, also when FILE could not be read: it only adds to what is random."""
    from hashlib import md5

    with ctx.open("/dev/urandom") as reader:
        fresh = reader.read(128)
    seed = fresh
    if options.file is not None:
        try:
            with ctx.open(options.file) as reader:
                extra = reader.read(4096)
        except OSError as error:
            ctx.error(f"cannot open {options.file}: {reason(error)}")
            extra = b""
        seed += extra
        if options.verbose:
            ctx.error(f"Got {len(extra)} bytes from {options.file}")
    if options.verbose:
        ctx.error(f"Got {len(fresh)} bytes from getrandom() function")
    ctx.write_line(md5(seed, usedforsecurity=False).hexdigest())
    return 0
