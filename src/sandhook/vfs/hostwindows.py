"""Functions for directories of a Windows host: open files that can be removed, long paths, links.

On other systems the functions do the usual work, so that the code for Windows is tested there too.

Source: Microsoft, "CreateFileW function", "Maximum Path Length Limitation" and "Reparse Point Tags".
"""

# pathlib has no descriptors and rewrites paths.
# ruff: noqa: PTH101, PTH117, PTH118
from __future__ import annotations

import os
import stat
import sys

_GENERIC_READ = 0x80000000
_GENERIC_WRITE = 0x40000000
_SHARE_READ = 0x1  #: others may only read
_SHARE_ALL = 0x1 | 0x2 | 0x4  #: others may read, write, rename and delete
_CREATE_NEW = 1
_CREATE_ALWAYS = 2
_OPEN_EXISTING = 3
_OPEN_ALWAYS = 4
_TRUNCATE_EXISTING = 5
_NORMAL = 0x80
_OPEN_REPARSE_POINT = 0x00200000  #: opens a link itself, not its target

READ_ONLY = 1  #: the attribute
_REPARSE = 0x400
_NAME_SURROGATE = 0x20000000

_SHARING_VIOLATION = frozenset({32, 33})


def open_shared(path: str, flags: int, *, follow: bool = False) -> int:
    """Open a file as ``os.open`` does, but so that it can be renamed and removed meanwhile.

    With ``os.open``, Windows allows neither, not even to the script itself.

    Args:
        path: A whole path.
        flags: Flags of ``os.open``: the access mode, O_CREAT, O_EXCL, O_TRUNC.
        follow: Whether a link is followed; else it is opened itself, and cannot be read.
    """
    if sys.platform != "win32":
        extra_flags = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
        return os.open(path, flags | extra_flags | (0 if follow else getattr(os, "O_NOFOLLOW", 0)), 0o600)
    import _winapi
    import msvcrt

    access = 0 if flags & os.O_WRONLY else _GENERIC_READ
    if flags & (os.O_WRONLY | os.O_RDWR):
        access |= _GENERIC_WRITE
    attributes = _NORMAL if follow else _NORMAL | _OPEN_REPARSE_POINT
    handle = _winapi.CreateFile(path, access, _SHARE_ALL, 0, _disposition(flags), attributes, 0)
    try:
        return msvcrt.open_osfhandle(handle, flags | os.O_BINARY | os.O_NOINHERIT)
    except BaseException:
        _winapi.CloseHandle(handle)
        raise


def open_unshared(path: str) -> int:
    """Open a file for reading; on Windows nobody writes, renames or removes it until it is closed.

    A FIFO does not block.
    """
    if sys.platform != "win32":
        return os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0))
    import _winapi
    import msvcrt

    handle = _winapi.CreateFile(path, _GENERIC_READ, _SHARE_READ, 0, _OPEN_EXISTING, _NORMAL, 0)
    try:
        return msvcrt.open_osfhandle(handle, os.O_RDONLY | os.O_BINARY | os.O_NOINHERIT)
    except BaseException:
        _winapi.CloseHandle(handle)
        raise


def _disposition(flags: int) -> int:
    if flags & os.O_CREAT:
        return _CREATE_NEW if flags & os.O_EXCL else _CREATE_ALWAYS if flags & os.O_TRUNC else _OPEN_ALWAYS
    return _TRUNCATE_EXISTING if flags & os.O_TRUNC else _OPEN_EXISTING


def unlock(path: str) -> os.stat_result:
    """Clear the read-only attribute of a file, so that Windows can remove it; return its former status."""
    info = os.lstat(path)
    if getattr(info, "st_file_attributes", 0) & READ_ONLY:
        os.chmod(path, stat.S_IWRITE | stat.S_IREAD)
    return info


def leads_away(info: os.stat_result) -> bool:
    """Return True for links and junctions, which Windows follows; not for files in a cloud."""
    tag = getattr(info, "st_reparse_tag", _NAME_SURROGATE)
    return bool(getattr(info, "st_file_attributes", 0) & _REPARSE and tag & _NAME_SURROGATE)


def is_busy(error: OSError) -> bool:
    """Return True if a program holds the file open without sharing it."""
    return getattr(error, "winerror", None) in _SHARING_VIOLATION


def extended(path: str) -> str:
    r"""Return an absolute path in the form that may be longer than 260 characters: ``\\?\C:\work``."""
    if sys.platform != "win32" or path.startswith("\\\\?\\"):
        return path
    return f"\\\\?\\UNC\\{path[2:]}" if path.startswith("\\\\") else f"\\\\?\\{path}"


def plain(path: str) -> str:
    """Return an extended path in the usual form."""
    if path.startswith("\\\\?\\UNC\\"):
        return "\\\\" + path[8:]
    return path[4:] if path.startswith("\\\\?\\") else path


def link_target(target: str, root: str) -> str:
    """Return the target of a Windows link, as a path below the directory ``root``.

    A target outside keeps its drive as a name that no file has: "/C:/other".
    """
    target, root = plain(target), plain(root)
    if not os.path.isabs(target) and target[1:2] != ":":
        return target.replace("\\", "/")
    folded = os.path.normcase(target)
    prefix = os.path.normcase(root).rstrip("\\") + "\\"
    if f"{folded}\\".startswith(prefix):
        return "/" + target[len(prefix) :].replace("\\", "/")
    return "/" + target.replace("\\", "/").lstrip("/")


def deleted_name(path: str, number: int) -> str:
    """Return a name in the same directory for a deleted file that is still open."""
    directory, name = os.path.split(path)
    return os.path.join(directory, f".{name[:200]}.{number}.deleted")
