"""crc32: print the CRC-32 of files, as zip and gzip compute it.

Oracle: the crc32 of Archive::Zip 1.68. Without operands it reads standard input, like other programs of that name.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.command.options import option_set

ANY_ORDER = True


@option_set
class Options:
    """crc32 [FILE]...

    Print the checksum of each FILE in hexadecimal digits, with its name if there are several.
    """


def run(_: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file cannot be read."""
    for name in operands or ("-",):
        value = 0
        try:
            with ctx.open(name) as reader:
                for data in reader.chunks():
                    value = zlib.crc32(data, value)
        except OSError as error:
            ctx.fail(f"{name}: {reason(error)}")
            continue
        ctx.write_line(f"{value:08x}" + (f"\t{name}" if len(operands) > 1 else ""))
    return ctx.failed
