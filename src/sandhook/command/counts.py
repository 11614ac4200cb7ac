"""Numbers of lines and bytes on command lines, with GNU's multipliers.

Source: GNU coreutils 9.1, "Block size" and xstrtoumax.
"""

from __future__ import annotations

import re

from sandhook.command.context import Context, Failure

_COUNT = re.compile(r"[ \t\n\v\f\r]*\+?([0-9]+)(b|[kKMGTPEZY](?:i?B)?|[m](?:i?B)?)?", re.ASCII)
_POWERS = "KMGTPEZY"
_MOST = 2**64 - 1


def parse_count(text: str, what: str, *, suffixes: bool = True) -> int:
    """Return a count of 64 bits: "10", "2b", "1K", "1kB", "1MiB".

    Args:
        what: For the message: "number of lines".

    Raises:
        Failure: Not a number, or too large.
    """
    match = _COUNT.fullmatch(text)
    if match is None or (match[2] and not suffixes):
        raise Failure(f"invalid {what}: '{text}'")
    digits, suffix = match[1].lstrip("0") or "0", match[2] or ""
    value = int(digits) if len(digits) <= 20 else _MOST + 1
    value *= multiplier(suffix)
    if value > _MOST:
        raise Failure(f"invalid {what}: '{text}': Value too large for defined data type")
    return value


def multiplier(suffix: str) -> int:
    """Return the factor of a suffix; 1 for ""."""
    if not suffix:
        return 1
    if suffix == "b":
        return 512
    power = _POWERS.index(suffix[0].upper()) + 1
    return int((1000 if suffix[1:] == "B" else 1024) ** power)


class Headers:
    """The lines ``==> name <==`` of head and tail."""

    def __init__(self, ctx: Context, shown: bool) -> None:
        self._ctx = ctx
        self.shown = shown
        self._first = True

    def write(self, name: str) -> None:
        """Write the header of a file, after an empty line unless it is the first."""
        if self.shown:
            title = "standard input" if name == "-" else name
            self._ctx.write_line(f"{'' if self._first else chr(10)}==> {title} <==")
            self._first = False


_HUGE = 1 << 63


def bounded_number(text: str, what: str, maximum: int = _HUGE - 1) -> int:
    """Parse an unsigned decimal number, clamped to ``maximum``. Raises Failure ``what 'text'``."""
    if not (text.isascii() and text.isdigit()):
        raise Failure(f"{what} '{text}'")
    digits = text.lstrip("0")
    return maximum if len(digits) > 19 else min(int(digits or "0"), maximum)


_NUMBER = re.compile(r"\+?(0[xX][0-9a-fA-F]+|[0-9]+)(b|[kKMGTPEZY](?:i?B)?|m)?", re.ASCII)


def read_count(option: str, text: str) -> int:
    """Parse a number of bytes: decimal, octal with 0, hexadecimal with 0x, and a multiplier. Raises Failure."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        if re.match(r"\+?[0-9]", text):
            raise Failure(f"invalid suffix in {option} argument '{text}'")
        raise Failure(f"invalid {option} argument '{text}'")
    digits = match[1]
    if len(digits) > 40:
        raise Failure(f"{option} argument '{text}' too large")
    base = 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10
    try:
        value = int(digits, base) * multiplier(match[2] or "")
    except ValueError:
        raise Failure(f"invalid suffix in {option} argument '{text}'") from None
    if value >= 1 << 63:
        raise Failure(f"{option} argument '{text}' too large")
    return value
