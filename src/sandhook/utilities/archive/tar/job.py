"""The view of one call of tar that creating, extracting and comparing share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sandhook.command.backups import Backup
from sandhook.utilities.archive.tar.format import Member
from sandhook.utilities.archive.tar.listing import Listing
from sandhook.utilities.archive.tar.select import Selection


class ConflictError(Exception):
    """The requested operations cannot be combined."""


class FatalError(Exception):
    """The archive cannot be used."""


class Job(Protocol):
    """One call of tar. Most fields are its options, as ``Options`` describes them."""

    absolute: bool
    archive: str
    archive_file: tuple[int, int] | None  #: device and inode of the archive, which is not stored in itself
    backup: Backup | None
    command: str | None  #: of --to-command
    extract: bool
    follow: bool
    ignores_commands: bool
    keep: str
    label: str | None
    layout: str
    listing: Listing
    links: bool
    mode: str  #: the letter of the operation
    names: list[tuple[str, str]]  #: directory of -C, and operand
    permissions: bool
    member_times: dict[str, int]  #: for -u, the times of the archive's members by name
    record: int  #: bytes of a record
    recursive: bool
    remove: bool
    rename: Callable[[str], str] | None
    selection: Selection
    strip: int
    tags: tuple[tuple[str, str], ...]  #: rule and name of files that exclude their directory
    to_stdout: bool
    tolerant: bool
    top: str
    touch: bool
    verbose: bool
    zeros: bool

    def apply_overrides(self, member: Member) -> None:
        """Apply --owner, --group, --mode and --mtime to a member."""
        ...

    def is_new(self, mtime_ns: int, ctime_ns: int) -> bool:
        """Return whether a file is newer than the date of -N; True without -N."""
        ...

    def print(self, member: Member, name: str = "") -> None:
        """Write the line of -t or -v for a member; ``name`` is its name after --transform."""
        ...

    def move_away(self, name: str) -> None:
        """Rename a file to the name of its backup. Raises OSError."""
        ...

    def print_totals(self, size: int) -> None:
        """Write the line of --totals for a number of bytes."""
        ...

    def quote_name(self, name: str) -> str:
        """Return a name in the quoting style of messages."""
        ...

    def error(self, message: str) -> None:
        """Write an error message and continue; the exit status will be 2."""
        ...
