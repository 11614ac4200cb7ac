"""What creating, extracting and comparing know of the call of tar that they work for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sandhook.utilities.archive.tar.format import Member
from sandhook.utilities.archive.tar.select import Selection


class Job(Protocol):
    """One call of tar. Most fields are its options, as ``Options`` describes them."""

    absolute: bool
    archive_file: tuple[int, int] | None  #: device and inode of the archive, which is not put into itself
    extract: bool
    follow: bool
    keep: str
    label: str | None
    layout: str
    links: bool
    mode: str  #: the letter of the operation
    names: list[tuple[str, str]]  #: directory of -C, and operand
    permissions: bool
    present: dict[str, int]  #: times of members that the archive has, by name, for -u
    record: int  #: bytes of a record
    recursive: bool
    remove: bool
    rename: Callable[[str], str] | None
    selection: Selection
    strip: int
    tags: tuple[tuple[str, str], ...]  #: tags of VCS and caches that leave directories out
    to_stdout: bool
    tolerant: bool
    top: str
    touch: bool
    verbose: bool
    zeros: bool

    def change(self, member: Member) -> None:
        """Apply --owner, --group, --mode and --mtime to a member."""
        ...

    def is_new(self, mtime_ns: int, ctime_ns: int) -> bool:
        """Return whether -N lets a file be stored."""
        ...

    def print(self, member: Member, name: str = "") -> None:
        """Write the line of -v for a member; ``name`` is what it is called there."""
        ...

    def quoted(self, name: str) -> str:
        """Return a name as messages and lists show it."""
        ...

    def report(self, message: str) -> None:
        """Report an error; the work goes on."""
        ...
