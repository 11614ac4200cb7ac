"""hexdump, hd: dump bytes in hexadecimal, or in other formats.

Oracle: hexdump of util-linux 2.38. hd is ``hexdump -C``.
Divergence: L-HEXDUMP-001, the conversion suffix ``_L`` is not offered; -L is checked, but has no effect.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.inputs import Joined
from sandhook.command.operands import reason
from sandhook.command.options import VERSION, also, opt, option_set
from sandhook.command.utility import WRITE_ERROR_UTIL_LINUX
from sandhook.kernel.pipe import PipeReader
from sandhook.record import Record
from sandhook.utilities.encoding.hexdump.format import Pattern, parse_patterns

WRITE_ERROR = WRITE_ERROR_UTIL_LINUX

_SIZE = re.compile(r"(0[xX][0-9a-fA-F]+|[0-9]+)(?:([KMGTPEZY])(i?B)?|b)?", re.ASCII | re.IGNORECASE)

_CANONICAL = ('"%08.8_Ax\\n"', '"%08.8_ax  " 8/1 "%02x " "  " 8/1 "%02x "', '"  |" 16/1 "%_p" "|\\n"')
_ADDRESS = '"%07.7_Ax\\n"'
_WORDS = '"%07.7_ax " 8/2 "%04x " "\\n"'
_MAX_BLOCK = 1 << 16
_PRINTABLE = bytes(byte if 32 <= byte < 127 else 46 for byte in range(256))
_WORD_LINE = struct.Struct("<8H")


def _count(text: str, what: str = "length") -> int:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise Failure(f"failed to parse {what}: '{text}': Invalid argument")
    digits = match[1]
    try:
        value = int(digits[:40], 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10)
    except ValueError:
        raise Failure(f"failed to parse {what}: '{text}': Invalid argument") from None
    if match[2]:
        power = "KMGTPEZY".index(match[2].upper()) + 1
        value *= (1000 if (match[3] or "").upper() == "B" else 1024) ** power
    elif text[-1] in "bB" and digits[:2] not in ("0x", "0X"):
        value *= 512
    if value >= 1 << 64:
        raise Failure(f"failed to parse {what}: '{text}': Numerical result out of range")
    return value


def _offset(text: str) -> int:
    return _count(text, "offset")


def _color_mode(text: str) -> str:
    if text not in ("auto", "always", "never"):
        raise Failure(f"unsupported color mode: '{text}'")
    return text


#: The first number that is no offset in a file.
_OFFSET_END = 1 << 63


@option_set
class Options:
    """hexdump [-bcCdovx] [-e FORMAT] [-f FILE] [-n LENGTH] [-s OFFSET] [FILE]...

    Dump the FILEs as one input, by default as hexadecimal numbers of two bytes.
    """

    formats: tuple[tuple[str, ...], ...] = also(
        opt("-b", "--one-byte-octal", help="octal bytes", append=True,
            const=(_ADDRESS, '"%07.7_ax " 16/1 "%03o " "\\n"')),
        opt("-c", "--one-byte-char", help="characters", append=True,
            const=(_ADDRESS, '"%07.7_ax " 16/1 "%3_c " "\\n"')),
        opt("-C", "--canonical", help="hexadecimal bytes with their characters", append=True, const=_CANONICAL),
        opt("-d", "--two-bytes-decimal", help="decimal numbers of two bytes", append=True,
            const=(_ADDRESS, '"%07.7_ax " 8/2 "  %05u " "\\n"')),
        opt("-o", "--two-bytes-octal", help="octal numbers of two bytes", append=True,
            const=(_ADDRESS, '"%07.7_ax " 8/2 " %06o " "\\n"')),
        opt("-x", "--two-bytes-hex", help="hexadecimal numbers of two bytes", append=True,
            const=(_ADDRESS, '"%07.7_ax " 8/2 "   %04x " "\\n"')),
        opt("-e", "--format", "FORMAT", "write in the format [COUNT]/[BYTES] \"TEXT\" ...", append=True,
            convert=lambda text: (text,)),
    )  # fmt: skip
    file: tuple[str, ...] = opt("-f", "--format-file", "FILE", "formats are the lines of FILE", append=True)
    length: int | None = opt("-n", "--length", "LENGTH", "dump at most LENGTH bytes", convert=_count)
    skip: int = opt("-s", "--skip", "OFFSET", "skip OFFSET bytes first", convert=_offset, default=0)
    color: str | None = opt(
        "-L",
        "--color",
        "WHEN",
        help="auto, always or never: no format has colours",
        optional=True,
        const="auto",
        convert=_color_mode,
        ignored="",
    )
    verbose: bool = opt("-v", "--no-squeezing", help="print every line, instead of * for equal ones")
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when an input could not be read."""
    texts = [text for group in options.formats for text in group]
    for name in options.file:
        try:
            with ctx.open(name) as reader:
                texts += _lines(reader)
        except OSError as error:
            raise Failure(f"can't read {name}: {reason(error)}") from None
    if ctx.called_as(("hexdump", "hd")) == "hd":
        texts = [*_CANONICAL, *texts]
    elif not texts:
        texts = [_ADDRESS, _WORDS]
    patterns = [parse_patterns(text) for text in texts]
    size = max((sum(each.size for each in line) for line in patterns), default=0)
    if size > _MAX_BLOCK:
        raise Failure("a format asks for too many bytes")
    final = [line for line in patterns if any(each.is_final for each in line)]
    body = [line for line in patterns if line not in final]
    for line in body:
        _repeat_last(line, size)
    if options.skip and not operands and isinstance(ctx.process.descriptors.get(0), PipeReader):
        raise Failure("stdin: Illegal seek")
    if options.skip >= _OFFSET_END:
        raise Failure(f"{operands[0] if operands else 'stdin'}: Invalid argument")
    source = Joined(ctx, operands or ("-",), options.length, lenient=True)
    source.skip(options.skip)
    if size:
        _dump(source, _Layout(size, body, final, _QUICK.get(tuple(texts))), options, ctx)
    if not source.opened and ctx.failed:
        ctx.error("all input file arguments failed")
    return ctx.failed


def _lines(reader: Reader) -> list[str]:
    lines = [line.decode("utf-8", "surrogateescape").strip() for line in reader.lines()]
    return [line for line in lines if line and line[0] != "#"]


def _repeat_last(line: list[Pattern], size: int) -> None:
    """Repeat the last pattern until the end of the block, if it has no count."""
    size_so_far = sum(each.size for each in line)
    if line and size_so_far < size and not line[-1].has_count and line[-1].unit:
        line[-1].count += (size - size_so_far) // line[-1].unit


class _Layout(Record):
    """The layout of blocks."""

    size: int  #: bytes of a block
    body: list[list[Pattern]]  #: the patterns of each line
    final: list[list[Pattern]]  #: after the last block
    quick: (
        Callable[[int, bytes], bytes] | None
    )  #: a fast function for a whole block, equivalent to the patterns


def _dump(source: Joined, layout: _Layout, options: Options, ctx: Context) -> None:
    """Write all blocks."""
    size, body, final, quick = layout
    address = options.skip
    previous: bytes | None = None
    star_printed = False
    for data in source.blocks(size):
        for at in range(0, len(data), size):
            block = data[at : at + size]
            ctx.charge(2 + (len(block) >> 2) * len(body))
            if block == previous and len(block) == size and not options.verbose:
                if not star_printed:
                    ctx.write(b"*\n")
                    star_printed = True
            else:
                previous, star_printed = block, False
                if quick is not None and len(block) == size:
                    ctx.write(quick(address, block))
                else:
                    for line in body:
                        ctx.write(_line(line, block, address))
            address += len(block)
    if source.missing and not ctx.failed:
        address = options.skip - source.missing
    if address > options.skip or (options.skip and source.opened):
        for line in final[-1:]:
            ctx.write(_line(line, b"", address))


def _canonical(address: int, block: bytes) -> bytes:
    """Format 16 bytes in the style of -C."""
    digits = block.hex(" ").encode()
    return b"%08x  %b  %b  |%b|\n" % (address, digits[:23], digits[24:], block.translate(_PRINTABLE))


def _words(address: int, block: bytes) -> bytes:
    """Format 16 bytes in the default style."""
    return b"%07x %04x %04x %04x %04x %04x %04x %04x %04x\n" % (address, *_WORD_LINE.unpack(block))


_QUICK: dict[tuple[str, ...], Callable[[int, bytes], bytes]] = {
    _CANONICAL: _canonical,
    (_ADDRESS, _WORDS): _words,
}


def _line(patterns: list[Pattern], block: bytes, address: int) -> bytes:
    """Format one block with the patterns of one line."""
    at = 0
    pieces = []
    for pattern in patterns:
        text, at = pattern.write(block, at, address)
        pieces.append(text)
    return "".join(pieces).encode("utf-8", "surrogateescape")
