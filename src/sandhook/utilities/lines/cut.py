"""cut: print selected parts of lines.

Source: POSIX.1-2024 XCU 3, cut. Oracle: GNU coreutils 9.1, where -c counts bytes as -b does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.command.context import Context, Reader
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.command.pieces import split
from sandhook.command.ranges import LAST, Range, parse_list
from sandhook.text.quoting import quote_odd
from sandhook.vfs.errors import error_text

CLOSED_INPUT = "-"

SHORT = 64  #: bytes between parts that are joined with those of many lines before they are written


def _delimiter(text: str) -> bytes:
    """Parse the argument of -d; an empty one is NUL."""
    data = text.encode("utf-8", "surrogateescape") or b"\0"
    if len(data) > 1:
        raise UsageError("the delimiter must be a single character")
    return data


@option_set
class Options:
    """cut OPTION... [FILE]...

    Print the bytes or fields in LIST (N, N-, N-M, -M, with commas) of each line.
    """

    lists: tuple[tuple[str, str], ...] = also(
        opt("-b", "--bytes", "LIST", "select these bytes", append=True, convert=lambda text: ("b", text)),
        opt(
            "-c",
            "--characters",
            "LIST",
            "select these characters (bytes)",
            append=True,
            convert=lambda text: ("c", text),
        ),
        opt(
            "-f",
            "--fields",
            "LIST",
            "select these fields; lines without delimiter are kept",
            append=True,
            convert=lambda text: ("f", text),
        ),
    )
    delimiter: bytes | None = opt(
        "-d",
        "--delimiter",
        "DELIM",
        "fields are separated by DELIM instead of tab",
        convert=_delimiter,
    )
    whole: bool = opt("-n", ignored="")
    only: bool = opt("-s", "--only-delimited", help="leave out lines without delimiter")
    complement: bool = opt("--complement", help="select what is not in LIST")
    output: str | None = opt("--output-delimiter", "STRING", "print STRING between parts")
    zero: bool = opt("-z", "--zero-terminated", help="lines end with NUL, not newline")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    if not options.lists:
        raise UsageError("you must specify a list of bytes, characters, or fields")
    if len(options.lists) > 1:
        raise UsageError("only one list may be specified")
    ((kind, text),) = options.lists
    by_field = kind == "f"
    if options.delimiter is not None and not by_field:
        raise UsageError("an input delimiter may be specified only when operating on fields")
    if options.only and not by_field:
        raise UsageError("suppressing non-delimited lines makes sense\n\tonly when operating on fields")
    ranges = parse_list(text, by_field)
    if options.complement:
        ranges = complement(ranges)
    end = b"\0" if options.zero else b"\n"
    raw = b"\t" if options.delimiter is None else options.delimiter
    between = None
    if options.output is not None:  # an empty one means NUL
        between = options.output.encode("utf-8", "surrogateescape") or b"\0"
    if between is None:
        between = raw if by_field else b""
    join = joiner(between, ctx)
    if by_field and raw == end:
        copy = whole_input(ranges, join, options.only, end)
    else:
        cut = field_cutter(ranges, raw, join, options.only) if by_field else byte_cutter(ranges, join)
        copy = line_by_line(cut, end, apart=len(between) > SHORT)
    for name in operands or ("-",):
        try:
            with ctx.open(name) as reader:
                copy(reader, ctx)
        except OSError as error:
            ctx.fail(f"{quote_odd(name)}: {error_text(error)}")
    return ctx.failed


def complement(ranges: list[Range]) -> list[Range]:
    """Return the gaps between ranges."""
    gaps = []
    start = 1
    for first, last in ranges:
        if first > start:
            gaps.append((start, first - 1))
        start = last + 1
    if start <= LAST:
        gaps.append((start, LAST))
    return gaps


Cutter = Callable[[bytes], "bytes | None"]


def joiner(between: bytes, ctx: Context) -> Callable[[list[bytes]], bytes]:
    """Return the function that joins parts of a line; with a long text between them they must fit in memory."""
    if len(between) <= SHORT:
        return between.join

    def join(parts: list[bytes]) -> bytes:
        ctx.budget.check_fits(len(between) * len(parts))
        return between.join(parts)

    return join


def byte_cutter(ranges: list[Range], join: Callable[[list[bytes]], bytes]) -> Cutter:
    """Return the function that selects bytes of a line."""
    if len(ranges) == 1:
        ((start, stop),) = ranges
        return lambda line: line[start - 1 : stop]

    def cut(line: bytes) -> bytes:
        size = len(line)
        return join([line[first - 1 : last] for first, last in ranges if first <= size])

    return cut


def field_cutter(
    ranges: list[Range], delimiter: bytes, join: Callable[[list[bytes]], bytes], only: bool
) -> Cutter:
    """Return the function that selects fields of a line; None leaves the line out."""
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1] and ranges[0][0] < 100_000:
        number = ranges[0][0]

        def cut_one(line: bytes) -> bytes | None:
            parts = line.split(delimiter, number)
            if len(parts) >= number:
                return parts[number - 1] if len(parts) > 1 or not only else None
            if len(parts) == 1:
                return None if only else line
            return b""

        return cut_one

    def cut(line: bytes) -> bytes | None:
        parts = line.split(delimiter)
        if len(parts) == 1:
            return None if only else line
        if len(ranges) == 1:
            return join(parts[ranges[0][0] - 1 : ranges[0][1]])
        return join([part for first, last in ranges for part in parts[first - 1 : last]])

    return cut


def line_by_line(cut: Cutter, end: bytes, *, apart: bool) -> Callable[[Reader, Context], None]:
    """Return the function that cuts every line of an input; ``apart``: each line may become long and is written alone."""

    def copy(reader: Reader, ctx: Context) -> None:
        for block in reader.blocks(end):
            lines = block.split(end)
            if not lines[-1]:
                lines.pop()
            ctx.charge(len(lines) >> 1)
            pieces = (part for part in map(cut, lines) if part is not None)
            if apart:
                for part in pieces:
                    ctx.charge(1 + (len(part) >> 10))
                    ctx.write(part)
                    ctx.write(end)
            elif parts := list(pieces):
                parts.append(b"")
                ctx.write(end.join(parts))

    return copy


def whole_input(
    ranges: list[Range], join: Callable[[list[bytes]], bytes], only: bool, end: bytes
) -> Callable[[Reader, Context], None]:
    """Return the function for a delimiter that also ends lines: the lines are the fields."""

    def copy(reader: Reader, ctx: Context) -> None:
        parts = split(reader.read_all(), end, ctx.charge)
        if not parts[-1]:
            parts.pop()
        if len(parts) == 1 and only:
            return
        selection = (
            [part for first, last in ranges for part in parts[first - 1 : last]] if len(parts) > 1 else parts
        )
        if selection or parts:
            ctx.write(join(selection))
            ctx.write(end)

    return copy
