"""Advisory locks on files, as flock(2) has them: they belong to an open file description.

A lock ends with its description, whichever process closed it last: a description
without references holds no lock.
"""

from __future__ import annotations

from sandhook.kernel.descriptor import Description, File

#: What a lock is about: device and inode of a file, or another description itself.
Key = tuple[int, int] | Description


class OpenDirectory(Description):
    """A directory that is open for nothing but a lock.

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
        self._held: dict[Key, dict[Description, bool]] = {}

    def take(self, description: Description, *, exclusive: bool) -> bool:
        """Lock the file of a description, or change the lock that it has; False when another one is in the way."""
        key = _key(description)
        held = {holder: kind for holder, kind in self._held.get(key, {}).items() if holder.references > 0}
        self._held[key] = held
        if any(holder is not description and (exclusive or kind) for holder, kind in held.items()):
            return False
        held[description] = exclusive
        return True

    def drop(self, description: Description) -> None:
        """Unlock; this does nothing for a description that holds no lock."""
        self._held.get(_key(description), {}).pop(description, None)


def _key(description: Description) -> Key:
    if isinstance(description, File):
        info = description.handle.stat()
        return info.device, info.inode
    if isinstance(description, OpenDirectory):
        return description.file
    return description
