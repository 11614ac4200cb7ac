"""Sizes and ages of files as ls, du, df, stat, find and tree print them."""

from __future__ import annotations

import stat as bits
from collections.abc import Mapping, Sequence
from typing import Any

from sandhook.command.context import Failure
from sandhook.command.counts import parse_count
from sandhook.command.options import UsageError, also, opt
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


def chosen_block_size(
    option: tuple[int, str] | None, program: str, environment: Mapping[str, str]
) -> tuple[int, str]:
    """Return the unit of the option, or that of the variables for ``program`` and for all; see ``block_size_option``."""
    if option is not None:
        return option
    for name in (f"{program}_BLOCK_SIZE", "BLOCK_SIZE", "BLOCKSIZE"):
        if name in environment:
            try:
                return read_block_size(
                    environment[name].removeprefix("'")
                )  # "'" groups digits in some locales
            except UsageError:
                break
    return (512 if "POSIXLY_CORRECT" in environment else 1024), ""


def block_size_option(*si_flags: str, further: Sequence[Any] = ()) -> Any:
    """Declare -B and the options for fixed units. A value is the unit in bytes, 0 for the human-readable forms, and a suffix.

    Args:
        si_flags: The flags of the option for powers of 1000.
        further: Declarations to append.
    """
    return also(
        opt(
            "-B",
            "SIZE",
            "units of SIZE",
            convert=lambda text: read_block_size(text, "-B"),
            default=None,
        ),
        opt("--block-size", "SIZE", "the same", convert=read_block_size),
        opt("-h", "--human-readable", help="sizes like 1K 234M 2G", const=(0, "human")),
        opt(*si_flags, help="like -h, with powers of 1000", const=(0, "si")),
        opt("-k", help="units of 1 KiB (default)", const=(1024, "")),
        opt("-m", help="units of 1 MiB", const=(1 << 20, "")),
        *further,
    )
