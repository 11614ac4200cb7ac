"""The operators of test and [: what the built-in and the program share.

Source: POSIX.1-2024 XCU 3, test; Bash Reference Manual, Bash Conditional Expressions.
"""

from __future__ import annotations

import stat
from collections.abc import Callable
from typing import Protocol

from sandhook.vfs.base import Stat

MAX_NESTING = 100  #: parentheses
_LOW, _HIGH = -(2**63), 2**63 - 1


class TestError(Exception):
    """The expression is not valid; exit status 2 with this message."""

    __test__ = False  # not a test case of pytest's


class Probe(Protocol):
    """The queries of an expression about files, descriptors and the shell."""

    def stat(self, name: str, follow: bool = True) -> Stat | None:
        """Return the status of a file; None without one."""
        ...

    def access(self, name: str, mask: int) -> bool:
        """Return whether all of read (4), write (2), execute (1) are allowed."""
        ...

    def terminal(self, number: int) -> bool:
        """Return whether a descriptor is open on a terminal."""
        ...

    def owner(self) -> tuple[int, int]:
        """Return the user and the group for -O and -G."""
        ...

    def is_set(self, name: str) -> bool:
        """Return whether a shell variable is set (-v)."""
        ...

    def option(self, name: str) -> bool:
        """Return whether a shell option is on (-o)."""
        ...

    def is_nameref(self, name: str) -> bool:
        """Return whether a variable is a name reference (-R)."""
        ...


def integer(text: str) -> int:
    """Return a decimal number of 64 bits; blanks around it and a sign are allowed."""
    if text.isdecimal() and text.isascii() and len(text) < 19:
        return int(text)
    stripped = text.strip(" \t\n\v\f\r")
    digits = stripped[1:] if stripped[:1] in ("-", "+") else stripped
    if digits.isdecimal() and digits.isascii() and text.rstrip(" \t") == text.rstrip():
        significant = digits.lstrip("0") or "0"
        if len(significant) < 20:
            value = -int(significant) if stripped[0] == "-" else int(significant)
            if _LOW <= value <= _HIGH:
                return value
    raise TestError(f"{text}: integer expression expected")


def _less(left: str, right: str) -> bool:
    if left.isascii() and right.isascii():
        return left < right
    return left.encode("utf-8", "surrogateescape") < right.encode("utf-8", "surrogateescape")


def _newer(left: str, right: str, probe: Probe) -> bool:
    a, b = probe.stat(left), probe.stat(right)
    return a is not None and (b is None or a.mtime_ns > b.mtime_ns)


def _older(left: str, right: str, probe: Probe) -> bool:
    return _newer(right, left, probe)


def _same_file(left: str, right: str, probe: Probe) -> bool:
    a, b = probe.stat(left), probe.stat(right)
    return a is not None and b is not None and (a.device, a.inode) == (b.device, b.inode)


Binary = Callable[[str, str, Probe], bool]
Unary = Callable[[str, Probe], bool]

BINARY: dict[str, Binary] = {
    "=": lambda a, b, _: a == b,
    "==": lambda a, b, _: a == b,
    "!=": lambda a, b, _: a != b,
    "<": lambda a, b, _: _less(a, b),
    ">": lambda a, b, _: _less(b, a),
    "-eq": lambda a, b, _: integer(a) == integer(b),
    "-ne": lambda a, b, _: integer(a) != integer(b),
    "-lt": lambda a, b, _: integer(a) < integer(b),
    "-le": lambda a, b, _: integer(a) <= integer(b),
    "-gt": lambda a, b, _: integer(a) > integer(b),
    "-ge": lambda a, b, _: integer(a) >= integer(b),
    "-nt": _newer,
    "-ot": _older,
    "-ef": _same_file,
}


def _of_type(kind: int, *, follow: bool = True) -> Unary:
    def check(name: str, probe: Probe) -> bool:
        info = probe.stat(name, follow)
        return info is not None and stat.S_IFMT(info.mode) == kind

    return check


def _with_bit(bit: int) -> Unary:
    def check(name: str, probe: Probe) -> bool:
        info = probe.stat(name)
        return info is not None and bool(info.mode & bit)

    return check


def _exists(name: str, probe: Probe) -> bool:
    return probe.stat(name) is not None


def _has_size(name: str, probe: Probe) -> bool:
    info = probe.stat(name)
    return info is not None and info.size > 0


def _modified_since_read(name: str, probe: Probe) -> bool:
    info = probe.stat(name)
    return info is not None and info.mtime_ns > info.atime_ns


def _is_owned(name: str, probe: Probe) -> bool:
    info = probe.stat(name)
    return info is not None and info.uid == probe.owner()[0]


def _of_group(name: str, probe: Probe) -> bool:
    info = probe.stat(name)
    return info is not None and info.gid == probe.owner()[1]


def on_terminal(text: str, probe: Probe) -> bool:
    return is_integer(text) and 0 <= (number := integer(text)) < 2**31 and probe.terminal(number)


def is_integer(text: str) -> bool:
    try:
        integer(text)
    except TestError:
        return False
    return True


_LINK = _of_type(stat.S_IFLNK, follow=False)

#: Operators that the program does not have.
OF_SHELLS = ("-a", "-o", "-v", "-R", "<", ">")

UNARY: dict[str, Unary] = {
    "-a": _exists,
    "-b": _of_type(stat.S_IFBLK),
    "-c": _of_type(stat.S_IFCHR),
    "-d": _of_type(stat.S_IFDIR),
    "-e": _exists,
    "-f": _of_type(stat.S_IFREG),
    "-g": _with_bit(stat.S_ISGID),
    "-h": _LINK,
    "-k": _with_bit(stat.S_ISVTX),
    "-n": lambda text, _: text != "",
    "-o": lambda name, probe: probe.option(name),
    "-p": _of_type(stat.S_IFIFO),
    "-r": lambda name, probe: probe.access(name, 4),
    "-s": _has_size,
    "-t": on_terminal,
    "-u": _with_bit(stat.S_ISUID),
    "-v": lambda name, probe: probe.is_set(name),
    "-w": lambda name, probe: probe.access(name, 2),
    "-x": lambda name, probe: probe.access(name, 1),
    "-z": lambda text, _: text == "",
    "-G": _of_group,
    "-L": _LINK,
    "-N": _modified_since_read,
    "-O": _is_owned,
    "-R": lambda name, probe: probe.is_nameref(name),
    "-S": _of_type(stat.S_IFSOCK),
}
