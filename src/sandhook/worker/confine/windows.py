"""Windows: a Job Object, process mitigation policies, and a token without privileges at low integrity.

Everything is set by the worker on itself and cannot be taken back. What this does not refuse is reading files
that every user may read; a token that is restricted from the start would need another way to start the worker.
"""

from __future__ import annotations

import ctypes
import sys
from struct import pack, pack_into, unpack_from

from sandhook.worker.confine.report import Report

TYPE_CHECKING = False  # as a type checker reads it; the module typing costs time at each start

if TYPE_CHECKING:
    from sandhook.worker.confine.report import Protection

# Source: Microsoft, "JOBOBJECT_BASIC_LIMIT_INFORMATION structure", "JOBOBJECT_BASIC_UI_RESTRICTIONS structure",
# "SetErrorMode function".
_UI_RESTRICTIONS, _EXTENDED_LIMITS = 4, 9
_ACTIVE_PROCESS = 0x8
_PROCESS_MEMORY = 0x100
_DIE_ON_UNHANDLED_EXCEPTION = 0x400
_EVERY_UI_RESTRICTION = 0xFF
_NO_DIALOGS = 0x8003
_THIS_PROCESS = -1

# Source: Microsoft, "SetTokenInformation function", "AdjustTokenPrivileges function", "Well-known SIDs".
_ADJUST_PRIVILEGES, _QUERY, _ADJUST_DEFAULT = 0x20, 0x8, 0x80
_PRIVILEGES, _INTEGRITY_LEVEL = 3, 25
_REMOVED = 4
_GROUP_INTEGRITY = 0x20
_LOW = bytes((1, 1, 0, 0, 0, 0, 0, 16, 0, 16, 0, 0))  # S-1-16-4096; below it the system's random numbers fail

#: Policies of "SetProcessMitigationPolicy function": number, flags, name, what it protects. The last one
#: forbids new code, which ctypes may need for the others.
POLICIES: tuple[tuple[int, int, str, tuple[Protection, ...]], ...] = (
    (13, 1, "ProcessChildProcessPolicy", ("processes", "programs")),
    (6, 1, "ProcessExtensionPointDisablePolicy", ()),
    (10, 3, "ProcessImageLoadPolicy", ()),
    (4, 1, "ProcessSystemCallDisablePolicy", ()),
    (2, 1, "ProcessDynamicCodePolicy", ("new_code",)),
)


def confine(report: Report, memory_bytes: int) -> None:
    """Put everything in force that this version of Windows has."""
    if sys.platform != "win32":  # ctypes has WinDLL on Windows only
        return
    kernel = ctypes.WinDLL("kernel32")
    kernel.SetErrorMode(_NO_DIALOGS)
    _enter_job(kernel, report, memory_bytes)
    _lower_token(kernel, report)
    report.lacking(
        "restricted token", "the worker lowers its own token instead; reading files is not refused"
    )
    for number, flags, name, protections in POLICIES:
        policy = ctypes.c_uint32(flags)
        try:
            done = kernel.SetProcessMitigationPolicy(number, ctypes.byref(policy), ctypes.c_size_t(4))
        except AttributeError:
            done = 0
        if done:
            report.enforced(name, *protections)
        else:
            report.lacking(name, f"error {kernel.GetLastError()}")


def _enter_job(kernel: ctypes.CDLL, report: Report, memory_bytes: int) -> None:
    """Put this process into a job that bounds its memory, allows no other process and no user interface."""
    kernel.CreateJobObjectW.restype = ctypes.c_void_p
    job = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))
    flags = _PROCESS_MEMORY | _ACTIVE_PROCESS | _DIE_ON_UNHANDLED_EXCEPTION
    basic = pack("@qqINNINII", 0, 0, flags, 0, 0, 1, 0, 0, 0)
    limits = basic + pack("@6Q4N", 0, 0, 0, 0, 0, 0, memory_bytes, 0, 0, 0)
    bounded = job and kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, limits, len(limits))
    interface = pack("=I", _EVERY_UI_RESTRICTION)
    restricted = job and kernel.SetInformationJobObject(job, _UI_RESTRICTIONS, interface, len(interface))
    if not (bounded and kernel.AssignProcessToJobObject(job, ctypes.c_void_p(_THIS_PROCESS))):
        report.lacking("Job Object", f"error {kernel.GetLastError()}")
        return
    report.enforced("Job Object", "memory", "processes", "programs")
    if not restricted:
        report.lacking("user interface restrictions", f"error {kernel.GetLastError()}")


def _lower_token(kernel: ctypes.CDLL, report: Report) -> None:
    """Remove all privileges, and move to the integrity level at which hardly anything of the user can be written."""
    if sys.platform != "win32":
        return
    rights = ctypes.WinDLL("advapi32")
    token = ctypes.c_void_p()
    access = _ADJUST_PRIVILEGES | _QUERY | _ADJUST_DEFAULT
    if not rights.OpenProcessToken(ctypes.c_void_p(_THIS_PROCESS), access, ctypes.byref(token)):
        report.lacking("token", f"error {kernel.GetLastError()}")
        return
    size = ctypes.c_uint32(4096)
    privileges = ctypes.create_string_buffer(size.value)
    if rights.GetTokenInformation(token, _PRIVILEGES, privileges, size, ctypes.byref(size)):
        for index in range(unpack_from("=I", privileges)[0]):
            pack_into("=I", privileges, 4 + 12 * index + 8, _REMOVED)
        if rights.AdjustTokenPrivileges(token, 0, privileges, 0, None, None):
            report.enforced("privileges removed", "privileges")
    sid = ctypes.create_string_buffer(_LOW)
    label = pack(
        "@PI4x" if ctypes.sizeof(ctypes.c_void_p) == 8 else "@PI", ctypes.addressof(sid), _GROUP_INTEGRITY
    )
    if rights.SetTokenInformation(token, _INTEGRITY_LEVEL, label, len(label)):
        report.enforced("low integrity level", "signals")
    else:
        report.lacking("low integrity level", f"error {kernel.GetLastError()}")
    kernel.CloseHandle(token)
