"""Prints the change of a binary file as "git apply" reads it (--binary).

Source: git 2.39, emit_binary_diff_body in diff.c; git-diff(1), "--binary".
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from sandhook.utilities.git.diff.xdiff import Charge

_ALPHABET = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_LINE = 52  #: bytes of compressed data for each line
_LEVEL = 1  #: of compression, git's default here


def binary_patch(old: bytes, new: bytes, charge: Charge) -> Iterator[bytes]:
    """Yield both directions of a change, each with the whole contents: git prints a delta where that is smaller."""
    yield b"GIT binary patch\n"
    for data in (new, old):
        charge(1 + (len(data) >> 6))
        yield b"literal %d\n" % len(data)
        packed = zlib.compress(data, _LEVEL)
        for at in range(0, len(packed), _LINE):
            yield _line(packed[at : at + _LINE])
        yield b"\n"


def _line(data: bytes) -> bytes:
    """Return a line: its length as a letter, and groups of four bytes as five digits of base 85."""
    size = len(data)
    mark = size - 1 + ord("A") if size <= 26 else size - 27 + ord("a")
    digits = bytearray((mark,))
    for at in range(0, size, 4):
        value = int.from_bytes(data[at : at + 4].ljust(4, b"\0"), "big")
        group = bytearray()
        for _ in range(5):
            value, digit = divmod(value, 85)
            group.append(_ALPHABET[digit])
        digits += group[::-1]
    return bytes(digits) + b"\n"


_DIGITS = {letter: value for value, letter in enumerate(_ALPHABET)}


def decoded_line(line: bytes) -> bytes | None:
    """Return the data of a line that ``_line`` made; None for a damaged one."""
    mark = line[:1]
    if b"A" <= mark <= b"Z":
        size = mark[0] - ord("A") + 1
    elif b"a" <= mark <= b"z":
        size = mark[0] - ord("a") + 27
    else:
        return None
    text = line[1:]
    if len(text) != -(-size // 4) * 5:
        return None
    pieces = []
    for at in range(0, len(text), 5):
        value = 0
        for letter in text[at : at + 5]:
            digit = _DIGITS.get(letter)
            if digit is None:
                return None
            value = value * 85 + digit
        if value >= 1 << 32:
            return None
        pieces.append(value.to_bytes(4, "big"))
    return b"".join(pieces)[:size]
