"""Approved hooks in the sandbox: files that no copy replaces are as they were, and absent ones are absent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.pattern.glob import quote
from sandhook.vfs.path import VirtualPath, normalize

if TYPE_CHECKING:
    from sandhook.hooks.model import HookSpec
    from sandhook.vfs.base import FileSystem


class _Files:
    """The files of a sandbox, see ``evidence.Machine``."""

    def __init__(self, fs: FileSystem) -> None:
        self._fs = fs

    def read(self, path: str) -> bytes | None:
        """Return b"" for a path that exists and is not a directory."""
        place = VirtualPath(path)
        return b"" if self._fs.exists(place) and not self._fs.is_dir(place) else None

    def hashed(self, path: str, most: int) -> tuple[str, int] | None:
        from sandhook.host.hashing import hash_in

        return hash_in(self._fs, VirtualPath(path), most)

    def names(self, path: str) -> list[str] | None:
        try:
            return [entry.name for entry in self._fs.listdir(VirtualPath(path))]
        except OSError:
            return None

    def resolve(self, path: str) -> str:
        return path


def ended(spec: HookSpec, fs: FileSystem, cwd: str) -> str | None:
    """Return why an approval has ended, None if it has not.

    A file exists that the hook executes and that did not exist, or a file has changed that is approved by its hash.

    Args:
        fs: The files without the hook's own changes.
        cwd: The directory that paths of the approval are relative to.
    """
    if not (spec.absent or spec.hashed):
        return None
    from sandhook.hooks.evidence.words import matching
    from sandhook.host.hashing import MAX_HASHED

    files = _Files(fs)
    for name, sha256 in spec.hashed:
        path = _whole(name, cwd)
        if files.read(path) is not None and (files.hashed(path, MAX_HASHED) or ("",))[0] != sha256:
            return f"{name}: has changed since it was approved"
    approved = {_whole(name, cwd) for name, _ in (*spec.snapshot, *spec.hashed)}
    for pattern in spec.absent:
        whole = pattern if pattern[:1] == "/" else f"{quote(cwd.rstrip('/'))}/{pattern}"
        for path in matching(whole, files):
            if path not in approved and files.read(path) is not None:
                shown = path.removeprefix(f"{cwd.rstrip('/')}/")
                return f"{shown}: was absent when the hook was approved, and exists now"
    return None


def _whole(name: str, cwd: str) -> str:
    return str(normalize(name if name[:1] == "/" else f"{cwd}/{name}"))
