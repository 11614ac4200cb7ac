"""One run of the shell in a worker process: sends it, serves what it asks for, and brings its changes in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from struct import error as StructError
from time import monotonic
from typing import TYPE_CHECKING, cast

from sandhook.errors import ErrorPlace, LimitName, ShellSyntaxError, WorkerError
from sandhook.interp.result import DEFECT, KILLED, TIMED_OUT, Result
from sandhook.isolation import relay, wire
from sandhook.isolation.files import SharedFiles, shared
from sandhook.isolation.pool import ShellWorker, most_bytes, pool_for
from sandhook.kernel.descriptor import ReadInput, WriteBytes
from sandhook.limits import CANCELLED, Cancellation, Limits
from sandhook.record import Record
from sandhook.vfs.base import FileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.worker.client import OutOfTime, WorkerDied

if TYPE_CHECKING:
    from sandhook.worker.client import Pool

#: Seconds that a run may exceed its limit before its worker is killed; the run ends itself at its limit.
_GRACE = 0.5

#: Seconds that a worker may take to start. They are not the run's.
_START = 60.0


#: What a message of another form raises when it is read.
_BROKEN_PROTOCOL = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    StructError,
)


class RemoteDefect(Exception):
    """An exception that escaped the interpreter in a worker."""


class RemoteRun(Record):
    """What a run executes and what it is connected to; see ``Shell.run``."""

    script: str
    args: Sequence[str]
    name: str
    from_file: bool
    env: Mapping[str, str] | None
    stdin: bytes | ReadInput
    stdout: WriteBytes | None
    stderr: WriteBytes | None
    overflow: str
    start_files: bool
    cancel: Cancellation | None


class _Killer:
    """Ends the worker of a run that its caller cancels. Has the method of a budget that a Cancellation calls."""

    def __init__(self, worker: ShellWorker) -> None:
        self._worker = worker
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True
        self._worker.terminate()


def run(fs: FileSystem, env: Mapping[str, str], cwd: str, limits: Limits, request: RemoteRun) -> Result:
    """Run a script in a worker, on a copy of the files. Never raises for what the worker does."""
    started = monotonic()
    result = _run(fs, env, cwd, limits, request)
    result.duration = monotonic() - started
    return result


def _run(fs: FileSystem, env: Mapping[str, str], cwd: str, limits: Limits, request: RemoteRun) -> Result:
    assert isinstance(fs, MemoryFileSystem)
    if request.cancel is not None and request.cancel.cancelled:
        return _limited(CANCELLED)
    pool = pool_for(limits)
    try:
        worker = pool.acquire(_START)
    except OutOfTime:
        return _failed("every worker is busy")
    except WorkerError as error:
        return _failed(str(error))
    killer = _Killer(worker)
    if request.cancel is not None:
        request.cancel.attach(killer)
    try:
        result, sound = _Remote(worker, shared(fs), limits, request).result(env, cwd)
    except BaseException:
        pool.drop(worker)
        raise
    finally:
        if request.cancel is not None:
            request.cancel.detach(killer)
    if sound and not killer.cancelled:
        pool.release(worker)
    else:
        _replace(pool, worker)
    if killer.cancelled and not sound:
        return _limited(CANCELLED)
    return result


def _replace(pool: Pool[ShellWorker], worker: ShellWorker) -> None:
    """Kill a worker and start another one, which gets ready while the host goes on."""
    pool.drop(worker)
    with suppress(WorkerError):  # the next run reports that
        pool.prestart()


class _Remote:
    """The conversation about one run."""

    def __init__(self, worker: ShellWorker, files: SharedFiles, limits: Limits, request: RemoteRun) -> None:
        self._worker = worker
        self._files = files
        self._limits = limits
        self._request = request
        self._deadline = 0.0

    def result(self, env: Mapping[str, str], cwd: str) -> tuple[Result, bool]:
        """Return how the run ended, and whether the worker can be used again."""
        worker = self._worker
        try:
            worker.extend(_START)
            worker.ready()
            worker.most_bytes = most_bytes(self._limits)
            version = self._begin(env, cwd)
            return self._end(self._converse(), version)
        except OutOfTime:
            return _limited("wall_seconds"), False
        except WorkerDied as death:
            if death.out_of_memory:
                return _limited("memory_bytes"), False
            return _failed(death.reason), False
        except WorkerError as error:
            return _failed(str(error)), False
        except _CallerRaised as raised:
            return Result(b"", b"", DEFECT, defect=raised.cause), False
        except _BROKEN_PROTOCOL as error:
            return _failed(f"the shell worker broke the protocol: {error}"), False

    def _begin(self, env: Mapping[str, str], cwd: str) -> int:
        """Send the run and the files that the worker lacks; return their version."""
        worker, request, files = self._worker, self._request, self._files
        has = worker.files[1] if worker.files is not None and worker.files[0] == files.number else None
        version, fresh, changes, quota = files.since(has)
        worker.files = None
        header = {
            "script": request.script,
            "args": list(request.args),
            "name": request.name,
            "from_file": request.from_file,
            "env": dict(env),
            "run_env": None if request.env is None else dict(request.env),
            "cwd": cwd,
            "limits": list(self._limits),
            "overflow": request.overflow,
            "start_files": request.start_files,
            "asks_input": not isinstance(request.stdin, bytes),
            "streams": [request.stdout is not None, request.stderr is not None],
            "files": files.number,
            "fresh": fresh,
            "quota": list(quota),
        }
        data = request.stdin if isinstance(request.stdin, bytes) else b""
        self._extend(self._limits.wall_seconds + _GRACE)
        worker.send(wire.RUN, wire.pack(header, data, changes))
        return version

    def _extend(self, seconds: float) -> None:
        self._deadline = monotonic() + seconds
        self._worker.extend(seconds)

    def _remaining(self) -> float:
        return max(0.0, self._deadline - monotonic())

    def _converse(self) -> bytes:
        """Serve the worker until it sends the result; return that."""
        worker, request = self._worker, self._request
        while True:
            kind, payload = worker.frame()
            if kind == wire.RESULT:
                return payload
            if kind == wire.CALL:
                relay.call(payload, self._remaining, worker.send, self._answer)
            elif kind == wire.OUTPUT and request.stdout is not None:
                self._outside_time(request.stdout, payload)
            elif kind == wire.ERRORS and request.stderr is not None:
                self._outside_time(request.stderr, payload)
            elif kind == wire.INPUT and not isinstance(request.stdin, bytes):
                self._outside_time(self._input, payload)
            else:
                raise ValueError(f"a frame of kind {kind}")

    def _answer(self) -> bytes:
        kind, payload = self._worker.frame()
        if kind != wire.ANSWER:
            raise ValueError(f"a frame of kind {kind}")
        return payload

    def _outside_time(self, function: Callable[[bytes], object], payload: bytes) -> None:
        """Call the caller's function; the time that it takes is not the run's."""
        left = self._remaining()
        try:
            function(payload)
        except (WorkerDied, ValueError, StructError):
            raise
        except Exception as error:
            raise _CallerRaised(error) from error
        self._extend(left)

    def _input(self, payload: bytes) -> None:
        """Read a piece of standard input for the worker."""
        assert not isinstance(self._request.stdin, bytes)
        seconds, count = wire.INPUT_HEAD.unpack(payload)
        try:
            data = self._request.stdin(count, seconds)
        except TimeoutError:
            self._worker.send(wire.WAITED, b"")
            return
        self._worker.send(wire.DATA, data[:count])

    def _end(self, payload: bytes, version: int) -> tuple[Result, bool]:
        """Return the result of a run, after its changes were brought in."""
        fields, (stdout, stderr, changes) = wire.unpack(payload, 3)
        header = cast(wire.ResultHeader, fields)
        if len(stdout) + len(stderr) > 2 * self._limits.output_bytes:
            raise ValueError("more output than the limit")
        limit, defect, error = header["limit"], header["defect"], header["syntax_error"]
        if limit is not None and limit not in Limits._fields:
            raise ValueError("an unknown limit")
        result = Result(
            stdout,
            stderr,
            int(header["status"]) & 0xFF,
            limit=limit,
            truncated=bool(header["truncated"]),
            stdout_truncated=bool(header["stdout_truncated"]),
            syntax_error=None if error is None else _syntax_error(error),
            defect=None if defect is None else RemoteDefect(": ".join(map(str, defect))),
            failure=None if header["failure"] is None else str(header["failure"]),
            not_started=None if header["not_started"] is None else str(header["not_started"]),
            signal=None if header["signal"] is None else str(header["signal"]),
            interrupted=bool(header["interrupted"]),
            notes=tuple(map(str, header["notes"])),
        )
        now = self._files.bring_in(version, changes)  # after the last field that may be wrong
        self._worker.files = None if now is None else (self._files.number, now)
        return result, defect is None and limit != "memory_bytes"


def _limited(limit: LimitName) -> Result:
    """Return the result of a run that the host ended."""
    return Result(b"", b"", TIMED_OUT if limit == "wall_seconds" else KILLED, limit=limit)


def _failed(reason: str) -> Result:
    """Return the result of a run whose worker died or did not start."""
    return Result(b"", b"", KILLED, failure=reason)


class _CallerRaised(Exception):
    """A function of the caller raised ``cause``."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(cause)
        self.cause = cause


def _syntax_error(fields: wire.SyntaxErrorFields) -> ShellSyntaxError:
    first, last = fields["span"]
    repeats = fields["repeats"]
    return ShellSyntaxError(
        str(fields["message"]),
        source=str(fields["source"]),
        span=(int(first), int(last)),
        line=int(fields["line"]),
        column=int(fields["column"]),
        token=str(fields["token"]),
        name=str(fields["name"]),
        incomplete=bool(fields["incomplete"]),
        where=cast(ErrorPlace, str(fields["where"])),
        repeats="token" if repeats == "token" else "line" if repeats == "line" else "",
    )
