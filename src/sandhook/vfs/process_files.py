"""The entries of /proc that describe processes: they exist only while a script asks for them.

The file system knows no processes: it asks the process that runs in the current task. The host, which reads files
outside of tasks, finds no entry. Nothing here belongs to a snapshot, a difference or a quota.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from greenlet import getcurrent

from sandhook.typed import Protocol
from sandhook.vfs.base import Device
from sandhook.vfs.inode import DYNAMIC, S_IFCHR, S_IFDIR, S_IFLNK, S_IFREG, DynamicChildren, Inode

#: The files of a process, with their permission bits.
TEXTS = {"cgroup": 0o444, "cmdline": 0o444, "comm": 0o444, "environ": 0o400, "stat": 0o444, "status": 0o444}

#: The links of a process.
LINKS = ("cwd", "exe", "root")

#: How many inode numbers each process has; descriptors have those from ``_FIRST_DESCRIPTOR`` on.
_NUMBERS = 1 << 32
_FIRST_DESCRIPTOR = 1 << 8


class Processes(Protocol):
    """What a process knows of those of its run; ``kernel.shown.Shown`` has it."""

    def numbers(self) -> Iterable[int]:
        """Return the numbers of all processes."""
        ...

    def text(self, number: int | None, name: str) -> bytes:
        """Return the contents of a file; ``number`` is None for the asking process itself."""
        ...

    def link(self, number: int | None, name: str) -> str: ...

    def descriptors(self, number: int | None) -> Iterable[int]: ...


def _asking() -> Processes | None:
    """Return the processes of the run that asks, None without one."""
    process = getattr(getcurrent(), "process", None)
    return None if process is None else process.shown()


def number_of(name: str) -> int | None:
    """Return the number that a name is, written as the system writes it; None for other names."""
    plain = name.isascii() and name.isdecimal() and len(name) < 10 and (name == "0" or name[0] != "0")
    return int(name) if plain else None


class _Entries(DynamicChildren):
    """Entries of one process.

    Args:
        owner: The user and the group of the files.
        now: Time of the files, in nanoseconds since the epoch.
        number: The process; None for the one that asks.
    """

    __slots__ = ("_now", "_number", "_owner")

    def __init__(self, owner: tuple[int, int], now: int, number: int | None = None) -> None:
        super().__init__()
        self._owner = owner
        self._now = now
        self._number = number

    def fresh(self) -> _Entries:
        return type(self)(self._owner, self._now, self._number)

    def _new(self, mode: int, place: int) -> Inode:
        number = DYNAMIC + (self._number or 0) * _NUMBERS + place
        node = Inode(mode, number, *self._owner, self._now)
        node.links = 1
        return node

    def _directory(self, children: _Entries, place: int) -> Inode:
        node = self._new(S_IFDIR | 0o555, place)
        node.children = children
        node.links = 2
        return node


class AllProcesses(_Entries):
    """What /proc has in addition to its files: a directory for each process."""

    __slots__ = ()

    def __missing__(self, name: str) -> Inode:
        number, processes = number_of(name), _asking()
        if number is None or processes is None or number not in processes.numbers():
            raise KeyError(name)
        children = OneProcess(self._owner, self._now, number)
        return children._directory(children, 0)

    def listed(self) -> Iterator[str]:
        yield from self
        processes = _asking()
        if processes is not None:
            yield from map(str, processes.numbers())


class OneProcess(_Entries):
    """The files of one process."""

    __slots__ = ()

    def __missing__(self, name: str) -> Inode:
        processes = _asking()
        if processes is None:
            raise KeyError(name)
        if name in TEXTS:
            node = self._new(S_IFREG | TEXTS[name], 1 + list(TEXTS).index(name))
            node.data = processes.text(self._number, name)
            return node
        if name in LINKS:
            node = self._new(S_IFLNK | 0o777, 1 + len(TEXTS) + LINKS.index(name))
            node.target = processes.link(self._number, name)
            return node
        if name == "fd":
            return self._directory(
                Descriptors(self._owner, self._now, self._number), 1 + len(TEXTS) + len(LINKS)
            )
        raise KeyError(name)

    def listed(self) -> Iterator[str]:
        yield from self
        if _asking() is not None:
            yield from (name for name in (*TEXTS, *LINKS, "fd") if name not in self)


class Descriptors(_Entries):
    """The open descriptors of one process; for the host, every number may be one."""

    __slots__ = ()

    def __missing__(self, name: str) -> Inode:
        number, processes = number_of(name), _asking()
        if number is None or (processes is not None and number not in processes.descriptors(self._number)):
            raise KeyError(name)
        node = self._new(S_IFCHR | 0o600, _FIRST_DESCRIPTOR + number)
        node.target = Device("fd", number, self._number or 0)
        return node

    def listed(self) -> Iterator[str]:
        yield from self
        processes = _asking()
        if processes is not None:
            yield from map(str, processes.descriptors(self._number))
