"""Backslash escapes of bash's ``echo -e`` and ``printf``.

Source: POSIX.1-2024 XCU 3, echo and printf. Oracle: bash 5.2.
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.lazy import lazily
from sandhook.limits import check_clock

_PAIR = lazily(rb"(?s)\\.")

_SIMPLE = {
    0x61: 7, 0x62: 8, 0x65: 27, 0x45: 27, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9, 0x76: 11, 0x5C: 0x5C,
}  # fmt: skip  # a b e E f n r t v backslash
_QUOTES = b"'\"?"
_OCTAL = b"01234567"
_HEX = b"0123456789abcdefABCDEF"


def utf8(value: int) -> bytes:
    """Encode a code point in UTF-8, also outside Unicode (up to 31 bits, six bytes), as bash does."""
    if value < 0x80:
        return bytes((value,))
    if value > 0x7FFF_FFFF:
        return b""
    tail: list[int] = []
    room = 0x40
    while value >= room:
        tail.append(0x80 | value & 0x3F)
        value >>= 6
        room = 0x20 if room == 0x40 else room >> 1
    lead = (0xFF00 >> (len(tail) + 1)) & 0xFF
    return bytes((lead | value, *reversed(tail)))


def digits(data: bytes, start: int, allowed: bytes, most: int) -> int:
    """Return the end of a run of at most ``most`` digits that begins at ``start``."""
    end = start
    limit = min(len(data), start + most)
    while end < limit and data[end] in allowed:
        end += 1
    return end


def unescape_echo(data: bytes, *, universal: bool = True) -> tuple[bytes, bool]:
    """Return the output of ``echo -e`` for one argument, and whether \\c ended all output.

    Args:
        data: The argument.
        universal: There are escapes of code points, as in the built-in.
    """
    if not universal and (b"\\u" in data or b"\\U" in data):
        data = _PAIR.sub(lambda pair: b"\\" + pair[0] if pair[0][1] in b"uU" else pair[0], data)
    return _unescape(data, octal_needs_zero=True, zero_prefix=True, stop=True, quotes=False, error=None)


def unescape_argument(data: bytes, error: Callable[[str], None]) -> tuple[bytes, bool]:
    """Return the output of printf's %b for an argument, and whether \\c ended all output."""
    return _unescape(data, octal_needs_zero=False, zero_prefix=True, stop=True, quotes=False, error=error)


def unescape_format(data: bytes, error: Callable[[str], None]) -> bytes:
    """Return literal text of a printf format with its escapes replaced."""
    return _unescape(data, octal_needs_zero=False, zero_prefix=False, stop=False, quotes=True, error=error)[0]


def _unescape(
    data: bytes,
    *,
    octal_needs_zero: bool,
    zero_prefix: bool,
    stop: bool,
    quotes: bool,
    error: Callable[[str], None] | None,
) -> tuple[bytes, bool]:
    index = data.find(b"\\")
    if index < 0:
        return data, False
    out = bytearray()
    start = turns = 0
    while 0 <= index < len(data) - 1:
        turns += 1
        if not turns & 4095:
            check_clock()
        out += data[start:index]
        letter = data[index + 1]
        after = index + 2
        simple = _SIMPLE.get(letter)
        if simple is not None:
            out.append(simple)
        elif letter == 0x63 and stop:  # \c
            return bytes(out), True
        elif letter in _OCTAL and (letter == 0x30 or not octal_needs_zero):
            first = after if letter == 0x30 and zero_prefix else after - 1
            after = digits(data, first, _OCTAL, 3)
            out.append(int(data[first:after] or b"0", 8) & 0xFF)
        elif letter in b"xuU":
            end = digits(data, after, _HEX, {0x78: 2, 0x75: 4, 0x55: 8}[letter])
            if end == after:
                if error is not None:
                    kind = "hex" if letter == 0x78 else "unicode"
                    error(f"missing {kind} digit for \\{chr(letter)}")
                out += data[index:after]
            else:
                value = int(data[after:end], 16)
                out += bytes((value,)) if letter == 0x78 else utf8(value)
                after = end
        elif quotes and letter in _QUOTES:
            out.append(letter)
        else:
            out += data[index:after]
        start = after
        index = data.find(b"\\", start)
    out += data[start:]
    return bytes(out), False
