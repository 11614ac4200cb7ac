"""stat(2) of the names of open descriptors: /dev/stdin, /dev/fd/3 and /proc/self/fd/3."""

from __future__ import annotations

import errno
import stat as bits

from sandhook.kernel.descriptor import File, Full, Null, NullInput, OpenDirectory, RandomBytes, Zero
from sandhook.kernel.pipe import PipeReader, PipeWriter
from sandhook.kernel.process import Process
from sandhook.vfs.base import Stat
from sandhook.vfs.errors import fs_error
from sandhook.vfs.path import VirtualPath

_STREAMS = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_PREFIXES = ("/dev/fd/", "/proc/self/fd/")

#: The file of a descriptor that is a device.
_DEVICES = {
    Null: VirtualPath("/dev/null"),
    NullInput: VirtualPath("/dev/null"),
    Zero: VirtualPath("/dev/zero"),
    Full: VirtualPath("/dev/full"),
    RandomBytes: VirtualPath("/dev/urandom"),
}

_LINK = Stat(bits.S_IFLNK | 0o777, 64, 0, 1)
_DIRECTORY = Stat(bits.S_IFDIR | 0o755, 4096, 0, 2)
_TERMINAL = Stat(bits.S_IFCHR | 0o620, 0, 0, 1)
#: Linux has a file system of its own for pipes.
_PIPE = Stat(bits.S_IFIFO | 0o600, 0, 0, 1, device=13)


def descriptor_status(process: Process, path: VirtualPath, *, follow: bool = True) -> Stat | None:
    """Return the status of the open file that ``path`` names as a descriptor; None for any other path.

    Raises:
        FileNotFoundError: The descriptor is not open.

    The file system cannot know it: which file it is depends on the process.
    """
    own = f"/proc/{process.pid}/fd/"
    if path.startswith(own):
        path = VirtualPath("/dev/fd/" + path[len(own) :])
    if path in ("/dev/fd", "/proc/self/fd"):
        return _DIRECTORY
    number = _STREAMS.get(path)
    if number is None:
        digits = next((path[len(prefix) :] for prefix in _PREFIXES if path.startswith(prefix)), "")
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 10):
            return None
        number = int(digits)
    if number not in process.descriptors:
        raise fs_error(errno.ENOENT, path)
    return open_status(process, number) if follow else _LINK


def open_status(process: Process, number: int) -> Stat:
    """Return the status of an open file. What is neither a file, a directory nor a device is a pipe."""
    description = process.descriptor(number)
    if isinstance(description, File):
        return description.handle.stat()
    if isinstance(description, OpenDirectory):
        return _DIRECTORY
    device = _DEVICES.get(type(description))
    if device is not None:
        return process.kernel.fs.stat(device)
    if not isinstance(description, (PipeReader, PipeWriter)):
        return _now(process, _TERMINAL if description.terminal else _PIPE)
    pipe = description.pipe
    if not pipe.number:
        process.kernel.numbered_pipes += 1
        pipe.number = process.kernel.numbered_pipes + 1
    return _now(process, _PIPE._replace(inode=pipe.number))


def _now(process: Process, status: Stat) -> Stat:
    """Return the status of a pipe: ``diff`` and ``patch`` take a file of 1970 for one that does not exist."""
    now = int(process.kernel.now() * 10**9)
    return status._replace(mtime_ns=now, atime_ns=now, ctime_ns=now)
