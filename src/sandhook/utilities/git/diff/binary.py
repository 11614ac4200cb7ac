"""Prints the change of a binary file as "git apply" reads it (--binary).

Source: git 2.39, emit_binary_diff_body in diff.c; git-diff(1), "--binary".
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from sandhook.utilities.git.diff.xdiff import Charge
from sandhook.utilities.git.errors import GitError

_ALPHABET = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_LINE = 52  #: bytes of compressed data for each line
_LEVEL = 1  #: of compression, git's default here
_LEAST_DELTA = 16  #: bytes of an older file that a delta can copy from


def binary_patch(path: str, old: bytes, new: bytes, charge: Charge) -> Iterator[bytes]:
    """Yield both directions of a change.

    Raises:
        GitError: git might print a delta, which depends on its search for equal blocks.
    """
    if min(len(old), len(new)) >= _LEAST_DELTA:
        raise GitError(
            f"a binary patch (--binary) of {path}, which is binary before and after the change, is not offered in the sandbox (L-GIT-003)",
            status=129,
        )
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
