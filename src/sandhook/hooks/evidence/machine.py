"""The files that evidence reads: what the machine has, which links were followed, and what an approval keeps of files."""

from __future__ import annotations

from typing import Protocol

from sandhook.dispatch.shebang import BOM, READ
from sandhook.errors import TrustError
from sandhook.hooks.evidence.bounds import MAX_BYTES, MAX_FILES, MAX_TEXT, NamedFile, Use
from sandhook.host.hashing import MAX_HASHED


class Machine(Protocol):
    """The files of the machine, for reading only."""

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a regular file, None for anything else; MAX_BYTES + 1 bytes of a longer one."""

    def hashed(self, path: str, most: int) -> tuple[str, int] | None:
        """Return the SHA-256 of a regular file, in hexadecimal, and its size; None if it has more than ``most`` bytes."""

    def names(self, path: str) -> list[str] | None:
        """Return the names in a directory; None when it is not a directory, or cannot be read."""

    def resolve(self, path: str) -> str:
        """Return a path without symbolic links."""


class Recorder:
    """A machine that records which paths were resolved, and where each leads.

    Attributes:
        links: Paths as they were asked for, and without symbolic links.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.read, self.hashed, self.names = machine.read, machine.hashed, machine.names
        self.links: dict[str, str] = {}

    def resolve(self, path: str) -> str:
        """Return a path without symbolic links."""
        self.links[path] = self._machine.resolve(path)
        return self.links[path]


class ExecutedFiles:
    """The files that one hook executes.

    Attributes:
        files: The files by path, in order of appearance.
    """

    def __init__(self, machine: Machine | Recorder) -> None:
        self._machine = machine
        self._kept = self._hashed = 0  # bytes
        self.files: dict[str, NamedFile] = {}

    def read(self, path: str, how: Use) -> NamedFile | None:
        """Return a file with its bytes, or with its hash if they do not fit; None if there is no such file.

        Raises:
            TrustError: The hook executes too many files or bytes.
        """
        if path in self.files:
            return self.files[path]._replace(how=how)
        data = self._machine.read(path)
        if data is None:
            return None
        if len(self.files) >= MAX_FILES:
            raise TrustError(f"it executes more than {MAX_FILES} files")
        if self._kept + len(data) <= MAX_BYTES:
            self._kept += len(data)
            file = NamedFile(path, data, how, len(data))
        else:
            hashed = self._machine.hashed(path, MAX_HASHED - self._hashed)
            if hashed is None:
                raise TrustError(f"with {path}, it executes more than {MAX_HASHED} bytes")
            sha256, size = hashed
            self._hashed += size
            file = NamedFile(path, data[:READ], how, size, sha256)
        self.files[path] = file
        return file


def text_of(file: NamedFile) -> str:
    """Return the text of a script that is followed. Raises TrustError if its bytes are not kept."""
    if file.sha256:
        raise TrustError(
            f"{file.path} has {file.size} bytes; scripts with more than {MAX_TEXT} characters are not followed"
        )
    return file.data.removeprefix(BOM).decode("utf-8", "replace")
