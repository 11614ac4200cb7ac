"""Keys of ``sort``: the part of a line that ``-k 2.3,4nr`` selects, and how it compares.

Every key becomes a function from a line to a value that Python compares as GNU sort does, so that ``list.sort`` does
the work. Blanks are space, tab and newline; letters are ASCII.

Source: POSIX.1-2024 XCU 3, sort. Oracle: GNU coreutils 9.1 in C.UTF-8 (order of bytes).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import md5
from random import Random
from typing import Any, TypeAlias

from sandhook.command.context import Failure
from sandhook.limits import check_clock
from sandhook.record import Record

KeyFunction = Callable[[bytes], Any]

_BLANKS = b" \t\n"
_NUMBER = re.compile(rb"[ \t\n]*(-?)([0-9]*)(?:\.([0-9]*))?")
_INTEGERS = re.compile(rb"^[ \t]*+(-?[0-9]{1,4000}+)(?![0-9.])[^\n]*+\n", re.MULTILINE)
_GENERAL = re.compile(
    rb"([+-]?(?:0x[0-9a-f]+(?:\.[0-9a-f]*)?(?:p[+-]?[0-9]+)?|[0-9]++\.?[0-9]*(?:e[+-]?[0-9]+)?"
    rb"|\.[0-9]+(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan(?:\([a-z0-9_]*\))?))",
    re.IGNORECASE,
)
_IN_SUFFIX = b".0123456789~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_NO_SUFFIX = re.compile(rb"\.(?:(?<=[0-9.]\.)|(?<=\A\.))")  #: a dot without its letter, read backwards
_PARTS = re.compile(rb"([^0-9]*)([0-9]*)")
_LOOK = 0xFFF  #: a mask: parts of a version between two looks at the clock
_UNITS = b" KMGTPEZY"
_MONTHS = (b"JAN", b"FEB", b"MAR", b"APR", b"MAY", b"JUN", b"JUL", b"AUG", b"SEP", b"OCT", b"NOV", b"DEC")
_NO_DICTIONARY = bytes(
    byte for byte in range(256) if not (chr(byte).isascii() and chr(byte).isalnum()) and byte not in _BLANKS
)
_NO_PRINTING = bytes(byte for byte in range(256) if not 32 <= byte < 127)
_MAX_INT_DIGITS = 4_000  #: Python's int rejects more

ORDERINGS = "ghMnRV"
_FEW_FIELDS = 40  #: fields that one regular expression counts


class Key(Record):
    """One key; fields and characters count from 0, ``end_field`` is None for the end of the line."""

    start_field: int = 0
    start_char: int = 0
    end_field: int | None = None
    end_char: int = 0  #: 0 stands for the end of the field before ``end_field``
    start_blanks: bool = False  #: -b for the beginning
    end_blanks: bool = False  #: and for the end
    flags: str = ""  #: of "dfgihMnRrV"

    @property
    def reverse(self) -> bool:
        return "r" in self.flags


def parse_key(text: str) -> Key:
    """Parse the argument of -k. Raises Failure with GNU's message."""
    field, at = _count(text, 0, "invalid number at field start")
    if not field:
        raise _specification_error("field number is zero", text)
    char = 1
    if text[at : at + 1] == ".":
        char, at = _count(text, at + 1, "invalid number after '.'")
        if not char:
            raise _specification_error("character offset is zero", text)
    start_flags, at = _flags(text, at)
    end_field: int | None = None
    end_char = 0
    end_flags = ""
    if text[at : at + 1] == ",":
        end, at = _count(text, at + 1, "invalid number after ','")
        if not end:
            raise _specification_error("field number is zero", text)
        if text[at : at + 1] == ".":
            end_char, at = _count(text, at + 1, "invalid number after '.'")
        end_field = end if not end_char else end - 1
        end_flags, at = _flags(text, at)
    if at < len(text):
        raise _specification_error("stray character in field spec", text)
    flags = "".join(dict.fromkeys((start_flags + end_flags).replace("b", "")))
    return Key(
        start_field=field - 1,
        start_char=char - 1,
        end_field=end_field,
        end_char=end_char,
        start_blanks="b" in start_flags,
        end_blanks="b" in end_flags,
        flags=flags,
    )


def _count(text: str, at: int, message: str) -> tuple[int, int]:
    end = at
    while end < len(text) and text[end] in "0123456789":
        end += 1
    if end == at:
        raise Failure(f"{message}: invalid count at start of '{text[at:]}'")
    return min(int(text[at:end].lstrip("0")[:19] or "0"), 1 << 62), end


def _flags(text: str, at: int) -> tuple[str, int]:
    end = at
    while end < len(text) and text[end] in "bdfghiMnRrV":
        end += 1
    return text[at:end], end


def _specification_error(what: str, text: str) -> Failure:
    return Failure(f"{what}: invalid field specification '{text}'")


def check_flags(flags: str) -> None:
    """Raise Failure for orderings that exclude each other."""
    named = set(flags).intersection(ORDERINGS + "dfi") - ({"i"} if "d" in flags else set())
    kinds = "".join(sorted(named, key="dfghiMnRV".find))
    if sum(each in "ghMn" for each in kinds) + any(each in "diRV" for each in kinds) > 1:
        raise Failure(f"options '-{kinds}' are incompatible")


# --------------------------------------------------------------------------- the part of a line


def extractor(key: Key, tab: bytes | None) -> Callable[[bytes], bytes] | None:
    """Return the function that extracts a key from a line; None when the key is the whole line."""
    field, char, end, end_char, start_blanks, end_blanks, _ = key
    if end is None and not field and not char and not start_blanks:
        return None
    if tab is not None and not char and not end_char and not start_blanks and field < 1_000:
        if end is None:
            return lambda line: line.split(tab, field)[field] if line.count(tab) >= field else b""
        if end == field + 1:
            return lambda line: line.split(tab, end)[field] if line.count(tab) >= field else b""
    if tab is None and not char and not end_char and field < _FEW_FIELDS:
        whole_fields = _blank_fields(field, end, start_blanks)
        if whole_fields is not None:
            return whole_fields
    begin = _beginning(field, char, start_blanks, tab)
    if end is None:
        return lambda line: line[begin(line) :]
    limit = _limit(end, end_char, end_blanks, tab)
    return lambda line: line[begin(line) : limit(line)]


def _blank_fields(field: int, end: int | None, blanks: bool) -> Callable[[bytes], bytes] | None:
    """Return a function that extracts whole fields with one match, the usual case; None if there are too many."""
    if end is not None and not field < end < field + _FEW_FIELDS:
        return None
    prefix = rb"(?:[ \t\n]*[^ \t\n]*){%d}" % field + (rb"[ \t\n]*" if blanks else b"")
    selection = rb"(.*)" if end is None else rb"((?:[ \t\n]*[^ \t\n]*){%d})" % (end - field)
    match = re.compile(prefix + selection, re.DOTALL).match

    def cut(line: bytes) -> bytes:
        result = match(line)
        return result[1] if result else b""

    return cut


def _fields_end(count: int, tab: bytes | None, into_next: bool) -> Callable[[bytes], int]:
    """Return a function for the end of ``count`` fields; with ``into_next``, for the start of the next field."""

    separator = tab or b""

    def separated(line: bytes) -> int:
        at = 0
        for index in range(count):
            position = line.find(separator, at)
            if position < 0:
                return len(line)
            at = position + 1 if into_next or index < count - 1 else position
        return at

    def blank(line: bytes) -> int:
        at = 0
        for _ in range(count):
            if at >= len(line):
                break
            match = _FIELD.match(line, at)
            at = match.end() if match else len(line)
        return at

    return blank if tab is None else separated


_FIELD = re.compile(rb"[ \t\n]*[^ \t\n]*")
_BLANK_RUN = re.compile(rb"[ \t\n]*")


def _beginning(field: int, char: int, blanks: bool, tab: bytes | None) -> Callable[[bytes], int]:
    fields = _fields_end(field, tab, True)

    def begin(line: bytes) -> int:
        at = fields(line) if field else 0
        if blanks:
            match = _BLANK_RUN.match(line, at)
            at = match.end() if match else at
        return min(at + char, len(line))

    return begin


def _limit(end: int, char: int, blanks: bool, tab: bytes | None) -> Callable[[bytes], int]:
    fields = _fields_end(end, tab, char > 0)

    def limit(line: bytes) -> int:
        at = fields(line) if end else 0
        if char:
            if blanks:
                match = _BLANK_RUN.match(line, at)
                at = match.end() if match else at
            at = min(at + char, len(line))
        return at

    return limit


# --------------------------------------------------------------------------- comparison


#: The bytes of --random-source, and whether texts are compared with the NUL that ends them, as outside of the C locale.
Seed: TypeAlias = tuple[bytes, bool]

SEED_BYTES = 16  #: of --random-source


def key_function(key: Key, tab: bytes | None, seed: Seed | None = None) -> KeyFunction | None:
    """Return the function from a line to the value that is compared; None for the line itself.

    With the same ``seed``, -R produces the same order.
    """
    extract = extractor(key, tab)
    convert = comparison(key.flags, seed)
    if convert is None or extract is None:
        return convert or extract
    return lambda line: convert(extract(line))


def comparison(flags: str, seed: Seed | None = None) -> KeyFunction | None:
    """Return the conversion of an ordering; None if bytes compare unchanged."""
    for letter, convert in _CONVERSIONS.items():
        if letter in flags:
            return convert
    if "V" in flags:
        folded = _folding(flags)
        return version if folded is None else lambda text: version(folded(text))
    if "R" in flags:
        return _shuffling(_folding(flags), seed)
    return _folding(flags)


def _shuffling(inner: KeyFunction | None, seed: Seed | None) -> KeyFunction:
    """Return -R: the order is that of MD5 of the seed and the text, as in GNU's sort."""
    salt, ends_with_nul = (Random().randbytes(SEED_BYTES), False) if seed is None else seed
    start = md5(salt, usedforsecurity=False)

    def shuffled(text: bytes) -> tuple[bytes, bytes]:
        text = inner(text) if inner else text
        state = start.copy()
        state.update(text)
        if ends_with_nul and text and text[-1]:
            state.update(b"\0")
        return state.digest(), text

    return shuffled


def _folding(flags: str) -> Callable[[bytes], bytes] | None:
    ignored = _NO_DICTIONARY if "d" in flags else _NO_PRINTING if "i" in flags else b""
    if "f" in flags:
        return lambda text: text.translate(None, ignored).upper()
    if ignored:
        return lambda text: text.translate(None, ignored)
    return None


def numeric(text: bytes) -> Any:
    """-n: a decimal number of any length; other text counts as 0."""
    match = _NUMBER.match(text)
    if match is None:
        return 0
    sign, whole, fraction = match.groups()
    if not fraction and len(whole) < _MAX_INT_DIGITS:
        return int(sign + whole) if whole else 0
    from decimal import Decimal

    return Decimal(f"{sign.decode()}{whole.decode() or '0'}.{(fraction or b'0').decode()}")


def keys_of(function: KeyFunction, lines: list[bytes]) -> list[Any]:
    """Return the key of each line; lines that begin with an integer need one expression for all with -n."""
    if function is numeric:
        block = b"\n".join(lines) + b"\n"
        found = _INTEGERS.findall(block)
        if len(found) == len(lines) == block.count(b"\n"):  # with -z, lines may contain newlines
            return list(map(int, found))
    return list(map(function, lines))


def human(text: bytes) -> Any:
    """-h: first the unit, then the number."""
    value = numeric(text)
    match = _NUMBER.match(text)
    unit = text[match.end() : match.end() + 1] if match else b""
    order = max(_UNITS.find(b"K" if unit == b"k" else unit or b" "), 0)
    if not value:
        order = 0
    return (-order if value < 0 else order, value)


def general(text: bytes) -> Any:
    """-g: text that is not a number first, then NaN, then numbers."""
    match = _GENERAL.match(text.lstrip(b" \t\n\v\f\r"))  # an expression with blanks would try each of them
    if not match:
        return (0, 0.0)
    number = match[1].decode()
    if "nan" in number.lower():
        return (1, 0.0)
    if "x" in number.lower():
        return (2, float.fromhex(number) if len(number) < 300 else 0.0)
    return (2, float(number))


def month(text: bytes) -> int:
    """-M: unknown names first."""
    name = text.lstrip(b" \t\n\v\f\r")[:3].upper()
    return _MONTHS.index(name) + 1 if name in _MONTHS else 0


def version(text: bytes) -> Any:
    """-V: digits compare as numbers, "~" sorts before everything, suffixes of files last."""
    rank = 0 if not text else 1 if text == b"." else 2 if text == b".." else 3 if text[:1] == b"." else 4
    if rank < 3:
        return (rank,)
    return (rank, _version_parts(text[: _suffix_start(text)]), _version_parts(text))


def _suffix_start(text: bytes) -> int:
    """Return the offset of the suffixes at the end of a name: each a dot, a letter or "~", and letters or digits."""
    tail = len(text.rstrip(_IN_SUFFIX))
    reverse = text[
        : tail - 1 if tail else None : -1
    ]  # an expression for the suffixes is quadratic from the start
    broken = _NO_SUFFIX.search(reverse)
    start = text.find(b".", tail if broken is None else len(text) - broken.end() + 1)
    return len(text) if start < 0 else start


def _version_parts(text: bytes) -> bytes:
    """Return bytes that compare as runs of other characters and of digits do, a number after its length."""
    key: list[bytes] = []
    parts: list[bytes] = []
    for count, match in enumerate(_PARTS.finditer(text)):
        if not count & _LOOK:
            check_clock()
            key.append(b"".join(parts))
            parts.clear()
        letters, digits = match.groups()
        significant = digits.lstrip(b"0")
        parts += (letters.translate(_VERSION_ORDER), _END_OF_PART, len(significant).to_bytes(4), significant)
    return b"".join(key) + b"".join(parts)


def _version_order() -> bytes:
    """Return the rank of each byte: "~", the end of a part, letters, all others."""
    letters = [byte for byte in range(128) if chr(byte).isalpha()]
    others = [
        byte for byte in range(256) if byte not in letters and byte != 0x7E and not 0x30 <= byte <= 0x39
    ]
    ranks = bytearray(256)
    for rank, byte in enumerate([0x7E, -1, *letters, *others]):
        if byte >= 0:
            ranks[byte] = rank
    return bytes(ranks)


_VERSION_ORDER, _END_OF_PART = _version_order(), b"\x01"


_CONVERSIONS: dict[str, KeyFunction] = {
    "n": numeric,
    "g": general,
    "h": human,
    "M": month,
}
