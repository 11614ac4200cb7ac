"""Native code that a worker would run for an attacker: each act calls the system directly, after ``confine``.

Run as ``python -c SOURCE`` by ``test_confinement.py``; prints one JSON object, act to error number (0: it was done).
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import sys
import time

MACHINE = platform.machine()
libc = ctypes.CDLL(None, use_errno=True) if sys.platform != "win32" else ctypes.CDLL("msvcrt")

#: Numbers on x86_64 and on aarch64.
CALLS = {
    "openat": (257, 56),
    "openat2": (437, 437),
    "socket": (41, 198),
    "execve": (59, 221),
    "kill": (62, 129),
    "tgkill": (234, 131),
    "ptrace": (101, 117),
    "clone": (56, 220),
    "unlinkat": (263, 35),
    "renameat2": (316, 276),
    "io_uring_setup": (425, 425),
    "process_vm_readv": (310, 270),
    "memfd_create": (319, 279),
    "prctl": (157, 167),
    "setrlimit": (160, 164),
    "prlimit64": (302, 261),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "pidfd_open": (434, 434),
    "mkdirat": (258, 34),
    "fcntl": (72, 25),
    "statx": (332, 291),
    "read": (0, 63),
    "write": (1, 64),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "setns": (308, 268),
    "unshare": (272, 97),
    "dup": (32, 23),
}


def call(name: str, *arguments: object) -> int:
    """Return the error number of a system call, 0 if it was done."""
    number = CALLS[name][MACHINE == "aarch64"]
    ctypes.set_errno(0)
    result = libc.syscall(number, *arguments)
    return ctypes.get_errno() if result == -1 else 0


AT = -100  # AT_FDCWD


def file_acts(canary: bytes) -> dict[str, int]:
    """Try what can be done to files; return what the system answered."""
    at = AT
    os.close(2)  # a free descriptor, whatever the limit
    return {
        "read a file": call("openat", at, canary, os.O_RDONLY),
        "read a file by the newer call": call("openat2", at, canary, ctypes.create_string_buffer(24), 24),
        "create a file": call("openat", at, canary + b".new", os.O_WRONLY | os.O_CREAT, 0o600),
        "make a directory": call("mkdirat", at, canary + b".d", 0o700),
        "look whether a file exists": call("statx", at, canary, 0, 0, ctypes.create_string_buffer(256)),
        "remove a file": call("unlinkat", at, canary, 0),
        "rename a file": call("renameat2", at, canary, at, canary + b".moved", 0),
    }


def acts(canary: bytes, host: int) -> dict[str, int]:
    """Try everything; return what the system answered."""
    page = ctypes.c_size_t(4096)
    arguments = (ctypes.c_char_p * 2)(b"/bin/true", None)
    return {
        **file_acts(canary),
        "open a socket": call("socket", 2, 1, 0),
        "open a local socket": call("socket", 1, 1, 0),
        "execute a program": call("execve", b"/bin/true", arguments, None),
        "signal the host": call("kill", host, 0),
        "signal a thread of the host": call("tgkill", host, host, 0),
        "signal itself with another signal": call("tgkill", os.getpid(), os.getpid(), 19),
        "trace the host": call("ptrace", 16, host, None, None),
        "read the memory of the host": call("process_vm_readv", host, None, 0, None, 0, 0),
        "get a descriptor of the host's process": call("pidfd_open", host, 0),
        "start a process": call("clone", 17, None, None, None, None),
        "execute memory": call("mmap", None, page, 7, 0x22, -1, None),
        "make memory executable": call("mprotect", None, page, 5),
        "make a file in memory": call("memfd_create", b"x", 0),
        "queue calls in the kernel": call("io_uring_setup", 1, ctypes.create_string_buffer(120)),
        "load a program into the kernel": call("bpf", 0, None, 0),
        "handle page faults": call("userfaultfd", 0),
        "enter a namespace": call("setns", 0, 0),
        "make a namespace": call("unshare", 0x10000000),
        "change its name": call("prctl", 15, b"x", 0, 0, 0),
        "raise its memory": call("prlimit64", 0, 9, ctypes.create_string_buffer(b"\xff" * 16), None),
        "limit the host": call("prlimit64", host, 0, None, ctypes.create_string_buffer(16)),
        "keep living without its host": call("fcntl", 3, 4, 0),
        "copy a descriptor": call("dup", 0),
        "read from another descriptor": call("read", 3, ctypes.create_string_buffer(1), ctypes.c_size_t(1)),
        "write to another descriptor": call("write", 2, b"x", ctypes.c_size_t(1)),
    }


def harmless() -> dict[str, bool]:
    """Do what libjq, SQLite and Python need."""
    block = bytearray(64 << 20)
    block[-1] = 1
    return {
        "memory": len(block) == 64 << 20,
        "clock": time.time() > 0 and time.monotonic() > 0 and time.process_time() >= 0,
        "random": len(os.urandom(8)) == 8,
        "sleep": time.sleep(0.001) is None,
        "identity": os.getpid() > 0,
    }


def reads(library: str) -> bool:
    """Read a file of Python's library and list it, as an import does."""
    with open(os.path.join(library, "this.py"), encoding="utf-8") as file:
        return bool(file.read()) and "this.py" in os.listdir(library)


def main() -> None:
    """Confine this process as a worker does, then try everything."""
    from sandhook.worker.confine.system import confine

    library = os.path.dirname(os.__file__)
    report = confine(512 << 20, [library] if sys.argv[3] == "library" else [])
    canary = os.fsencode(sys.argv[1])
    result = {
        "report": [report.in_force, report.unavailable],
        "acts": acts(canary, int(sys.argv[2])) if sys.argv[3] != "files" else file_acts(canary),
        "harmless": {**harmless(), **({"library": reads(library)} if report.reads else {})},
    }
    os.write(1, json.dumps(result).encode())
    os._exit(0)


if __name__ == "__main__":
    main()
