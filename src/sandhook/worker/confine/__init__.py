"""Confinement of a worker by the system: what it is refused after its start, and a report of that.

``confine`` is called inside a worker, once, when everything that the worker needs is loaded and open.
Each system has a module of its own. None of them fails: what a kernel does not offer is in the report.
"""

from __future__ import annotations

import os
import sys
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


def confine(memory_bytes: int) -> Report:
    """Give up files, network, programs, processes, signals and most memory; return what is in force.

    Args:
        memory_bytes: Address space of this process (on Windows: committed memory).
    """
    report = Report()
    with suppress(OSError):
        os.chdir("/")
    if sys.platform == "win32":
        windows.confine(report, memory_bytes)
    else:
        posix.end_with_host(report)
        if sys.platform == "linux":
            linux.give_up_rights(report)
        posix.limit(report, memory_bytes)
        if sys.platform == "linux":  # last: it refuses what the others need
            linux.allow_few_calls(report)
        elif sys.platform == "darwin":
            macos.confine(report)
    _verify(report)
    return report


def _verify(report: Report) -> None:
    """Try the cheapest forbidden act, because an emulated kernel may accept a filter and ignore it."""
    try:
        descriptor = os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return
    os.close(descriptor)
    report.refute("files", "a file could be opened")
