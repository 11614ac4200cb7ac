"""What the tests of host programs share: how to start Python with a text, and to wait for it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import pytest

from sandhook.host.children import Child, Spawn, Supervisor
from sandhook.host.poller import Poller, inbound, read_some

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")
linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has it")

NULL = os.open(os.devnull, os.O_RDWR)

#: Seconds that anything here takes at most, on a busy machine.
LONG = 60.0


def spawn(text: str, *arguments: str, files: Mapping[int, int] | None = None, **more: Any) -> Spawn:
    """Return how to start Python with a text; streams that are not given are the null device."""
    return Spawn(
        executable=more.pop("executable", sys.executable),
        argv=(sys.executable, "-S", "-c", text, *arguments),
        env=more.pop("env", dict(os.environ)),
        cwd=more.pop("cwd", os.getcwd()),
        files={0: NULL, 1: NULL, 2: NULL, **(files or {})},
        **more,
    )


def shell(text: str, **more: Any) -> Spawn:
    """Return how to start the system's shell, which is quicker than Python."""
    return spawn("", **more)._replace(executable="/bin/sh", argv=("sh", "-c", text))


def wait(child: Child, poller: Poller | None = None) -> int:
    """Return the status of a child, when it has ended."""
    mine = Poller() if poller is None else poller
    ended: list[bool] = []
    mine.ended(child, lambda: ended.append(True))
    while not ended:
        assert mine.wait(LONG), "it did not end"
    if poller is None:
        mine.close()
    assert child.status is not None
    return child.status


def read_all(fd: int, poller: Poller | None = None) -> bytes:
    """Return what comes from a pipe until its end, and close it."""
    mine = Poller() if poller is None else poller
    data = bytearray()
    over = False

    def take() -> None:
        nonlocal over
        while (piece := read_some(fd, 65536)) is not None:
            data.extend(piece)
            if not piece:
                over = True
                return
        mine.readable(fd, take)

    mine.readable(fd, take)
    while not over:
        assert mine.wait(LONG), "no end of the data"
    os.close(fd)
    if poller is None:
        mine.close()
    return bytes(data)


def output(supervisor: Supervisor, what: Spawn) -> bytes:
    """Return what a program writes to standard output, when it has ended well."""
    ours, theirs = inbound()
    child = supervisor.start(what._replace(files={**what.files, 1: theirs}))
    os.close(theirs)
    data = read_all(ours)
    assert wait(child) == 0
    return data


def line_of(ours: int) -> str:
    """Return the first line that comes from a pipe."""
    data = b""
    until = time.monotonic() + LONG
    while b"\n" not in data:
        assert time.monotonic() < until, "no line came"
        piece = read_some(ours, 1000)
        assert piece != b"", "the data ended"
        data += piece or b""
        time.sleep(0.001)
    return data.decode().splitlines()[0]


def gone(pid: int) -> bool:
    """Whether a process has ended; whoever adopted it may still have to wait for it."""
    import psutil

    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def start_and_kill() -> float:
    """Return the seconds in which the machine starts a program, ends it, and reports that."""
    began = time.monotonic()
    with subprocess.Popen(["sleep", "600"]) as program:
        program.kill()
    return time.monotonic() - began


def in_threads(count: int, call: Callable[[], float]) -> tuple[float, float]:
    """Call ``count`` times in 8 threads; return the most that a call returned, and what a busy machine may add to that.

    A ninth thread starts and ends programs meanwhile; a run has several to end, one after another.
    """
    numbers, lock = iter(range(count)), threading.Lock()
    most, wrong = [0.0], []

    def work() -> None:
        while True:
            with lock:
                if next(numbers, None) is None:
                    return
            try:
                took = call()
            except BaseException as error:
                wrong.append(repr(error))
                return
            with lock:
                most[0] = max(most[0], took)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    reference = 0.0
    while any(thread.is_alive() for thread in threads):
        reference = max(reference, start_and_kill())
        time.sleep(0.05)
    for thread in threads:
        thread.join()
    assert wrong == []
    return most[0], 6 * reference


class Left:
    """What this process holds of the system: compared before and after; a failure shows where descriptors lead."""

    def __init__(self) -> None:
        import psutil

        me = psutil.Process()
        if os.name == "nt":
            self.descriptors = 0  # handles come and go with the runtime; the tests of Windows count them
        else:
            # newer versions of libffi keep their own file open from the first use of ctypes
            self.descriptors = me.num_fds() - sum("/libffi.so" in name for name in _open_files())
        # the watchdog belongs to the process, and the first run starts it
        names = (thread.name for thread in threading.enumerate())
        self.threads = sorted(name for name in names if name != "sandhook-watchdog")
        self.children = {process.pid for process in me.children()}

    def __le__(self, before: Left) -> bool:
        """Return True if nothing is left that was not there before; what another test left may have ended meanwhile."""
        return (
            self.descriptors <= before.descriptors
            and self.children <= before.children
            and not Counter(self.threads) - Counter(before.threads)
        )

    def __repr__(self) -> str:
        return repr({**vars(self), "open": _open_files()})


def _open_files() -> list[str]:
    """Return what the descriptors of this process lead to now, where the system shows it."""
    found = []
    for number in os.listdir("/proc/self/fd") if sys.platform == "linux" else ():
        with suppress(FileNotFoundError):  # that of the list itself
            found.append(f"{number} {os.readlink(f'/proc/self/fd/{number}')}")
    return found
