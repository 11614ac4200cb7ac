"""What a caller decides about the programs of a run."""

from __future__ import annotations

from sandhook.record import Record


class Settings(Record):
    """Decisions of a caller about programs.

    Fields:
        start_files: Programs read their start-up files in the home directory.
        git_writes: ``git`` may change repositories.
    """

    start_files: bool = True
    git_writes: bool = False
