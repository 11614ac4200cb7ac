"""Parsed scripts on disk, so that a process does not parse a hook that this machine has parsed before.

``sandhook.syntax.store`` writes the entries; reading an entry executes nothing. A fault of the cache (no directory,
a full disk, a damaged entry) costs only another parse.
"""

# pathlib costs the command line 10 ms and has no O_NOFOLLOW.
# ruff: noqa: PTH103, PTH105, PTH111, PTH117, PTH118

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable

from sandhook.typed import TYPE_CHECKING

try:
    from _blake2 import blake2b  # the function of hashlib, whose import loads OpenSSL (3 ms)
except ImportError:
    from hashlib import blake2b

from sandhook.version import __version__

if TYPE_CHECKING:
    from sandhook.syntax.nodes import CommandList
    from sandhook.syntax.options import ParseOptions

#: Limits of the directory; the least recently used entries are removed first.
MAX_ENTRIES = 1_000
MAX_ENTRY_BYTES = 1 << 20

_DIGEST_BYTES = 32
_NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_BINARY: int = getattr(os, "O_BINARY", 0)


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST_BYTES).digest()


def tree_key(text: str, options: str = "") -> str:
    """Return the key of a script: a hash of its text, its parse options and the version of sandhook."""
    parts = (__version__, options, text)
    content = b"".join(
        b"%d:%b" % (len(data), data) for data in (part.encode("utf-8", "surrogatepass") for part in parts)
    )
    return _digest(content).hex()


class DiskStore:
    """A ``TreeStore`` in one private directory: one file for each entry, which begins with its digest.

    No method raises an exception.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._usable: bool | None = None

    def load(self, text: str, options: ParseOptions) -> tuple[CommandList, ...] | None:
        """Return the units of a text from the cache, or None."""
        data = self.get(key := tree_key(text, repr(options)))
        if data is None:
            return None
        from sandhook.syntax.store import decode  # only now: a hook that does not run needs no trees

        try:
            return decode(data)
        except ValueError:
            self._remove(self._path(key))
            return None

    def save(self, text: str, options: ParseOptions, units: tuple[CommandList, ...]) -> None:
        """Write the units of a text to the cache."""
        from sandhook.syntax.store import encode

        self.put(tree_key(text, repr(options)), encode(units))

    def get(self, key: str) -> bytes | None:
        """Return an entry, or None; a damaged entry is removed."""
        if not self._ready(create=False):
            return None
        path = self._path(key)
        try:
            fd = os.open(path, os.O_RDONLY | _NOFOLLOW | _BINARY)
        except OSError:
            return None
        try:
            data = os.read(fd, MAX_ENTRY_BYTES + _DIGEST_BYTES + 1)
        except OSError:
            return None
        finally:
            os.close(fd)
        digest, content = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
        if _digest(content) != digest:
            self._remove(path)
            return None
        self._try(os.utime, path)  # the most recently used entries are removed last
        return content

    def put(self, key: str, data: bytes) -> None:
        """Write an entry in one step, so that no reader sees half of it."""
        if len(data) > MAX_ENTRY_BYTES or not self._ready(create=True):
            return
        path = self._path(key)
        fresh = f"{path}.{os.getpid()}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _BINARY
        try:
            fd = os.open(fresh, flags, 0o600)
        except OSError:
            return
        try:
            try:
                os.write(fd, _digest(data) + data)
            finally:
                os.close(fd)
            os.replace(fresh, path)
        except OSError:
            self._remove(fresh)
            return
        self._prune()

    def _path(self, key: str) -> str:
        return os.path.join(self._directory, _digest(key.encode("utf-8", "surrogatepass")).hex())

    def _ready(self, *, create: bool) -> bool:
        """Return True if the directory exists and only this user can write to it."""
        if self._usable is None or (create and not self._usable):
            try:
                if create:
                    os.makedirs(self._directory, mode=0o700, exist_ok=True)
                self._usable = _private(os.lstat(self._directory))
            except OSError:
                self._usable = False
        return self._usable

    def _prune(self) -> None:
        """Remove the least recently used files if there are too many; these include the leftovers of crashes."""
        try:
            with os.scandir(self._directory) as entries:
                files = [(entry.stat(follow_symlinks=False).st_mtime_ns, entry.path) for entry in entries]
        except OSError:
            return
        if len(files) > MAX_ENTRIES:
            files.sort()
            for _, path in files[: len(files) - MAX_ENTRIES * 3 // 4]:
                self._remove(path)

    def _remove(self, path: str) -> None:
        self._try(os.unlink, path)

    @staticmethod
    def _try(action: Callable[[str], None], path: str) -> None:
        try:
            action(path)
        except OSError:
            return


def _private(info: os.stat_result) -> bool:
    if not stat.S_ISDIR(info.st_mode):
        return False
    if not hasattr(os, "geteuid"):
        return True  # Windows: the user's profile is private
    return info.st_uid == os.geteuid() and not info.st_mode & 0o022


def default_directory() -> str | None:
    """Return the directory of this user's cache; None if the cache is off or the user has no home."""
    env = os.environ
    if env.get("SANDHOOK_NO_CACHE"):
        return None
    if env.get("SANDHOOK_CACHE_DIR"):
        return os.path.join(env["SANDHOOK_CACHE_DIR"], "trees")
    if sys.platform == "win32":
        base, name = env.get("LOCALAPPDATA", ""), os.path.join("sandhook", "Cache")
    elif sys.platform == "darwin":
        base, name = os.path.expanduser("~/Library/Caches"), "sandhook"
    else:
        base, name = env.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "sandhook"
    return os.path.join(base, name, "trees") if os.path.isabs(base) else None


def default_store() -> DiskStore | None:
    """Return this user's store; None without a directory for it."""
    directory = default_directory()
    return None if directory is None else DiskStore(directory)
