"""Writes the audit lines of a service while its event loop goes on.

A line is written before the event that it belongs to is answered. So a line that was answered survives the
end of the service.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from sandhook.journal.errors import JournalError
from sandhook.journal.targets import Target


class AuditWriter:
    """Writes lines in a thread, while the event loop goes on: what arrives during one write is the next one.

    Only the event loop's thread may call.
    """

    def __init__(self, log: Target) -> None:
        self._log = log
        self._lines: list[str] = []
        self._waiting: list[Callable[[JournalError | None], object]] = []
        self._is_writing = False

    def write(self, lines: Sequence[str], done: Callable[[JournalError | None], object]) -> None:
        """Write lines; ``done`` receives None after that, or the error."""
        self._lines.extend(lines)
        self._waiting.append(done)
        if not self._is_writing:
            self._is_writing = True
            self._write()

    def _write(self) -> None:
        lines, self._lines = self._lines, []
        waiting, self._waiting = self._waiting, []
        writing = asyncio.get_running_loop().run_in_executor(None, self._log.write, lines)
        writing.add_done_callback(lambda future: self._written(future, waiting))

    def _written(
        self, future: asyncio.Future[None], waiting: list[Callable[[JournalError | None], object]]
    ) -> None:
        if future.cancelled():
            error: JournalError | None = JournalError("the service ended before its audit log was written")
        else:
            failure = future.exception()
            known = failure is None or isinstance(failure, JournalError)
            error = failure if known else JournalError(f"the audit log: {failure}")  # type: ignore[assignment]
        if self._lines:
            self._write()
        else:
            self._is_writing = False
        for done in waiting:
            done(error)
