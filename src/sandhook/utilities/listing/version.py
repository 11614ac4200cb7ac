"""The order of version numbers in names: ls -v and sort -V.

Source: GNU coreutils 9.1 manual, "Version sort ordering".
"""

from __future__ import annotations

import re

_SUFFIX = re.compile(r"(?:\.[A-Za-z~][A-Za-z0-9~]*)*\Z", re.ASCII)
_PIECES = re.compile(r"(\D*)(\d*)", re.ASCII | re.DOTALL)

VersionKey = tuple[int, tuple[tuple[tuple[int, ...], int], ...], tuple[tuple[tuple[int, ...], int], ...]]


def version_key(name: str) -> VersionKey:
    """Return a key that orders names as GNU's filevercmp does.

    The empty name comes first, then "." and "..", then hidden names; a suffix like ".tar.gz" counts only
    between names that are equal without it. Digits compare as numbers, letters before other characters,
    "~" before everything, even the end.
    """
    if name in ("", ".", ".."):
        return ("", ".", "..").index(name), (), ()
    rank = 4
    visible = name
    if name[0] == ".":
        rank, visible = 3, name[1:]
    end = _SUFFIX.search(visible, 1)
    stem = visible[: end.start()] if end else visible
    return rank, _pieces(stem), _pieces(visible)


def _pieces(text: str) -> tuple[tuple[tuple[int, ...], int], ...]:
    pieces = []
    for letters, digits in _PIECES.findall(text):
        if letters or digits:
            pieces.append(((*map(_order, letters), 0), _number(digits)))
    if not pieces or text[-1].isdigit():
        pieces.append(((0,), 0))
    return tuple(pieces)


def _number(digits: str) -> int:
    """Return digits as a number; over 4,000 digits count by their length, because int() rejects more than 4,300."""
    digits = digits.lstrip("0")
    return int(digits[:4000] or "0") if len(digits) < 4001 else 10**4000 * (len(digits) - 3999)


def _order(letter: str) -> int:
    if letter == "~":
        return -1
    return ord(letter) if letter.isalpha() and letter.isascii() else ord(letter) + 0x110000
