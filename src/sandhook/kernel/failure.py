"""Why a command failed that did not fail by itself."""

from __future__ import annotations

from sandhook.record import Record


class CommandFailure(Record):
    """Why a command has its exit status, when it is not a status of the program's own.

    Attributes:
        status: The exit status.
        reason: Why it could not be started, "" when it was.
        signal: The signal that ended it, or 0.
        outermost: It is a command of the script itself, also one that ``exec`` runs, not of a program below it.
    """

    status: int
    reason: str = ""
    signal: int = 0
    outermost: bool = False
