"""Reads and replaces files of the machine: a reader sees the old bytes or the new ones, also after a kill.

The new bytes are written to a file in the same directory, synchronised, and renamed. One process at a time changes
files: it holds a lock that the system releases when the process ends.
"""

# pathlib costs the command line 10 ms.
# ruff: noqa: PTH103, PTH105, PTH106, PTH108, PTH112, PTH116, PTH118, PTH120, PTH123, PTH208

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sandhook.installation.errors import InstallationError

#: The most bytes of a file.
MAX_BYTES = 4 << 20

#: Seconds for which a process waits for another one that changes files.
WAIT_SECONDS = 30.0
_POLL_SECONDS = 0.02

_NEW = "sandhook-new"

#: How long a program on Windows may keep a configuration open that is to be replaced, in seconds.
_PATIENCE = 2.0
_BINARY: int = getattr(os, "O_BINARY", 0)
_NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)


def read(file: str) -> bytes | None:
    """Return the bytes of a file, None if there is no such file.

    Raises:
        InstallationError: It cannot be read, is not a regular file, or has more than MAX_BYTES bytes.
    """
    try:
        descriptor = os.open(file, os.O_RDONLY | _BINARY | _NONBLOCK)  # a FIFO must not block
        with open(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise InstallationError(file, "is not a regular file")
            data = stream.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InstallationError(file, f"cannot be read: {error.strerror}") from None
    if len(data) > MAX_BYTES:
        raise InstallationError(file, f"longer than {MAX_BYTES} bytes")
    return data


def missing_directories(file: str) -> list[str]:
    """Return the directories above a file that do not exist, the topmost first."""
    missing: list[str] = []
    directory = os.path.dirname(file)
    while directory and not os.path.isdir(directory):
        missing.insert(0, directory)
        above = os.path.dirname(directory)
        if above == directory:
            break
        directory = above
    return missing


def check_writable(file: str) -> None:
    """Raise InstallationError when a file, or the directory for its replacement, is read-only.

    A rename would replace a read-only file, and the superuser may write anywhere: neither is what the owner wants.
    """
    above = os.path.dirname(file)
    while above and not os.path.isdir(above):
        above = os.path.dirname(above)
    for name in (file, above or "."):
        try:
            mode = os.stat(name).st_mode
        except OSError:
            continue
        if not mode & 0o222 or not os.access(name, os.W_OK):
            what = "the file" if name == file else f"the directory {name}"
            raise InstallationError(file, f"cannot be written: {what} is read-only; nothing is changed")


def replace(file: str, data: bytes, *, mode: int | None = None) -> None:
    """Write a file in one step; it keeps its mode and, where the system allows it, its owner.

    Args:
        mode: Permissions of the file when it is new; the umask decides for None.

    Raises:
        InstallationError: It cannot be written.
    """
    fresh = _fresh_name(file)
    try:
        os.makedirs(os.path.dirname(file) or ".", mode=0o777 if mode is None else 0o700, exist_ok=True)
        remove_leftover(file)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _BINARY
        descriptor = os.open(fresh, flags, 0o666 if mode is None else mode)
        try:
            with open(descriptor, "wb") as stream:
                _keep_owner_and_mode(file, fresh)
                stream.write(data)
                stream.flush()
                os.fsync(descriptor)
            _rename(fresh, file)
        except BaseException:
            with suppress(OSError):
                os.unlink(fresh)
            raise
        _synchronise_directory(file)
    except OSError as error:
        raise InstallationError(file, f"cannot be written: {error.strerror}; nothing is changed") from None


def _rename(fresh: str, file: str) -> None:
    """Give a new file the name of another. On Windows, wait for a program that reads that one at the moment."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            os.replace(fresh, file)
        except PermissionError:
            if sys.platform != "win32" or time.monotonic() >= end:
                raise
            time.sleep(0.01)
        else:
            return


def remove(file: str, directories: list[str]) -> None:
    """Remove a file, and those of the directories that are empty then, the last one first.

    Raises:
        InstallationError: The file cannot be removed.
    """
    try:
        os.unlink(file)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise InstallationError(file, f"cannot be removed: {error.strerror}") from None
    remove_empty(directories)


def remove_empty(directories: list[str]) -> None:
    """Remove the directories that are empty, the last one first."""
    for directory in reversed(directories):
        try:
            os.rmdir(directory)
        except OSError:
            return


def remove_leftover(file: str) -> None:
    """Remove what a killed process left next to a file."""
    with suppress(OSError):  # a write that needs the name reports why it cannot have it
        os.unlink(_fresh_name(file))


def is_directory(name: str) -> bool:
    return os.path.isdir(name)


def is_below(file: str, directory: str) -> bool:
    return file.startswith(directory.rstrip(os.sep) + os.sep)


def names_in(directory: str) -> list[str]:
    """Return the names in a directory, [] without it."""
    try:
        return sorted(os.listdir(directory))
    except OSError:
        return []


@contextmanager
def lock(file: str) -> Iterator[None]:
    """Hold a lock until the end of the block; another process waits.

    Raises:
        InstallationError: The lock cannot be created, or another process holds it for WAIT_SECONDS.
    """
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | _NOFOLLOW | _BINARY, 0o600)
    except OSError as error:
        raise InstallationError(file, f"cannot be written: {error.strerror}; nothing is changed") from None
    try:
        deadline = time.monotonic() + WAIT_SECONDS
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                raise InstallationError(file, "another sandhook is changing hooks; nothing is changed")
            time.sleep(_POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)  # this releases the lock, as the end of the process does


def _try_lock(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _fresh_name(file: str) -> str:
    directory, name = os.path.split(file)
    return os.path.join(directory, f".{name}.{_NEW}")  # agents read no hidden files of their directories


def _keep_owner_and_mode(file: str, fresh: str) -> None:
    try:
        known = os.stat(file)
    except FileNotFoundError:
        return
    if sys.platform != "win32":
        with suppress(PermissionError):
            os.chown(fresh, known.st_uid, known.st_gid)
    os.chmod(fresh, stat.S_IMODE(known.st_mode))  # noqa: PTH101


def _synchronise_directory(file: str) -> None:
    """Make a rename last; a system without that has nothing to do."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        descriptor = os.open(os.path.dirname(file) or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
