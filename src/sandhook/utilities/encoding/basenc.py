"""base32, basenc: encode bytes as text, and decode them.

Source: RFC 4648. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.operands import not_readable, reason
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.command.pieces import pieces
from sandhook.text.quoting import quote_odd
from sandhook.utilities.encoding.wrapping import wrap_size, write_wrapped


class Coding:
    """One of the encodings.

    Attributes:
        unit, letters: Each ``unit`` bytes are encoded as ``letters`` letters.
        alphabet: All letters, including the padding.
        whole_units: Only whole units can be encoded.
        decodes_prefix: An incomplete last group is decoded as far as possible.
    """

    def __init__(
        self,
        unit: int,
        letters: int,
        alphabet: bytes,
        encode: Callable[[bytes], bytes],
        decode: Callable[[bytes], bytes],
        *,
        whole_units: bool = False,
        decodes_prefix: bool = False,
    ) -> None:
        self.unit = unit
        self.letters = letters
        self.alphabet = frozenset(alphabet)
        self.encode = encode
        self.decode = decode
        self.whole_units = whole_units
        self.decodes_prefix = decodes_prefix

    def decode_valid_prefix(self, group: bytes) -> bytes:
        """Return the bytes of the valid letters at the beginning of an invalid group."""
        letters = 0
        while letters < len(group) and group[letters] in self.alphabet and group[letters] != _FILL:
            letters += 1
        if self.whole_units or letters * self.unit < self.letters:
            return b""
        zero = self.encode(bytes(self.unit))[:1]
        count = letters * self.unit // self.letters
        return self.decode(group[:letters] + zero * (self.letters - letters))[:count]


_UPPER = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER = _UPPER.lower()
_DIGITS = b"0123456789"
_FILL = b"="[0]
_Z85 = _DIGITS + _LOWER + _UPPER + b".-:+=^!/*?&<>()[]{}@%$#"
_BITS = [f"{byte:08b}".encode() for byte in range(256)]
_REVERSED = [bits[::-1] for bits in _BITS]


def _bits(table: list[bytes]) -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]:
    values = {bits: byte for byte, bits in enumerate(table)}
    return (
        lambda data: b"".join([table[byte] for byte in data]),
        lambda text: bytes([values[text[at : at + 8]] for at in range(0, len(text), 8)]),
    )


def _z85_encode(data: bytes) -> bytes:
    letters = bytearray()
    for at in range(0, len(data), 4):
        value = int.from_bytes(data[at : at + 4], "big")
        letters += bytes([_Z85[value // 85**power % 85] for power in (4, 3, 2, 1, 0)])
    return bytes(letters)


def _z85_decode(text: bytes) -> bytes:
    """Decode groups of five letters. Raises ValueError for a value of more than 32 bits."""
    data = bytearray()
    for at in range(0, len(text), 5):
        value = 0
        for letter in text[at : at + 5]:
            value = value * 85 + _Z85.index(letter)
        if value >> 32:
            raise ValueError
        data += value.to_bytes(4, "big")
    return bytes(data)


def coding(name: str) -> Coding:
    """Return the encoding with this name."""
    match name:
        case "base64":
            return Coding(
                3,
                4,
                _UPPER + _LOWER + _DIGITS + b"+/=",
                base64.b64encode,
                base64.b64decode,
                decodes_prefix=True,
            )
        case "base64url":
            return Coding(
                3,
                4,
                _UPPER + _LOWER + _DIGITS + b"-_=",
                base64.urlsafe_b64encode,
                base64.urlsafe_b64decode,
                decodes_prefix=True,
            )
        case "base32":
            return Coding(5, 8, _UPPER + b"234567=", base64.b32encode, base64.b32decode)
        case "base32hex":
            alphabet = _DIGITS + b"ABCDEFGHIJKLMNOPQRSTUV="
            return Coding(5, 8, alphabet, base64.b32hexencode, base64.b32hexdecode)
        case "base16":
            return Coding(1, 2, _DIGITS + b"ABCDEF", base64.b16encode, base64.b16decode)
        case "z85":
            return Coding(4, 5, _Z85, _z85_encode, _z85_decode, whole_units=True)
        case "base2msbf":
            return Coding(1, 8, b"01", *_bits(_BITS))
        case _:
            return Coding(1, 8, b"01", *_bits(_REVERSED))


@option_set
class Options:
    """base32 [-di] [-w COLUMNS] [FILE] | basenc ENCODING [-di] [-w COLUMNS] [FILE]

    Encode FILE (standard input), or decode it with -d. basenc needs the name of an encoding.
    """

    encoding: str | None = also(
        opt("--base64", help="base64, for basenc", const="base64", default=None),
        opt("--base64url", help="base64 with - and _", const="base64url"),
        opt("--base32", help="base32", const="base32"),
        opt("--base32hex", help="base32 with the letters 0 to V", const="base32hex"),
        opt("--base16", help="hexadecimal digits", const="base16"),
        opt("--base2msbf", help="bits, the most significant first", const="base2msbf"),
        opt("--base2lsbf", help="bits, the least significant first", const="base2lsbf"),
        opt("--z85", help="ZeroMQ's base 85, only for whole groups of 4 bytes", const="z85"),
    )
    decode: bool = opt("-d", "--decode", help="decode")
    ignore: bool = opt("-i", "--ignore-garbage", help="when decoding, skip characters outside the alphabet")
    wrap: int = opt(
        "-w", "--wrap", "COLUMNS", "length of the lines, 0 for one line (76)", default=76, convert=wrap_size
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when the input does not have this encoding."""
    program = ctx.program
    if program == "base32" and options.encoding is not None:
        raise UsageError(f"unrecognized option '--{options.encoding}'")
    if program == "basenc" and options.encoding is None:
        raise UsageError("missing encoding type")
    if len(operands) > 1:
        raise UsageError(f"extra operand '{operands[1]}'")
    name = operands[0] if operands else "-"
    encoding = coding(options.encoding or "base32")
    try:
        with ctx.open(name) as reader:
            if options.decode:
                _decode(reader, encoding, options.ignore, ctx)
            else:
                _encode(reader, encoding, options.wrap, ctx)
    except OSError as error:
        unreadable = not_readable(error)
        raise Failure(
            f"read error: {reason(error)}" if unreadable else f"{quote_odd(name)}: {reason(error)}"
        ) from None
    return 0


def _encode(reader: Reader, encoding: Coding, width: int, ctx: Context) -> None:
    rest = b""
    column = 0
    for data in _whole(reader, encoding, ctx) if encoding.whole_units else reader.chunks():
        pending = rest + data
        size = len(pending) // encoding.unit * encoding.unit
        column = write_wrapped(encoding.encode(pending[:size]), column, width, ctx)
        rest = pending[size:]
    column = write_wrapped(encoding.encode(rest), column, width, ctx)
    if width and column:
        ctx.write(b"\n")


def _whole(reader: Reader, encoding: Coding, ctx: Context) -> Iterator[bytes]:
    """Yield an input in pieces. Raises Failure, before there is output, when its length is wrong."""
    data = reader.read_all()
    if len(data) % encoding.unit:
        raise Failure("invalid input (length must be multiple of 4 characters)")
    for piece in pieces(data, ctx.charge):
        ctx.charge(len(piece) >> 2)
        yield piece


def _decode(reader: Reader, encoding: Coding, ignore: bool, ctx: Context) -> None:
    """Decode in groups; write everything before the first invalid group."""
    rest = b""
    kept_letters = encoding.alphabet | {_FILL}
    for data in reader.chunks():
        text = rest + (bytes(filter(kept_letters.__contains__, data)) if ignore else data.replace(b"\n", b""))
        size = len(text) // encoding.letters * encoding.letters
        rest = text[size:]
        _groups(text[:size], encoding, ctx)
    if rest:
        if encoding.decodes_prefix:
            ctx.write(encoding.decode_valid_prefix(rest))
        raise Failure("invalid input")


def _groups(text: bytes, encoding: Coding, ctx: Context) -> None:
    if (b"=" not in text or encoding.whole_units) and encoding.alphabet.issuperset(text):
        try:
            ctx.write(encoding.decode(text))
        except ValueError:
            raise Failure("invalid input") from None
        return
    for at in range(0, len(text), encoding.letters):
        ctx.charge()
        group = text[at : at + encoding.letters]
        body = group.rstrip(b"=")
        is_valid = encoding.alphabet.issuperset(group) and b"=" not in body and body
        try:
            if not is_valid:
                raise ValueError
            ctx.write(encoding.decode(group))
        except (ValueError, KeyError):
            ctx.write(encoding.decode_valid_prefix(group))
            raise Failure("invalid input") from None
