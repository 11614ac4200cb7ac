"""POSIX: resource limits, closed descriptors, and a pipe whose end ends the process."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from sandhook.worker.confine.report import Report
from sandhook.worker.frames import LIFELINE

assert sys.platform != "win32"
# Imported here, because later no file can be opened.
import fcntl  # noqa: E402
import resource  # noqa: E402

TYPE_CHECKING = False  # as a type checker reads it; the module typing costs time at each start

if TYPE_CHECKING:
    from sandhook.worker.confine.report import Protection

#: Resource limits besides memory: the most, and what each protects by itself. Every one is in the report.
LIMITS: tuple[tuple[str, int, tuple[Protection, ...]], ...] = (
    ("RLIMIT_FSIZE", 0, ()),
    ("RLIMIT_CORE", 0, ()),
    ("RLIMIT_NPROC", 0, ("processes",)),
    ("RLIMIT_MEMLOCK", 0, ()),
    ("RLIMIT_MSGQUEUE", 0, ()),
)


#: Descriptors of a worker that opens nothing, and of one that reads Python's library.
PIPES, READER = LIFELINE + 1, LIFELINE + 29


def limit(report: Report, memory_bytes: int, descriptors: int) -> None:
    """Set the resource limits."""
    _limit("RLIMIT_NOFILE", descriptors, ("descriptors",), report)
    _limit("RLIMIT_AS", memory_bytes, ("memory",), report)
    report.enforced("RLIMIT_CPU", "processor_time")  # process.arm sets it for each request
    for name, most, protections in LIMITS:
        if name == "RLIMIT_NPROC" and os.getuid() == 0:
            _limit(name, most, (), report)
            report.lacking("RLIMIT_NPROC", "does not bind the superuser")
            continue
        _limit(name, most, protections, report)


def _limit(name: str, most: int, protections: tuple[Protection, ...], report: Report) -> None:
    number = getattr(resource, name, None)
    if number is None:
        if sys.platform == "linux":
            report.lacking(name, "this Python does not know it")
        return
    try:
        resource.setrlimit(number, (most, most))
    except (ValueError, OSError) as error:  # macOS refuses an address space below what is mapped
        report.lacking(name, str(error))
        return
    report.enforced(name, *protections)


def _close_others() -> None:
    """Close every descriptor above the pipes."""
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir("/dev/fd")  # noqa: PTH208 (pathlib costs 5 ms of start-up)
    for number in sorted(int(name) for name in names if name.isdigit()) or range(1024):
        if number > LIFELINE:
            with suppress(OSError):
                os.close(number)


def end_with_host(report: Report) -> None:
    """Close other descriptors, and let the system end this process when the host's end of the lifeline closes.

    It does so whatever code is running here.

    Rejected: PR_SET_PDEATHSIG, because it signals the end of the thread that started the process.
    """
    _close_others()
    try:
        fcntl.fcntl(LIFELINE, fcntl.F_SETOWN, os.getpid())
        flags = fcntl.fcntl(LIFELINE, fcntl.F_GETFL)
        fcntl.fcntl(LIFELINE, fcntl.F_SETFL, flags | os.O_NONBLOCK | os.O_ASYNC)
    except (AttributeError, OSError) as error:
        report.lacking("SIGIO", str(error))
        return
    with suppress(BlockingIOError):
        if not os.read(LIFELINE, 1):
            os._exit(0)  # the host ended before the signal was asked for
    report.enforced("SIGIO", "host_end")
