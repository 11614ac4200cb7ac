"""Landlock: a ruleset without rules, so that no file, no TCP port and no process outside can be reached.

Source: include/uapi/linux/landlock.h and Documentation/userspace-api/landlock.rst of Linux 6.12. The numbers
of the system calls are equal on all architectures.
"""

from __future__ import annotations

import ctypes
import os
from struct import pack

from sandhook.worker.confine.report import Report

_CREATE_RULESET, _RESTRICT_SELF = 444, 446
_CREATE_RULESET_VERSION = 1

#: How many rights on files each version of the interface knows; they are bits from 0 on.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_BIND_TCP, _CONNECT_TCP = 1, 2
_SCOPE_ABSTRACT_UNIX_SOCKET, _SCOPE_SIGNAL = 1, 2


def ruleset(version: int) -> bytes:
    """Return a ``landlock_ruleset_attr`` that handles all that a version of the interface knows."""
    files = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    if version < 4:
        return pack("=Q", files)
    if version < 6:
        return pack("=QQ", files, _BIND_TCP | _CONNECT_TCP)
    return pack("=QQQ", files, _BIND_TCP | _CONNECT_TCP, _SCOPE_ABSTRACT_UNIX_SOCKET | _SCOPE_SIGNAL)


def confine(libc: ctypes.CDLL, report: Report) -> None:
    """Put the empty ruleset in force. ``no_new_privs`` must be set."""
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _CREATE_RULESET_VERSION)
    if version < 1:
        report.lacking("Landlock", os.strerror(ctypes.get_errno()))
        return
    attributes = ruleset(version)
    descriptor = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if descriptor < 0:
        report.lacking("Landlock", os.strerror(ctypes.get_errno()))
        return
    failed = libc.syscall(_RESTRICT_SELF, descriptor, 0)
    code = ctypes.get_errno()
    os.close(descriptor)
    if failed:
        report.lacking("Landlock", os.strerror(code))
        return
    report.enforced(f"Landlock {version}", "files")
    if version >= 6:
        report.enforced(f"Landlock {version}", "signals")
