"""The service: a bounded queue of events and of clients' commands, what is counted, and how it ends."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol

from sandhook.client.wire import Call, Printed
from sandhook.hooks.event import JsonObject
from sandhook.record import Record
from sandhook.serve.errors import AuditError
from sandhook.serve.fires import Fires
from sandhook.serve.firing import FireCall, Fired, Firing, internal, refuse
from sandhook.serve.metrics import Metrics
from sandhook.serve.processes import Answered, CommandPool, EnginePool, WorkerEnded

if TYPE_CHECKING:
    from sandhook.serve.audit import AuditLog


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

    async def fire(self, call: FireCall) -> Fired:
        """Fire an event. Raises no error of the event."""
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

    async def fire(self, call: FireCall) -> Fired:
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._firing.fire, call)

    async def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class ProcessBackend:
    """Fires events in worker processes."""

    def __init__(self, pool: EnginePool) -> None:
        self._pool = pool

    @property
    def pids(self) -> list[int]:
        return self._pool.pids

    async def start(self) -> None:
        await self._pool.start()

    async def fire(self, call: FireCall) -> Fired:
        return await self._pool.fire(call, _session_of(call.body))

    async def close(self) -> None:
        await self._pool.close()


def _session_of(body: bytes) -> str:
    """Return the id of an event's session, "" without one; a worker reads the payload again, with all checks."""
    import re

    found = re.search(rb'"session_?[iI]d"\s*:\s*"([^"\\]{1,256})"', body[:65536])
    return found[1].decode("utf-8", "replace") if found else ""


class Service:
    """Fires events one after the other or at once, and never lets one wait for ever.

    Attributes:
        fires: What was fired.
        metrics: What was counted.
        limits: See ServeLimits.
        stopping: The service ends; new events are refused.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        firing: Firing,
        commands: CommandPool | None = None,
        audit: AuditLog | None = None,
        limits: ServeLimits = ServeLimits(),  # noqa: B008 - immutable
        metrics: Metrics | None = None,
    ) -> None:
        self.fires = Fires()
        self.metrics = metrics if metrics is not None else Metrics()
        self.limits = limits
        self.firing = firing
        self.stopping = False
        self.audit = audit
        self.began = time.time()
        self._backend = backend
        self._commands = commands
        self._slots = asyncio.Semaphore(limits.running)
        self._waiting = 0
        self._running: set[asyncio.Task[Fired]] = set()
        self._end: asyncio.Future[None] | None = None
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
        if not (end := self._ending()).done():
            end.set_result(None)

    def _ending(self) -> asyncio.Future[None]:
        """Return what is done when running fires have no more time."""
        if self._end is None:
            self._end = asyncio.get_running_loop().create_future()
        return self._end

    async def _keep_house(self) -> None:
        while True:
            await asyncio.sleep(_HOUSEKEEPING_SECONDS)
            await self.refresh()
            if self._commands is not None:
                await self._commands.retire()

    async def refresh(self) -> list[str]:
        """Look for changed configurations; return a line for each engine that is not as its files are."""
        source = self.firing.source
        loaded = await asyncio.get_running_loop().run_in_executor(None, source.refreshed)
        self.metrics.stale.set(sum(bool(each.stale) for _, each in loaded))
        lines = [
            f"{place.directory}: a change is not in use: {each.stale}" for place, each in loaded if each.stale
        ]
        return lines + [
            f"{place.directory}: {problem}" for place, each in loaded for problem in each.built.problems
        ]

    def report(self, message: str) -> None:
        """Report to readers of the stream what the service did; call it in the event loop's thread."""
        self.fires.report(message)

    def pids(self) -> list[int]:
        """Return the ids of the worker processes."""
        return [*self._backend.pids, *(self._commands.pids if self._commands is not None else ())]

    # ------------------------------------------------------------------ events

    async def fire(self, call: FireCall, source: str = "http") -> Fired:
        """Fire an event; one that cannot be fired is refused in the agent's words."""
        fired = await self._fire(call)
        self.metrics.fire(fired.ending, fired.record)
        self.fires.add(source, fired.ending, fired.record)
        return fired

    async def _fire(self, call: FireCall) -> Fired:
        if self.stopping:
            return refuse(call, "sandhook: the service is stopping")
        if self._slots.locked() and self._waiting >= self.limits.waiting:
            self.metrics.overflows.inc()
            return refuse(call, f"sandhook: the service is busy: {self._waiting} events wait")
        self._waiting += 1
        self.metrics.waiting.inc()
        try:
            async with asyncio.timeout(self.limits.wait_seconds):
                await self._slots.acquire()
        except TimeoutError:
            self.metrics.overflows.inc()
            return refuse(
                call, f"sandhook: the service is busy: the event waited {self.limits.wait_seconds:g} seconds"
            )
        finally:
            self._waiting -= 1
            self.metrics.waiting.dec()
        self.metrics.running.inc()
        task = asyncio.create_task(self._fire_now(call))
        self._running.add(task)
        task.add_done_callback(self._finished)
        return await self._before_the_end(task, call)

    async def _fire_now(self, call: FireCall) -> Fired:
        try:
            return await self._backend.fire(call)
        except Exception as error:
            if isinstance(error, WorkerEnded | AuditError):
                return refuse(call, f"sandhook: {error}")
            return refuse(call, internal(error))

    def _finished(self, task: asyncio.Task[Fired]) -> None:
        """Free the slot of a fire, also when nobody waits for it any more."""
        self._running.discard(task)
        self._slots.release()
        self.metrics.running.dec()

    async def _before_the_end(self, task: asyncio.Task[Fired], call: FireCall) -> Fired:
        """Wait for a fire; when the service ends before it, the event is refused."""
        waited: set[asyncio.Future[Fired] | asyncio.Future[None]] = {task, self._ending()}
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        return refuse(call, "sandhook: the service ended before its hooks did")

    # ------------------------------------------------------------------ commands of clients

    @property
    def takes_commands(self) -> bool:
        """Whether a client's command would be run now."""
        return self._commands is not None and not self.stopping and not self._commands.is_full

    async def run(self, call: Call, body: bytes) -> Printed | None:
        """Run a client's command line; None if the client must run it itself. Raises WorkerEnded, AuditError."""
        assert self._commands is not None
        began = time.monotonic()
        printed, answered = await self._commands.run(body)
        if printed is None:
            return None
        if self.audit is not None and answered.audit:
            await asyncio.get_running_loop().run_in_executor(None, self.audit.write, answered.audit)
        self._keep(call, printed, answered, time.monotonic() - began)
        return printed

    def _keep(self, call: Call, printed: Printed, answered: Answered, seconds: float) -> None:
        """Keep what a command did, for lists and metrics."""
        import json

        arguments = [each.decode("utf-8", "replace") for each in call.arguments]
        self.metrics.command(arguments[0], printed.status)
        record: JsonObject = json.loads(answered.fields[1]) if answered.fields[1] else {}
        record["command"] = list(arguments)
        record["cwd"] = record.get("cwd") or call.directory.decode("utf-8", "replace")
        record["duration_ms"] = round(seconds * 1000, 3)
        record["answer"] = {
            "exit_status": printed.status,
            "stdout": printed.stdout.decode("utf-8", "replace"),
            "stderr": printed.stderr.decode("utf-8", "replace"),
        }
        if record.get("decision") is not None:
            self.metrics.fire("decided", record)
        self.fires.add("command", "decided", record)


def audit_writer(audit: AuditLog | None) -> Callable[[list[str]], Awaitable[None]]:
    """Return a function that writes lines without blocking the event loop."""

    async def write(lines: Sequence[str]) -> None:
        if audit is not None:
            await asyncio.get_running_loop().run_in_executor(None, audit.write, lines)

    return write
