"""Landlock: a ruleset so that no file, no TCP port and no process outside can be reached.

Source: include/uapi/linux/landlock.h and Documentation/userspace-api/landlock.rst of Linux 6.12. The numbers
of the system calls are equal on all architectures.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from struct import pack

from sandhook.worker.confine.report import Report

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_BENEATH = 1
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
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


def version(libc: ctypes.CDLL) -> int:
    """Return the version of the interface, 0 or less if the kernel lacks it."""
    return int(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _CREATE_RULESET_VERSION))


def confine(libc: ctypes.CDLL, report: Report, readable: Sequence[str]) -> None:
    """Put a ruleset in force: nothing, but reading below some directories. ``no_new_privs`` must be set."""
    offered = version(libc)
    if offered < 1:
        report.lacking("Landlock", os.strerror(ctypes.get_errno()))
        return
    attributes = ruleset(offered)
    descriptor = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if descriptor < 0:
        report.lacking("Landlock", os.strerror(ctypes.get_errno()))
        return
    for directory in readable:
        _allow_reading(libc, descriptor, directory)
    failed = libc.syscall(_RESTRICT_SELF, descriptor, 0)
    code = ctypes.get_errno()
    os.close(descriptor)
    if failed:
        report.lacking("Landlock", os.strerror(code))
        return
    report.enforced(f"Landlock {offered}" + " but Python's library" * bool(readable), "files")
    report.reads = bool(readable)
    if offered >= 6:
        report.enforced(f"Landlock {offered}", "signals")


def _allow_reading(libc: ctypes.CDLL, ruleset: int, directory: str) -> None:
    """Add a rule; without it the directory stays unreadable."""
    try:
        place = os.open(directory, os.O_RDONLY | getattr(os, "O_PATH", 0))
    except OSError:
        return
    libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, pack("=Qi", _READ_FILE | _READ_DIR, place), 0)
    os.close(place)
