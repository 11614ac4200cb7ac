"""Where lines of a record go: a file of JSON lines, a database of SQLite, or a directory of Parquet parts."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.journal.appending import SQLITE, FileTarget, SqliteTarget
from sandhook.journal.parquet import PARQUET, ParquetTarget
from sandhook.typed import Protocol


class Target(Protocol):
    """An open record. Any thread may write."""

    def write(self, lines: Sequence[str]) -> None:
        """Write lines. Raises JournalError."""
        ...

    def close(self) -> None:
        """Close the record. Raises JournalError."""
        ...


def open_target(target: str, label: str = "") -> Target:
    """Open ``FILE``, ``sqlite:FILE`` or ``parquet:DIR``; a new file is the user's alone. Raises JournalError.

    Args:
        label: What a message begins with: the option that names the target, and a space.
    """
    if target.startswith(SQLITE):
        return SqliteTarget(target.removeprefix(SQLITE), label)
    if target.startswith(PARQUET):
        return ParquetTarget(target.removeprefix(PARQUET), label)
    return FileTarget(target, label)
