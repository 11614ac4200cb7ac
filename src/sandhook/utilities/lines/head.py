"""head: copy the first part of files.

Source: POSIX.1-2024 XCU 3, head. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import errno
import re
from collections import deque
from collections.abc import Sequence

from sandhook.command.context import Context, Reader
from sandhook.command.counts import Headers, multiplier, parse_count
from sandhook.command.options import Syntax, UsageError, also, opt, option_set
from sandhook.record import Record
from sandhook.text.quoting import quote_always
from sandhook.vfs.errors import error_text

CLOSED_INPUT = "-"

RAW = True  # -5 is an option only before all others
_LEGACY = re.compile(r"([0-9]+)([bkmclqvz]*)", re.ASCII)


class Amount(Record):
    """How much to copy: the first ``number``, or all but the last ``number`` if ``elided``."""

    number: int
    bytes_: bool = False
    elided: bool = False


def lines_amount(text: str) -> Amount:
    """Parse the argument of -n."""
    return _amount(text, "number of lines", False)


def bytes_amount(text: str) -> Amount:
    """Parse the argument of -c."""
    return _amount(text, "number of bytes", True)


def _amount(text: str, what: str, bytes_: bool) -> Amount:
    bare = text.removeprefix("-")
    return Amount(parse_count(bare, what), bytes_, bare != text)


@option_set
class Options:
    """head [OPTION]... [FILE]...

    Copy the first 10 lines of each FILE, or of standard input.
    """

    amount: Amount | None = also(
        opt(
            "-n", "--lines", "LINES", "copy LINES lines; -LINES means all but the last", convert=lines_amount
        ),
        opt(
            "-c", "--bytes", "BYTES", "copy BYTES bytes; -BYTES means all but the last", convert=bytes_amount
        ),
    )
    headers: bool | None = also(
        opt(
            "-q", "--quiet", "--silent", help="never write headers with file names", const=False, default=None
        ),
        opt("-v", "--verbose", help="always write headers with file names"),
    )
    zero: bool = opt("-z", "--zero-terminated", help="lines end with NUL, not newline")


_SYNTAX = Syntax(Options)
_MISPLACED = "invalid trailing option -- {}"


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    legacy, options, operands = _SYNTAX.parse_after_number(
        arguments, _MISPLACED, in_order="POSIXLY_CORRECT" in ctx.environment
    )
    amount = options.amount or Amount(10)
    with_headers = options.headers
    delimiter = b"\0" if options.zero else b"\n"
    if legacy is not None:
        legacy_amount, letters = _legacy(legacy)
        amount = options.amount or legacy_amount
        delimiter = b"\0" if "z" in letters else delimiter
        if "q" in letters or "v" in letters:
            with_headers = letters.rfind("v") > letters.rfind("q") if with_headers is None else with_headers
    headers = Headers(ctx, len(operands) > 1 if with_headers is None else with_headers)
    for name in operands or ("-",):
        try:
            reader = ctx.open(name)
        except OSError as error:
            if error.errno == errno.EISDIR:
                headers.write(name)
                if amount.number == 0 and not amount.elided:
                    continue  # GNU's reads nothing
                ctx.fail(f"error reading '{name}': {error_text(error)}")
            else:
                ctx.fail(f"cannot open {quote_always(name)} for reading: {error_text(error)}")
            continue
        with reader:
            headers.write(name)
            try:
                copy(reader, amount, delimiter, ctx)
            except OSError as error:
                looks = amount.elided and error.errno == errno.EBADF
                ctx.fail(
                    f"{'cannot fstat' if looks else 'error reading'} 'standard input': {error_text(error)}"
                )
    return ctx.failed


def _legacy(text: str) -> tuple[Amount, str]:
    """Parse ``-5``, ``-5c``, ``-5kqv``."""
    match = _LEGACY.fullmatch(text)
    if match is None:
        rest = text.lstrip("0123456789").lstrip("bkmclqvz")
        raise UsageError(f"invalid trailing option -- {rest[0]}")
    letters = match[2]
    units = [letter for letter in letters if letter in "bkmc"]
    unit = units[-1] if units and units[-1] != "c" else ""
    count = parse_count(match[1], "number of lines") * multiplier(unit)
    bytes_ = bool(unit) or letters.rfind("c") > letters.rfind("l")
    return Amount(count, bytes_), letters


def copy(reader: Reader, amount: Amount, delimiter: bytes, ctx: Context) -> None:
    """Copy the first part of one input."""
    if amount.elided:
        (copy_but_last_bytes if amount.bytes_ else copy_but_last_lines)(reader, amount.number, delimiter, ctx)
    elif amount.bytes_:
        remaining = amount.number
        while remaining > 0 and (data := reader.read(min(remaining, 65_536))):
            ctx.write(data)
            remaining -= len(data)
    else:
        copy_lines(reader, amount.number, delimiter, ctx)


def copy_lines(reader: Reader, count: int, delimiter: bytes, ctx: Context) -> None:
    """Copy ``count`` lines and return the rest to the input."""
    while count > 0 and (data := reader.read()):
        lines = data.count(delimiter)
        if lines >= count:
            end = 0
            for _ in range(count):
                end = data.index(delimiter, end) + 1
            reader.unread(data[end:])
            data = data[:end]
        count -= lines
        ctx.write(data)


def copy_but_last_bytes(reader: Reader, count: int, delimiter: bytes, ctx: Context) -> None:
    """Copy all but the last ``count`` bytes."""
    chunks: deque[bytes] = deque()
    size = 0
    while data := reader.read():
        chunks.append(data)
        size += len(data)
        while chunks and size - len(chunks[0]) >= count:
            size -= len(chunks[0])
            ctx.write(chunks.popleft())
        reader.check_fits(size)
    if size > count:
        ctx.write(b"".join(chunks)[: size - count])


def copy_but_last_lines(reader: Reader, count: int, delimiter: bytes, ctx: Context) -> None:
    """Copy all but the last ``count`` lines; one without a newline counts."""
    if not count:
        for data in reader.chunks():
            ctx.write(data)
        return
    lines: deque[bytes] = deque()
    size = 0
    for line in reader.lines(delimiter):
        lines.append(line)
        size += len(line)
        if len(lines) > count:
            size -= len(lines[0])
            ctx.write(lines.popleft())
        else:
            reader.check_fits(size + 64 * len(lines))
