"""Advisory locks on files, as flock(2) has them: they belong to an open file description.

A lock ends with its description, whichever process closed it last: a description
without references holds no lock.
"""

from __future__ import annotations

from sandhook.kernel.descriptor import Description, File

#: What a lock protects: a file (device and inode), or a description that has no file.
Key = tuple[int, int] | Description


class LockableDirectory(Description):
    """A directory that was opened only to be locked.

    Attributes:
        file: Its device and inode.
    """

    __slots__ = ("file",)

    def __init__(self, file: tuple[int, int]) -> None:
        super().__init__()
        self.file = file


class Locks:
    """The locks of one run."""

    def __init__(self) -> None:
        self._locks_by_file: dict[Key, dict[Description, bool]] = {}

    def acquire(self, description: Description, *, exclusive: bool) -> bool:
        """Lock a file, or change the mode of its lock. Returns False when another lock conflicts."""
        key = _key(description)
        locks = {
            holder: is_exclusive
            for holder, is_exclusive in self._locks_by_file.get(key, {}).items()
            if holder.references > 0
        }
        self._locks_by_file[key] = locks
        if any(
            holder is not description and (exclusive or is_exclusive)
            for holder, is_exclusive in locks.items()
        ):
            return False
        locks[description] = exclusive
        return True

    def release(self, description: Description) -> None:
        """Unlock; this does nothing for a description that holds no lock."""
        self._locks_by_file.get(_key(description), {}).pop(description, None)


def _key(description: Description) -> Key:
    if isinstance(description, File):
        info = description.handle.stat()
        return info.device, info.inode
    if isinstance(description, LockableDirectory):
        return description.file
    return description
