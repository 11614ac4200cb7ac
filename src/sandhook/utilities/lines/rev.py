"""rev: reverse the characters of each line.

Oracle: util-linux 2.38 (not in a standard).
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Reader
from sandhook.command.operands import not_readable, reason
from sandhook.command.options import VERSION, opt, option_set
from sandhook.command.utility import WRITE_ERROR_UTIL_LINUX
from sandhook.vfs.errors import fs_error

WRITE_ERROR = WRITE_ERROR_UTIL_LINUX

_NO_CHARACTER = "Invalid or incomplete multibyte or wide character"


@option_set
class Options:
    """rev [FILE]...

    Print the lines of each FILE (standard input) with their characters in reverse order.
    """

    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    for name in operands or ["-"]:
        try:
            if name == "-" and operands:
                raise fs_error(errno.ENOENT, name)
            with ctx.open(name) as reader:
                for number, line in enumerate(_lines(reader)):
                    body = line.removesuffix(b"\n")
                    try:
                        ctx.write(body.decode()[::-1].encode() + line[len(body) :])
                    except UnicodeDecodeError:
                        ctx.fail(f"{name}: {number}: {_NO_CHARACTER}")
                        break
        except OSError as error:
            if not_readable(error):
                ctx.fail(f"{'stdin' if name == '-' else name}: 0: {reason(error)}")
            else:
                ctx.fail(f"cannot open {name}: {reason(error)}")
    return ctx.failed


def _lines(reader: Reader) -> Iterator[bytes]:
    """Yield the lines. As in the original, a NUL hides the rest of its line, the newline too."""
    begun: list[bytes] = []
    for line in reader.lines():
        shown, nul, _ = line.partition(b"\0")
        if nul:
            if shown:
                begun.append(shown)
        elif begun:
            yield b"".join([*begun, shown])
            begun = []
        else:
            yield shown
    if begun:
        yield b"".join(begun)
