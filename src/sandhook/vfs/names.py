"""Bounds of names and paths, and the order of names."""

from __future__ import annotations

import errno
from collections.abc import Iterable

from sandhook.vfs.errors import fs_error

#: The maximum length of a name and of a path, in bytes (Linux: NAME_MAX, PATH_MAX).
MAX_NAME = 255
MAX_PATH = 4096

#: Symbolic links that one walk may follow (Linux: MAXSYMLINKS).
MAX_LINKS = 40

#: The deepest nesting of directories; a path of MAX_PATH bytes cannot be deeper.
MAX_DEPTH = 2048

#: Last components of a path that are not names of directory entries.
DOTS = ("", ".", "..")

#: A path of fewer characters is not measured: a character has at most four bytes.
SHORT_PATH = MAX_PATH // 4


def check_path(path: str) -> None:
    """Raise for a path of over 4,095 bytes (its terminating NUL counts on Linux), or an empty one."""
    if len(path) >= SHORT_PATH and len(path.encode("utf-8", "surrogateescape")) >= MAX_PATH:
        raise fs_error(errno.ENAMETOOLONG, path)
    if not path:
        raise fs_error(errno.ENOENT, path)


def is_plain(name: str) -> bool:
    """Return True if a name is not special, not too long in any encoding, and of characters that are bytes."""
    return name not in DOTS and len(name) < 64 and name.isprintable()


def check_name(name: str, path: str) -> None:
    """Raise for a name of over 255 bytes, with a NUL, or with characters that are not bytes."""
    try:
        size = len(name.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        raise fs_error(errno.EINVAL, path) from None
    if size > MAX_NAME:
        raise fs_error(errno.ENAMETOOLONG, path)
    if "\0" in name:
        raise fs_error(errno.EINVAL, path)


def check_target(target: str, path: str) -> None:
    """Raise for a target of a symbolic link that is empty, too long, or holds a NUL or characters that are not bytes."""
    if not target:
        raise fs_error(errno.ENOENT, path)
    try:
        check_path(target)
        encoded = target.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise fs_error(errno.EINVAL, path) from None
    if b"\0" in encoded:
        raise fs_error(errno.EINVAL, path)


def check_relative(path: str, key: str) -> list[str]:
    """Return the components of an absolute path of the host; ValueError names ``key``."""
    parts = path[1:].split("/")
    for part in parts:
        if not key or part in ("", ".", ".."):
            raise ValueError(f"file name {key!r}: empty, '.' and '..' components are refused")
        if "\0" in part:
            raise ValueError(f"file name {key!r}: NUL is refused")
        if len(part.encode("utf-8", "surrogateescape")) > MAX_NAME:
            raise ValueError(f"file name {key!r}: a component is over {MAX_NAME} bytes")
    return parts


def byte_order(names: Iterable[str]) -> list[str]:
    """Return the names in byte order, as a directory is listed in the C locale."""
    ordered = sorted(names)
    if all(map(str.isascii, ordered)):
        return ordered
    return sorted(ordered, key=lambda name: name.encode("utf-8", "surrogateescape"))
