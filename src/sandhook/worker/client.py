"""Ask, stop and restart the worker processes that run libjq and SQLite.

One pool serves a whole host process, all its shells and threads. A worker is started at
first use (or by ``prestart``), works for one call at a time, is killed when that call's time
is up, and is replaced at the next one. Workers end with the host: their standard input ends.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep

from sandhook.errors import WorkerError
from sandhook.typed import Generic, TypeVar
from sandhook.version import __version__
from sandhook.worker import frames, launch
from sandhook.worker.confinement import Confinement, decode
from sandhook.worker.death import WorkerDied, how_ended
from sandhook.worker.greeting import other_version
from sandhook.worker.launch import Kind, Module
from sandhook.worker.requests import NativeRequest, Request

__all__ = [
    "NATIVE", "POOL", "OutOfTime", "Pool", "Worker", "WorkerDied", "confinement", "prestart", "sqlite_pool",
]  # fmt: skip

IDLE = 4  #: workers that are kept for later calls
MOST = 16  #: workers alive at once; a further call waits for one of them
#: Workers that get ready at once. A start is 60 ms of work for a core, and sixteen of them delay every call by a second.
AT_ONCE = max(2, min(4, os.cpu_count() or 1))
PATIENCE = 0.05  #: seconds to wait for one of ``AT_ONCE`` busy workers before another is started, which takes as long
#: Workers call libjq's own functions; where those are hidden, they use the package's interface.
NATIVE = sys.platform != "win32"
_GRACE = 0.5  #: seconds that a worker outlives the deadline of a host that does not kill it
_MOST_BYTES = 1 << 30  #: a worker for jq or SQLite has less memory than that
_START = 30.0  #: seconds that a worker may take to start for a report
_READ = 1 << 18
_ENDING = 0.5  #: seconds to wait for the status of a process that closed its pipes

#: How abort(3) ends a process, which the package's interface to libjq calls without memory; a crash of libjq that
#: aborts cannot be distinguished there. Source: Microsoft, "abort"; POSIX.
_ABORTED = (3, 0xC0000409) if sys.platform == "win32" else (-6,)

#: Seconds to look for an answer before sleeping; waking up costs 50 to 100 microseconds.
_ALERT = 0.000_2


class OutOfTime(Exception):
    """The deadline of a call passed; its worker was killed."""


class CallerRaised(BaseException):
    """The caller raised ``cause`` when it received output; the worker was stopped and can be kept."""

    def __init__(self, cause: BaseException) -> None:
        self.cause = cause


#: Frames that are not the last of an answer.
_GOING_ON = frozenset({frames.OUTPUT, frames.FAILED, frames.ALSO, frames.TARGET, frames.FILE})

#: Frames that end an answer.
_LAST = frozenset({frames.DONE, frames.BROKEN})

OnFrame = Callable[[int, bytes], None]


class Worker:
    """One worker process. Only the call that has it from the pool may use it.

    Args:
        module: What it runs.
        command: Its command line instead.

    Attributes:
        confinement: What the system refuses it; None until it is ready.
        most_bytes: The longest frame that it may send.
    """

    __slots__ = (
        "_buffer", "_child", "_deadline", "_module", "_ready", "_status", "_stdin", "_stdout", "confinement",
        "most_bytes", "pid",
    )  # fmt: skip

    def __init__(
        self, *, module: Module = "jq.native" if NATIVE else "jq.server", command: list[str] | None = None
    ) -> None:
        self._module = module
        self.most_bytes = _MOST_BYTES
        self._buffer = b""
        self._deadline = 0.0
        self._ready = False
        self._status: int | None = None
        self.confinement: Confinement | None = None
        try:
            child = launch.start(module) if command is None else launch.start_command(command)
        except OSError as error:
            raise WorkerError(f"the {self.kind} worker could not be started: {error}") from error
        self._child = child
        self._stdin = child.stdin
        self._stdout = child.stdout
        self.pid = child.pid

    # ------------------------------------------------------------------ life

    def kill(self) -> None:
        """End the process at once, and close its pipes."""
        process = self._child.process
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            process.wait()
            if self._child.job:
                from sandhook.worker.winjob import close

                close(self._child.job)
            return
        self._reap()
        self.forget()

    def terminate(self) -> None:
        """End the process from another thread; the call that uses it sees its end."""
        process = self._child.process
        if process is not None:
            process.kill()
        elif sys.platform != "win32" and self._status is None:
            with suppress(OSError):
                os.kill(self.pid, 9)

    def forget(self) -> None:
        """Close this side's ends only: in a child made by fork, the worker is the parent's."""
        for descriptor in (self._stdin, self._stdout, self._child.lifeline):
            with suppress(OSError):
                os.close(descriptor)

    def _reap(self, patience: float = 0.0) -> None:
        """Wait for the process and keep its status; it is killed if it has not ended after ``patience`` seconds."""
        if sys.platform == "win32" or self._status is not None:
            return
        self._status = 0
        until = monotonic() + patience
        with suppress(OSError):  # other code may have waited for it; then the id is not ours
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            while pid == 0 and monotonic() < until:
                sleep(0.001)
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid == 0:
                os.kill(self.pid, 9)
                os.waitpid(self.pid, 0)
            self._status = os.waitstatus_to_exitcode(status)

    def _death(self) -> WorkerDied:
        """Return how the process ended, which closed its end of a pipe."""
        process = self._child.process
        if process is not None:
            status = process.wait()
        else:
            self._reap(_ENDING)
            status = self._status or 0
        if status == frames.OUT_OF_MEMORY or (self._module == "jq.server" and status in _ABORTED):
            return WorkerDied(f"the {self.kind} worker ran out of memory", out_of_memory=True)
        return WorkerDied(f"the {self.kind} worker {how_ended(status)}")

    # ------------------------------------------------------------------ one call

    def ask(self, request: Request | NativeRequest, seconds: float) -> None:
        """Send a request that has ``seconds`` to be answered."""
        self.extend(seconds)
        self.write(request.encode(seconds + _GRACE))

    def write(self, frame: bytes) -> None:
        """Send bytes. Raises WorkerDied and OutOfTime."""
        try:
            self._child.write(frame, self._deadline)
        except TimeoutError:
            raise OutOfTime from None
        except OSError as error:
            raise self._death() from error

    @property
    def kind(self) -> Kind:
        """The program that it runs, for messages."""
        return "sqlite" if self._module == "sqlite.session" else "jq"

    @property
    def fresh(self) -> bool:
        """True until it has answered something."""
        return not self._ready

    def extend(self, seconds: float) -> None:
        """Allow ``seconds`` from now for the rest of the answer."""
        self._deadline = monotonic() + min(seconds, frames.LONGEST)

    def reply(self, word: bytes) -> None:
        """Answer an OUTPUT frame with GO or STOP."""
        self.write(word)

    def answer(self) -> tuple[int, bytes]:
        """Return the next frame of an answer, which has all fields of its kind. Raises as ``frame`` does."""
        kind, payload = self.frame()
        if len(payload) < frames.SHORTEST[self._module].get(kind, 0):
            raise WorkerDied(f"the {self.kind} worker sent a frame that is too short")
        return kind, payload

    def frame(self) -> tuple[int, bytes]:
        """Return the next frame's kind and payload. Raises OutOfTime and WorkerDied."""
        if not self._ready:
            self._await_ready()
        buffer = self._buffer
        while len(buffer) < 5:
            buffer += self._read()
        kind, length = frames.HEADER.unpack_from(buffer)
        if length > self.most_bytes:
            raise WorkerDied(
                f"the {self.kind} worker sends {length} bytes at once, which is more than any answer"
            )
        end = 5 + length
        if len(buffer) < end:
            pieces = [buffer]
            have = len(buffer)
            while have < end:
                pieces.append(self._read())
                have += len(pieces[-1])
            buffer = b"".join(pieces)
        self._buffer = buffer[end:]
        return kind, buffer[5:end]

    def ready(self) -> Confinement:
        """Return what confines this worker, after waiting for its first frame. Raises as ``frame`` does."""
        if not self._ready:
            self._await_ready()
        assert self.confinement is not None
        return self.confinement

    def _await_ready(self) -> None:
        """Wait for the first frame, which reports that the worker is ready. Raises WorkerError."""
        self._ready = True
        try:
            kind, report = self.frame()
        except WorkerDied as death:
            raise WorkerError(f"the {self.kind} worker could not be started: {death.reason}") from None
        if kind != frames.READY:
            raise WorkerError(f"the {self.kind} worker could not be started: it has another protocol")
        words, _, report = report.partition(b"\n")
        if other := other_version(words.split(b" ")):
            raise WorkerError(
                f"the {self.kind} worker could not be started: this process runs {__version__}, its files are {other};"
                " start the process again"
            )
        try:
            self.confinement = decode(report, dies_with_host=bool(self._child.job))
        except ValueError as error:
            raise WorkerError(f"the {self.kind} worker could not be started: {error}") from None

    def _read(self) -> bytes:
        seconds = self._deadline - monotonic()
        if seconds <= 0 or not (self._soon(seconds) or self._child.poll(seconds * 1000 + 1)):
            raise OutOfTime
        try:
            data = os.read(self._stdout, _READ)
        except OSError:  # Windows calls the end of a broken pipe an error
            data = b""
        if not data:
            if monotonic() >= self._deadline:  # a busy host was late, and the worker had ended itself
                raise OutOfTime
            raise self._death()
        return data

    def _soon(self, seconds: float) -> bool:
        """Poll for a moment: most answers come before a sleeping thread would wake up."""
        poll = self._child.poll
        end = monotonic() + min(seconds, _ALERT)
        while monotonic() < end:
            if poll(0):
                return True
        return False


W = TypeVar("W", bound=Worker)


class Pool(Generic[W]):
    """The workers of one host process.

    Args:
        start: Starts one.
    """

    def __init__(self, start: Callable[[], W] = Worker) -> None:  # type: ignore[assignment]
        self._start = start
        self._free = threading.Condition(threading.Lock())
        self._idle: list[W] = []
        self._busy: set[W] = set()
        self._starting = 0

    def acquire(self, seconds: float) -> W:
        """Return a worker for one call. Raises OutOfTime when none gets free in ``seconds``."""
        began = monotonic()
        with self._free:
            while not self._idle:
                waited = monotonic() - began
                if self._may_start(waited):
                    self._starting += 1
                    break
                if waited >= seconds:
                    raise OutOfTime
                self._free.wait(min(seconds - waited, PATIENCE))
            else:
                worker = self._idle.pop()
                self._busy.add(worker)
                return worker
        try:
            worker = self._start()
        except BaseException:
            with self._free:
                self._starting -= 1
            raise
        with self._free:
            self._starting -= 1
            self._busy.add(worker)
        return worker

    def _may_start(self, waited: float) -> bool:
        """Return True if a call that has waited for so many seconds may start a worker; the caller has the lock."""
        alive = len(self._busy) + self._starting
        getting_ready = self._starting + sum(worker.confinement is None for worker in self._busy)
        return alive < MOST and getting_ready < AT_ONCE and (alive < AT_ONCE or waited >= PATIENCE)

    def release(self, worker: W) -> None:
        """Keep a worker that has answered its call for the next one."""
        with self._free:
            self._busy.discard(worker)
            keep = len(self._idle) < IDLE
            if keep:
                self._idle.append(worker)
            self._free.notify()
        if not keep:
            worker.kill()

    def drop(self, worker: W) -> None:
        """Kill a worker in the middle of its call."""
        worker.kill()
        with self._free:
            self._busy.discard(worker)
            self._free.notify()

    def prestart(self, count: int = 1) -> None:
        """Start workers now until there are ``count``; they get ready while the host goes on."""
        with self._free:
            missing = count - len(self._idle) - len(self._busy) - self._starting
            self._starting += max(0, missing)
        for _ in range(missing):
            worker = None
            try:
                worker = self._start()
            finally:
                with self._free:
                    self._starting -= 1
                    if worker is not None:
                        self._idle.append(worker)
                        self._free.notify()

    def close(self) -> None:
        """End every worker."""
        with self._free:
            workers = [*self._idle, *self._busy]
            self._idle.clear()
            self._busy.clear()
        for worker in workers:
            worker.kill()

    def forget(self) -> None:
        """Leave all workers to the parent, after a fork."""
        workers = [*self._idle, *self._busy]
        self._free = threading.Condition(threading.Lock())
        self._idle = []
        self._busy = set()
        self._starting = 0
        for worker in workers:
            worker.forget()

    # ------------------------------------------------------------------ one call

    def call(
        self, request: Request | NativeRequest, remaining: Callable[[], float], on_frame: OnFrame
    ) -> None:
        """Run a request and pass every frame of its answer to ``on_frame``.

        Args:
            request: The program and its input.
            remaining: Returns the remaining real seconds; called again after
                each piece of output.
            on_frame: Called with kind and payload; the last frame is DONE or BROKEN. An
                exception that it raises stops the program and is raised to the caller.

        Raises:
            OutOfTime: The time is up; the worker was killed.
            WorkerDied: The worker ran out of memory or crashed.
            WorkerError: No worker could be started.
        """
        worker = self._send_request(request, remaining)
        try:
            kind, payload = worker.answer()
            while kind in _GOING_ON:
                if kind == frames.OUTPUT:
                    self._pass_output(worker, payload, on_frame)
                    worker.extend(remaining())
                else:
                    on_frame(kind, payload)
                kind, payload = worker.answer()
            if kind == frames.MEMORY:
                raise WorkerDied(f"the {worker.kind} worker ran out of memory", out_of_memory=True)
            if kind not in _LAST:
                raise WorkerDied(f"the {worker.kind} worker sent a frame of an unknown kind")
        except CallerRaised as interruption:
            self.release(worker)
            raise interruption.cause from None
        except BaseException:
            self.drop(worker)
            raise
        self.release(worker)
        on_frame(kind, payload)

    def _pass_output(self, worker: W, payload: bytes, on_frame: OnFrame) -> None:
        """Pass on a piece of output and let the worker continue, or stop it."""
        try:
            on_frame(frames.OUTPUT, payload)
        except BaseException as error:
            worker.reply(frames.STOP)
            raise CallerRaised(error) from error
        worker.reply(frames.GO)

    def _send_request(self, request: Request | NativeRequest, remaining: Callable[[], float]) -> W:
        """Return a worker that has the request; one that died while it was idle is replaced."""
        while True:
            worker = self.acquire(remaining())
            try:
                worker.ask(request, remaining())
            except WorkerDied as error:
                self.drop(worker)
                if worker.fresh:
                    raise WorkerError(
                        f"the {worker.kind} worker could not be started: {error.reason}"
                    ) from error
                continue
            except BaseException:
                self.drop(worker)
                raise
            return worker


POOL: Pool[Worker] = Pool()  #: the workers of this process; holds no state of any run

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=POOL.forget)
atexit.register(POOL.close)


def prestart() -> None:
    """Start a worker before it is needed; returns at once. Raises WorkerError."""
    POOL.prestart()


def confinement() -> Confinement:
    """Return what the system refuses the workers of this process; starts one for that. Raises WorkerError."""
    worker = POOL.acquire(_START)
    try:
        worker.extend(_START)
        report = worker.ready()
    except OutOfTime:
        POOL.drop(worker)
        raise WorkerError(f"the {worker.kind} worker did not start in {_START:.0f} seconds") from None
    except BaseException:
        POOL.drop(worker)
        raise
    POOL.release(worker)
    return report


_SQLITE: list[Pool[Worker]] = []  # made when it is first asked for; holds no state of any run
_SQLITE_LOCK = threading.Lock()


def sqlite_pool() -> Pool[Worker]:
    """Return the workers of this process that run SQLite."""
    with _SQLITE_LOCK:
        if not _SQLITE:
            pool = Pool(lambda: Worker(module="sqlite.session"))
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=pool.forget)
            atexit.register(pool.close)
            _SQLITE.append(pool)
        return _SQLITE[0]
