"""Numbers of lines and bytes on command lines, with GNU's multipliers.

Source: GNU coreutils 9.1, "Block size" and xstrtoumax.
"""

from __future__ import annotations

import re

from sandhook.utilities._base import Context, Failure

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
    found = _COUNT.fullmatch(text)
    if found is None or (found[2] and not suffixes):
        raise Failure(f"invalid {what}: '{text}'")
    digits, suffix = found[1].lstrip("0") or "0", found[2] or ""
    value = int(digits) if len(digits) <= 20 else _MOST + 1
    value *= multiplier(suffix)
    if value > _MOST:
        raise Failure(f"invalid {what}: '{text}': Value too large for defined data type")
    return value


def multiplier(suffix: str) -> int:
    """Return what a suffix stands for; 1 for none."""
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
        """Announce a file, after an empty line unless it is the first."""
        if self.shown:
            title = "standard input" if name == "-" else name
            self._ctx.write_line(f"{'' if self._first else chr(10)}==> {title} <==")
            self._first = False
