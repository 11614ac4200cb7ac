"""Starts, watches and ends processes on Windows: all processes of a run are in one Job Object."""

from __future__ import annotations

import sys

if sys.platform != "win32":
    raise ImportError("this is not Windows")

import _winapi
import errno
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sandhook.dispatch.batch import UnsafeArgument, batch_arguments, is_batch
from sandhook.host.child import Child, Spawn
from sandhook.host.machine import VARIABLE, Mark

if TYPE_CHECKING:
    from psutil import Process

    from sandhook.host.winapi import Job

#: Seconds after which processes that cannot be ended are abandoned.
LAST = 1.0

_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.02

#: Signals that end a process; Windows has no others.
_ENDING = frozenset({1, 2, 9, 15})

#: Exit code of a crashed process to the signal that POSIX would have sent.
_CRASHES = {
    0x80000003: 5,  # breakpoint
    0xC0000005: 11,  # access violation
    0xC000001D: 4,  # illegal instruction
    0xC000008E: 8,  # division by zero, of floating-point numbers
    0xC0000094: 8,  # and of integers
    0xC00000FD: 11,  # stack overflow
    0xC000013A: 2,  # Ctrl-C
    0xC0000374: 6,  # heap corruption
    0xC0000409: 6,  # abort
}

_SUSPENDED, _NEW_GROUP, _NO_WINDOW = 0x4, 0x200, 0x0800_0000
_USE_HANDLES = 0x100
_MAX_LINE = 32_766
_BAD_DIRECTORY = 267


class WindowsChild(Child):
    """A child of this process.

    Attributes:
        handle: The process's handle; 0 after its end.
    """

    __slots__ = ("_signal", "handle")

    def __init__(self, pid: int, handle: int, report: Callable[[Child], None]) -> None:
        super().__init__(pid, report)
        self.handle = handle
        self._signal = 0

    def poll(self) -> bool:
        if self.status is not None:
            return True
        if _winapi.WaitForSingleObject(self.handle, 0) != _winapi.WAIT_OBJECT_0:
            return False
        from sandhook.host.winapi import times

        code = _winapi.GetExitCodeProcess(self.handle) & 0xFFFFFFFF
        self.user, self.system = times(self.handle)
        self._close()
        number = _CRASHES.get(code, 0)
        if self._signal and code == 128 + self._signal:
            number = self._signal
        # a status above 255 is a failure, even when its last eight bits are 0
        self._end(128 + number if number else code if code < 256 else code & 0xFF or 1, number)
        return True

    def send(self, signal: int) -> None:
        if signal not in _ENDING and signal != 0:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        if signal == 0 or self.poll():
            return
        try:
            _winapi.TerminateProcess(self.handle, 128 + signal)
        except PermissionError:  # raised also for a process that is ending
            if not self.poll():
                raise
        else:
            self._signal = signal

    def record_signal(self, signal: int) -> None:
        """Record the signal that the job sends to the process."""
        self._signal = signal

    def _close(self) -> None:
        handle, self.handle = self.handle, 0
        if handle:
            _winapi.CloseHandle(handle)

    def __del__(self) -> None:
        self._close()


class Tree:
    """The processes of one run. Only one thread at a time may use it."""

    def __init__(self, *, subreaper: bool = False) -> None:
        if subreaper:
            raise OSError("only Linux lets a process adopt orphans")
        self._mark = Mark()
        self._job: Job | None = None
        self._living: dict[int, WindowsChild] = {}
        self._outside: list[WindowsChild] = []  # processes that could not be added to the job

    def start(self, spawn: Spawn) -> Child:
        """Start a program in the job of the run."""
        from sandhook.host.winapi import Job, resume

        if self._job is None:
            self._job = Job()
        process, thread, pid = _create(spawn, {VARIABLE: self._mark.value})
        child = WindowsChild(pid, process, self._ended)
        try:
            # it has not run yet, so it has started no process outside of the job
            if not self._job.add(process):
                self._outside.append(child)
            resume(thread)
        except BaseException:
            _winapi.TerminateProcess(process, 127)
            raise
        finally:
            _winapi.CloseHandle(thread)
        self._living[pid] = child
        return child

    def _ended(self, child: Child) -> None:
        self._living.pop(child.pid, None)

    def alive(self) -> list[int]:
        """Return the numbers of all processes of the run that have not ended."""
        self._poll()
        numbers = set(self._living)
        if self._job is not None:
            numbers.update(self._job.pids())
        for child in self._outside:
            numbers.update(process.pid for process in _descendants(child))
        return sorted(numbers)

    def _poll(self) -> None:
        for child in list(self._living.values()):
            child.poll()
        self._outside = [child for child in self._outside if child.status is None]

    def end(self, grace: float) -> None:
        """Kill all processes: Windows has no interrupt that every program receives.

        Args:
            grace: Ignored.
        """
        self._poll()
        deadline, pause = time.monotonic() + LAST, _FIRST_PAUSE
        while self._job is not None and (self._living or self._job.pids()):
            for child in self._living.values():
                child.record_signal(9)
            for child in self._outside:
                for process in _descendants(child):
                    with suppress(Exception):  # psutil's errors: the process has ended, or cannot be ended
                        process.kill()
                with suppress(OSError):
                    child.send(9)
            self._job.end(128 + 9)
            self._poll()
            if time.monotonic() > deadline:
                break
            if self._living or self._job.pids():
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                self._poll()

    def close(self) -> None:
        """End all processes and close the job."""
        try:
            self.end(0.0)
        finally:
            if (job := self._job) is not None:
                self._job = None
                job.close()


def _descendants(child: WindowsChild) -> list[Process]:
    """Return the living descendants of a child that is not in a job."""
    import psutil

    try:
        return list(psutil.Process(child.pid).children(recursive=True))
    except psutil.Error:
        return []


def _create(spawn: Spawn, variables: Mapping[str, str]) -> tuple[int, int, int]:
    """Create a suspended process, and return its handle, that of its first thread, and its number."""
    import msvcrt
    import subprocess

    executable = spawn.executable
    line = spawn.command_line or subprocess.list2cmdline(spawn.argv)
    if is_batch(executable):  # cmd.exe would parse the line as source
        try:
            line = batch_arguments(executable, spawn.argv[1:])
        except UnsafeArgument as error:
            raise OSError(errno.EINVAL, str(error), executable) from None
        executable = str(Path(os.environ["SYSTEMROOT"], "system32", "cmd.exe"))
        line = f'"{executable}" {line}'
    if len(line) > _MAX_LINE:
        raise OSError(errno.E2BIG, os.strerror(errno.E2BIG), spawn.executable)
    handles: list[int] = []
    try:
        this = _winapi.GetCurrentProcess()
        for number in range(3):
            handle = msvcrt.get_osfhandle(spawn.files[number])
            handles.append(
                _winapi.DuplicateHandle(this, handle, this, 0, True, _winapi.DUPLICATE_SAME_ACCESS)
            )
        start = subprocess.STARTUPINFO(
            dwFlags=_USE_HANDLES,
            hStdInput=handles[0],
            hStdOutput=handles[1],
            hStdError=handles[2],
            lpAttributeList={"handle_list": list(handles)},
        )
        process, thread, pid, _ = _winapi.CreateProcess(
            executable,
            line,
            None,
            None,
            True,
            _SUSPENDED | _NEW_GROUP | _NO_WINDOW,
            {**spawn.env, **variables},
            spawn.cwd,
            start,
        )
        return process, thread, pid
    except ValueError as error:  # a NUL character, or "=" in the name of a variable
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), spawn.executable) from error
    except OSError as error:
        if Path(spawn.executable).is_dir():  # the system has several error codes for a directory
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), spawn.executable) from error
        error.filename = spawn.cwd if error.winerror == _BAD_DIRECTORY else spawn.executable
        raise
    finally:
        for handle in handles:
            _winapi.CloseHandle(handle)
