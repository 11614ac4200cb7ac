"""Converts signal numbers between the shell, which uses those of Linux on x86, and the system (POSIX)."""

from __future__ import annotations

import errno
import os
import signal
from functools import cache

from sandhook.kernel.signals import NAMES


def to_native(number: int) -> int:
    """Return the system's number for a signal number of the shell.

    Raises:
        OSError: EINVAL for a signal that the system does not have.
    """
    native = 0 if number == 0 else _natives().get(number)
    if native is None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    return native


def from_native(number: int) -> int:
    """Return the shell's number for a signal number of the system, or the same number if the shell has none."""
    return _shells().get(number, number)


@cache
def _natives() -> dict[int, int]:
    """Return a map from the shell's numbers to the system's, matched by the names of the signals."""
    natives: dict[int, int] = {}
    for number, name in NAMES.items():
        base, sign, offset = name.partition("+") if "+" in name else name.partition("-")
        native = getattr(signal, f"SIG{base}", None)
        if native is not None:
            natives[number] = int(native) + int(f"{sign}{offset}" if sign else 0)
    return natives


@cache
def _shells() -> dict[int, int]:
    return {native: number for number, native in _natives().items()}
