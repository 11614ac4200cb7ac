"""Errors of file systems: one constructor and GNU's text for every errno.

The texts are fixed here because ``os.strerror`` returns the host's text, which differs between C
libraries and on Windows.
"""

from __future__ import annotations

import errno

#: errno to the text of glibc 2.36 in the C locale.
TEXTS: dict[int, str] = {
    errno.EPERM: "Operation not permitted",
    errno.ENOENT: "No such file or directory",
    errno.ESRCH: "No such process",
    errno.EINTR: "Interrupted system call",
    errno.EIO: "Input/output error",
    errno.ENXIO: "No such device or address",
    errno.E2BIG: "Argument list too long",
    errno.ENOEXEC: "Exec format error",
    errno.EBADF: "Bad file descriptor",
    errno.ECHILD: "No child processes",
    errno.EAGAIN: "Resource temporarily unavailable",
    errno.ENOMEM: "Cannot allocate memory",
    errno.EACCES: "Permission denied",
    errno.EBUSY: "Device or resource busy",
    errno.EEXIST: "File exists",
    errno.EXDEV: "Invalid cross-device link",
    errno.ENODEV: "No such device",
    errno.ENOTDIR: "Not a directory",
    errno.EISDIR: "Is a directory",
    errno.EINVAL: "Invalid argument",
    errno.ENFILE: "Too many open files in system",
    errno.EMFILE: "Too many open files",
    errno.ENOTTY: "Inappropriate ioctl for device",
    errno.EFBIG: "File too large",
    errno.ENOSPC: "No space left on device",
    errno.ESPIPE: "Illegal seek",
    errno.EROFS: "Read-only file system",
    errno.EMLINK: "Too many links",
    errno.EPIPE: "Broken pipe",
    errno.EDOM: "Numerical argument out of domain",
    errno.ERANGE: "Numerical result out of range",
    errno.ENAMETOOLONG: "File name too long",
    errno.ENOSYS: "Function not implemented",
    errno.ENOTEMPTY: "Directory not empty",
    errno.ELOOP: "Too many levels of symbolic links",
    errno.EOVERFLOW: "Value too large for defined data type",
    errno.ENOTSUP: "Operation not supported",
    errno.ETIMEDOUT: "Connection timed out",
}


class NameMissing(FileNotFoundError):
    """A directory lacks a name, and no link is on the way there: nothing else can be meant by the path."""


def fs_error(code: int, path: str = "") -> OSError:
    """Return the ``OSError`` subclass for an errno, with GNU's text and ``path`` as filename."""
    text = TEXTS.get(code) or f"Unknown error {code}"
    return OSError(code, text, path) if path else OSError(code, text)


def error_text(exc: OSError) -> str:
    """Return GNU's text for an error from any source, not the text of the host."""
    return TEXTS.get(exc.errno or 0) or exc.strerror or "Unknown error"


def reason(error: OSError | ValueError) -> str:
    """Return why a file operation failed, in GNU's words; a ValueError is about a name that no file can have."""
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
