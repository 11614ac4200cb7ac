"""The value of ``$'...'``."""

from __future__ import annotations

from sandhook.lazy import lazily

_ESCAPE = lazily(
    r"(?s)\\(?:([0-7]{1,3})|x\{?([0-9A-Fa-f]{1,2})\}?|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|c(\\\\|.)|(.))",
)
_SIMPLE = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}


def decode_ansi(raw: str) -> str:
    """Return the text of $'raw'. A NUL ends it; bytes that are not UTF-8 become surrogates.

    Source: bash 5.2 reference manual 3.1.2.4 ANSI-C Quoting.
    """
    if "\\" not in raw:
        return raw
    out = bytearray()
    at = 0
    for match in _ESCAPE.finditer(raw):
        out += raw[at : match.start()].encode("utf-8", "surrogateescape")
        at = match.end()
        octal, hexadecimal, short, long, control, simple = match.groups()
        if octal is not None:
            code = int(octal, 8) & 0xFF
        elif hexadecimal is not None:
            code = int(hexadecimal, 16)
        elif control is not None:
            code = 0x7F if control == "?" else ord(control[0].upper()) & 0x1F
        elif simple is not None:
            out += _SIMPLE.get(simple, "\\" + simple).encode("utf-8", "surrogateescape")
            continue
        else:
            value = int(short or long, 16)
            if value == 0:
                break
            out += _encode_code_point(value)
            continue
        if code == 0:
            break
        out.append(code)
    else:
        out += raw[at:].encode("utf-8", "surrogateescape")
    return out.decode("utf-8", "surrogateescape")


def _encode_code_point(value: int) -> bytes:
    """UTF-8 as bash writes it: values beyond Unicode have five or six bytes, as in the first UTF-8."""
    if value < 0x80:
        return bytes([value])
    for size, first, limit in (
        (2, 0xC0, 0x800),
        (3, 0xE0, 0x10000),
        (4, 0xF0, 0x200000),
        (5, 0xF8, 0x4000000),
        (6, 0xFC, 0x80000000),
    ):
        if value < limit:
            tail = [0x80 | (value >> 6 * shift) & 0x3F for shift in range(size - 2, -1, -1)]
            return bytes([first | value >> 6 * (size - 1), *tail])
    return b""
