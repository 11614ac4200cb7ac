"""What a caller decides about the programs of a run."""

from __future__ import annotations

from collections.abc import Collection

from sandhook.record import Record


class Restrictions:
    """What the runs of a shell lack of a usual machine, and a record of what they wanted of it.

    Args:
        missing: Names of utilities that scripts do not find, as on a machine that lacks these programs.
        programs: Names of the utilities that may run; None for all. Others are refused, with the status 126.
        variables: Names of variables that are not set, and whose reading is recorded. A list of all variables
            does not have them.

    Attributes:
        asked: The utilities that scripts called.
        read: Those of ``variables`` that scripts read.
    """

    __slots__ = ("asked", "missing", "programs", "read", "variables")

    def __init__(
        self,
        *,
        missing: Collection[str] = (),
        programs: Collection[str] | None = None,
        variables: Collection[str] = (),
    ) -> None:
        self.missing = frozenset(missing)
        self.programs = None if programs is None else frozenset(programs)
        self.variables = frozenset(variables)
        self.asked: dict[str, None] = {}
        self.read: dict[str, None] = {}

    def may_run(self, program: str) -> bool:
        """Record a utility; return whether it may run."""
        self.asked.setdefault(program)
        return self.programs is None or program in self.programs


class Settings(Record):
    """Decisions of a caller about programs.

    Fields:
        start_files: Programs read their start-up files in the home directory.
        git_writes: ``git`` may change repositories.
        dispatches_scripts: A file that ``./x``, ``../x`` or ``/x`` names needs no permission to be executed,
            and a text without a "#!" line runs in the shell itself: a missing file and a text that does not
            parse have the status 1, as in the shell that Crush has in its process.
        restrictions: What the run lacks; None for nothing.
    """

    start_files: bool = True
    git_writes: bool = False
    dispatches_scripts: bool = False
    restrictions: Restrictions | None = None
