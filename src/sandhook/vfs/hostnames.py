"""Names that on Windows do not denote a file of that name.

Source: Microsoft, "Naming Files, Paths, and Namespaces".
"""

from __future__ import annotations

import errno

from sandhook.vfs.errors import fs_error

_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
    + [f"{kind}{digit}" for kind in ("com", "lpt") for digit in "0123456789\u00b9\u00b2\u00b3"]
)

_FORBIDDEN = frozenset('<>:"/\\|?*')


def is_name(name: str) -> bool:
    """Return True if a single name denotes a file of that name on Windows.

    These do not: device names (with any extension), alternate data streams, names with backslashes or
    other characters that Windows forbids, and names that end in a dot or space, which it drops.
    """
    return not (
        not name
        or name[-1] in ". "
        or name.partition(".")[0].rstrip(" ").lower() in _DEVICES
        or any(c in _FORBIDDEN or c < " " or "\ud800" <= c <= "\udfff" for c in name)
    )


def is_windows_name(path: str) -> bool:
    """Return True if the last name of a canonical path is a valid Windows name, or for the root."""
    name = path.rpartition("/")[2]
    return not name or is_name(name)


def check_windows_name(name: str) -> str:
    """Return a single name unchanged, or raise EINVAL if it is not valid on Windows."""
    if not is_name(name):
        raise fs_error(errno.EINVAL, name)
    return name
