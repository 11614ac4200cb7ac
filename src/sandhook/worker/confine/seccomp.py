"""seccomp: the system calls that a worker may make after its start; every other one fails with EPERM.

Source: seccomp(2); include/uapi/linux/{seccomp,filter,bpf_common,audit}.h; arch/x86/entry/syscalls/syscall_64.tbl;
include/uapi/asm-generic/unistd.h (aarch64). Rejected: libseccomp and its bindings, which need a shared library
that no wheel contains.
"""

from __future__ import annotations

import ctypes
import os
import sys
from struct import calcsize, pack

from sandhook.worker.confine.report import Report

# Classic BPF: load a word of seccomp_data, compare, return.
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _REFUSE, _ALLOW = (
    0x80000000,
    0x00050001,
    0x7FFF0000,
)  # SECCOMP_RET_KILL_PROCESS, _ERRNO | EPERM, _ALLOW
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_X32 = 0x40000000  # numbers of the x32 interface of x86_64 begin here
_SET_MODE_FILTER, _ALL_THREADS = 1, 1

_PROT_EXEC = 4
_SIGABRT = 6
_RLIMIT_CPU = 0

#: Machine, as uname(2) names it, to the AUDIT_ARCH of its 64-bit interface.
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

#: Allowed with all arguments: name, number on x86_64 and on aarch64 (-1: it lacks the call).
PLAIN: dict[str, tuple[int, int]] = {
    "brk": (12, 214),
    "clock_getres": (229, 114),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "close": (3, 57),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "futex": (202, 98),
    "getegid": (108, 177),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getpid": (39, 172),
    "getrandom": (318, 278),
    "getrusage": (98, 165),
    "gettid": (186, 178),
    "gettimeofday": (96, 169),
    "getuid": (102, 174),
    "madvise": (28, 233),
    "mremap": (25, 216),
    "munmap": (11, 215),
    "nanosleep": (35, 101),
    "restart_syscall": (219, 128),
    "rt_sigreturn": (15, 139),
    "sched_yield": (24, 124),
    "setitimer": (38, 103),
    "sysinfo": (99, 179),
    "time": (201, -1),
}

#: Allowed in addition for a worker that reads Python's library, where Landlock bounds what it can open.
READING: dict[str, tuple[int, int]] = {
    "fstat": (5, 80),
    "getcwd": (79, 17),
    "getdents64": (217, 61),
    "lseek": (8, 62),
    "newfstatat": (262, 79),
    "pread64": (17, 67),
    "read": (0, 63),
    "stat": (4, -1),
    "lstat": (6, -1),
}

#: Flags of openat(2) that change something: all but O_NONBLOCK, O_LARGEFILE, O_DIRECTORY, O_NOFOLLOW, O_CLOEXEC.
_OPENAT = (257, 56)
_CHANGING = 0xFFFFFFFF & ~(0o4000 | 0o100000 | 0o200000 | 0o400000 | 0o2000000 | 0o40000)

#: Allowed if conditions on the low words of arguments hold: (argument, operation, value).
_Condition = tuple[int, int, int]
READ, WRITE, MMAP, MPROTECT, TGKILL, PRLIMIT = (0, 63), (1, 64), (9, 222), (10, 226), (234, 131), (302, 261)
_SECCOMP = (317, 277)


def _conditional(column: int, process: int) -> list[tuple[int, list[_Condition], bool]]:
    """Return (number, conditions, whether they must hold): reads and writes of the pipes, memory without code,
    the SIGABRT of abort(3) to this process, and a bound of processor time for it."""
    return [
        (READ[column], [(0, _EQUAL, 0)], True),
        (WRITE[column], [(0, _EQUAL, 1)], True),
        (MMAP[column], [(2, _ANY_BIT, _PROT_EXEC)], False),
        (MPROTECT[column], [(2, _ANY_BIT, _PROT_EXEC)], False),
        (TGKILL[column], [(0, _EQUAL, process), (2, _EQUAL, _SIGABRT)], True),
        (PRLIMIT[column], [(0, _EQUAL, 0), (1, _EQUAL, _RLIMIT_CPU)], True),
    ]


def _instruction(code: int, value: int, true: int = 0, false: int = 0) -> bytes:
    return pack("=HBBI", code, true, false, value)


def program(machine: str, process: int, *, reads: bool = False) -> bytes:
    """Return the filter for a machine of ``ARCHITECTURES`` as an array of ``struct sock_filter``.

    Args:
        machine: As uname(2) names it.
        process: The id of the process.
        reads: Allow READING, and openat(2) for reading.

    Another architecture, and the x32 interface, end the process: their numbers mean other calls.
    """
    column = list(ARCHITECTURES).index(machine)
    code = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_EQUAL, ARCHITECTURES[machine], true=1),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NUMBER),
    ]
    if machine == "x86_64":
        code += [_instruction(_AT_LEAST, _X32, false=1), _instruction(_RETURN, _KILL)]
    conditional = _conditional(column, process)
    if reads:
        conditional.append((_OPENAT[column], [(2, _ANY_BIT, _CHANGING)], False))
    for numbers in (*PLAIN.values(), *(READING.values() if reads else ())):
        if numbers[column] >= 0:
            code += [_instruction(_EQUAL, numbers[column], false=1), _instruction(_RETURN, _ALLOW)]
    for number, conditions, must_hold in conditional:
        body: list[bytes] = []
        for argument, operation, value in conditions:
            low = _ARGUMENTS + 8 * argument  # both machines are little-endian
            skip = (1, 0) if must_hold else (0, 1)
            body += [
                _instruction(_LOAD, low),
                _instruction(operation, value, *skip),
                _instruction(_RETURN, _REFUSE),
            ]
        body.append(_instruction(_RETURN, _ALLOW))
        code += [_instruction(_EQUAL, number, false=len(body)), *body]
    code.append(_instruction(_RETURN, _REFUSE))
    return b"".join(code)


class _Program(ctypes.Structure):
    """``struct sock_fprog``."""

    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def confine(libc: ctypes.CDLL, report: Report) -> None:
    """Put the filter in force. ``no_new_privs`` must be set."""
    if sys.platform != "linux":
        return
    machine = os.uname().machine
    if machine not in ARCHITECTURES or calcsize("P") != 8:
        report.lacking(
            "seccomp", f"there is no list of system calls for {machine} with {calcsize('P') * 8} bits"
        )
        return
    code = program(machine, os.getpid(), reads=report.reads)
    argument = _Program(len(code) // 8, code)
    number = _SECCOMP[list(ARCHITECTURES).index(machine)]
    result = libc.syscall(number, _SET_MODE_FILTER, _ALL_THREADS, ctypes.byref(argument))
    if result:
        report.lacking(
            "seccomp", os.strerror(ctypes.get_errno()) if result < 0 else "a thread could not follow"
        )
        return
    report.enforced("seccomp", "files", "network", "programs", "processes", "signals", "new_code")
