"""rev: reverse the characters of each line.

Oracle: util-linux 2.38 (no standard has it).
"""

from __future__ import annotations

import errno
from collections.abc import Sequence

from sandhook.utilities._base import Context, option_set
from sandhook.utilities._files import reason
from sandhook.vfs.errors import fs_error


@option_set
class Options:
    """rev [FILE]...

    Print the lines of each FILE (standard input) with their characters in reverse order.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    for name in operands or ["-"]:
        try:
            if name == "-" and operands:
                raise fs_error(errno.ENOENT, name)
            with ctx.open(name) as reader:
                for line in reader.lines():
                    body = line.removesuffix(b"\n")
                    text = body.decode("utf-8", "surrogateescape")[::-1]
                    ctx.write(text.encode("utf-8", "surrogateescape") + line[len(body) :])
        except OSError as error:
            ctx.fail(f"cannot open {name}: {reason(error)}")
    return ctx.failed
