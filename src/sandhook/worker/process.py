"""What every worker does with its own process: confine it, read requests, send frames, end in time.

Runs inside the worker process.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from sandhook.worker import frames

if sys.platform != "win32":
    from signal import ITIMER_REAL, setitimer

MEMORY_BYTES = 512 << 20  #: address space of a worker

# Source: Microsoft, "JOBOBJECT_BASIC_LIMIT_INFORMATION structure", "SetErrorMode function".
_EXTENDED_LIMITS = 9
_ACTIVE_PROCESS = 0x8
_PROCESS_MEMORY = 0x100
_DIE_ON_UNHANDLED_EXCEPTION = 0x400
_NO_DIALOGS = 0x8003


class OutputRefused(Exception):
    """The host wants no more of this answer."""


def confine() -> None:
    """Give up files, processes and most memory, as far as the platform allows."""
    with suppress(OSError):
        os.chdir("/")
    if sys.platform == "win32":
        _confine_by_job()
        return
    import resource

    os.closerange(3, 1024)
    for name, most in (
        ("RLIMIT_AS", MEMORY_BYTES),
        ("RLIMIT_FSIZE", 0),
        ("RLIMIT_CORE", 0),
        ("RLIMIT_NOFILE", 3),
        ("RLIMIT_NPROC", 0),
    ):
        try:
            resource.setrlimit(getattr(resource, name), (most, most))
        except (AttributeError, ValueError, OSError):
            continue  # macOS refuses an address space below what is mapped, other systems lack a name


def _confine_by_job() -> None:
    """Windows: put this process into a job that bounds its memory and allows no other process."""
    import ctypes
    from struct import pack

    if sys.platform != "win32":  # ctypes has WinDLL on Windows only
        return
    kernel = ctypes.WinDLL("kernel32")
    kernel.SetErrorMode(_NO_DIALOGS)
    kernel.CreateJobObjectW.restype = ctypes.c_void_p
    job = kernel.CreateJobObjectW(None, None)
    flags = _PROCESS_MEMORY | _ACTIVE_PROCESS | _DIE_ON_UNHANDLED_EXCEPTION
    basic = pack("@qqINNINII", 0, 0, flags, 0, 0, 1, 0, 0, 0)
    limits = basic + pack("@6Q4N", 0, 0, 0, 0, 0, 0, MEMORY_BYTES, 0, 0, 0)
    if job and kernel.SetInformationJobObject(ctypes.c_void_p(job), _EXTENDED_LIMITS, limits, len(limits)):
        kernel.AssignProcessToJobObject(ctypes.c_void_p(job), ctypes.c_void_p(-1))


def arm(seconds: float) -> None:
    """End this process after ``seconds``, in case its host cannot end it; 0 disarms."""
    if sys.platform == "win32":
        import faulthandler

        if seconds:
            faulthandler.dump_traceback_later(seconds, exit=True, file=2)
        else:
            faulthandler.cancel_dump_traceback_later()
    else:
        setitimer(ITIMER_REAL, seconds)


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
