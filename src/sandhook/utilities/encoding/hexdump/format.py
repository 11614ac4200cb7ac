"""The formats of hexdump -e: ``[COUNT]/[BYTES] "TEXT"``, with conversions like printf's.

Source: hexdump(1) of util-linux 2.38, "Formats" and "Conversion strings".
"""

from __future__ import annotations

import re
import struct

from sandhook.command.context import Failure
from sandhook.utilities.encoding.od_types import NAMES

_ITEM = re.compile(r'\s*+(?:(\d++)?\s*+(/)\s*+(\d++)?|(\d++))?\s*+"((?>[^"\\]|\\.)*+)"', re.ASCII | re.DOTALL)
_CONVERSION = re.compile(r"%([-+ #0]*+)(\d*+)(?:\.(\d*+))?(_[aA][dox]|_[cpu]|[diouxXeEfgGcs]|%)", re.ASCII)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_CHARACTER_ESCAPES = {0: "\\0", 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}
_NAMES = ["lf" if name == "nl" else name for name in NAMES[:32]]
_MAX_NUMBER = 4096  #: width, precision and count


class Conversion:
    """One conversion of a format, with the literal text after it."""

    __slots__ = ("flags", "kind", "precision", "size", "suffix", "width")

    def __init__(self, flags: str, width: int, precision: int | None, kind: str, size: int) -> None:
        self.flags = flags
        self.width = width
        self.precision = precision
        self.kind = kind
        self.size = size
        self.suffix = ""

    def text(self, data: bytes, address: int) -> str:
        """Format the bytes of one unit."""
        kind = self.kind
        if kind[:2] in ("_a", "_A"):
            return self._number(kind[2], address)
        if kind in ("_c", "_p", "_u", "c", "s"):
            return self._pad(self._characters(data))
        if kind in "eEfgG":
            value = struct.unpack("<f" if self.size == 4 else "<d", data)[0]
            precision = 6 if self.precision is None else self.precision
            return str(f"%{self.flags}{self.width or ''}.{precision}{kind}" % value)
        value = int.from_bytes(data, "little", signed=kind in "di")
        return self._number("d" if kind in "diu" else kind, value)

    def _characters(self, data: bytes) -> str:
        if self.kind == "s":
            text = data.split(b"\0")[0].decode("latin-1")
            return text if self.precision is None else text[: self.precision]
        byte = data[0]
        if 32 <= byte < 127:
            return chr(byte)
        if self.kind == "_p":
            return "."
        if self.kind == "_c":
            return _CHARACTER_ESCAPES.get(byte) or f"{byte:03o}"
        if self.kind == "_u":
            return _NAMES[byte] if byte < 32 else "del" if byte == 127 else f"{byte:02x}"
        return chr(byte) if byte < 128 else bytes([byte]).decode("utf-8", "surrogateescape")

    def _number(self, letter: str, value: int) -> str:
        precision = "" if self.precision is None else f".{self.precision}"
        return f"%{self.flags}{self.width or ''}{precision}{letter}" % value

    def _pad(self, text: str) -> str:
        return text.ljust(self.width) if "-" in self.flags else text.rjust(self.width)

    def blank(self) -> str:
        """Return the blanks for a unit beyond the end of the input."""
        return " " * self.width


class Pattern:
    """One ``COUNT/BYTES "TEXT"``.

    Attributes:
        count: The number of repetitions.
        has_count: Whether the format contains the count.
        unit: Bytes of one repetition.
    """

    __slots__ = ("conversions", "count", "has_count", "prefix", "unit")

    def __init__(self, count: int, has_count: bool, prefix: str, conversions: list[Conversion]) -> None:
        self.count = count
        self.has_count = has_count
        self.prefix = prefix
        self.conversions = conversions
        self.unit = sum(each.size for each in conversions)

    @property
    def size(self) -> int:
        return self.count * self.unit

    @property
    def is_final(self) -> bool:
        """Whether it applies only at the end of the input: ``%_Ax``."""
        return any(each.kind[:2] == "_A" for each in self.conversions)

    def write(self, block: bytes, at: int, address: int) -> tuple[str, int]:
        """Format a block from ``at`` on; return the text, and the offset for the next pattern."""
        pieces = []
        for turn in range(self.count):
            last = turn == self.count - 1 and self.count > 1
            pieces.append(self.prefix)
            for index, each in enumerate(self.conversions):
                if each.size and at >= len(block):
                    pieces.append(each.blank())
                elif not each.size:
                    pieces.append(each.text(b"", address + at))
                else:
                    data = block[at : at + each.size]
                    pieces.append(each.text(data + bytes(each.size - len(data)), address))
                at += each.size
                trailing = last and index == len(self.conversions) - 1
                pieces.append(each.suffix.rstrip() if trailing else each.suffix)
        return "".join(pieces), at


def parse_patterns(text: str) -> list[Pattern]:
    """Parse one format. Raises Failure."""
    patterns = []
    at = 0
    while text[at:].strip():
        item = _ITEM.match(text, at)
        if item is None:
            raise Failure(f"bad format {{{text[at:].strip()}}}")
        at = item.end()
        count_text = item[1] or item[4]
        count = _bounded_number(count_text, text) if count_text else 1
        size = _bounded_number(item[3], text) if item[3] else None
        patterns.append(_pattern(item[5], count, count_text is not None, size))
    return patterns


def _bounded_number(digits: str, text: str) -> int:
    if len(digits) > 6 or int(digits) > _MAX_NUMBER:
        raise Failure(f"bad format {{{text}}}")
    return int(digits)


def _pattern(text: str, count: int, has_count: bool, size: int | None) -> Pattern:
    text = _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[1]), text)
    prefix = ""
    conversions: list[Conversion] = []
    at = 0
    while at < len(text):
        percent = text.find("%", at)
        literal = text[at : percent if percent >= 0 else len(text)]
        at += len(literal)
        if percent >= 0:
            match = _CONVERSION.match(text, at)
            if match is None:
                raise Failure(f"bad conversion character {text[at : at + 2]}")
            at = match.end()
            if match[4] == "%":
                literal += "%"
        if conversions:
            conversions[-1].suffix += literal
        else:
            prefix += literal
        if percent >= 0 and match and match[4] != "%":
            conversions.append(_conversion(match, size))
    return Pattern(count, has_count, prefix, conversions)


def _conversion(match: re.Match[str], size: int | None) -> Conversion:
    flags, width, precision, kind = match.groups()
    if len(width) > 4 or len(precision or "") > 4:
        raise Failure(f"bad conversion character {match[0]}")
    limit = int(precision or "0") if precision is not None else None
    allowed: tuple[int, ...]
    if kind[:2] in ("_a", "_A"):
        size, allowed = 0, (0,)
    elif kind in ("_c", "_p", "_u", "c"):
        size, allowed = 1 if size is None else size, (1,)
    elif kind == "s":
        if size is None and limit is None:
            raise Failure("%s requires a precision or a byte count")
        size = size if size is not None else limit
        allowed = (size or 0,)
    elif kind in "eEfgG":
        size, allowed = 8 if size is None else size, (4, 8)
    else:
        size, allowed = 4 if size is None else size, (1, 2, 4, 8)
    if size not in allowed:
        raise Failure(f"bad byte count for conversion character {kind}")
    return Conversion(flags, int(width or "0"), limit, kind, size or 0)
