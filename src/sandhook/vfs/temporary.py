"""Files that exist during one run alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from sandhook.vfs.base import FileSystem
from sandhook.vfs.errors import reason
from sandhook.vfs.initial import superuser, write_file
from sandhook.vfs.path import VirtualPath, dirname, normalize


def write_temporary(
    fs: FileSystem, files: Iterable[tuple[str, bytes]], notes: list[str]
) -> list[VirtualPath]:
    """Write files with their directories; return what was created, a file before its new directory.

    Args:
        files: Absolute path and contents.
        notes: Receives a line for each file that cannot be written.
    """
    created: list[VirtualPath] = []
    for name, content in files:
        path = normalize(name)
        above = dirname(path)
        fresh = not fs.exists(above)
        try:
            write_file(fs, path, content, 0o600)
        except (OSError, ValueError) as error:  # ValueError: a name that no file can have
            notes.append(f"cannot write {path}: {reason(error)}; the hook runs without it")
            continue
        created.append(path)
        if fresh:
            created.append(above)
    return created


def remove_temporary(fs: FileSystem, created: Iterable[VirtualPath]) -> None:
    """Remove the files and the empty directories that are still there."""
    with superuser(fs) as view:
        for path in created:
            try:
                if view.is_dir(path):
                    view.rmdir(path)
                else:
                    view.unlink(path)
            except OSError:
                continue


@contextmanager
def temporary(fs: FileSystem, files: Iterable[tuple[str, bytes]]) -> Iterator[list[str]]:
    """Show files in the block alone; yield the lines about those that cannot be written."""
    notes: list[str] = []
    created = write_temporary(fs, files, notes)
    try:
        yield notes
    finally:
        remove_temporary(fs, created)
