"""Sizes and ages of files as ls, du, df, stat, find and tree print them."""

from __future__ import annotations

import stat as bits

from sandhook.command.context import Failure
from sandhook.command.counts import parse_count
from sandhook.command.options import UsageError
from sandhook.text.quoting import quote_always
from sandhook.vfs.base import Stat

#: Half of an average year, in seconds; older times are printed with their year.
HALF_YEAR = 31_556_952 // 2


def blocks_of(info: Stat) -> int:
    """Return the size of a file in KiB, rounded up to pages of 4 KiB; links and devices have none."""
    if bits.S_ISDIR(info.mode):
        return 4
    return (info.size + 4095) // 4096 * 4 if bits.S_ISREG(info.mode) else 0


def human_size(size: int, style: str) -> str:
    """Return a size, rounded up.

    Args:
        size: The size in bytes.
        style: "si" for powers of 1000 with one decimal below ten, as -h prints them; ``1024:K`` for a unit of
            --block-size and its suffix; anything else for powers of 1024.
    """
    scale, colon, suffix = style.partition(":")
    if colon:
        return f"{-(-size // int(scale))}{suffix}"
    base = 1000 if style == "si" else 1024
    if size < base:
        return str(size)
    unit = -1
    power = 1
    while size >= power * base and unit < 7:
        power *= base
        unit += 1
    tenths = -(-size * 10 // power)
    if tenths >= 100:
        whole = -(-size // power)
        if whole >= base and unit < 7:
            return f"1.0{_letters(style)[unit + 1]}"
        return f"{whole}{_letters(style)[unit]}"
    return f"{tenths // 10}.{tenths % 10}{_letters(style)[unit]}"


def _letters(style: str) -> str:
    return "kMGTPEZY" if style == "si" else "KMGTPEZY"


def read_block_size(text: str, flag: str = "--block-size") -> tuple[int, str]:
    """Parse the SIZE of -B: a number, or a suffix that is also printed. Raises UsageError."""
    if text in ("human-readable", "si"):
        return 0, "human" if text == "human-readable" else "si"
    suffix = text.lstrip("0123456789")
    try:
        size = parse_count(text if text[:1].isdigit() else f"1{text}", "block size")
    except Failure:
        raise UsageError(f"invalid {flag} argument {quote_always(text)}", hint=False) from None
    if not size:
        raise UsageError(f"invalid {flag} argument {quote_always(text)}", hint=False)
    return size, "" if text[:1].isdigit() else "kB" if suffix == "KB" else suffix
