"""Start a worker process with an empty environment, and wait for its answers.

A worker is an isolated interpreter (``-I -S``) that runs one module of this package. It works the
same from a checkout and from a wheel: the command line has the directory of this file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import monotonic, sleep

from sandhook.errors import WorkerError
from sandhook.typed import TYPE_CHECKING, Literal, TypeAlias
from sandhook.worker.frames import LIFELINE

if TYPE_CHECKING:
    from subprocess import Popen

#: What a worker can run: a module of this package with a function ``main``.
Module: TypeAlias = Literal["jq.native", "jq.server", "sqlite.session"]

#: What a worker is for, in messages.
Kind: TypeAlias = Literal["jq", "sqlite", "shell"]

#: Seconds between two looks at a pipe that cannot be waited for.
_POLL_SECONDS = 0.001

#: Bytes of one write.
_WRITE = 1 << 18

#: The program of a worker. Of sandhook it can import the version and the package ``worker`` alone: an isolated
#: interpreter knows no other directory, and the two packages above its modules are made without running their files.
START = """\
import sys
for name, path in ("sandhook", [sys.argv[1][:-7]]), ("sandhook.worker", [sys.argv[1]]):
    package = sys.modules[name] = type(sys)(name)
    package.__path__ = path
import sandhook.version
sys.modules["sandhook"].__path__ = []
from sandhook.worker.{module} import main
main(sys.argv[2])
"""


class Child:
    """A process that was started, and this side's ends of its pipes.

    Attributes:
        pid: Its process id.
        stdin: Descriptor of the pipe to its standard input.
        lifeline: Descriptor of a pipe that stays empty: its end ends the worker. -1 on Windows.
        job: Handle of the Job Object that does this on Windows, or 0.
        stdout: Descriptor of the pipe from its standard output.
        poll: Waits some milliseconds for output; returns something true if there is any, or the end.
        process: What subprocess made, where it is used.
    """

    __slots__ = ("job", "lifeline", "pid", "poll", "process", "stdin", "stdout")

    def __init__(
        self,
        pid: int,
        stdin: int,
        stdout: int,
        poll: Callable[[float], object],
        process: Popen[bytes] | None = None,
        *,
        lifeline: int = -1,
        job: int = 0,
    ) -> None:
        self.pid = pid
        self.lifeline = lifeline
        self.job = job
        self.stdin = stdin
        self.stdout = stdout
        self.poll = poll
        self.process = process

    def write(self, data: bytes, deadline: float) -> None:
        """Send bytes to its standard input. Raises OSError if it has ended, and TimeoutError at the deadline."""
        sent = 0
        while sent < len(data):
            try:
                sent += os.write(self.stdin, data[sent : sent + _WRITE] if sent else data)
            except BlockingIOError:  # not on Windows, where the pipe blocks
                self._await_room(deadline)

    def _await_room(self, deadline: float) -> None:
        import select

        if sys.platform == "win32":
            raise NotImplementedError
        poller = select.poll()
        poller.register(self.stdin, select.POLLOUT)
        seconds = deadline - monotonic()
        if seconds <= 0 or not poller.poll(seconds * 1000 + 1):
            raise TimeoutError


def start(module: Module) -> Child:
    """Start a worker that runs ``module``. Raises OSError, and WorkerError without the package jq."""
    return start_command(command_line(module))


def start_command(argv: list[str]) -> Child:
    """Start a worker by its command line. Raises OSError."""
    if sys.platform == "win32":
        return _start_by_subprocess(argv)
    return _start_by_spawn(argv)


def command_line(module: Module) -> list[str]:
    """Return the command line of a worker that runs ``main`` of a module below this directory."""
    here = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120 (pathlib costs 5 ms of start-up)
    options = ["-I", "-S", "-B"] if sys.dont_write_bytecode else ["-I", "-S"]
    return [sys.executable, *options, "-c", START.replace("{module}", module), here, _extension()]


def _start_by_spawn(argv: list[str]) -> Child:
    """Start without importing subprocess, which costs more than the start itself."""
    if sys.platform == "win32":
        raise NotImplementedError
    import select
    import signal

    theirs_in, ours_in = map(_above_pipes, os.pipe())
    ours_out, theirs_out = map(_above_pipes, os.pipe())
    their_lifeline, lifeline = map(_above_pipes, os.pipe())
    void = _above_pipes(os.open(os.devnull, os.O_WRONLY))
    actions = [
        (os.POSIX_SPAWN_DUP2, theirs_in, 0),
        (os.POSIX_SPAWN_DUP2, theirs_out, 1),
        (os.POSIX_SPAWN_DUP2, void, 2),
        (os.POSIX_SPAWN_DUP2, their_lifeline, LIFELINE),
    ]
    # The host may ignore signals that end a worker: its own alarm, the lifeline, a limit, an administrator.
    signals = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}
    try:
        try:  # a session of its own: an interrupt typed at the terminal is the host's
            pid = os.posix_spawn(
                sys.executable, argv, {}, file_actions=actions, setsid=True, setsigmask=(), setsigdef=signals
            )
        except NotImplementedError:
            pid = os.posix_spawn(
                sys.executable, argv, {}, file_actions=actions, setpgroup=0, setsigmask=(), setsigdef=signals
            )
    except BaseException:
        for descriptor in (ours_in, ours_out, lifeline):
            os.close(descriptor)
        raise
    finally:
        for descriptor in (theirs_in, theirs_out, their_lifeline, void):
            os.close(descriptor)
    os.set_blocking(ours_in, False)  # a worker that does not read must not hold up its host
    poller = select.poll()
    poller.register(ours_out, select.POLLIN)
    return Child(pid, ours_in, ours_out, poller.poll, lifeline=lifeline)


def _start_by_subprocess(argv: list[str]) -> Child:
    import subprocess

    if sys.platform != "win32":
        raise NotImplementedError
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "SYSTEMDRIVE") if name in os.environ}
    process = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=kept,
        bufsize=0,
        creationflags=subprocess.CREATE_NO_WINDOW,
    )
    assert process.stdin is not None and process.stdout is not None
    import msvcrt

    stdout = process.stdout.fileno()
    poll = _poller(msvcrt.get_osfhandle(stdout))
    from sandhook.worker.winjob import end_with_host

    return Child(process.pid, process.stdin.fileno(), stdout, poll, process, job=end_with_host(process.pid))


def _above_pipes(descriptor: int) -> int:
    """Return a descriptor above those that a worker begins with: the host may have closed 0, 1 or 2."""
    if sys.platform == "win32" or descriptor > LIFELINE:
        return descriptor
    import fcntl

    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, LIFELINE + 1)
    os.close(descriptor)
    return moved


def _poller(pipe: int) -> Callable[[float], bool]:
    """Return the equivalent of ``poll`` for a pipe of Windows, which cannot be waited for: it looks repeatedly."""

    def poll(milliseconds: float) -> bool:
        if sys.platform != "win32":
            raise NotImplementedError
        import _winapi

        until = monotonic() + milliseconds / 1000
        while True:
            try:
                if _winapi.PeekNamedPipe(pipe, 0)[0]:
                    return True
            except OSError:
                return True  # it has ended; the read reports that
            if monotonic() >= until:
                return False
            sleep(_POLL_SECONDS)

    return poll


def _extension() -> str:
    """Return the file of libjq's binding, which is never loaded into the host."""
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("jq")
    if spec is None or spec.origin is None:
        raise WorkerError("the jq worker could not be started: the package jq is not installed")
    return spec.origin
