"""Creates the initial files and directories of a caller's file system."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from sandhook.text.surrogates import as_shell_text
from sandhook.vfs.base import FileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath, dirname, normalize


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
        write_file(fs, path, data, 0o755 if data[:2] == b"#!" else 0o644)


def write_file(fs: FileSystem, path: VirtualPath, data: bytes, mode: int) -> None:
    """Replace the contents of a regular file, or create it with its directories; see ``superuser``."""
    with superuser(fs) as view:
        view.write_bytes(path, data, mode=mode, parents=True)


def make_directories(fs: FileSystem, path: VirtualPath) -> None:
    """Create a directory with its parents, if it does not exist; see ``superuser``."""
    if fs.exists(path):
        return
    missing: list[VirtualPath] = []
    with superuser(fs) as view:
        while path != "/" and not view.exists(path):
            missing.append(path)
            path = dirname(path)
        for directory in reversed(missing):
            view.mkdir(directory, 0o755)


@contextmanager
def superuser(fs: FileSystem) -> Iterator[FileSystem]:
    """Show the same files in the block alone, with every permission; what is created belongs to the user.

    The caller's files are written through it: permission bits are for scripts. Where the files are not sandhook's own,
    their owner's permission bits count. No other thread uses a LockedFileSystem meanwhile.
    """
    show: Callable[[], AbstractContextManager[FileSystem]] | None = getattr(fs, "superuser", None)
    if show is None:  # not in the protocol
        yield fs
        return
    with show() as view:
        yield view
