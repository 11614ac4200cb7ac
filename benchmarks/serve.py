"""What a resident service saves: one guard by bash and jq, by the client of the service, and over HTTP.

    python -m benchmarks.serve [--rounds N] [--fires N] [--flight N] [--processes N] [--soak N]

The guard and its payload are the same everywhere. Whole processes are measured in turn, round by round. Over HTTP,
connections are kept, and there are two loops:

- closed loop: each of the connections posts its next event at the answer of the last one. So as many events as there
  are connections are in flight all the time. This gives the most fires a second; the latency is that of a full queue,
  the number in flight divided by the fires a second.
- open loop: events are posted by the clock, evenly, a tenth as many a second as the closed loop gave; agents do not wait
  for each other either. The latency counts from the time at which an event was due, also where its connection still
  waited for the last answer. So a pause of the service is in the figures of all events that it delayed.

A machine that does other work answers fewer, so the processor time of a fire is printed too, and what two processors
would answer by it. The last lines compare with the bars. ``--soak N`` fires N events and prints memory and descriptors
on the way.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import psutil

from benchmarks.bars import Row
from benchmarks.page import figure
from tests.serve.servetools import GUARD, Running, claude, settings

CALL = claude("ls -la")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--fires", type=int, default=4000)
    parser.add_argument("--flight", type=int, default=50)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--soak", type=int, default=0, metavar="N")
    chosen = parser.parse_args()
    if chosen.soak:
        soak(chosen.soak, chosen.flight, chosen.processes)
        return
    files = {"guard.sh": f"#!/bin/bash\n{GUARD}", "hooks.json": settings(GUARD)}
    rows: list[Row] = []
    for count in (0, chosen.processes):
        service = Running("--hooks", "hooks.json", "--processes", str(count), files=files)
        try:
            print(f"-- --processes {count}")
            with_ = f", --processes {count}" if count else ""
            rows.append(Row(f"memory, idle{with_}", 90, "MB", print_memory(service)))
            if count == 0:
                rows += print_processes(service, chosen.rounds)
            warm = asyncio.run(load(service, chosen.fires // 4, chosen.flight, None))
            full = asyncio.run(load(service, chosen.fires, chosen.flight, None))
            paced = asyncio.run(load(service, chosen.fires // 4, chosen.flight, full.rate / 10))
            print(f"closed loop, the first {chosen.fires // 4}: {warm}", f"closed loop: {full}", sep="\n")
            print(f"open loop, {full.rate / 10:.0f} a second: {paced}")
            name = f"http hook over {chosen.flight} connections, open loop{with_}"
            rows.append(Row(f"{name}, p50", 2, "ms", 1e3 * paced.p50))
            rows.append(Row(f"{name}, p99", 5, "ms", 1e3 * paced.p99))
            if count:
                name = f"{chosen.flight} in flight, closed loop{with_}"
                rows.append(Row(name, 2000, "fires/s", full.rate, at_least=True))
            print_memory(service)
        finally:
            service.close()
    print("-- bars")
    for row in rows:
        print(
            f"{'ok' if row.is_reached else 'NO':2}  {row.name}: {figure(row.measured)}"
            f" (bar {row.limit:g} {row.unit}) {row.note}"
        )


def print_memory(service: Running) -> float:
    """Print the memory of the service and of each worker, without what they share where the system knows that.

    Returns the sum in MB.
    """
    assert service.process is not None
    workers = service.ask("GET", "/healthz").json["workers"]
    sizes = []
    for pid in (service.process.pid, *workers):
        info = psutil.Process(pid).memory_full_info()
        sizes.append(getattr(info, "pss", info.rss) / (1 << 20))
    print(f"memory: {sum(sizes):.0f} MB ({' + '.join(f'{size:.0f}' for size in sizes)})")
    return float(sum(sizes))


def print_processes(service: Running, rounds: int) -> list[Row]:
    """Print what one hook costs an agent as a whole process; return the bar of the client."""
    script = shutil.which("sandhook", path=str(Path(sys.executable).parent))
    words = ["hook", "--contract", "claude_code", "--", "guard.sh"]
    starts: dict[str, tuple[list[str], str]] = {
        "python -c pass": ([sys.executable, "-c", "pass"], ""),
        "python -m sandhook hook, service": ([sys.executable, "-m", "sandhook", *words], service.socket),
    }
    if shutil.which("bash") and shutil.which("jq"):
        starts = {"bash and jq": (["bash", "guard.sh"], ""), **starts}
    if script is not None:
        starts["sandhook hook, service"] = ([script, *words], service.socket)
        starts["sandhook hook, alone"] = ([script, *words], "")
    calls = {name: starter(service, argv, socket) for name, (argv, socket) in starts.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            began = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - began)
    for name, taken in times.items():
        print(f"{name:34} best {1e3 * min(taken):6.1f}  median {1e3 * statistics.median(taken):6.1f} ms")
    ours, theirs = times.get("sandhook hook, service"), times.get("bash and jq")
    if ours is None or theirs is None:
        return [Row("client to service", 1.0, "× bash and jq", None, "a program is not installed")]
    medians = statistics.median(ours), statistics.median(theirs)
    note = f"{1e3 * medians[0]:.1f} ms, {1e3 * medians[1]:.1f} ms"
    return [Row("client to service", 1.0, "× bash and jq", medians[0] / medians[1], note)]


def starter(service: Running, argv: list[str], socket: str) -> Callable[[], object]:
    """Return a function that runs a guard as an agent does."""
    env = {**service.env, "SANDHOOK_SOCKET": socket}

    def start() -> None:
        with tempfile.TemporaryFile() as payload:
            payload.write(CALL)
            payload.seek(0)
            subprocess.run(
                argv, stdin=payload, cwd=service.project, env=env, stdout=subprocess.DEVNULL, check=True
            )

    return start


class Load(NamedTuple):
    """What a loop measured: fires a second, seconds, and microseconds of processor time of one fire."""

    rate: float
    p50: float
    p99: float
    service: float
    client: float

    def __str__(self) -> str:
        both = 2e6 / (self.service + self.client)
        return (
            f"{self.rate:.0f} fires a second, p50 {1e3 * self.p50:.1f} ms, p99 {1e3 * self.p99:.1f} ms;"
            f" processor time of a fire: service {self.service:.0f} us, client {self.client:.0f} us"
            f" (two processors: {both:.0f} fires a second)"
        )


class Agent(asyncio.Protocol):
    """One connection that posts an event after the answer of the last one, but not before it is due."""

    def __init__(self, request: bytes, fires: int, pause: float) -> None:
        self.request = request
        self.left = fires
        self.pause = pause
        self.times: list[float] = []
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.due = 0.0

    def begin(self) -> None:
        """Post the first event; all later ones are due by the clock from now on."""
        self.due = time.perf_counter()
        self.post()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def post(self) -> None:
        self.transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        if not data.endswith(b"\r\n\r\n{}"):
            self.done.set_exception(AssertionError(data))
            return
        self.times.append(now - self.due)
        self.left -= 1
        self.due = self.due + self.pause if self.pause else now
        if not self.left:
            self.transport.close()
            self.done.set_result(None)
        elif self.due > now:
            asyncio.get_running_loop().call_later(self.due - now, self.post)
        else:
            self.post()


class Soaking(Agent):
    """An agent that begins a session after every hundred events, and of whose events each tenth is refused."""

    def __init__(self, number: int, fires: int, cwd: str) -> None:
        super().__init__(b"", fires, 0.0)
        self.number = number
        self.cwd = cwd

    def post(self) -> None:
        self.refused = self.left % 10 == 0
        command = "rm -rf /" if self.refused else "ls -la"
        body = claude(command, session_id=f"{self.number}-{self.left // 100}", cwd=self.cwd)
        head = f"POST /v1/hooks/claude_code HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        self.transport.write(head.encode() + body)

    def data_received(self, data: bytes) -> None:
        if (b'"deny"' in data) != self.refused:
            self.done.set_exception(AssertionError(data))
            return
        self.left -= 1
        if self.left:
            self.post()
        else:
            self.transport.close()
            self.done.set_result(None)


def soak(fires: int, flight: int, processes: int) -> None:
    """Fire many events, and print after each twentieth of them what the service needs."""
    files = {"hooks.json": settings(GUARD)}
    service = Running("--hooks", "hooks.json", "--processes", str(processes), files=files)
    try:
        for step in range(20):
            seconds = asyncio.run(soaked(service, fires // 20 // flight, flight))
            rate = fires // 20 / seconds
            print(f"{(step + 1) * fires // 20:8} fires, {rate:.0f} a second,", end=" ")
            assert service.process is not None
            pids = [service.process.pid, *service.ask("GET", "/healthz").json["workers"]]
            print(f"descriptors {sum(psutil.Process(pid).num_fds() for pid in pids)},", end=" ")
            print_memory(service)
            sys.stdout.flush()
    finally:
        service.close()


async def soaked(service: Running, fires: int, flight: int) -> float:
    """Fire events over so many connections; return the seconds."""
    agents = [Soaking(number, fires, str(service.project)) for number in range(flight)]
    began = time.perf_counter()
    for agent in agents:
        await connected(agent, service.socket)
        agent.post()
    await asyncio.gather(*(agent.done for agent in agents))
    return time.perf_counter() - began


async def connected(agent: Agent, path: str) -> None:
    """Connect an agent to the service."""
    await asyncio.get_running_loop().create_unix_connection(lambda: agent, path)


def seconds_of(pids: list[int]) -> float:
    """Return the processor time that processes used."""
    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in pids)


async def load(service: Running, fires: int, flight: int, rate: float | None) -> Load:
    """Post events over kept connections.

    Args:
        flight: Connections, each with one event at a time.
        rate: Fires per second of all, in an open loop; None for a closed loop.
    """
    pause = flight / rate if rate else 0.0
    agents = []
    for number in range(flight):
        body = claude("ls -la", session_id=str(number), cwd=str(service.project))
        head = f"POST /v1/hooks/claude_code HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        agent = Agent(head.encode() + body, fires // flight, pause)
        await connected(agent, service.socket)
        agents.append(agent)
    assert service.process is not None
    pids = [service.process.pid, *service.ask("GET", "/healthz").json["workers"]]
    before, own = seconds_of(pids), time.process_time()
    began = time.perf_counter()
    for number, agent in enumerate(agents):
        asyncio.get_running_loop().call_later(pause * number / flight, agent.begin)
    await asyncio.gather(*(agent.done for agent in agents))
    seconds = time.perf_counter() - began
    used, own = seconds_of(pids) - before, time.process_time() - own
    times = [each for agent in agents for each in agent.times]
    cuts = statistics.quantiles(times, n=100)
    count = len(times)
    return Load(count / seconds, cuts[49], cuts[98], 1e6 * used / count, 1e6 * own / count)


if __name__ == "__main__":
    if os.name == "nt":
        sys.exit("benchmarks.serve: needs Unix sockets")
    main()
