"""xxd: print a hexadecimal dump, or convert one back into bytes.

Oracle: xxd 2022-01-14 of Vim 9.0. Options are words with one dash, as in ``-ps`` and ``-cols 8``.
Divergence: L-XXD-001, -E is not offered, and an unknown word is an error even if its first letter is an option.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.operands import reason
from sandhook.command.options import Inform, Syntax, UsageError, opt, option_set
from sandhook.command.versions import first_line
from sandhook.command.write_errors import check_output
from sandhook.kernel.descriptor import Description, File

READ_STATUS = 2

RAW = True  # its options are words with one dash
FIXED_NAMES = {"xxd": "xxd"}
HELP_ON_ERROR = True

_WORDS = {
    "autoskip": "a", "bits": "b", "cols": "c", "capitalize": "C", "decimal": "d", "groupsize": "g", "include": "i",
    "len": "l", "name": "n", "offset": "o", "off": "o", "plain": "p", "postscript": "p", "ps": "p", "revert": "r",
    "seek": "s", "skip": "s", "upper": "u", "uppercase": "u",
}  # fmt: skip
_WITH_ARGUMENT = "cglnos"
_NUMBER = re.compile(r"[+-]*(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,18})", re.ASCII)
_MAX_COLUMNS = 256
_PRINTABLE = bytes(byte if 32 <= byte < 127 else 46 for byte in range(256))
#: Bytes of EBCDIC (code page 37) for which -E shows another character.
_EBCDIC = bytes.maketrans(b"\x5f\x9a\xa1\xad\xb0\xba\xbb\xbd", b"~^.[...]")
_EBCDIC_PRINTABLE = bytes(
    new if new != byte else ord(char) if " " <= (char := bytes((byte,)).decode("cp037")) <= "~" else 46
    for byte, new in enumerate(_EBCDIC)
)


def _number(text: str) -> int:
    """Parse a number like strtol with base 0; text that is not a number is 0."""
    match = _NUMBER.match(text)
    if match is None:
        return 0
    digits = match[1]
    base = 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10
    if base == 8:
        digits = digits[: len(digits) - len(digits.lstrip("01234567"))]
    value = int(digits or "0", base)
    return -value if "-" in text[: match.start(1)] else value


WRITE_ERROR = "{}"
WRITE_STATUS = 3


@option_set
class Options:
    """xxd [-abCdeEipru] [-c COLS] [-g BYTES] [-l LEN] [-n NAME] [-o OFFSET] [-s [+][-]SEEK] [INFILE [OUTFILE]]

    Dump INFILE (standard input) in hexadecimal, or convert a dump back with -r.
    """

    autoskip: bool = opt("-a", help="print a single * for lines of NULs (-autoskip)")
    bits: bool = opt("-b", help="binary digits (-bits)")
    columns: int | None = opt(
        "-c", "COLS", "bytes of a line: 16; 12 with -i, 30 with -p, 6 with -b (-cols)", convert=_number
    )
    capitalize: bool = opt("-C", help="with -i, capital letters in names (-capitalize)")
    decimal: bool = opt("-d", help="offsets in decimal")
    little: bool = opt("-e", help="groups are little-endian numbers")
    ebcdic: bool = opt("-E", help="interpret characters as EBCDIC")
    group: int | None = opt(
        "-g", "BYTES", "bytes of a group: 2; 4 with -e, 1 with -b (-groupsize)", convert=_number
    )
    include: bool = opt("-i", help="write an array of C (-include)")
    length: int | None = opt("-l", "LEN", "stop after LEN bytes (-len)", convert=_number)
    name: str | None = opt("-n", "NAME", "with -i, the name of the array (-name)")
    offset: int = opt(
        "-o", "OFFSET", "add OFFSET to the printed offsets (-offset)", convert=_number, default=0
    )
    plain: bool = opt("-p", help="only hexadecimal digits (-ps, -plain)")
    revert: bool = opt("-r", help="convert a dump into bytes (-revert)")
    seek: str | None = opt(
        "-s", "SEEK", "begin there; negative from the end; with -r, add it to all offsets (-seek)"
    )
    help: bool = opt("-h", help="show this help")
    version: bool = opt("-v", help="show the version (-version)")
    upper: bool = opt("-u", help="capital hexadecimal digits (-upper)")


_SYNTAX = Syntax(Options, permute=False)


def _arguments(words: Sequence[str]) -> list[str]:
    """Rewrite the options for the common parser. Raises UsageError."""
    normalized: list[str] = []
    rest = list(reversed(words))
    while rest and rest[-1][:1] == "-" and rest[-1] != "-":
        word = rest.pop()
        if word in ("--", "--help", "--version"):
            normalized.append(word)
            continue
        name = word[2:] if word[:2] == "--" else word[1:]
        if name[:1] == "v":
            normalized.append("-v")
            continue
        if name in _WORDS or len(name) == 1:
            letter = _WORDS.get(name, name)
            if letter in _WITH_ARGUMENT and not rest:
                raise UsageError(f"option requires an argument -- '{letter}'")
            value = rest.pop() or "0" if letter in _WITH_ARGUMENT else ""
            normalized.append(f"-{letter}{value}")
        elif name[0] in _WITH_ARGUMENT and not name[1:2].isalpha():
            normalized.append(f"-{name}")
        else:
            raise UsageError(f"unrecognized option '{word}'")
    return [*normalized, "--", *reversed(rest)]


def run(_: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 after a usage error, 2 when INFILE cannot be read, 3 when OUTFILE cannot be written, 255 for a form of dump that -r cannot read."""
    options, operands = _SYNTAX.parse(_arguments(arguments))
    if options.help:
        raise Inform("help", 1)
    if options.version:
        ctx.process.write_error(f"{first_line('xxd')}\n".encode())
        return 0
    if len(operands) > 2:
        raise UsageError(f"extra operand '{operands[2]}'")
    name = operands[0] if operands else "-"
    columns = _columns(options)
    try:
        reader = ctx.open(name)
    except OSError as error:
        if options.revert and error.errno == errno.EISDIR:
            return 0  # that it cannot be read goes unnoticed
        shown = reason(error) if not name or error.errno == errno.EISDIR else f"{name}: {reason(error)}"
        raise Failure(shown, 2) from None
    with reader:
        target = _target(operands, options, ctx)
        try:
            if options.revert:
                if options.include or options.bits or options.little:
                    raise Failure("Sorry, cannot revert this type of hexdump", 255)
                _revert(reader, options, columns, target, ctx)
                return 0
            start = _seek(reader, options, ctx)
            data = _limit(reader, options.length)
            for line in _dump(data, options, columns, start, name, ctx):
                ctx.charge()
                target.write(line)
            target.finish()
        finally:
            target.close()
    if len(operands) < 2:
        check_output(ctx)
    return 0


def _columns(options: Options) -> int:
    """Return the bytes of a line, 0 for one unlimited line."""
    columns = options.columns
    if columns is None or (columns == 0 and not options.plain):
        return 30 if options.plain else 12 if options.include else 6 if options.bits else 16
    if columns < 0 or (columns > _MAX_COLUMNS and not (options.plain or options.include)):
        raise Failure(f"invalid number of columns (max. {_MAX_COLUMNS}).", 1)
    return columns


def _limit(reader: Reader, length: int | None) -> Iterator[bytes]:
    """Yield at most ``length`` bytes of the input."""
    remaining = length
    while (remaining is None or remaining > 0) and (
        data := reader.read(65_536 if remaining is None else min(remaining, 65_536))
    ):
        if remaining is not None:
            remaining -= len(data)
        yield data


def _seek(reader: Reader, options: Options, ctx: Context) -> int:
    """Move to the position of -s, and return it."""
    if options.seek is None:
        return 0
    text = options.seek
    distance = _number(text)
    source = reader.description
    if distance < 0:
        if not isinstance(source, File):
            raise Failure("Sorry, cannot seek.", 4)
        base = source.tell() if text[:1] == "+" else source.handle.size()
        if base + distance < 0:
            raise Failure("Sorry, cannot seek.", 4)
        source.seek(base + distance)
        return base + distance
    if isinstance(source, File):
        distance += source.tell() if text[:1] == "+" else 0
        source.seek(distance)
        return distance
    remaining = distance
    while remaining:
        data = reader.read(min(remaining, 65_536))
        if not data:
            raise Failure("Sorry, cannot seek.", 4)
        remaining -= len(data)
    return distance


# --------------------------------------------------------------------------- the output


class _Target:
    """Standard output or OUTFILE; for -r, it tracks the position and fills or skips gaps."""

    def __init__(self, ctx: Context, description: Description | None) -> None:
        self._ctx = ctx
        self._description = description
        self.position = 0
        self._buffer: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        if self._description is None:
            self._ctx.write(data)
        else:
            self._buffer.append(data)
            self._size += len(data)
            if self._size > 65_536:
                self.finish()
        self.position += len(data)

    def finish(self) -> None:
        if self._description is not None and self._buffer:
            self._description.write(b"".join(self._buffer))
        self._buffer = []
        self._size = 0

    def go_to(self, position: int) -> None:
        """Move to a position; a gap keeps its bytes in OUTFILE, and is filled with NULs on standard output."""
        if position == self.position:
            return
        if self._description is not None and self._description.seekable:
            self.finish()
            self._description.seek(position)
            self.position = position
            return
        if position < self.position:
            raise Failure("Sorry, cannot seek backwards.", 5)
        while self.position < position:
            self._ctx.charge()
            self.write(bytes(min(65_536, position - self.position)))

    def close(self) -> None:
        if self._description is not None:
            self._description.release()


def _target(operands: Sequence[str], options: Options, ctx: Context) -> _Target:
    if len(operands) < 2 or operands[1] == "-":
        return _Target(ctx, None)
    try:
        description = ctx.process.open(
            operands[1], read=False, write=True, create=True, truncate=not options.revert
        )
    except OSError as error:
        raise Failure(f"{operands[1]}: {reason(error)}", 3) from None
    return _Target(ctx, description)


# --------------------------------------------------------------------------- dumps


def _dump(
    data: Iterator[bytes], options: Options, columns: int, start: int, name: str, ctx: Context
) -> Iterator[bytes]:
    """Yield the pieces of a dump."""
    if options.include:
        return _include(data, options, columns, name)
    if options.plain:
        return _plain(data, options.upper, columns)
    return _lines(data, options, columns, start + options.offset, ctx)


def _pieces(data: Iterator[bytes], size: int) -> Iterator[bytes]:
    buffer = b""
    for chunk in data:
        buffer += chunk
        complete = len(buffer) // size * size
        for at in range(0, complete, size):
            yield buffer[at : at + size]
        buffer = buffer[complete:]
    if buffer:
        yield buffer


def _plain(data: Iterator[bytes], upper: bool, columns: int) -> Iterator[bytes]:
    has_output = False
    for piece in _pieces(data, columns or 65_536):
        has_output = True
        text = piece.hex()
        yield (text.upper() if upper else text).encode() + (b"\n" if columns else b"")
    if has_output and not columns:
        yield b"\n"


def _include(data: Iterator[bytes], options: Options, columns: int, name: str) -> Iterator[bytes]:
    identifier = None
    if options.name is not None or name != "-":
        base_name = options.name if options.name is not None else name
        identifier = re.sub(r"[^0-9A-Za-z]", "_", base_name)
        if identifier[:1].isdigit():
            identifier = "__" + identifier
        if options.capitalize:
            identifier = identifier.upper()
        yield f"unsigned char {identifier}[] = {{\n".encode()
    form = "0X%02X" if options.upper else "0x%02x"
    count = 0
    for piece in _pieces(data, columns):
        yield (",\n" if count else "").encode()
        yield ("  " + ", ".join([form % byte for byte in piece])).encode()
        count += len(piece)
    if count:
        yield b"\n"
    if identifier is not None:
        ending = "_LEN" if options.capitalize else "_len"
        yield f"}};\nunsigned int {identifier}{ending} = {count};\n".encode()


def _lines(
    data: Iterator[bytes], options: Options, columns: int, address: int, ctx: Context
) -> Iterator[bytes]:
    group = options.group if options.group is not None else 1 if options.bits else 4 if options.little else 2
    if group < 1 or group > columns:
        group = columns
    if options.little and group & (group - 1):
        raise Failure("number of octets per group must be a power of 2 with -e.", 1)
    form = "%d" if options.decimal else "%x"
    digits = _Digits(options, columns, group)
    pending_line: bytes | None = None
    zeros = 0
    for piece in _pieces(data, columns):
        ctx.charge()
        line = f"{(form % (address & (2**64 - 1))).rjust(8, '0')}: {digits.line(piece)}".encode()
        address += len(piece)
        if not options.autoskip:
            yield line
            continue
        if pending_line is not None:  # the last line is always printed
            if zeros == 2:
                yield b"*\n"
            if zeros < 2:
                yield pending_line
            pending_line = None
        if any(piece):
            zeros = 0
            yield line
        else:
            zeros += 1
            if zeros == 1:
                yield line
            else:
                pending_line = line
    if pending_line is not None:
        yield pending_line


class _Digits:
    """Formats the bytes of one line as groups of digits, followed by characters."""

    def __init__(self, options: Options, columns: int, group: int) -> None:
        self.columns = columns
        self.group = group
        self.little = options.little
        self.characters = _EBCDIC_PRINTABLE if options.ebcdic else _PRINTABLE
        self.form = "%08d" if options.bits else "%02X" if options.upper else "%02x"
        self.bits = options.bits
        digits_per_byte = 8 if options.bits else 2
        column_count = -(-columns // group) * group if options.little else columns
        self.width = column_count * digits_per_byte + (column_count - 1) // group
        self.blank = " " * digits_per_byte

    def line(self, piece: bytes) -> str:
        if not (self.bits or self.little):
            text = piece.hex(" ", -self.group)
            text = text.upper() if self.form == "%02X" else text
            return f"{text:<{self.width}}  {piece.translate(self.characters).decode('ascii')}\n"
        if self.bits:
            texts = [f"{byte:08b}" for byte in piece]
        else:
            texts = [self.form % byte for byte in piece]
        groups = []
        for at in range(0, len(texts), self.group):
            part = texts[at : at + self.group]
            if self.little:
                part = [self.blank] * (self.group - len(part)) + part[::-1]
            groups.append("".join(part))
        return f"{' '.join(groups):<{self.width}}  {piece.translate(self.characters).decode('ascii')}\n"


# --------------------------------------------------------------------------- reverting

_HEX = {ord(digit): int(digit, 16) for digit in "0123456789abcdefABCDEF"}


#: A mask: characters of one line between two looks at the clock.
_LOOK = 0xFFF

_NOT_HEX = bytes(byte for byte in range(256) if byte not in _HEX)


def _revert(reader: Reader, options: Options, columns: int, target: _Target, ctx: Context) -> None:
    """Write the bytes of a dump."""
    base = _number(options.seek) if options.seek is not None else 0
    if options.plain:
        target.go_to(base)
        half = -1
        for line in reader.lines():
            half, data = _octets(line.translate(None, b" \t\r\n"), 0, len(line), half, ctx)
            target.write(data)
    else:
        for line in reader.lines():
            line = line.replace(b"\r", b"")
            ctx.charge(1 + (len(line) >> 10))
            start = len(line) - len(line.lstrip(_NOT_HEX))
            end = len(line) - len(line[start:].lstrip(bytes(_HEX)))
            if end == start:
                continue
            if end - start > 16:
                raise Failure("Sorry, cannot seek.", 4)
            _, data = _octets(line, end, columns, -1, ctx)
            if end + 1 < len(line):
                target.go_to(base + int(line[start:end], 16))
            target.write(data)
    target.finish()


def _octets(line: bytes, at: int, max_octets: int, half: int, ctx: Context) -> tuple[int, bytes]:
    """Parse pairs of digits, until three other characters in a row.

    Returns:
        The first digit of an incomplete pair (-1 for none), and the bytes.
    """
    octets = bytearray()
    other_characters = 0
    while at < len(line) and len(octets) < max_octets:
        digit = _HEX.get(line[at], -1)
        at += 1
        if not at & _LOOK:
            ctx.charge(_LOOK >> 3)
        if digit < 0:
            other_characters += 1
            half = -1
            if other_characters == 3:
                break
        elif half < 0:
            half = digit
            other_characters = 0
        else:
            octets.append(half << 4 | digit)
            half = -1
            other_characters = 1  # a complete pair counts like a separator
    return half, bytes(octets)
