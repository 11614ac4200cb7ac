"""Functions of Windows that Python does not offer. Imported on Windows, when a program starts."""

from __future__ import annotations

import sys

if sys.platform != "win32":
    raise ImportError("this is not Windows")

import ctypes
from ctypes import wintypes

#: The job ends its processes when its last handle is closed.
_KILL_ON_JOB_CLOSE = 0x2000

_BASIC_ACCOUNTING, _PROCESS_IDS, _EXTENDED_LIMITS = 1, 3, 9
_PIPE_INFORMATION = 24
_CONNECTED = 3
_MORE_DATA = 234

_kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
_ntdll = ctypes.WinDLL("ntdll")

_kernel32.CreateJobObjectW.restype = wintypes.HANDLE
_kernel32.CreateJobObjectW.argtypes = (wintypes.LPVOID, wintypes.LPCWSTR)
_kernel32.SetInformationJobObject.argtypes = (
    wintypes.HANDLE,
    ctypes.c_int,
    wintypes.LPVOID,
    wintypes.DWORD,
)
_kernel32.QueryInformationJobObject.argtypes = (
    wintypes.HANDLE,
    ctypes.c_int,
    wintypes.LPVOID,
    wintypes.DWORD,
    wintypes.LPVOID,
)
_kernel32.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
_kernel32.TerminateJobObject.argtypes = (wintypes.HANDLE, wintypes.UINT)
_kernel32.ResumeThread.argtypes = (wintypes.HANDLE,)
_kernel32.ResumeThread.restype = wintypes.DWORD
_kernel32.CloseHandle.argtypes = (wintypes.HANDLE,)
_kernel32.GetProcessTimes.argtypes = (wintypes.HANDLE, *[ctypes.POINTER(wintypes.FILETIME)] * 4)
_kernel32.SetNamedPipeHandleState.argtypes = (
    wintypes.HANDLE,
    wintypes.LPDWORD,
    wintypes.LPDWORD,
    wintypes.LPDWORD,
)
_ntdll.NtQueryInformationFile.argtypes = (
    wintypes.HANDLE,
    wintypes.LPVOID,
    wintypes.LPVOID,
    wintypes.ULONG,
    ctypes.c_int,
)
_ntdll.NtQueryInformationFile.restype = ctypes.c_long


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("per_process_time", wintypes.LARGE_INTEGER),
        ("per_job_time", wintypes.LARGE_INTEGER),
        ("flags", wintypes.DWORD),
        ("least_working_set", ctypes.c_size_t),
        ("most_working_set", ctypes.c_size_t),
        ("processes", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("priority", wintypes.DWORD),
        ("scheduling", wintypes.DWORD),
    )


class _ExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("basic", _BasicLimits),
        ("io", ctypes.c_ulonglong * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    )


class _Pipe(ctypes.Structure):
    _fields_ = tuple(
        (name, wintypes.ULONG)
        for name in (
            "kind",
            "configuration",
            "most",
            "current",
            "in_quota",
            "readable",
            "out_quota",
            "writable",
            "state",
            "end",
        )
    )


class Job:
    """A Job Object: a set of processes that no process can leave. The processes end with it."""

    def __init__(self) -> None:
        self._handle = _kernel32.CreateJobObjectW(None, None)
        if not self._handle:
            raise ctypes.WinError(ctypes.get_last_error())
        limits = _ExtendedLimits()
        limits.basic.flags = _KILL_ON_JOB_CLOSE
        if not _kernel32.SetInformationJobObject(
            self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
        ):
            error = ctypes.WinError(ctypes.get_last_error())
            self.close()
            raise error

    def add(self, process: int) -> bool:
        """Add a process to the job by its handle; return False if the system does not allow that."""
        return bool(_kernel32.AssignProcessToJobObject(self._handle, process))

    def end(self, status: int) -> None:
        """End every process of the job."""
        _kernel32.TerminateJobObject(self._handle, status)

    def pids(self) -> list[int]:
        """Return the numbers of the living processes in the job."""
        room = 64
        while True:

            class Ids(ctypes.Structure):
                _fields_ = (
                    ("assigned", wintypes.DWORD),
                    ("count", wintypes.DWORD),
                    ("ids", ctypes.c_size_t * room),
                )

            ids = Ids()
            success = _kernel32.QueryInformationJobObject(
                self._handle, _PROCESS_IDS, ctypes.byref(ids), ctypes.sizeof(ids), None
            )
            if success or ctypes.get_last_error() != _MORE_DATA or room > 1 << 20:
                return list(ids.ids[: ids.count])
            room *= 4

    def close(self) -> None:
        """Close the job, which ends its remaining processes."""
        if self._handle:
            _kernel32.CloseHandle(self._handle)
            self._handle = None


def resume(thread: int) -> None:
    """Resume a process that was created suspended, by the handle of its first thread."""
    if _kernel32.ResumeThread(thread) == 0xFFFFFFFF:
        raise ctypes.WinError(ctypes.get_last_error())


def times(process: int) -> tuple[float, float]:
    """Return the seconds that a process spent in user mode and in the kernel."""
    start, end, kernel, user = (wintypes.FILETIME() for _ in range(4))
    if not _kernel32.GetProcessTimes(
        process, ctypes.byref(start), ctypes.byref(end), ctypes.byref(kernel), ctypes.byref(user)
    ):
        return 0.0, 0.0
    return _seconds(user), _seconds(kernel)


def _seconds(time: wintypes.FILETIME) -> float:
    return (time.dwHighDateTime << 32 | time.dwLowDateTime) / 1e7


def set_blocking(pipe: int, blocking: bool) -> None:
    """Make writes to a pipe's handle wait for room, or let them write only as much as there is room for."""
    mode = wintypes.DWORD(0 if blocking else 1)  # PIPE_WAIT, PIPE_NOWAIT
    if not _kernel32.SetNamedPipeHandleState(pipe, ctypes.byref(mode), None, None):
        raise ctypes.WinError(ctypes.get_last_error())


def has_room(pipe: int) -> bool:
    """Return True if a write to a pipe's handle will certainly write a byte, or fail.

    False does not mean that there is no room: a waiting read at the other end counts as no room, and
    Wine never reports the room.
    """
    information, status = _Pipe(), (ctypes.c_size_t * 2)()
    if _ntdll.NtQueryInformationFile(
        pipe, ctypes.byref(status), ctypes.byref(information), ctypes.sizeof(information), _PIPE_INFORMATION
    ):
        return True
    return bool(information.state != _CONNECTED or information.writable > 0)
