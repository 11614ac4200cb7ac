"""Start and watch processes as POSIX has them.

``subprocess`` starts them, for its way with vfork is fast and safe beside threads, and is then
made to forget them: they are waited for here, one by one, never those of anybody else.
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

#: How often and how long a file that somebody has open for writing is tried again. The other
#: writer is often only a fork of another thread that has not reached its exec.
_BUSY_TRIES, _BUSY_PAUSE = 5, 0.002

#: How often a start is tried again in whose moment another thread opened or closed a number that the child gets.
_TAKEN_TRIES = 100


class PosixChild(Child):
    """A child of this process, which alone waits for it."""

    __slots__ = ()

    def poll(self) -> bool:
        if self.status is not None:
            return True
        try:
            pid, code, usage = os.wait4(self.pid, os.WNOHANG)
        except ChildProcessError:  # SIGCHLD is ignored, or a handler of the host waits for everything
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
        # until it was waited for, its number belongs to nobody else
        native = to_native(signal)
        if self.status is None and not self.poll():
            with suppress(ProcessLookupError):
                os.kill(self.pid, native)


class _TakenError(OSError):
    """A number that the child gets was opened or closed here while it was started."""


def start(
    spawn: Spawn,
    marker: tuple[str, str],
    report: Callable[[Child], None],
) -> PosixChild:
    """Start a program in a session of its own.

    Args:
        spawn: What to start.
        marker: The name and value of a variable that is added to its environment.
        report: Called once, when the child was waited for.

    Raises:
        OSError: As execve fails; with ``filename`` the executable, or the directory when that
            could not be entered. EAGAIN when there are too many processes.
    """
    busy, taken = _BUSY_TRIES, _TAKEN_TRIES
    while True:
        try:
            return PosixChild(_start(spawn, marker), report)
        except OSError as error:
            if error.errno == errno.ETXTBSY and busy:
                busy -= 1
            elif isinstance(error, _TakenError) and taken:
                taken -= 1
            else:
                raise
        time.sleep(_BUSY_PAUSE)


def _start(spawn: Spawn, marker: tuple[str, str]) -> int:
    import subprocess

    env = {_encode(name): _encode(value) for name, value in spawn.env.items()}
    env[_encode(marker[0])] = _encode(marker[1])
    files = spawn.files
    placed = _Placed(files, spawn.ignored, spawn.limits)
    try:
        process = subprocess.Popen(
            [_encode(argument) for argument in spawn.argv],
            executable=_encode(spawn.executable),
            stdin=files[0],
            stdout=files[1],
            stderr=files[2],
            cwd=_encode(spawn.cwd),
            env=env,
            umask=spawn.umask,
            start_new_session=True,
            close_fds=not placed.forks,
            pass_fds=() if placed.forks else placed.kept,
            preexec_fn=placed.prepare,
        )
    except ValueError as error:  # a NUL character, or "=" in the name of a variable
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), spawn.executable) from error
    except subprocess.SubprocessError as error:  # what _Placed.prepare raised
        raise _TakenError(errno.EAGAIN, os.strerror(errno.EAGAIN), spawn.executable) from error
    except OSError as error:
        if error.errno == errno.EBADF and len(files) > 3:  # closed after it was looked at
            raise _TakenError(errno.EAGAIN, os.strerror(errno.EAGAIN), spawn.executable) from error
        raise
    finally:
        placed.close()
    process.returncode = 0  # it is ours from here: no warning, no wait of Popen's
    return process.pid


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


class _Placed:
    """The descriptors above 2, brought to the numbers that the child shall see.

    A number that is free here is taken for the moment of the start, and the child inherits it:
    the quick way. A number that is in use here can only be given away in the child, by a function
    that runs between fork and exec, and only there signals can be set to
    be ignored, and limits be lowered. Such a function makes ``subprocess`` fork instead of vfork. It may run beside threads, for it imports
    nothing, waits for no lock, and calls the system alone.
    """

    __slots__ = ("_calls", "_mine", "_moved", "kept")

    def __init__(
        self, files: Mapping[int, int], ignored: frozenset[int], limits: Mapping[int, tuple[int, int]]
    ) -> None:
        self.kept: list[int] = []  # numbers that stay open in the child
        self._mine: list[int] = []  # what close() closes
        self._moved: list[tuple[int, int, tuple[int, int] | None]] = []  # see _move
        self._calls: list[Callable[[], object]] = []  # nothing may be imported in the child
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
        if len(files) > 3:
            try:
                top = max(files) + 1
                for number, fd in sorted(files.items()):
                    if number > 2:
                        self.kept.append(number)
                        if number != fd and not self._take(number, fd):
                            self._move(number, fd, top)
            except BaseException:
                self.close()
                raise

    def _take(self, number: int, fd: int) -> bool:
        """Copy a descriptor to a number, if that is free here."""
        import fcntl

        copy = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, number)
        if copy != number:
            os.close(copy)
            return False
        self._mine.append(copy)
        return True

    def _move(self, number: int, fd: int, top: int) -> None:
        """Note that the child has to copy a descriptor to a number that is in use here.

        The copy starts from one above all the numbers, which no other copy overwrites.
        """
        import fcntl

        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, top)
        self._mine.append(high)
        self._moved.append((high, number, _identity(number)))

    @property
    def prepare(self) -> Callable[[], None] | None:
        """What the child has to call between fork and exec, if anything."""
        return self._prepare if self._moved or self._calls else None

    @property
    def forks(self) -> bool:
        """Whether the child runs ``prepare``, and closes by that what it shall not have."""
        return self.prepare is not None

    def _prepare(self) -> None:
        for high, number, there in self._moved:
            # had another thread closed it, the pipe by which subprocess hears of errors might have
            # got this number: then the start fails, and is not taken for a good one; what a hook of a
            # fork has closed in the child (as the jq worker's does) is simply free
            if _identity(number) not in (there, None):
                raise OSError(errno.EAGAIN, "the descriptor was closed")
            os.dup2(high, number)
        kept = set(self.kept)
        for name in os.listdir("/dev/fd"):
            if int(name) > 2:
                with suppress(OSError):  # the listing's own
                    os.set_inheritable(int(name), int(name) in kept)
        for call in self._calls:
            call()

    def close(self) -> None:
        """Give the numbers back."""
        while self._mine:
            os.close(self._mine.pop())


def _identity(fd: int) -> tuple[int, int] | None:
    """Return what file a descriptor is open on; None when it is closed."""
    try:
        found = os.fstat(fd)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def open_process(pid: int) -> int:
    """Return a descriptor that can be read from when a process has ended, and that no later one gets (Linux).

    Raises:
        OSError: ENOSYS where there is no such thing: on other systems, with an old kernel or C library.
    """
    if sys.platform == "linux":
        with suppress(AttributeError):
            return os.pidfd_open(pid)
    raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
