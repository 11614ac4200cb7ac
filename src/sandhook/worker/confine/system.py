"""What a worker is refused by its system, in one function for all systems.

``confine`` is called inside a worker, once, when everything that the worker needs is loaded and open.
Each system has a module of its own. None of them fails: what a kernel does not offer is in the report.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from sandhook.worker.confine.report import Report

# Everything is imported before anything is confined: later no file can be opened.
if sys.platform == "win32":
    from sandhook.worker.confine import windows
else:
    from sandhook.worker.confine import posix
if sys.platform == "linux":
    from sandhook.worker.confine import linux
if sys.platform == "darwin":
    from sandhook.worker.confine import macos


def confine(memory_bytes: int, readable: Sequence[str] = ()) -> Report:
    """Give up files, network, programs, processes, signals and most memory; return what is in force.

    Args:
        memory_bytes: Address space of this process (on Windows: committed memory).
        readable: Directories whose files stay readable, if the system can refuse all others: Python's library.
            ``Report.reads`` is True then.
    """
    report = Report()
    with suppress(OSError):
        os.chdir("/")
    if sys.platform == "win32":
        windows.confine(report, memory_bytes)
    else:
        posix.end_with_host(report)
        if sys.platform == "linux":
            linux.give_up_rights(report, readable)
        posix.limit(report, memory_bytes, descriptors=posix.READER if readable else posix.PIPES)
        if sys.platform == "linux":  # last: it refuses what the others need
            linux.allow_few_calls(report)
        elif sys.platform == "darwin":
            macos.confine(report, readable)
    _verify(report)
    return report


def can_read_library() -> bool:
    """Return True if ``confine`` can refuse all files but those below some directories, or refuses none."""
    return sys.platform != "linux" or linux.has_landlock()


def _verify(report: Report) -> None:
    """Try the cheapest forbidden act, because an emulated kernel may accept a filter and ignore it."""
    try:
        descriptor = os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return
    os.close(descriptor)
    report.refute("files", "a file could be opened")
