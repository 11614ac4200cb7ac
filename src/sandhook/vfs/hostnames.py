"""Names that Windows takes for something else than a file of that name.

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


def check_windows_name(name: str) -> str:
    """Return a single name, or raise EINVAL.

    Refused are device names (with any extension), alternate data streams, backslashes and the
    other characters that Windows forbids, and a dot or space at the end, which it drops.
    """
    stem = name.partition(".")[0].rstrip(" ").lower()
    if (
        not name
        or name[-1] in ". "
        or stem in _DEVICES
        or any(c in _FORBIDDEN or c < " " or "\ud800" <= c <= "\udfff" for c in name)
    ):
        raise fs_error(errno.EINVAL, name)
    return name
