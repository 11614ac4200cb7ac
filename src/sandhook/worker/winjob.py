"""Windows, the host's side: a job that ends a process when its host ends, whatever code is running in it.

What the process starts is in the job, too, and ends with it.
"""

from __future__ import annotations

import ctypes
import sys
from struct import pack

# Source: Microsoft, "JOBOBJECT_BASIC_LIMIT_INFORMATION structure".
_EXTENDED_LIMITS = 9
_KILL_ON_JOB_CLOSE = 0x2000
_SET_QUOTA, _TERMINATE = 0x100, 0x1


def end_with_host(pid: int) -> int:
    """Put a process into a job whose one handle is this process's; return the handle, or 0."""
    if sys.platform != "win32":  # ctypes has WinDLL on Windows only
        return 0
    kernel = ctypes.WinDLL("kernel32")
    for function in (kernel.CreateJobObjectW, kernel.OpenProcess):
        function.restype = ctypes.c_void_p
    job: int = kernel.CreateJobObjectW(None, None) or 0
    process = ctypes.c_void_p(kernel.OpenProcess(_SET_QUOTA | _TERMINATE, 0, pid))
    limits = pack("@qqINNINII", 0, 0, _KILL_ON_JOB_CLOSE, 0, 0, 0, 0, 0, 0) + pack("@6Q4N", *[0] * 10)
    handle = ctypes.c_void_p(job)
    done = (
        job
        and process
        and kernel.SetInformationJobObject(handle, _EXTENDED_LIMITS, limits, len(limits))
        and kernel.AssignProcessToJobObject(handle, process)
    )
    kernel.CloseHandle(process)
    if done:
        return job
    kernel.CloseHandle(handle)
    return 0


def close(job: int) -> None:
    """Close the handle of a job, which ends the processes in it."""
    if sys.platform == "win32":
        import _winapi

        _winapi.CloseHandle(job)
