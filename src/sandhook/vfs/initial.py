"""Creates the initial files and directories of a caller's file system."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sandhook.text.surrogates import as_shell_text
from sandhook.vfs.base import FileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath, normalize


def populate(fs: FileSystem, files: Mapping[str, str | bytes], base: VirtualPath) -> None:
    """Write initial files; relative names are below ``base``, and parents are created.

    Raises ValueError for an empty name, or one with ".." or NUL.
    """
    if isinstance(fs, MemoryFileSystem):
        fs.populate(files, base)
        return
    for name, content in files.items():
        if not name or "\0" in name or ".." in name.split("/"):
            raise ValueError(f"files: {name!r}: not a usable file name")
        data = (
            as_shell_text(content).encode("utf-8", "surrogateescape") if isinstance(content, str) else content
        )
        path = normalize(name if name[0] == "/" else f"{base}/{name}")
        fs.write_bytes(path, data, mode=0o755 if data[:2] == b"#!" else 0o644, parents=True)


def make_directories(fs: FileSystem, path: VirtualPath) -> None:
    """Create a directory with its parents, if it does not exist.

    Permission bits count only where the files are not sandhook's own: the caller wants the directory, not a script.
    """
    make: Callable[[VirtualPath], None] | None = getattr(fs, "make_directories", None)  # not in the protocol
    if make is not None:
        make(path)
        return
    prefix = ""
    for part in path.split("/"):
        if part:
            prefix += "/" + part
            if not fs.exists(VirtualPath(prefix)):
                fs.mkdir(VirtualPath(prefix), 0o755)
