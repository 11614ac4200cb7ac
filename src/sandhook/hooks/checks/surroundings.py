"""The surroundings of the hooks that are checked: directories, files, and where their commands come from."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.record import Record


def _unknown(path: str) -> bool | None:
    return None


class Surroundings(Record):
    """The surroundings of hooks: the base of relative names, the value of ``~``, access to files, and the machine.

    Attributes:
        project: The directory that the hooks run in, an absolute path with slashes.
        home: The user's home directory.
        read: Returns the bytes of a file, or None when it is missing or cannot be read.
        is_executable: Returns whether a file has the permission to be executed, None when that is not known.
        has_program: Returns whether this machine has a program, for hooks that run on it; None for hooks that
            run in the sandbox.
    """

    project: str
    home: str
    read: Callable[[str], bytes | None]
    is_executable: Callable[[str], bool | None] = _unknown
    has_program: Callable[[str], bool] | None = None

    @property
    def place(self) -> str:
        """Where the hooks run, for messages."""
        return "the sandbox" if self.has_program is None else "this machine"
