"""One run of the shell in a worker process: sends it, serves what it asks for, and brings its changes in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from struct import error as StructError
from time import monotonic
from typing import TYPE_CHECKING, TypeVar, cast, get_args

from sandhook.errors import ErrorPlace, LimitName, Repeats, ShellSyntaxError, WorkerError
from sandhook.interp.beginning import Script, Streams
from sandhook.interp.result import DEFECT, KILLED, TIMED_OUT, Result
from sandhook.isolation import wire
from sandhook.isolation.channels import Channels
from sandhook.isolation.files import Copies, Delta, copies_of
from sandhook.isolation.fileserver import FileServer
from sandhook.isolation.pool import ShellWorker, most_bytes, pool_for
from sandhook.kernel.settings import Restrictions, Settings
from sandhook.limits import CANCELLED, Limits
from sandhook.record import Record
from sandhook.vfs.base import FileSystem
from sandhook.vfs.temporary import temporary
from sandhook.worker.client import OutOfTime, WorkerDied

if TYPE_CHECKING:
    from sandhook.net.network import Network
    from sandhook.worker.client import Pool

T = TypeVar("T")

#: Seconds that a run may exceed its limit before its worker is killed; the run ends itself at its limit.
_GRACE = 0.5

#: Seconds of one wait for input.
_LONGEST_WAIT = 1e9

#: Copies of other files that a worker keeps.
_OTHER_TREES = 4

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

    script: Script
    streams: Streams  #: standard input that is known from the start is bytes
    settings: Settings
    crlf: bool
    network: Network | None = None
    temporary: Sequence[tuple[str, bytes]] = ()


class _Files(Record):
    """The files of a run, and how workers copy them; None if they ask for them."""

    fs: FileSystem
    copies: Copies | None


class _Killer:
    """Ends the worker of a run that its caller cancels. Has the method of a budget that a Cancellation calls."""

    def __init__(self, worker: ShellWorker) -> None:
        self._worker = worker
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True
        self._worker.terminate()


def run(fs: FileSystem, env: Mapping[str, str], cwd: str, limits: Limits, request: RemoteRun) -> Result:
    """Run a script in a worker. Never raises for what the worker does.

    The worker has copies of files in memory, and asks this process for all others.
    """
    started = monotonic()
    copies = copies_of(fs)
    with temporary(fs, request.temporary if copies is None else ()) as notes:
        result = _run(_Files(fs, copies), env, cwd, limits, request)
    result.duration = monotonic() - started
    if notes:
        result.notes = (*notes, *result.notes)
    return result


def _run(files: _Files, env: Mapping[str, str], cwd: str, limits: Limits, request: RemoteRun) -> Result:
    cancel = request.streams.cancel
    if cancel is not None and cancel.cancelled:
        return _limited(CANCELLED)
    pool = pool_for(limits)
    try:
        worker = pool.acquire(_START)
    except OutOfTime:
        return _failed("every worker is busy")
    except WorkerError as error:
        return _failed(str(error))
    killer = _Killer(worker)
    if cancel is not None:
        cancel.attach(killer)
    try:
        result, sound = _Remote(worker, files, limits, request).result(env, cwd)
    except BaseException:
        pool.drop(worker)
        raise
    finally:
        if cancel is not None:
            cancel.detach(killer)
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

    def __init__(self, worker: ShellWorker, files: _Files, limits: Limits, request: RemoteRun) -> None:
        self._worker = worker
        self._copies = files.copies
        self._server = FileServer(files.fs) if self._copies is None else None
        self._limits = limits
        self._request = request
        self._deadline = 0.0
        self._paused: float | None = None
        self._channels = Channels(worker, self._remaining, request.network)

    def result(self, env: Mapping[str, str], cwd: str) -> tuple[Result, bool]:
        """Return how the run ended, and whether the worker can be used again."""
        worker = self._worker
        idle = False
        try:
            worker.extend(_START)
            worker.ready()
            worker.most_bytes = most_bytes(self._limits, steps=self._request.streams.steps is not None)
            versions = self._begin(env, cwd)
            payload = self._converse()
            idle = self._channels.close()
            result, sound = self._end(payload, versions)
            return result, sound and idle
        except OutOfTime:
            return _limited("wall_seconds"), False
        except WorkerDied as death:
            return self._died(death), False
        except WorkerError as error:
            return _failed(str(error)), False
        except _CallerRaised as raised:
            return Result(b"", b"", DEFECT, defect=raised.cause), False
        except _BROKEN_PROTOCOL as error:
            return _broken(error), False
        finally:
            if not idle:
                worker.terminate()
                self._channels.close()
            if self._server is not None:
                self._server.close()

    def _died(self, death: WorkerDied) -> Result:
        fault = self._channels.fault
        if isinstance(fault, ValueError):
            return _broken(fault)
        if fault is not None:
            return Result(b"", b"", DEFECT, defect=fault)
        return _limited("memory_bytes") if death.out_of_memory else _failed(death.reason)

    def _begin(self, env: Mapping[str, str], cwd: str) -> dict[int, int]:
        """Send the run and the files that the worker lacks; return the version of each."""
        request, network = self._request, self._request.network
        script, streams = request.script, request.streams
        run_env = None if script.env is None else dict(script.env)
        trees, deltas = self._trees()
        overlay = self._copies.overlay if self._copies is not None else None
        files = request.temporary if self._copies is not None else ()
        header = {
            "script": script.text,
            "args": list(script.args),
            "name": script.name,
            "from_file": script.from_file,
            "env": dict(env),
            "run_env": run_env,
            "cwd": cwd,
            "limits": list(self._limits),
            "overflow": streams.overflow,
            "start_files": request.settings.start_files,
            "git_writes": request.settings.git_writes,
            "dispatches_scripts": request.settings.dispatches_scripts,
            "crlf": request.crlf,
            "asks_input": callable(streams.stdin),
            "steps": streams.steps is not None,
            "streams": [streams.stdout is not None, streams.stderr is not None],
            "trees": trees,
            "overlay": None
            if overlay is None
            else {"user": overlay.user, "whiteouts": sorted(overlay.whiteouts)},
            "forget": self._forget(),
            "temporary": [path for path, _ in files],
            "restrictions": _restrictions(request.settings.restrictions),
            "network": None
            if network is None
            else {name: getattr(network, name) for name in ("max_bytes", "max_seconds", "max_redirects")},
        }
        data = streams.stdin if isinstance(streams.stdin, bytes) else b""
        blocks = (data, *(each.changes for each in deltas), *(content for _, content in files))
        self._extend(self._limits.wall_seconds + _GRACE)
        self._worker.send(wire.RUN, wire.pack(header, *blocks))
        return {tree["number"]: each.version for tree, each in zip(trees, deltas)}

    def _trees(self) -> tuple[list[wire.TreeHeader], list[Delta]]:
        """Return what brings the worker's copies up to date."""
        if self._copies is None:
            return [], []
        headers: list[wire.TreeHeader] = []
        deltas = []
        with self._copies.lock:
            for files in self._copies.trees:
                each = files.since(self._worker.trees.pop(files.number, None))
                deltas.append(each)
                headers.append(
                    {"number": files.number, "fresh": each.fresh, "user": files.user, "quota": each.quota}
                )
        return headers, deltas

    def _forget(self) -> list[int]:
        """Return the copies that the worker is to drop: wrong ones, and those that it has not used for long."""
        worker = self._worker
        stale, worker.stale = worker.stale, []
        while len(worker.trees) > _OTHER_TREES:
            oldest = next(iter(worker.trees))
            del worker.trees[oldest]
            stale.append(oldest)
        return stale

    def _extend(self, seconds: float) -> None:
        self._deadline = monotonic() + seconds
        self._worker.extend(seconds)

    def _remaining(self) -> float:
        paused = self._paused
        return max(0.0, self._deadline - monotonic()) if paused is None else paused

    def _converse(self) -> bytes:
        """Serve the worker until it sends the result; return that."""
        worker, streams = self._worker, self._request.streams
        while True:
            kind, payload = worker.frame()
            if kind == wire.RESULT:
                return payload
            if kind in wire.CHANNEL_FROM_WORKER:
                self._channels.receive(kind, payload)
            elif kind == wire.FILES and self._server is not None:
                self._channels.send(*self._caller(self._server.answer, payload))
            elif kind == wire.OUTPUT and streams.stdout is not None:
                self._outside_time(streams.stdout, payload)
            elif kind == wire.ERRORS and streams.stderr is not None:
                self._outside_time(streams.stderr, payload)
            elif kind == wire.INPUT and callable(streams.stdin):
                self._outside_time(self._input, payload)
            else:
                raise ValueError(f"a frame of kind {kind}")

    def _outside_time(self, function: Callable[[bytes], object], payload: bytes) -> None:
        """Call the caller's function; the time that it takes is not the run's."""
        self._paused = self._remaining()
        try:
            self._caller(function, payload)
        finally:
            left, self._paused = self._paused, None
            self._extend(left)

    @staticmethod
    def _caller(function: Callable[[bytes], T], payload: bytes) -> T:
        """Call a function that may raise exceptions of the caller's code."""
        try:
            return function(payload)
        except (WorkerDied, ValueError):
            raise
        except Exception as error:
            raise _CallerRaised(error) from error

    def _input(self, payload: bytes) -> None:
        """Read a piece of standard input for the worker."""
        read = self._request.streams.stdin
        assert callable(read)
        if len(payload) != wire.INPUT_HEAD.size:
            raise ValueError("a wait for input of an unknown form")
        seconds, count = wire.INPUT_HEAD.unpack(payload)
        if not 0.0 <= seconds <= _LONGEST_WAIT or count > wire.CHUNK:
            raise ValueError("a wait for input that is out of bounds")
        try:
            data = read(count, seconds)
        except TimeoutError:
            self._channels.send(wire.WAITED, b"")
            return
        self._channels.send(wire.DATA, data[:count])

    def _end(self, payload: bytes, versions: dict[int, int]) -> tuple[Result, bool]:
        """Return the result of a run, after its changes were brought in."""
        steps = self._request.streams.steps
        fields, (stdout, stderr, changes, *noted) = wire.unpack(payload, 3 if steps is None else 4)
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
            outermost=bool(header["outermost"]),
            signal=None if header["signal"] is None else str(header["signal"]),
            interrupted=bool(header["interrupted"]),
            script_status=None if header["script_status"] is None else int(header["script_status"]) & 0xFF,
            notes=tuple(map(str, header["notes"])),
        )
        restrictions = self._request.settings.restrictions
        if restrictions is not None:
            restrictions.asked.update(dict.fromkeys(map(str, header["asked"])))
            restrictions.read.update(dict.fromkeys(map(str, header["read"])))
        if steps is not None:
            from sandhook.isolation.steps import decode

            steps.receive(*decode(noted[0]))
        self._bring_in(versions, changes, header["whiteouts"])  # after the last field that may be wrong
        return result, defect is None and limit != "memory_bytes"

    def _bring_in(self, versions: dict[int, int], changes: bytes, whiteouts: Sequence[str]) -> None:
        """Apply what the run changed, and note which copies the worker has now."""
        if self._copies is None:
            if changes or whiteouts:
                raise ValueError("changes of files that the worker has no copy of")
            return
        last = self._copies.trees[-1].number
        now = self._copies.bring_in(versions.pop(last), changes, whiteouts)
        worker = self._worker
        worker.trees.update(versions)
        if now is None:
            worker.stale.append(last)
        else:
            worker.trees[last] = now


def _restrictions(restrictions: Restrictions | None) -> wire.RestrictionsHeader | None:
    if restrictions is None:
        return None
    programs = restrictions.programs
    return {
        "missing": sorted(restrictions.missing),
        "programs": None if programs is None else sorted(programs),
        "variables": sorted(restrictions.variables),
    }


def _limited(limit: LimitName) -> Result:
    """Return the result of a run that the host ended."""
    return Result(b"", b"", TIMED_OUT if limit == "wall_seconds" else KILLED, limit=limit)


def _failed(reason: str) -> Result:
    """Return the result of a run whose worker died or did not start."""
    return Result(b"", b"", KILLED, failure=reason)


def _broken(error: Exception) -> Result:
    return _failed(f"the shell worker broke the protocol: {error}")


class _CallerRaised(Exception):
    """A function of the caller raised ``cause``."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(cause)
        self.cause = cause


def _syntax_error(fields: wire.SyntaxErrorFields) -> ShellSyntaxError:
    first, last = fields["span"]
    repeats = fields["repeats"]
    where = fields["where"]
    if where not in get_args(ErrorPlace) or repeats not in get_args(Repeats):
        raise ValueError("a syntax error with an unknown word")
    return ShellSyntaxError(
        str(fields["message"]),
        source=str(fields["source"]),
        span=(int(first), int(last)),
        line=int(fields["line"]),
        column=int(fields["column"]),
        token=str(fields["token"]),
        name=str(fields["name"]),
        incomplete=bool(fields["incomplete"]),
        where=where,
        repeats=repeats,
    )
