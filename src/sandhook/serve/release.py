"""Which version of sandhook a service runs, and whether its files still have it.

Workers are started from the files. After an upgrade they would be of another version than the service, which loaded
its modules before: such a worker is never used.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sandhook import version
from sandhook.errors import SandhookError
from sandhook.serve.watch import Watch
from sandhook.version import __version__
from sandhook.worker.greeting import greeting, other_version

#: What service and worker send each other, counted up with each change of it.
PROTOCOL = 2

_ASSIGNMENT = re.compile(r"^__version__ = [\"']([!-~]{1,40})[\"']$", re.MULTILINE)


class WorkerEnded(SandhookError):
    """A worker process ended, or sent something else than an answer."""


class WorkerOutdated(WorkerEnded):
    """The files from which workers are started have another version than the service."""


def first_message() -> list[bytes]:
    """Return the first message of a worker."""
    return [b"ready", *greeting(PROTOCOL)]


class Release:
    """The version of a service, compared with that of its files and workers.

    Attributes:
        fault: Why workers cannot be started; "" while they can.
    """

    def __init__(self, report: Callable[[str], object], file: str | None = None) -> None:
        """Remember the files as they are.

        Args:
            report: Receives a line when something is wrong, and when it no longer is.
            file: The module that has the version; that of this installation when None.
        """
        self.fault = ""
        self._report = report
        self._path = file or version.__file__
        self._watch = self._watched()

    def check(self, fields: list[bytes]) -> None:
        """Check the first message of a worker. Raises WorkerOutdated for that of another version."""
        if other := other_version(fields[1:], PROTOCOL):
            self._set(other)
            raise WorkerOutdated(self.fault)

    def check_files(self) -> None:
        """Check that a worker can be started. Raises WorkerOutdated."""
        self.look()
        if self.fault:
            raise WorkerOutdated(self.fault)

    def look(self) -> None:
        """Compare with the files, if they changed. Costs one stat(2) while they did not."""
        if self._watch.changed() is None:
            return
        self._watch = self._watched()
        try:
            with open(self._path, encoding="utf-8") as module:  # noqa: PTH123 - as in `watch`
                found = _ASSIGNMENT.search(module.read())
        except (OSError, UnicodeDecodeError):
            self._set("gone")
            return
        # The greeting of a worker decides where the text does not.
        self._set("" if found is None or found[1] == __version__ else found[1])

    def _watched(self) -> Watch:
        watch = Watch()
        watch.add(self._path)
        return watch

    def _set(self, other: str) -> None:
        fault = f"the service runs {__version__}, its files are {other}: sandhook serve --restart"
        before, self.fault = self.fault, fault if other else ""
        if self.fault and self.fault != before:
            self._report(self.fault)
        elif before and not self.fault:
            self._report(f"its files are {__version__} again")
