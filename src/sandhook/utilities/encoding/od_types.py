"""The output types of od: parsing -t, and formatting the bytes of a block.

Source: POSIX.1-2024 XCU 3, od. Oracle: GNU coreutils 9.1 on a little-endian machine of 64 bits.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from sandhook.command.context import Failure
from sandhook.record import Record
from sandhook.text import longdouble as longdouble

_INTEGER_SIZES = {"C": 1, "S": 2, "I": 4, "L": 8}
_FLOAT_SIZES = {"F": 4, "D": 8, "L": 16}
_SUPPORTED = {1: "b", 2: "h", 4: "i", 8: "q"}

#: Characters that one number needs, by letter and size in bytes.
_WIDTHS = {
    "o": {1: 3, 2: 6, 4: 11, 8: 22},
    "d": {1: 4, 2: 6, 4: 11, 8: 20},
    "u": {1: 3, 2: 5, 4: 10, 8: 20},
    "x": {1: 2, 2: 4, 4: 8, 8: 16},
    "f": {4: 15, 8: 24, 16: 29},
}

NAMES = [
    "nul",
    "soh",
    "stx",
    "etx",
    "eot",
    "enq",
    "ack",
    "bel",
    "bs",
    "ht",
    "nl",
    "vt",
    "ff",
    "cr",
    "so",
    "si",
    "dle",
    "dc1",
    "dc2",
    "dc3",
    "dc4",
    "nak",
    "syn",
    "etb",
    "can",
    "em",
    "sub",
    "esc",
    "fs",
    "gs",
    "rs",
    "us",
    "sp",
]
_ESCAPES = {0: "\\0", 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}
_PRINTABLE = bytes(byte if 32 <= byte < 127 else 46 for byte in range(256))


class Type(Record):
    """One output type, which has its own line for every block.

    Attributes:
        letter: a, c, d, f, o, u or x.
        size: Bytes of one number.
        trailer: The printable characters follow (the suffix z).
    """

    letter: str
    size: int
    trailer: bool = False

    @property
    def width(self) -> int:
        """Characters that one number needs, without the blanks between numbers."""
        return 3 if self.letter in "ac" else _WIDTHS[self.letter][self.size]


def parse_types(text: str) -> tuple[Type, ...]:
    """Parse the argument of -t: any number of types without separators. Raises Failure."""
    types = []
    at = 0
    while at < len(text):
        letter = text[at]
        at += 1
        size = 1
        if letter in "douxf":
            size, at = _size(text, at, letter)
        elif letter not in "ac":
            raise Failure(f"invalid character '{letter}' in type string '{text}'")
        trailer = text[at : at + 1] == "z"
        at += trailer
        types.append(Type(letter, size, trailer))
    return tuple(types)


def _size(text: str, at: int, letter: str) -> tuple[int, int]:
    letter_sizes = _FLOAT_SIZES if letter == "f" else _INTEGER_SIZES
    if text[at : at + 1] in letter_sizes and at < len(text):
        return letter_sizes[text[at]], at + 1
    end = at
    while end < len(text) and text[end] in "0123456789":
        end += 1
    if end == at:
        return (8 if letter == "f" else 4), at
    digits = text[at:end].lstrip("0")
    size = int(digits) if digits and len(digits) < 19 else 0
    if size not in _WIDTHS[letter]:
        kind = "floating point" if letter == "f" else "integral"
        raise Failure(
            f"invalid type string '{text}';\nthis system doesn't provide a {text[at:end].lstrip('0') or '0'}-byte {kind} type"
        )
    return size, end


# --------------------------------------------------------------------------- one block


Writer = Callable[[bytes, int], str]  #: arguments: a block padded with NULs, and its size without padding


def writer(kind: Type, block: int, line: int, order: str) -> Writer:
    """Return a function that formats the numbers of a block, without the address.

    Args:
        kind: The type.
        block: Bytes of a whole block.
        line: Characters that the widest type needs for a block; narrower types are spread out.
        order: "<" or ">": the order of bytes within a number.
    """
    fields = block // kind.size
    pad = line - kind.width * fields
    blanks = [pad * (fields - index) // fields for index in range(fields + 1)]
    widths = [blanks[index] - blanks[index + 1] + kind.width for index in range(fields)]
    texts = _texts(kind, order)
    uniform = len(set(widths)) == 1

    if kind.size == 1 and uniform:
        table = [text.rjust(widths[0]) for text in texts(bytes(range(256)))]

        def numbers(data: bytes, count: int) -> str:
            return "".join([table[byte] for byte in data[:count]])

    else:

        def numbers(data: bytes, count: int) -> str:
            texts_ = texts(data[: -(-count // kind.size) * kind.size])
            return "".join([text.rjust(width) for text, width in zip(texts_, widths)])

    if not kind.trailer:
        return numbers

    def with_trailer(data: bytes, count: int) -> str:
        lacking = (block - count) // kind.size
        blank = lacking * kind.width + pad * lacking // fields
        characters = data[:count].translate(_PRINTABLE).decode("ascii")
        return f"{numbers(data, count)}{'':{blank}}  >{characters}<"

    return with_trailer


def line_width(types: Sequence[Type], block: int) -> int:
    """Return how many characters the widest type needs for a block."""
    return max((kind.width + 1) * (block // kind.size) for kind in types)


def _texts(kind: Type, order: str) -> Callable[[bytes], list[str]]:
    """Return a function that converts the bytes of whole numbers to texts."""
    letter, size = kind.letter, kind.size
    if letter == "a":
        names = [*NAMES, *map(chr, range(33, 127)), "del"]
        return lambda data: [names[byte & 127] for byte in data]
    if letter == "c":
        characters = [
            _ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"{byte:03o}") for byte in range(256)
        ]
        return lambda data: [characters[byte] for byte in data]
    if letter == "f":
        return lambda data: [_float(data[at : at + size], order) for at in range(0, len(data), size)]
    code = _SUPPORTED[size] if letter == "d" else _SUPPORTED[size].upper()
    digits = _WIDTHS[letter][size]
    form = f"%0{digits}{letter}" if letter in "ox" else "%d"
    reader = struct.Struct(order + code)
    return lambda data: [form % value for (value,) in reader.iter_unpack(data)]


def _float(data: bytes, order: str) -> str:
    """Format a floating-point number with the fewest digits that read back as the same number."""
    if len(data) == 16:
        return _format_extended(data if order == "<" else data[::-1])
    code, min_precision, max_precision = ("f", 6, 9) if len(data) == 4 else ("d", 15, 17)
    (value,) = struct.unpack(order + code, data)
    if value != value:
        negative = data[-1 if order == "<" else 0] & 128
        return "-nan" if negative else "nan"
    smallest = 1.1754943508222875e-38 if code == "f" else 2.2250738585072014e-308
    if abs(value) < smallest:
        min_precision = 1
    for precision in range(min_precision, max_precision + 1):
        text = f"{value:.{precision}g}"
        if precision == max_precision or _round_trips(text, value, code):
            return text
    return text


def _round_trips(text: str, value: float, code: str) -> bool:
    parsed = float(text)
    try:
        return bool(struct.pack(code, parsed) == struct.pack(code, value))
    except OverflowError:
        return False


def _format_extended(data: bytes) -> str:
    """Format a number in x86's extended format, the first ten bytes of sixteen."""
    mantissa, high = struct.unpack("<QH", data[:10])
    negative, exponent = bool(high >> 15), high & 0x7FFF
    if exponent == 0x7FFF or (exponent and not mantissa >> 63):  # infinite, or an invalid encoding
        text = "inf" if exponent == 0x7FFF and mantissa << 1 & (2**64 - 1) == 0 and mantissa >> 63 else "nan"
        return "-" + text if negative else text
    value = longdouble.LongDouble(negative, mantissa, max(exponent, 1) - 16_383 - 63)
    min_precision = 18 if exponent else 1
    for precision in range(min_precision, 22):
        text = longdouble.render(value, "g", "", 0, precision)
        parsed = longdouble.parse(text)[0]
        if _normalize(parsed) == _normalize(value):
            break
    return text


def _normalize(value: longdouble.LongDouble) -> tuple[bool, int, int]:
    """Return sign, odd mantissa and exponent, which are equal for equal numbers."""
    mantissa, exponent = value.mantissa, value.exponent
    if not mantissa:
        return value.negative, 0, 0
    zeros = (mantissa & -mantissa).bit_length() - 1
    return value.negative, mantissa >> zeros, exponent + zeros
