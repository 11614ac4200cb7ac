"""What a caller decides about the programs of a run."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.record import Record


class Settings(Record):
    """Decisions of a caller about programs.

    Fields:
        start_files: Programs read their start-up files in the home directory.
        git_writes: ``git`` may change repositories.
        dispatches_scripts: A file that ``./x``, ``../x`` or ``/x`` names needs no permission to be executed,
            and a text without a "#!" line runs in the shell itself: a missing file and a text that does not
            parse have the status 1, as in the shell that Crush has in its process.
        may_run: Receives the name of each utility before it runs; False refuses it. None allows all.
    """

    start_files: bool = True
    git_writes: bool = False
    dispatches_scripts: bool = False
    may_run: Callable[[str], bool] | None = None
