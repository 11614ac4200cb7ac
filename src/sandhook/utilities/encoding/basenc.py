"""base32, basenc: encode bytes as text, and decode them.

Source: RFC 4648. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence

from sandhook.command.context import Context, Failure, Reader
from sandhook.command.operands import reason
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.text.quoting import quote_odd
from sandhook.utilities.encoding.wrapping import wrap_size, write_wrapped


class Coding:
    """One of the encodings.

    Attributes:
        unit, letters: Bytes that become so many letters.
        alphabet: All letters, with the one that fills up.
        whole: Only whole units can be encoded.
        begins: The bytes of a last group that is not whole are decoded.
    """

    def __init__(
        self,
        unit: int,
        letters: int,
        alphabet: bytes,
        encode: Callable[[bytes], bytes],
        decode: Callable[[bytes], bytes],
        *,
        whole: bool = False,
        begins: bool = False,
    ) -> None:
        self.unit = unit
        self.letters = letters
        self.alphabet = frozenset(alphabet)
        self.encode = encode
        self.decode = decode
        self.whole = whole
        self.begins = begins

    def beginning(self, group: bytes) -> bytes:
        """Return the bytes that the good letters before a bad group make."""
        letters = 0
        while letters < len(group) and group[letters] in self.alphabet and group[letters] != _FILL:
            letters += 1
        if self.whole or letters * self.unit < self.letters:
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
    """Decode groups of five letters. Raises ValueError for one of more than 32 bits."""
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
    """Return the encoding of a name."""
    match name:
        case "base64":
            return Coding(
                3, 4, _UPPER + _LOWER + _DIGITS + b"+/=", base64.b64encode, base64.b64decode, begins=True
            )
        case "base64url":
            return Coding(
                3,
                4,
                _UPPER + _LOWER + _DIGITS + b"-_=",
                base64.urlsafe_b64encode,
                base64.urlsafe_b64decode,
                begins=True,
            )
        case "base32":
            return Coding(5, 8, _UPPER + b"234567=", base64.b32encode, base64.b32decode)
        case "base32hex":
            alphabet = _DIGITS + b"ABCDEFGHIJKLMNOPQRSTUV="
            return Coding(5, 8, alphabet, base64.b32hexencode, base64.b32hexdecode)
        case "base16":
            return Coding(1, 2, _DIGITS + b"ABCDEF", base64.b16encode, base64.b16decode)
        case "z85":
            return Coding(4, 5, _Z85, _z85_encode, _z85_decode, whole=True)
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
        opt("--z85", help="ZeroMQ's base 85, of whole groups of 4 bytes", const="z85"),
    )
    decode: bool = opt("-d", "--decode", help="decode")
    ignore: bool = opt("-i", "--ignore-garbage", help="when decoding, skip what is not of the alphabet")
    wrap: int = opt(
        "-w", "--wrap", "COLUMNS", "length of the lines, 0 for one line (76)", default=76, convert=wrap_size
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when the input is not encoded so."""
    called = ctx.program
    if called == "base32" and options.encoding is not None:
        raise UsageError(f"unrecognized option '--{options.encoding}'")
    if called == "basenc" and options.encoding is None:
        raise UsageError("missing encoding type")
    if len(operands) > 1:
        raise UsageError(f"extra operand '{operands[1]}'")
    name = operands[0] if operands else "-"
    chosen = coding(options.encoding or "base32")
    try:
        with ctx.open(name) as reader:
            if options.decode:
                _decode(reader, chosen, options.ignore, ctx)
            else:
                _encode(reader, chosen, options.wrap, ctx)
    except OSError as error:
        directory = isinstance(error, IsADirectoryError)
        raise Failure(
            f"read error: {reason(error)}" if directory else f"{quote_odd(name)}: {reason(error)}"
        ) from None
    return 0


def _encode(reader: Reader, chosen: Coding, width: int, ctx: Context) -> None:
    rest = b""
    column = 0
    for data in [reader.read_all()] if chosen.whole else reader.chunks():
        whole = rest + data
        size = len(whole) // chosen.unit * chosen.unit
        if chosen.whole and size < len(whole):
            raise Failure("invalid input (length must be multiple of 4 characters)")
        column = write_wrapped(chosen.encode(whole[:size]), column, width, ctx)
        rest = whole[size:]
    column = write_wrapped(chosen.encode(rest), column, width, ctx)
    if width and column:
        ctx.write(b"\n")


def _decode(reader: Reader, chosen: Coding, ignore: bool, ctx: Context) -> None:
    """Decode group by group; what stands before the first wrong one is written."""
    rest = b""
    kept = chosen.alphabet | {_FILL}
    for data in reader.chunks():
        text = rest + (bytes(filter(kept.__contains__, data)) if ignore else data.replace(b"\n", b""))
        whole = len(text) // chosen.letters * chosen.letters
        rest = text[whole:]
        _groups(text[:whole], chosen, ctx)
    if rest:
        if chosen.begins:
            ctx.write(chosen.beginning(rest))
        raise Failure("invalid input")


def _groups(text: bytes, chosen: Coding, ctx: Context) -> None:
    if (b"=" not in text or chosen.whole) and chosen.alphabet.issuperset(text):
        try:
            ctx.write(chosen.decode(text))
        except ValueError:
            raise Failure("invalid input") from None
        return
    for at in range(0, len(text), chosen.letters):
        ctx.charge()
        group = text[at : at + chosen.letters]
        body = group.rstrip(b"=")
        good = chosen.alphabet.issuperset(group) and b"=" not in body and body
        try:
            if not good:
                raise ValueError
            ctx.write(chosen.decode(group))
        except (ValueError, KeyError):
            ctx.write(chosen.beginning(group))
            raise Failure("invalid input") from None
