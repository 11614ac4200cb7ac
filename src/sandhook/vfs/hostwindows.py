"""What a directory of a Windows host needs: files that can be removed while they are open, long paths, links.

On other systems the functions do the plain thing, so that the road Windows takes is tested there too.

Source: Microsoft, "CreateFileW function", "Maximum Path Length Limitation" and "Reparse Point Tags".
"""

# pathlib has no descriptors and rewrites paths.
# ruff: noqa: PTH117, PTH118
from __future__ import annotations

import os
import sys

_GENERIC_READ = 0x80000000
_GENERIC_WRITE = 0x40000000
_SHARE_ALL = 0x1 | 0x2 | 0x4  #: others may read, write, rename and delete
_CREATE_NEW = 1
_OPEN_EXISTING = 3
_NORMAL = 0x80
_OPEN_REPARSE_POINT = 0x00200000  #: a link itself, never what it leads to

_REPARSE = 0x400
_NAME_SURROGATE = 0x20000000

_SHARING_VIOLATION = frozenset({32, 33})


def open_shared(path: str, flags: int, *, new: bool = False) -> int:
    """Open a file without following a link, so that its name can be taken from it meanwhile.

    ``os.open`` keeps others, and the script itself, from renaming and removing what is open.

    Args:
        path: A whole path.
        flags: ``os.O_RDONLY`` or ``os.O_RDWR``.
        new: Whether it is made, and must not be there.
    """
    if sys.platform != "win32":
        more = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
        return os.open(path, flags | more | (os.O_CREAT | os.O_EXCL if new else 0), 0o600)
    import _winapi
    import msvcrt

    access = _GENERIC_READ | (_GENERIC_WRITE if flags & os.O_RDWR else 0)
    handle = _winapi.CreateFile(
        path, access, _SHARE_ALL, 0, _CREATE_NEW if new else _OPEN_EXISTING, _NORMAL | _OPEN_REPARSE_POINT, 0
    )
    try:
        return msvcrt.open_osfhandle(handle, flags | os.O_BINARY | os.O_NOINHERIT)
    except BaseException:
        _winapi.CloseHandle(handle)
        raise


def leads_away(info: os.stat_result) -> bool:
    """Tell whether Windows follows this to another place: links and junctions, not files kept in a cloud."""
    tag = getattr(info, "st_reparse_tag", _NAME_SURROGATE)
    return bool(getattr(info, "st_file_attributes", 0) & _REPARSE and tag & _NAME_SURROGATE)


def is_busy(error: OSError) -> bool:
    """Tell whether a program holds the file open and shares it with nobody."""
    return getattr(error, "winerror", None) in _SHARING_VIOLATION


def extended(path: str) -> str:
    r"""Return an absolute path in the form that may be longer than 260 characters: ``\\?\C:\work``."""
    if sys.platform != "win32" or path.startswith("\\\\?\\"):
        return path
    return f"\\\\?\\UNC\\{path[2:]}" if path.startswith("\\\\") else f"\\\\?\\{path}"


def plain(path: str) -> str:
    """Return such a path as people write it."""
    if path.startswith("\\\\?\\UNC\\"):
        return "\\\\" + path[8:]
    return path[4:] if path.startswith("\\\\?\\") else path


def link_target(target: str, root: str) -> str:
    """Return where a link of Windows leads, as a path of the directory ``root``.

    One that leads to another place keeps its drive as a name, which nothing has: "/C:/other".
    """
    target, root = plain(target), plain(root)
    if not os.path.isabs(target) and target[1:2] != ":":
        return target.replace("\\", "/")
    below = os.path.normcase(target)
    above = os.path.normcase(root).rstrip("\\") + "\\"
    if f"{below}\\".startswith(above):
        return "/" + target[len(above) :].replace("\\", "/")
    return "/" + target.replace("\\", "/").lstrip("/")


def beside(path: str, number: int) -> str:
    """Return a name in the same directory for a file whose own name is wanted."""
    directory, name = os.path.split(path)
    return os.path.join(directory, f".{name[:200]}.{number}.deleted")
