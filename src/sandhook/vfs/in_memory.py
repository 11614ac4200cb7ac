"""A check that the changes of scripts stay in memory."""

from __future__ import annotations

from sandhook.vfs.base import FileSystem
from sandhook.vfs.hostdir import HostDirectory
from sandhook.vfs.locked import LockedFileSystem
from sandhook.vfs.mounts import MountTable


def check_in_memory(fs: FileSystem, argument: str) -> None:
    """Raise ValueError if changes of ``fs`` reach files of the host; ``argument`` is what forbids that."""
    pending = [fs]
    while pending:
        each = pending.pop()
        if isinstance(each, LockedFileSystem):
            pending.append(each.files)
        elif isinstance(each, MountTable):
            pending += each.file_systems()
        elif isinstance(each, HostDirectory) and each.writable:
            raise ValueError(
                f"{argument}: {each.root} is mounted for writing; wanted an overlay, whose changes stay in memory"
            )
