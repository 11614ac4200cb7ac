"""od: dump bytes as numbers and characters.

Source: POSIX.1-2024 XCU 3, od. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import lcm

from sandhook.command.choices import one_of
from sandhook.command.context import Context, Failure
from sandhook.command.counts import read_count
from sandhook.command.inputs import Joined
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.utilities.encoding.od_types import Type, Writer, line_width, parse_types, writer

CLOSED_INPUT = "standard input"

WRITE_ERROR = {"": "write error: {}", "large": "write error\n{name}: write error: {}"}

_OFFSET = re.compile(r"\+?(0[xX][0-9a-fA-F]+|[0-9]+)([bB]?)", re.ASCII)
_DIGITS = {"o": (7, "o"), "d": (7, "d"), "x": (6, "x"), "n": (0, "")}
_MAX_WIDTH = 1 << 20  #: bytes of one line


def _radix(text: str) -> str:
    if text[:1] not in _DIGITS or not text:
        raise Failure(f"invalid output address radix '{text[:1]}'; it must be one character from [doxn]")
    return text[0]


class _Chosen(tuple[Type, ...]):
    """Types of -t, with which an offset operand is a file name."""

    __slots__ = ()


def _chosen(text: str) -> _Chosen:
    return _Chosen(parse_types(text))


def _type(flag: str, text: str, help_: str) -> object:
    return opt(flag, help=help_, const=parse_types(text), append=True)


@option_set
class Options:
    """od [OPTION]... [FILE]...
      or:  od [-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]
      or:  od --traditional [OPTION]... [FILE] [[+]OFFSET[.][b] [+][LABEL][.][b]]

    Dump the FILEs as one input, by default as octal numbers of two bytes. Without
    -A, -j, -N, -t, -v, -w and -S, a last operand [+]OFFSET[b] is the offset to begin at.
    """

    radix: str | None = opt(
        "-A", "--address-radix", "RADIX", "addresses: d, o, x or n for none", convert=_radix
    )
    order: str = opt(
        "--endian", "ORDER", "order of bytes: little or big", convert=one_of("--endian", "little", "big"), default="little"
    )  # fmt: skip
    skip: int | None = opt(
        "-j", "--skip-bytes", "BYTES", "skip BYTES first", convert=lambda text: read_count("-j", text)
    )
    limit: int | None = opt(
        "-N", "--read-bytes", "BYTES", "dump at most BYTES", convert=lambda text: read_count("-N", text)
    )
    strings: int | None = also(
        opt("-S", "BYTES", "print strings of at least BYTES characters that end with NUL",
            convert=lambda text: read_count("-S", text)),
        opt("--strings", "BYTES", "print strings of at least BYTES bytes, 3 without BYTES",
            convert=lambda text: read_count("-S", text), optional=True, const=3),
    )  # fmt: skip
    types: tuple[tuple[Type, ...], ...] = also(
        opt("-t", "--format", "TYPE", "types: a, c, or d f o u x with a size, each with z for its characters",
            convert=_chosen, append=True),
        _type("-a", "a", "like -t a: names of characters"),
        _type("-b", "o1", "like -t o1: octal bytes"),
        _type("-c", "c", "like -t c: characters or escapes"),
        _type("-d", "u2", "like -t u2"),
        _type("-f", "fF", "like -t fF"),
        _type("-i", "dI", "like -t dI"),
        _type("-l", "dL", "like -t dL"),
        _type("-o", "o2", "like -t o2"),
        _type("-s", "d2", "like -t d2"),
        _type("-x", "x2", "like -t x2"),
        _type("-B", "o2", "like -t o2"),
        _type("-D", "u4", "like -t u4"),
        _type("-e", "fD", "like -t fD"),
        _type("-F", "fD", "like -t fD"),
        _type("-h", "x2", "like -t x2"),
        _type("-H", "x4", "like -t x4"),
        _type("-I", "dL", "like -t dL"),
        _type("-L", "dL", "like -t dL"),
        _type("-O", "o4", "like -t o4"),
        _type("-X", "x4", "like -t x4"),
    )  # fmt: skip
    verbose: bool = opt("-v", "--output-duplicates", help="print every line, instead of * for equal ones")
    width: int | None = opt(
        "-w", "--width", "BYTES", "bytes of a line (16; 32 without BYTES)",
        convert=lambda text: read_count("-w", text), optional=True, const=32,
    )  # fmt: skip
    traditional: bool = opt("--traditional", help="accept the operands FILE [+]OFFSET[b]")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when an input could not be read."""
    if options.strings is not None and options.types:
        raise Failure("no type may be specified when dumping strings")
    names, skip, label = _operands(options, list(operands))
    source = Joined(ctx, names or ("-",), options.limit)
    source.skip(skip)
    if options.strings is not None:
        _strings(source, options, skip, ctx)
    else:
        _Dump(options, ctx, skip, label).run(source)
    if source.missing and source.opened:
        raise Failure("cannot skip past end of combined input")
    return ctx.failed


def _offset(operand: str) -> int | None:
    """Return the offset of an operand of the traditional form; None for another word."""
    match = _OFFSET.fullmatch(operand)
    if match is None:
        return None
    digits = match[1]
    base = 16 if digits[:2] in ("0x", "0X") else 8
    try:
        return int(digits[:40], base) * (512 if match[2] else 1)
    except ValueError:
        return None


def _operands(options: Options, operands: list[str]) -> tuple[list[str], int, int | None]:
    """Return the files, the offset, which is an operand in the traditional form, and the label of --traditional."""
    if options.traditional:
        return _traditional(operands, options.skip or 0)
    skip = options.skip or 0
    modern = (
        options.radix is not None
        or options.skip is not None
        or options.limit is not None
        or options.verbose
        or options.width is not None
        or options.strings is not None
        or any(isinstance(kinds, _Chosen) for kinds in options.types)
    )
    if not modern and operands and len(operands) <= 2:
        last = operands[-1]
        if last[:1] == "+" or (len(operands) == 2 and last[:1].isdigit()):
            offset = _offset(last)
            if offset is not None:
                return operands[:-1], offset, None
    return operands, skip, None


def _traditional(operands: list[str], skip: int) -> tuple[list[str], int, int | None]:
    """Return the file, the offset and the label of [FILE] [OFFSET [LABEL]]. Raises UsageError."""
    last = [_offset(word) for word in operands[-2:]]
    if len(operands) == 1 and last[0] is not None:
        return [], last[0], None
    if len(operands) == 2 and last[1] is not None:
        return ([], last[0], last[1]) if last[0] is not None else (operands[:1], last[1], None)
    if len(operands) == 3 and last[0] is not None and last[1] is not None:
        return operands[:1], last[0], last[1]
    if len(operands) > 1:
        raise _extra(operands[1])
    return operands, skip, None


def _extra(operand: str) -> UsageError:
    return UsageError(f"extra operand '{operand}'\nod: compatibility mode supports at most one file")


class _Dump:
    """Writes blocks as lines, with * for repeated blocks."""

    def __init__(self, options: Options, ctx: Context, start: int, label: int | None = None) -> None:
        self.ctx = ctx
        self.types = [kind for group in options.types for kind in group] or [Type("o", 2)]
        self.unit = lcm(*(kind.size for kind in self.types))
        self.block = self._block(options.width)
        ctx.budget.check_fits(64 * self.block)
        order = "<" if options.order == "little" else ">"
        line = line_width(self.types, self.block)
        self.writers: list[Writer] = [writer(kind, self.block, line, order) for kind in self.types]
        self.digits, self.radix = _DIGITS[options.radix or "o"]
        self.verbose = options.verbose
        self.address = start
        #: What is added to addresses for the second ones, in parentheses; None without them.
        self.shift = None if label is None else label - start
        self.previous: bytes | None = None
        self.star_printed = False

    def _block(self, width: int | None) -> int:
        if width is None:
            return self.unit * (16 // self.unit) if self.unit < 16 else self.unit
        if width and width % self.unit == 0:
            if width > _MAX_WIDTH:
                raise Failure(f"-w argument '{width}' too large")
            return width
        self.ctx.error(f"warning: invalid width {width}; using {self.unit} instead")
        return self.unit

    def label(self, address: int) -> str:
        text = f"{address:0{self.digits}{self.radix}}" if self.digits else ""
        if self.shift is None:
            return text
        if not self.digits:
            return f"({address:07o})"
        return f"{text} ({address + self.shift:0{self.digits}{self.radix}})"

    def run(self, source: Joined) -> None:
        size = self.block
        for data in source.blocks(size):
            for at in range(0, len(data), size):
                self.line(data[at : at + size])
        if (self.digits or self.shift is not None) and source.opened and not source.missing:
            self.ctx.write_line(self.label(self.address))

    def line(self, data: bytes) -> None:
        ctx = self.ctx
        ctx.charge(2 + (len(data) >> 3) * len(self.writers))
        if data == self.previous and not self.verbose and len(data) == self.block:
            if not self.star_printed:
                ctx.write(b"*\n")
                self.star_printed = True
            self.address += len(data)
            return
        self.previous = data
        self.star_printed = False
        count = len(data)
        label = self.label(self.address)
        padded = data if count == self.block else data + bytes(-count % self.unit)
        for write in self.writers:
            ctx.write(f"{label}{write(padded, count)}\n".encode())
            label = " " * self.digits
        self.address += count


def _strings(source: Joined, options: Options, start: int, ctx: Context) -> None:
    """Print every string of printable characters that is long enough and ends with NUL."""
    min_length = options.strings or 0
    digits, radix = _DIGITS[options.radix or "o"]
    buffer = b""
    address = start
    pattern = re.compile(rb"([\x20-\x7e]*)(.?)", re.DOTALL)
    for data in source.chunks():
        buffer += data
        ctx.budget.check_fits(len(buffer))
        at = 0
        while at < len(buffer):
            ctx.charge()
            match = pattern.match(buffer, at)
            if match is None or not match[2]:
                break  # the string may continue in the next chunk
            if match[2] == b"\0" and len(match[1]) >= min_length:
                label = f"{address + at:0{digits}{radix}} " if digits else ""
                ctx.write_line(label + match[1].decode("ascii"))
            at = match.end()
        address += at
        buffer = buffer[at:]
