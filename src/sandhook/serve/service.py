"""The service: a bounded queue of events and of clients' commands, what is counted, and how it ends."""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from sandhook.client.wire import Call, Printed
from sandhook.hooks.event import JsonObject
from sandhook.hooks.telemetry import default_tracer
from sandhook.journal.errors import JournalError
from sandhook.record import Record
from sandhook.serve.engines import MOST_ENGINES
from sandhook.serve.fires import Fires
from sandhook.serve.firing import FireCall, Fired, Firing, internal, refuse
from sandhook.serve.lanes import Done
from sandhook.serve.metrics import Metrics
from sandhook.serve.processes import Answered, CommandPool
from sandhook.serve.release import Release, WorkerEnded
from sandhook.serve.spans import record_command
from sandhook.serve.tally import tally_of

if TYPE_CHECKING:
    from sandhook.hooks.telemetry import Tracer
    from sandhook.journal.targets import Target


#: Seconds between two looks for changed configurations, so that a broken one is reported before an event needs it.
_HOUSEKEEPING_SECONDS = 1.0


class ServeLimits(Record):
    """What a service accepts.

    Attributes:
        running: Events that are fired at once.
        waiting: Events that may wait; a further one is refused.
        wait_seconds: The most that an event waits; then it is refused.
        body_bytes: The longest body of a request.
        read_seconds: The most between two pieces of a request; then the connection is cut.
        write_seconds: The most that a client may take to read a piece of an answer.
        grace_seconds: The most that running fires may take after a signal to end; then they are refused.
        connections: Open connections; a further one is closed.
    """

    running: int = 16
    waiting: int = 256
    wait_seconds: float = 10.0
    body_bytes: int = 64 << 20
    read_seconds: float = 10.0
    write_seconds: float = 10.0
    grace_seconds: float = 5.0
    connections: int = 2048


class Backend(Protocol):
    """Fires events, in this process or in others."""

    @property
    def pids(self) -> list[int]:
        """The ids of its processes."""
        ...

    def fire(self, call: FireCall, done: Done) -> None:
        """Fire an event; ``done`` is called in the event loop's thread. Raises nothing."""
        ...

    async def start(self) -> None: ...

    async def close(self) -> None: ...


class ThreadBackend:
    """Fires events in threads of this process."""

    def __init__(self, firing: Firing, threads: int) -> None:
        self._firing = firing
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="sandhook-fire")

    @property
    def pids(self) -> list[int]:
        return []

    async def start(self) -> None:
        """Nothing is to be started."""

    def fire(self, call: FireCall, done: Done) -> None:
        loop = asyncio.get_running_loop()

        def fire_and_report() -> None:
            fired = self._firing.fire(call)
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(done, fired)

        self._pool.submit(fire_and_report)

    async def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class Job:
    """An event that waits or is fired.

    Attributes:
        wanted: Nobody has the answer yet, and somebody waits for it.
    """

    __slots__ = ("call", "done", "expires", "source", "wanted")

    def __init__(self, call: FireCall, source: str, done: Callable[[Fired], object], expires: float) -> None:
        self.call = call
        self.source = source
        self.done = done
        self.expires = expires
        self.wanted = True


class Service:
    """Fires events one after the other or at once, and never lets one wait for ever.

    Attributes:
        fires: What was fired.
        metrics: What was counted.
        limits: See ServeLimits.
        stopping: The service ends; new events are refused.
        workspaces: Directories that events were fired at, the last used one last.
        about: What its owner may know of its start, for a report.
        release: Compares its version with that of its files; None where no workers are started from them.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        firing: Firing,
        commands: CommandPool | None = None,
        audit: Target | None = None,
        limits: ServeLimits = ServeLimits(),  # noqa: B008 - immutable
        metrics: Metrics | None = None,
        fires: Fires | None = None,
        tracer: Tracer | None = None,
        release: Release | None = None,
        about: JsonObject | None = None,
    ) -> None:
        self.release = release
        self.about = about or {}
        self.fires = fires if fires is not None else Fires()
        self.metrics = metrics if metrics is not None else Metrics()
        self.limits = limits
        self.firing = firing
        self.stopping = False
        self.audit = audit
        self.began = time.time()
        self.workspaces: OrderedDict[str, None] = OrderedDict()
        self._backend = backend
        self._commands = commands
        self._tracer = tracer if tracer is not None else default_tracer()
        self._queue: deque[Job] = deque()
        self._running: set[Job] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._housekeeping: asyncio.Task[None] | None = None

    # ------------------------------------------------------------------ life

    async def start(self) -> None:
        """Start the worker processes. Raises WorkerEnded."""
        await self._backend.start()
        if self._commands is not None:
            await self._commands.prestart()
        self._housekeeping = asyncio.create_task(self._keep_house())

    async def close(self) -> None:
        """End the worker processes."""
        self.stop()
        if self._housekeeping is not None:
            self._housekeeping.cancel()
        if self._commands is not None:
            await self._commands.close()
        await self._backend.close()
        if self.audit is not None:
            self.audit.close()

    def stop(self) -> None:
        """Refuse new events; running ones have ``grace_seconds`` before they are refused, too."""
        if not self.stopping:
            self.stopping = True
            self.fires.end()
            asyncio.get_running_loop().call_later(self.limits.grace_seconds, self._refuse_running)

    def _refuse_running(self) -> None:
        """Refuse what is fired or waits: the service ends now."""
        queue, self._queue = self._queue, deque()
        self.metrics.waiting = 0
        for job in (*self._running, *queue):
            if job.wanted:
                job.wanted = False
                job.done(refuse(job.call, "sandhook: the service ended before its hooks did"))

    async def _keep_house(self) -> None:
        while True:
            await asyncio.sleep(_HOUSEKEEPING_SECONDS)
            await self.refresh()
            if self._commands is not None:
                await self._commands.keep()

    async def refresh(self) -> list[str]:
        """Look for changed files; return a line for each engine that is not as they are, and for another version."""
        source = self.firing.source
        loaded = await asyncio.get_running_loop().run_in_executor(None, source.refreshed)
        self.metrics.stale = sum(bool(each.stale) for _, each in loaded)
        lines = [
            f"{place.directory}: a change is not in use: {each.stale}" for place, each in loaded if each.stale
        ]
        lines += [
            f"{place.directory}: {problem}" for place, each in loaded for problem in each.built.problems
        ]
        if self.release is not None:
            self.release.look()
            if self.release.fault:
                lines.insert(0, self.release.fault)
        return lines

    def report(self, message: str) -> None:
        """Report to readers of the stream what the service did; call it in the event loop's thread."""
        self.fires.report(message)

    def pids(self) -> list[int]:
        """Return the ids of the worker processes."""
        return [*self._backend.pids, *(self._commands.pids if self._commands is not None else ())]

    # ------------------------------------------------------------------ events

    async def fire(self, call: FireCall, source: str = "http") -> Fired:
        """Fire an event; one that cannot be fired is refused in the agent's words."""
        future: asyncio.Future[Fired] = asyncio.get_running_loop().create_future()

        def done(fired: Fired) -> None:
            if not future.done():
                future.set_result(fired)

        job = self.submit(call, source, done)
        try:
            return await future
        finally:
            self.forget(job)

    def submit(self, call: FireCall, source: str, done: Callable[[Fired], object]) -> Job:
        """Fire an event when its turn comes; ``done`` receives what became of it, sometimes at once."""
        now = self._loop_time()
        job = Job(call, source, done, now + self.limits.wait_seconds)
        if self.stopping:
            self._finish(job, refuse(call, "sandhook: the service is stopping"))
        elif self.metrics.running < self.limits.running:
            self._begin(job)
        elif len(self._queue) >= self.limits.waiting:
            self.metrics.overflows += 1
            self._finish(job, refuse(call, f"sandhook: the service is busy: {len(self._queue)} events wait"))
        else:
            self._queue.append(job)
            self.metrics.waiting += 1
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_at(job.expires, self._expire)
        return job

    def forget(self, job: Job) -> None:
        """Nobody waits for an event any more. Hooks that run are not interrupted, those that wait do not run."""
        job.wanted = False
        with suppress(ValueError):
            self._queue.remove(job)
            self.metrics.waiting -= 1

    def _begin(self, job: Job) -> None:
        self.metrics.running += 1
        self._running.add(job)
        try:
            self._backend.fire(job.call, lambda result: self._finished(job, result))
        except Exception as error:
            self._finished(job, error)

    def _finished(self, job: Job, result: Fired | Exception) -> None:
        self.metrics.running -= 1
        self._running.discard(job)
        self._finish(job, result)
        while self._queue and self.metrics.running < self.limits.running:
            self.metrics.waiting -= 1
            self._begin(self._queue.popleft())

    def _finish(self, job: Job, result: Fired | Exception) -> None:
        """Count an event, keep it, and answer it."""
        if isinstance(result, WorkerEnded | JournalError):
            result = refuse(job.call, f"sandhook: {result}")
        elif isinstance(result, Exception):
            result = refuse(job.call, internal(result))
        self.metrics.fire(result.ending, result.tally)
        if result.tally.workspace:
            self._note(result.tally.workspace)
        self.fires.add(job.source, result.ending, result.record)
        if job.wanted:
            job.wanted = False
            job.done(result)

    def _workspace_of(self, directory: str) -> str:
        """Return the workspace that a client's command counts for: a known one, or its own directory."""
        path = f"{directory}/".replace("\\", "/")
        return max(
            (each for each in self.workspaces if path.startswith(f"{each}/")), key=len, default=directory
        )

    def _note(self, workspace: str) -> None:
        self.workspaces[workspace] = None
        self.workspaces.move_to_end(workspace)
        if len(self.workspaces) > MOST_ENGINES:
            self.workspaces.popitem(last=False)

    def _expire(self) -> None:
        """Refuse the events that waited too long. All wait equally long, so the first ones expire first."""
        self._timer = None
        now = self._loop_time()
        while self._queue and self._queue[0].expires <= now:
            job = self._queue.popleft()
            self.metrics.waiting -= 1
            self.metrics.overflows += 1
            seconds = self.limits.wait_seconds
            self._finish(
                job,
                refuse(job.call, f"sandhook: the service is busy: the event waited {seconds:g} seconds"),
            )
        if self._queue:
            self._timer = asyncio.get_running_loop().call_at(self._queue[0].expires, self._expire)

    def _loop_time(self) -> float:
        return asyncio.get_running_loop().time()

    # ------------------------------------------------------------------ commands of clients

    @property
    def takes_commands(self) -> bool:
        """Whether a client's command would be run now."""
        if self._commands is None or self.stopping or (self.release is not None and self.release.fault):
            return False
        return not self._commands.is_full

    async def run(self, call: Call, body: bytes) -> Printed | None:
        """Run a client's command line; None if the client must run it itself. Raises WorkerEnded, JournalError."""
        assert self._commands is not None
        began = time.monotonic()
        answered = await self._commands.run(body)
        printed = answered.printed
        if printed is None:
            return None
        if self.audit is not None and answered.audit:
            await asyncio.get_running_loop().run_in_executor(None, self.audit.write, answered.audit)
        self._keep(call, printed, answered, time.monotonic() - began)
        return printed

    def _keep(self, call: Call, printed: Printed, answered: Answered, seconds: float) -> None:
        """Keep what a command did, for lists and metrics."""
        arguments = [each.decode("utf-8", "replace") for each in call.arguments]
        self.metrics.command(arguments[0], printed.status)
        record = answered.record
        record["command"] = list(arguments)
        record["cwd"] = record.get("cwd") or call.directory.decode("utf-8", "replace")
        record["duration_ms"] = round(seconds * 1000, 3)
        record["answer"] = {
            "exit_status": printed.status,
            "stdout": printed.stdout.decode("utf-8", "replace"),
            "stderr": printed.stderr.decode("utf-8", "replace"),
        }
        if record.get("decision") is not None:
            place = self._workspace_of(str(record["cwd"]))
            self.metrics.fire("decided", tally_of(record)._replace(workspace=place))
        if self._tracer is not None:
            record_command(self._tracer, arguments[0], printed.status, record, seconds)
        self.fires.add("command", "decided", json.dumps(record).encode("ascii"))
