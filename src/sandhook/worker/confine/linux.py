"""Linux: no new privileges, no capabilities, Landlock, and an allow-list of system calls."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence

from sandhook.worker.confine import landlock, seccomp
from sandhook.worker.confine.report import Report

# Source: include/uapi/linux/prctl.h, capability.h.
PR_SET_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION_3 = 0x20080522


def give_up_rights(report: Report, readable: Sequence[str]) -> None:
    """Put in force what other limits do not hinder; each mechanism works without the others."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        report.lacking("no_new_privs", os.strerror(ctypes.get_errno()))
    else:
        report.enforced("no_new_privs", "privileges")
    _drop_capabilities(libc, report)
    landlock.confine(libc, report, readable)


def has_landlock() -> bool:
    """Return True if the kernel has Landlock."""
    return sys.platform == "linux" and landlock.version(ctypes.CDLL(None, use_errno=True)) > 0


def allow_few_calls(report: Report) -> None:
    """Put the allow-list of system calls in force."""
    if sys.platform == "linux":
        seccomp.confine(ctypes.CDLL(None, use_errno=True), report)


def _drop_capabilities(libc: ctypes.CDLL, report: Report) -> None:
    """Give up the capabilities of a host that runs as the superuser. Source: capset(2)."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    if libc.capset(header, nothing):
        report.lacking("capset", os.strerror(ctypes.get_errno()))
    else:
        report.enforced("capset", "privileges")
