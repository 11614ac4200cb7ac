"""Why a command failed that did not fail by itself."""

from __future__ import annotations

from sandhook.record import Record


class CommandFailure(Record):
    """Why a command has its exit status, when it is not a status of the program's own.

    Attributes:
        status: The exit status.
        reason: Why it could not be started, "" when it was.
        signal: The signal that ended it, or 0.
    """

    status: int
    reason: str = ""
    signal: int = 0
