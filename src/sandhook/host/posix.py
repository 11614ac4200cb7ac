"""Starts and watches processes on POSIX.

``subprocess`` starts them, because its use of vfork is fast and safe with threads. Then ``subprocess``
no longer tracks them, and this module waits for each of them, so that no other children are affected.
"""

# pathlib knows no descriptors.
# ruff: noqa: PTH208
from __future__ import annotations

import sys

if sys.platform == "win32":
    raise ImportError("this is Windows")

import errno
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

from sandhook.host.child import LOST, Child, Spawn
from sandhook.host.signals import from_native, to_native

#: Retries, and seconds between them, for a file that is open for writing (ETXTBSY). The writer is often only a
#: fork of another thread that has not reached its exec.
_BUSY_TRIES, _BUSY_PAUSE = 5, 0.002

#: Retries of a start during which another thread opened or closed a descriptor number of the child (a count).
_RACE_TRIES = 100


class PosixChild(Child):
    """A child of this process; only this object waits for it."""

    __slots__ = ()

    def poll(self) -> bool:
        if self.status is not None:
            return True
        try:
            pid, code, usage = os.wait4(self.pid, os.WNOHANG)
        except ChildProcessError:  # SIGCHLD is ignored, or a handler of the host waits for all children
            self._end(LOST, 0)
            return True
        if not pid:
            return False
        self.user, self.system = usage.ru_utime, usage.ru_stime
        if os.WIFSIGNALED(code):
            signal = from_native(os.WTERMSIG(code))
            self._end(128 + signal, signal)
        else:
            self._end(os.WEXITSTATUS(code), 0)
        return True

    def send(self, signal: int) -> None:
        # until this process has waited for it, no other process has its number
        native = to_native(signal)
        if self.status is None and not self.poll():
            with suppress(ProcessLookupError):
                os.kill(self.pid, native)


class _DescriptorRaceError(OSError):
    """A descriptor number of the child was opened or closed in this process during the start."""


def start(
    spawn: Spawn,
    marker: tuple[str, str],
    report: Callable[[Child], None],
) -> PosixChild:
    """Start a program in a new session.

    Args:
        spawn: The program to start.
        marker: The name and value of a variable that is added to its environment.
        report: Called once, when this process has waited for the child's end.

    Raises:
        OSError: The error of execve, with ``filename`` the executable; or that of chdir, with the
            directory. EAGAIN when there are too many processes.
    """
    busy, races = _BUSY_TRIES, _RACE_TRIES
    start_once: Callable[[Spawn, tuple[str, str]], int] = _start
    while True:
        try:
            return PosixChild(start_once(spawn, marker), report)
        except OSError as error:
            if error.errno == errno.ETXTBSY and busy:
                busy -= 1
            elif isinstance(error, _DescriptorRaceError) and races:
                races -= 1
            elif spawn.may_lack_cwd and start_once is _start and _lacks_directory(error, spawn):
                start_once = _start_in_removed_directory
                continue
            else:
                raise
        time.sleep(_BUSY_PAUSE)


def _lacks_directory(error: OSError, spawn: Spawn) -> bool:
    return error.errno in (errno.ENOENT, errno.ENOTDIR) and error.filename == _encode(spawn.cwd)


def _start_in_removed_directory(spawn: Spawn, marker: tuple[str, str]) -> int:
    """Start a program whose working directory no longer exists; as a child of bash, it is in a removed directory."""
    import tempfile

    with tempfile.TemporaryDirectory() as path:
        directory = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return _start(spawn, marker, directory)
    finally:
        os.close(directory)


def _start(spawn: Spawn, marker: tuple[str, str], directory: int | None = None) -> int:
    """Start a program, in an open directory or else in that of ``spawn``."""
    import subprocess

    env = {_encode(name): _encode(value) for name, value in spawn.env.items()}
    env[_encode(marker[0])] = _encode(marker[1])
    files = spawn.files
    placement = _Placement(files, spawn.ignored, spawn.limits, directory)
    try:
        process = subprocess.Popen(
            [_encode(argument) for argument in spawn.argv],
            executable=_encode(spawn.executable),
            stdin=files[0],
            stdout=files[1],
            stderr=files[2],
            cwd=_encode(spawn.cwd) if directory is None else None,
            env=env,
            umask=spawn.umask,
            start_new_session=True,
            close_fds=not placement.forks,
            pass_fds=() if placement.forks else placement.kept_numbers,
            preexec_fn=placement.prepare,
        )
    except ValueError as error:  # a NUL character, or "=" in the name of a variable
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), spawn.executable) from error
    except subprocess.SubprocessError as error:  # _Placement.prepare failed
        raise _DescriptorRaceError(errno.EAGAIN, os.strerror(errno.EAGAIN), spawn.executable) from error
    except OSError as error:
        if error.errno == errno.EBADF and len(files) > 3:  # closed after it was checked
            raise _DescriptorRaceError(errno.EAGAIN, os.strerror(errno.EAGAIN), spawn.executable) from error
        raise
    finally:
        placement.close()
    process.returncode = 0  # this module waits for it, so Popen must neither wait nor warn
    return process.pid


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


class _Placement:
    """The descriptors above 2, at their numbers in the child.

    A number that is free here is used during the start, and the child inherits it; this is fast. A
    number that is in use here can only be replaced in the child, by a function that runs between fork
    and exec. Only this function can ignore signals and lower limits. With it ``subprocess`` uses fork
    instead of vfork. It is safe with threads, because it imports nothing, waits for no lock, and makes
    only system calls.
    """

    __slots__ = ("_calls", "_copies", "_moves", "kept_numbers")

    def __init__(
        self,
        files: Mapping[int, int],
        ignored: frozenset[int],
        limits: Mapping[int, tuple[int, int]],
        directory: int | None,
    ) -> None:
        self.kept_numbers: list[int] = []  # numbers that stay open in the child
        self._copies: list[int] = []  # descriptors that close() closes
        self._moves: list[tuple[int, int, tuple[int, int] | None]] = []  # see _move
        self._calls: list[Callable[[], object]] = []  # prepared here, because the child must not import
        if ignored:
            from signal import SIG_IGN, signal

            for number in sorted(ignored):
                with suppress(OSError):  # the system has no such signal
                    self._calls.append(partial(signal, to_native(number), SIG_IGN))
        if limits:
            import resource

            self._calls += [
                partial(resource.setrlimit, number, limit) for number, limit in sorted(limits.items())
            ]
        if directory is not None:
            import fcntl

            high = fcntl.fcntl(directory, fcntl.F_DUPFD_CLOEXEC, max(files) + 1)
            self._copies.append(high)
            self._calls.append(partial(os.fchdir, high))
        if len(files) > 3:
            try:
                top = max(files) + 1
                for number, fd in sorted(files.items()):
                    if number > 2:
                        self.kept_numbers.append(number)
                        if number != fd and not self._copy_to(number, fd):
                            self._move(number, fd, top)
            except BaseException:
                self.close()
                raise

    def _copy_to(self, number: int, fd: int) -> bool:
        """Copy a descriptor to a number; return False when the number is in use here."""
        import fcntl

        copy = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, number)
        if copy != number:
            os.close(copy)
            return False
        self._copies.append(copy)
        return True

    def _move(self, number: int, fd: int, top: int) -> None:
        """Record that the child must copy a descriptor to a number that is in use here.

        The source is a copy above all numbers of the child, so that no other copy overwrites it.
        """
        import fcntl

        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, top)
        self._copies.append(high)
        self._moves.append((high, number, _identity(number)))

    @property
    def prepare(self) -> Callable[[], None] | None:
        """The function that the child must call between fork and exec, None if there is nothing to do."""
        return self._prepare if self._moves or self._calls else None

    @property
    def forks(self) -> bool:
        """True if the child runs ``prepare``, which also closes the descriptors that the child must not have."""
        return self.prepare is not None

    def _prepare(self) -> None:
        for high, number, identity in self._moves:
            # If another thread closed it, subprocess's pipe for errors might have this number. The start
            # must fail then, or it would seem to succeed. A number that a fork hook closed in the
            # child (as the jq worker's hook does) is free.
            if _identity(number) not in (identity, None):
                raise OSError(errno.EAGAIN, "the descriptor was closed")
            os.dup2(high, number)
        numbers = set(self.kept_numbers)
        for name in os.listdir("/dev/fd"):
            if int(name) > 2:
                with suppress(OSError):  # the listing's own descriptor is closed
                    os.set_inheritable(int(name), int(name) in numbers)
        for call in self._calls:
            call()

    def close(self) -> None:
        """Close the descriptors that were opened for the start."""
        while self._copies:
            os.close(self._copies.pop())


def _identity(fd: int) -> tuple[int, int] | None:
    """Return device and inode of a descriptor's file, None when it is closed."""
    try:
        info = os.fstat(fd)
    except OSError:
        return None
    return info.st_dev, info.st_ino


def open_process(pid: int) -> int:
    """Return a descriptor of a process that becomes readable at its end, and never denotes a later process (Linux).

    Raises:
        OSError: ENOSYS on other systems, and with an old kernel or C library.
    """
    if sys.platform == "linux":
        with suppress(AttributeError):
            return os.pidfd_open(pid)
    raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
