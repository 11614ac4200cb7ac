"""What every worker does with its own process: confine it, read requests, send frames, end in time.

Runs inside the worker process.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from time import process_time

from sandhook.worker import frames
from sandhook.worker.confine.system import confine as confinement
from sandhook.worker.greeting import with_greeting

TYPE_CHECKING = False  # as a type checker reads it; the module typing costs time at each start

if TYPE_CHECKING:
    from sandhook.worker.confine.report import Report

if sys.platform != "win32":
    from resource import RLIM_INFINITY, RLIMIT_CPU, setrlimit
    from signal import ITIMER_REAL, setitimer

MEMORY_BYTES = 512 << 20  #: address space of a worker


class OutputRefused(Exception):
    """The host wants no more of this answer."""


def begin() -> None:
    """Give up what the system can refuse this process, and report that it is ready."""
    send_ready(confinement(MEMORY_BYTES))


def send_ready(report: Report) -> None:
    """Send the first frame: who this process is, and what confines it."""
    send(frames.READY, with_greeting(report.encode()))


def arm(seconds: float) -> None:
    """End this process after ``seconds``, in case its host cannot end it; 0 disarms."""
    seconds = min(seconds, frames.LONGEST)
    if sys.platform == "win32":
        import faulthandler

        if seconds:
            faulthandler.dump_traceback_later(seconds, exit=True, file=2)
        else:
            faulthandler.cancel_dump_traceback_later()
    else:
        setitimer(ITIMER_REAL, seconds)
        if seconds:
            _bound_processor_time(seconds)


def _bound_processor_time(seconds: float) -> None:
    """Let the system end this process after ``seconds`` more of processor time, rounded up."""
    if sys.platform != "win32":
        with suppress(OSError, ValueError):
            setrlimit(RLIMIT_CPU, (int(process_time() + seconds) + 2, RLIM_INFINITY))


def read_exactly(count: int) -> bytes:
    """Return the next ``count`` bytes of standard input; end the process when it ends."""
    data = os.read(0, min(count, 1 << 20)) if count else b""
    if len(data) == count:
        return data
    pieces = [data]
    left = count - len(data)
    while left:
        if not pieces[-1]:
            os._exit(0)
        pieces.append(os.read(0, min(left, 1 << 20)))
        left -= len(pieces[-1])
    return b"".join(pieces)


def write_all(data: bytes) -> None:
    """Write to standard output; end the process when the host has closed it."""
    try:
        sent = os.write(1, data)
        while sent < len(data):
            sent += os.write(1, data[sent : sent + (1 << 20)])
    except OSError:
        os._exit(0)


def send(kind: int, payload: bytes) -> None:
    """Send one frame."""
    write_all(frames.HEADER.pack(kind, len(payload)) + payload)


def send_output(data: bytes) -> None:
    """Send output in pieces, each after the host's consent. Raises OutputRefused."""
    for start in range(0, len(data), frames.CHUNK):
        send(frames.OUTPUT, data[start : start + frames.CHUNK])
        if read_exactly(1) != frames.GO:
            raise OutputRefused
