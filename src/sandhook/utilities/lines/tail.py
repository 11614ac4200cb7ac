"""tail: copy the last part of files.

Source: POSIX.1-2024 XCU 3, tail. Oracle: GNU coreutils 9.1.
-f sleeps on the virtual clock, so it ends when the run's time does, or by a signal.
"""

from __future__ import annotations

import errno
import re
from collections import deque
from collections.abc import Callable, Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.counts import Headers, parse_count
from sandhook.command.options import OptionError, Syntax, UsageError, also, opt, option_set
from sandhook.kernel.descriptor import File
from sandhook.record import Record
from sandhook.text.quoting import quote_always
from sandhook.vfs.errors import error_text

CLOSED_INPUT = "-"

RAW = True  # "-5" and "+5" are options only as the first argument
_LEGACY = re.compile(r"[-+]([0-9]*)([bcl]?)(f?)", re.ASCII)


class Amount(Record):
    """How much to copy: the last ``number``, or from the ``number``-th on (1-based) if ``from_start``."""

    number: int
    bytes_: bool = False
    from_start: bool = False


def lines_amount(text: str) -> Amount:
    """Parse the argument of -n."""
    return _amount(text, "number of lines", False)


def bytes_amount(text: str) -> Amount:
    """Parse the argument of -c."""
    return _amount(text, "number of bytes", True)


def _amount(text: str, what: str, bytes_: bool) -> Amount:
    if text[:1] == "+":
        if text[1:2] in ("+", "-"):
            raise Failure(f"invalid {what}: '{text}'")
        return Amount(parse_count(text, what), bytes_, True)
    bare = text.removeprefix("-")
    return Amount(parse_count(bare, what), bytes_)


def seconds(text: str) -> float:
    """Parse the argument of -s."""
    if not re.fullmatch(r"(?:\d++\.?\d*|\.\d+)", text, re.ASCII):
        raise Failure(f"invalid number of seconds: '{text}'")
    return min(float(text[:64]), 1e9)


def process_id(text: str) -> int:
    """Parse the argument of --pid."""
    if not (text.isascii() and text.isdecimal()):
        raise Failure(f"invalid PID: '{text}'")
    return int(text[-9:])


def follow_mode(text: str) -> str:
    """Parse the argument of --follow."""
    if text not in ("descriptor", "name"):
        raise UsageError(
            f"invalid argument '{text}' for '--follow'\nValid arguments are:\n  - 'descriptor'\n  - 'name'"
        )
    return text


def unchanged_stats(text: str) -> str:
    """Check the argument of --max-unchanged-stats."""
    parse_count(text, "maximum number of unchanged stats between opens")
    return text


@option_set
class Options:
    """tail [OPTION]... [FILE]...

    Copy the last 10 lines of each FILE, or of standard input.
    """

    amounts: tuple[Amount, ...] = also(
        opt(
            "-n",
            "--lines",
            "LINES",
            "copy the last LINES lines; +LINES: from that line on",
            convert=lines_amount,
            append=True,
        ),
        opt(
            "-c",
            "--bytes",
            "BYTES",
            "copy the last BYTES bytes; +BYTES: from that byte on",
            convert=bytes_amount,
            append=True,
        ),
    )
    headers: bool | None = also(
        opt(
            "-q", "--quiet", "--silent", help="never write headers with file names", const=False, default=None
        ),
        opt("-v", "--verbose", help="always write headers with file names"),
    )
    zero: bool = opt("-z", "--zero-terminated", help="lines end with NUL, not newline")
    follow: str | None = also(
        opt("-f", help="print data as it is appended", const="descriptor", default=None),
        opt("-F", help="same as --follow=name --retry", const="name"),
        opt(
            "--follow",
            "HOW",
            "follow by descriptor or name",
            optional=True,
            const="descriptor",
            convert=follow_mode,
        ),
    )
    retry: bool = opt("--retry", help="keep trying to open a file that is not there")
    pause: float = opt(
        "-s", "--sleep-interval", "N", "check again after N seconds", convert=seconds, default=1.0
    )
    pid: int | None = opt("--pid", "PID", "end when that process has ended", convert=process_id)
    unchanged: str | None = opt("--max-unchanged-stats", "N", ignored="", convert=unchanged_stats)


_SYNTAX = Syntax(Options)


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    legacy = _legacy(arguments)
    try:
        options, operands = _SYNTAX.parse(
            arguments[legacy is not None :], in_order="POSIXLY_CORRECT" in ctx.environment
        )
    except OptionError as error:
        if error.unknown.isdecimal():
            raise Failure(f"option used in invalid context -- {error.unknown}") from None
        raise
    amount, follow = _last_amount(options.amounts), options.follow
    if legacy is not None:
        amount = legacy[0]
        follow = "descriptor" if legacy[1] else None
    delimiter = b"\0" if options.zero else b"\n"
    if options.retry and not follow:
        ctx.error("warning: --retry ignored; --retry is useful only when following")
    if options.pid is not None and not follow:
        ctx.error("warning: PID ignored; --pid=PID is useful only when following")
    if not (amount.number or amount.from_start or follow):
        return 0  # GNU's opens no input either
    headers = Headers(ctx, len(operands) > 1 if options.headers is None else options.headers)
    inputs: list[tuple[str, Reader]] = []
    missing: list[str] = []
    try:
        for name in operands or ("-",):
            reader = begin(name, amount, delimiter, headers, ctx)
            if reader is None:
                missing.append(name)
            elif follow and isinstance(reader.description, File):
                inputs.append((name, reader))
            else:
                reader.close()
        if follow:
            wait_for_more(inputs, missing if follow == "name" else [], options, headers, ctx)
    finally:
        for each in inputs:
            each[1].close()
    return ctx.failed


def _last_amount(amounts: Sequence[Amount]) -> Amount:
    """Return the last amount. GNU's never forgets the plus sign of an earlier one."""
    if not amounts:
        return Amount(10)
    number, bytes_, _ = amounts[-1]
    return Amount(number, bytes_, any(amount.from_start for amount in amounts))


def _legacy(arguments: Sequence[str]) -> tuple[Amount, bool] | None:
    """Parse ``-5``, ``+5c``, ``-2f`` before at most one file; return the amount, and whether to follow the file."""
    count = len(arguments)
    match = _LEGACY.fullmatch(arguments[0]) if arguments else None
    if match is None or arguments[0] in ("-", "+", "-c", "-f"):
        return None
    file = "" if count < 2 else arguments[1]
    if count > 2 and not (count == 3 and file == "--"):
        return None
    if file[:1] == "-" and len(file) > 1 and file != "--":
        return None
    number = parse_count(match[1] or "10", "number of lines") * (512 if match[2] == "b" else 1)
    return Amount(number, match[2] in ("b", "c") and match[2] != "", match[0][0] == "+"), bool(match[3])


def begin(name: str, amount: Amount, delimiter: bytes, headers: Headers, ctx: Context) -> Reader | None:
    """Copy the end of one input; return it, still open, or None if it cannot be opened."""
    try:
        reader = ctx.open(name)
    except IsADirectoryError as error:
        headers.write(name)
        ctx.fail(f"error reading '{name}': {error_text(error)}")
        return None
    except OSError as error:
        ctx.fail(f"cannot open {quote_always(name)} for reading: {error_text(error)}")
        return None
    headers.write(name)
    try:
        copy(reader, amount, delimiter, ctx)
    except OSError as error:
        looks = "cannot fstat" if error.errno == errno.EBADF else "error reading"
        ctx.fail(f"{looks} 'standard input': {error_text(error)}")
    return reader


def copy(reader: Reader, amount: Amount, delimiter: bytes, ctx: Context) -> None:
    """Copy the last part of one input."""
    count = amount.number
    if amount.from_start:
        skip = skip_bytes if amount.bytes_ else skip_lines
        skip(reader, max(count - 1, 0), delimiter)
        for data in reader.chunks():
            ctx.write(data)
    elif amount.bytes_:
        copy_last_bytes(reader, count, ctx)
    else:
        copy_last_lines(reader, count, delimiter, ctx)


def skip_bytes(reader: Reader, count: int, delimiter: bytes) -> None:
    """Read ``count`` bytes."""
    while count > 0 and (data := reader.read(min(count, 65_536))):
        count -= len(data)


def skip_lines(reader: Reader, count: int, delimiter: bytes) -> None:
    """Read ``count`` lines."""
    while count > 0 and (data := reader.read()):
        lines = data.count(delimiter)
        if lines >= count:
            at = 0
            for _ in range(count):
                at = data.index(delimiter, at) + 1
            reader.unread(data[at:])
        count -= lines


def copy_last_bytes(reader: Reader, count: int, ctx: Context) -> None:
    """Copy the last bytes."""
    pieces = keep_last(reader, count, len, ctx)
    surplus = sum(size for _, size in pieces) - count
    for data, _ in pieces if count else ():
        ctx.write(data[max(surplus, 0) :])
        surplus = 0


def copy_last_lines(reader: Reader, count: int, delimiter: bytes, ctx: Context) -> None:
    """Copy the last lines; one without a newline counts as a line."""
    pieces = keep_last(reader, count, lambda data: data.count(delimiter), ctx)
    surplus = sum(size for _, size in pieces) - count
    if pieces and pieces[-1][0][-1:] != delimiter:
        surplus += 1
    for data, lines in pieces if count else ():
        if surplus > 0:
            at = 0
            for _ in range(min(surplus, lines)):
                at = data.index(delimiter, at) + 1
            surplus -= lines
            data = data[at:]
        ctx.write(data)


def keep_last(
    reader: Reader, count: int, measure: Callable[[bytes], int], ctx: Context
) -> deque[tuple[bytes, int]]:
    """Read all of an input; return its last pieces, which hold at least ``count`` units, with their sizes."""
    pieces: deque[tuple[bytes, int]] = deque()
    units = size = 0
    for data in reader.chunks():
        pieces.append((data, measure(data)))
        units += pieces[-1][1]
        size += len(data)
        while len(pieces) > 1 and units - pieces[0][1] > count:
            dropped = pieces.popleft()
            units -= dropped[1]
            size -= len(dropped[0])
        reader.check_fits(size)
    return pieces


def wait_for_more(
    inputs: list[tuple[str, Reader]],
    missing: list[str],
    options: Options,
    headers: Headers,
    ctx: Context,
) -> None:
    """Copy appended data until the run or the process of --pid ends."""
    last = inputs[-1][0] if inputs else None
    if not inputs and not (missing and (options.retry or options.follow == "name")):
        ctx.error("no files remaining")
    by_name = bool(missing) or options.follow == "name"
    while inputs or (missing and (options.retry or options.follow == "name")):
        for index, (name, reader) in enumerate(inputs):
            if by_name:
                reader = inputs[index][1]
                replacement = reopen(name, reader, ctx)
                if replacement is not None:
                    ctx.error(f"'{name}' has been replaced;  following new file")
                    reader.close()
                    inputs[index] = (name, replacement)
                    reader = replacement
            if reader.description.tell() > file_size(reader):
                ctx.error(f"{name}: file truncated")
                reader.description.seek(0)
            for data in reader.chunks():
                if name != last:
                    headers.write(name)
                    last = name
                ctx.write(data)
        for name in missing[:]:
            if ctx.fs.exists(ctx.path(name)) and not ctx.fs.is_dir(ctx.path(name)):
                ctx.error(f"'{name}' has appeared;  following new file")
                missing.remove(name)
                inputs.append((name, ctx.open(name)))
        if options.pid is not None and options.pid not in ctx.kernel.processes:
            return
        ctx.charge()
        ctx.sleep(max(options.pause, 0.01))


def file_size(reader: Reader) -> int:
    """Return the current size of a followed file in bytes."""
    description = reader.description
    return description.handle.size() if isinstance(description, File) else 0


def reopen(name: str, reader: Reader, ctx: Context) -> Reader | None:
    """Open and return the file that has the name now, if it is not the same file."""
    description = reader.description
    if name == "-" or not isinstance(description, File):
        return None
    try:
        if ctx.fs.stat(ctx.path(name)).inode == description.handle.stat().inode:
            return None
        return ctx.open(name)
    except OSError:
        return None
