"""What a worker process costs a fire, and whether fires use the cores: side by side with the caller's thread.

    python -m benchmarks.isolation [--fires N]

Prints the time of one warm fire of a small guard in both ways (smallest and median), and the fires per second of a
guard that computes, from one thread and from two.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, NamedTuple

from sandhook.hooks import HookEngine
from sandhook.hooks.events import ToolPre
from sandhook.hooks.runner import SandboxRunner

#: Refuses one command.
GUARD = 'case $EVERRUNS_HOOK_PAYLOAD_JSON in *"rm -rf /"*) echo \'{"decision":"block","reason":"no"}\';; esac'

#: Computes for some milliseconds.
COMPUTES = "for ((i = 0; i < 4000; i++)); do x=$((i * i % 7)); done"

CALL = ToolPre("bash", {"command": "ls"})


class Latency(NamedTuple):
    """Seconds of one fire."""

    smallest: float
    median: float


def engine_of(command: str, isolation: Literal["thread", "process"]) -> HookEngine:
    """Return an engine with one hook."""
    hook = {"id": "guard", "event": "pre_tool_use", "executor": {"type": "bash", "command": command}}
    return HookEngine.load({"hooks": [hook]}, "everruns", runner=SandboxRunner(isolation=isolation))


def latency(isolation: Literal["thread", "process"], fires: int) -> Latency:
    """Fire a warm engine again and again."""
    engine = engine_of(GUARD, isolation)
    times = []
    for _ in range(fires + 20):
        began = time.perf_counter()
        decision = engine.fire(CALL)
        times.append(time.perf_counter() - began)
        assert not decision.could_not_run
    return Latency(min(times[20:]), statistics.median(times[20:]))


def rate(isolation: Literal["thread", "process"], threads: int, fires: int) -> float:
    """Return the fires per second of several threads that share an engine."""
    engine = engine_of(COMPUTES, isolation)

    def fire(_: int) -> None:
        assert not engine.fire(CALL).could_not_run

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(fire, range(4 * threads)))
        began = time.perf_counter()
        list(pool.map(fire, range(fires)))
        return fires / (time.perf_counter() - began)


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.isolation")
    parser.add_argument("--fires", type=int, default=1_000)
    fires = parser.parse_args().fires
    here, there = latency("thread", fires), latency("process", fires)
    for name, figures in ("thread", here), ("process", there):
        print(
            f"{name}: a fire {figures.smallest * 1e3:.3f} ms at best, {figures.median * 1e3:.3f} ms in the median"
        )
    print(
        f"added: {(there.smallest - here.smallest) * 1e3:.3f} ms at best, "
        f"{(there.median - here.median) * 1e3:.3f} ms in the median"
    )
    for name in ("thread", "process"):
        one, two = rate(name, 1, fires // 4), rate(name, 2, fires // 4)
        print(f"{name}: {one:.0f} fires a second from one thread, {two:.0f} from two: {two / one:.2f} times")
    return 0


if __name__ == "__main__":
    sys.exit(main())
