"""Where the service of a user listens, whether that place belongs to the user, and which installation asks."""

# pathlib costs a hook 10 ms.
# ruff: noqa: PTH110, PTH111, PTH112, PTH117, PTH118, PTH120

from __future__ import annotations

import os
import stat
import sys

from sandhook.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

#: The variable that names another socket; an empty value switches the client off.
VARIABLE = "SANDHOOK_SOCKET"

#: The most bytes of a socket's path; sun_path of macOS is the shortest. Source: sys/un.h.
MAX_PATH = 103

_SOCKET = "serve.sock"

#: The address and the token of a service that listens on loopback alone, as on Windows.
_ENDPOINT = "serve.tcp"

#: The directory of this module: which files an installation has.
PACKAGE = os.path.dirname(__file__)

#: Bytes of a file with an endpoint.
MAX_ENDPOINT = 4096


def directory(env: Mapping[str, str], platform: str) -> str:
    """Return the user's directory for sockets; "" when the user has no home."""
    if platform == "win32":
        base = env.get("LOCALAPPDATA", "")
        return os.path.join(base, "sandhook", "run") if os.path.isabs(base) else ""
    if platform != "darwin":
        base = env.get("XDG_RUNTIME_DIR") or f"/run/user/{_user()}"
        if os.path.isabs(base) and os.path.isdir(base):
            return f"{base}/sandhook"
    home = env.get("HOME") or os.path.expanduser("~")
    caches = (
        f"{home}/Library/Caches" if platform == "darwin" else env.get("XDG_CACHE_HOME") or f"{home}/.cache"
    )
    return f"{caches}/sandhook/run" if os.path.isabs(caches) else ""


def socket_path(env: Mapping[str, str], platform: str) -> str:
    """Return the path of the service's socket, "" when the client is off or the user has no directory."""
    named = env.get(VARIABLE)
    if named is not None:
        return named
    place = directory(env, platform)
    return os.path.join(place, _SOCKET) if place else ""


def endpoint_path(path: str) -> str:
    """Return the file with the address of a service that cannot listen on a socket of this path."""
    return os.path.join(os.path.dirname(path), _ENDPOINT)


def fault(path: str, kind: Literal["socket", "file"]) -> str:
    """Return why a file of the service must not be used, "" when only this user can have made and changed it."""
    if sys.platform == "win32":  # the user's profile is private
        return "" if os.path.exists(path) else "there is no such file"
    try:
        info, above = os.lstat(path), os.lstat(os.path.dirname(path) or ".")
    except OSError as error:
        return error.strerror or "it cannot be examined"
    if not (stat.S_ISSOCK if kind == "socket" else stat.S_ISREG)(info.st_mode):
        return f"it is not a {kind}"
    if info.st_uid != _user():
        return "it belongs to another user"
    if info.st_mode & 0o077:
        return f"others may use it (mode {stat.S_IMODE(info.st_mode):04o}; wanted 0600)"
    return directory_fault(above)


def directory_fault(info: os.stat_result) -> str:
    """Return why a directory must not have the socket, "" when no other user can change it."""
    if not stat.S_ISDIR(info.st_mode):
        return "its directory is not a directory"
    if info.st_uid != _user():
        return "its directory belongs to another user"
    if info.st_mode & 0o022:
        return f"others may change its directory (mode {stat.S_IMODE(info.st_mode):04o})"
    return ""


def installation() -> str:
    """Return what must be equal for a service to decide as this process would: version, packages, search path."""
    return "\n".join(
        (
            __version__,
            str(sys.hexversion),
            sys.prefix,
            PACKAGE,
            os.environ.get("PYTHONPATH", ""),
        )
    )


def view() -> str:
    """Return the identity of "/" and of the current directory: a container can show others by the same names.

    Raises OSError when the current directory is gone.
    """
    return " ".join(f"{each.st_dev}:{each.st_ino}" for each in map(os.stat, ("/", ".")))


def _user() -> int:
    if sys.platform == "win32":
        return 0
    return os.geteuid()
