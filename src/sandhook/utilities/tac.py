"""tac: print the lines of files from the last to the first.

Oracle: GNU coreutils 9.1 (no standard has it).
Divergence: L-TAC-001, -r (a separator that is a regular expression) is not offered.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities._base import Context, Failure, opt, option_set
from sandhook.utilities._files import quote_always, reason


@option_set
class Options:
    """tac [-b] [-s TEXT] [FILE]...

    Print each FILE (standard input), last line first.
    """

    before: bool = opt("-b", "--before", "the separator stands before a line, not behind it")
    separator: str = opt("-s", "--separator", "TEXT", "lines are separated by TEXT", default="\n")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    separator = options.separator.encode("utf-8", "surrogateescape") or b"\0"
    if len(separator) > 4096:
        raise Failure("separator is too long")
    for name in operands or ["-"]:
        try:
            with ctx.open(name) as reader:
                data = reader.read_all()
        except OSError as error:
            if isinstance(error, IsADirectoryError):
                ctx.fail(f"{name}: read error: Invalid argument")
            else:
                ctx.fail(f"failed to open {quote_always(name)} for reading: {reason(error)}")
            continue
        _print_reversed(data, separator, options.before, ctx)
    return ctx.failed


def _print_reversed(data: bytes, separator: bytes, before: bool, ctx: Context) -> None:
    """Print the records of ``data`` from the end, without a list of all of them."""
    end = len(data)
    size = len(separator)
    while end > 0:
        ctx.charge()
        if before:
            found = data.rfind(separator, 0, end)
            start = max(found, 0)
        else:
            found = data.rfind(separator, 0, end - 1)
            start = found + size if found >= 0 else 0
        ctx.write(data[start:end])
        end = start
