"""How long an engine takes to fire a bundle of three hooks, again and again, and what it keeps.

    python -m benchmarks.hooks [--fires N]

Prints the processor time of one fire (median and 99th percentile), the objects that Python counts after
the first tenth and at the end, and the process's memory where the system reports it.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import time
from typing import NamedTuple

from sandhook.hooks import HookEngine
from sandhook.hooks.events import ToolPre

#: A guard, a rewrite, and one that keeps a note of the last call.
BUNDLE = {
    "hooks": [
        {
            "id": "guard",
            "event": "pre_tool_use",
            "matcher": {"tool_name": "bash"},
            "executor": {
                "type": "bash",
                "command": 'case $EVERRUNS_HOOK_PAYLOAD_JSON in *"rm -rf /"*) '
                'echo \'{"decision":"block","reason":"no"}\';; esac',
            },
        },
        {
            "id": "secrets",
            "event": "pre_tool_use",
            "executor": {
                "type": "bash",
                "command": "if grep -qE '(AKIA|ghp_)[A-Za-z0-9]{16}' \"$EVERRUNS_HOOK_PAYLOAD_PATH\"; then "
                'echo "a key stands in the call" >&2; exit 1; fi',
            },
        },
        {
            "id": "note",
            "event": "pre_tool_use",
            "executor": {
                "type": "bash",
                "command": 'printf "%s\\n" "$EVERRUNS_HOOK_TOOL_NAME" > /workspace/last; '
                '[ -s /workspace/last ] && echo \'{"decision":"allow"}\'',
            },
        },
    ]
}


class Figures(NamedTuple):
    """Seconds of processor time per fire, objects and KiB of memory at the first tenth and at the end."""

    median: float
    late: float
    objects: tuple[int, int]
    memory: tuple[int, int]


def measure(fires: int) -> Figures:
    """Fire the bundle; every hundredth call is refused."""
    engine = HookEngine.load(BUNDLE, "everruns")
    calls = [ToolPre("bash", {"command": f"ls {at}"}) for at in range(99)]
    calls.append(ToolPre("bash", {"command": "rm -rf /"}))
    for call in calls:
        engine.fire(call)
    taken = []
    objects, memory = kept(), resident()
    for at in range(fires):
        call = calls[at % len(calls)]
        began = time.process_time()
        decision = engine.fire(call)
        taken.append(time.process_time() - began)
        assert decision.refused is (at % len(calls) == 99) and not decision.could_not_run
        del decision
        if at == fires // 10:
            objects, memory = kept(), resident()
    taken.sort()
    return Figures(
        statistics.median(taken),
        taken[len(taken) * 99 // 100],
        (objects, kept()),
        (memory, resident()),
    )


def kept() -> int:
    """Return how many objects Python keeps that can hold others."""
    gc.collect()
    return len(gc.get_objects())


def resident() -> int:
    """Return the most memory that the process had, in KiB; 0 where the system does not report it."""
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // 1024 if sys.platform == "darwin" else most


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.hooks")
    parser.add_argument("--fires", type=int, default=10_000)
    figures = measure(parser.parse_args().fires)
    print(f"a fire of three hooks: median {figures.median * 1000:.3f} ms, 99 % {figures.late * 1000:.3f} ms")
    print(f"objects: {figures.objects[0]}, at the end {figures.objects[1]}")
    print(f"memory at most: {figures.memory[0]} KiB, at the end {figures.memory[1]} KiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
