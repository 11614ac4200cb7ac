"""Replaces a file that somebody edited in the page."""

# ruff: noqa: PTH101, PTH105, PTH108, PTH123, PTH116 (pathlib costs 10 ms)

from __future__ import annotations

import os
import stat
from contextlib import suppress

from sandhook.studio.bench import StudioError


def replace(path: str, data: bytes) -> None:
    """Write a new file next to the old one, if there is one, and rename it; permissions and links to the file stay.

    Raises:
        StudioError: It is not a regular file, or cannot be written.
    """
    target = os.path.realpath(path)
    fresh = f"{target}.{os.getpid()}.new"
    try:
        mode = _mode_of(target)
        if not stat.S_ISREG(mode):
            raise StudioError(f"{path}: not a regular file")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, stat.S_IMODE(mode))
        with open(descriptor, "wb") as file:
            file.write(data)
        os.chmod(fresh, stat.S_IMODE(mode))
        os.replace(fresh, target)
    except OSError as error:
        with suppress(OSError):
            os.unlink(fresh)
        raise StudioError(f"{path}: cannot be written: {error.strerror}") from None


def _mode_of(path: str) -> int:
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return stat.S_IFREG | 0o644
