"""What a resident service saves: one guard by bash and jq, by the client of the service, and over HTTP.

    python -m benchmarks.serve [--rounds N] [--fires N] [--flight N] [--processes N] [--soak N]

The guard and its payload are the same everywhere. Whole processes are measured in turn, round by round. Over HTTP,
connections are kept; the second run sends a tenth of what the service answered at full load, as agents do. A machine
that does other work answers fewer, so the processor time of a fire is printed too, and what two processors would answer
by it. ``--soak N`` fires N events and prints memory and descriptors on the way.
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

import psutil

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
    for count in (0, chosen.processes):
        service = Running("--hooks", "hooks.json", "--processes", str(count), files=files)
        try:
            print(f"-- --processes {count}")
            print_memory(service)
            if count == 0:
                print_processes(service, chosen.rounds)
            asyncio.run(
                load(service, chosen.fires // 4, chosen.flight, None)
            )  # engines and caches are warm after it
            rate = asyncio.run(load(service, chosen.fires, chosen.flight, None))
            asyncio.run(load(service, chosen.fires // 4, chosen.flight, rate / 10))
            print_memory(service)
        finally:
            service.close()


def print_memory(service: Running) -> None:
    """Print the memory of the service and of each worker, without what they share where the system knows that."""
    assert service.process is not None
    workers = service.ask("GET", "/healthz").json["workers"]
    sizes = []
    for pid in (service.process.pid, *workers):
        info = psutil.Process(pid).memory_full_info()
        sizes.append(getattr(info, "pss", info.rss) / (1 << 20))
    print(f"memory: {sum(sizes):.0f} MB ({' + '.join(f'{size:.0f}' for size in sizes)})")


def print_processes(service: Running, rounds: int) -> None:
    """Print what one hook costs an agent as a whole process."""
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


class Agent(asyncio.Protocol):
    """One connection that posts an event after the answer of the last one."""

    def __init__(self, request: bytes, fires: int, pause: float) -> None:
        self.request = request
        self.left = fires
        self.pause = pause
        self.times: list[float] = []
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.began = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def post(self) -> None:
        self.began = time.perf_counter()
        self.transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        if not data.endswith(b"\r\n\r\n{}"):
            self.done.set_exception(AssertionError(data))
            return
        self.times.append(now - self.began)
        self.left -= 1
        if not self.left:
            self.transport.close()
            self.done.set_result(None)
        elif self.pause:
            asyncio.get_running_loop().call_later(max(0.0, self.began + self.pause - now), self.post)
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


async def load(service: Running, fires: int, flight: int, rate: float | None) -> float:
    """Post events over kept connections; print the latencies and return the fires per second.

    Args:
        flight: Connections, each with one event at a time.
        rate: Fires per second of all; as many as possible when None.
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
        asyncio.get_running_loop().call_later(pause * number / flight, agent.post)
    await asyncio.gather(*(agent.done for agent in agents))
    seconds = time.perf_counter() - began
    used, own = seconds_of(pids) - before, time.process_time() - own
    times = [each for agent in agents for each in agent.times]
    cuts = statistics.quantiles(times, n=100)
    name = f"{rate:.0f} a second" if rate else "full load"
    print(
        f"http, {flight} in flight, {name}: {len(times) / seconds:.0f} fires a second,"
        f" p50 {1e3 * cuts[49]:.1f} ms, p99 {1e3 * cuts[98]:.1f} ms; processor time of a fire:"
        f" service {1e6 * used / len(times):.0f} us, client {1e6 * own / len(times):.0f} us"
        f" (two processors: {2 * len(times) / (used + own):.0f} fires a second)"
    )
    return len(times) / seconds


if __name__ == "__main__":
    if os.name == "nt":
        sys.exit("benchmarks.serve: needs Unix sockets")
    main()
