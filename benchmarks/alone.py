"""What has no counterpart elsewhere: parsing, the command line's cold start, memory over many runs."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.workloads import GUARD, PAYLOAD

#: A script of some hundred lines, so that a parse is more than a call.
LONG = GUARD * 50


def seconds(action: Callable[[], object], rounds: int) -> list[float]:
    """Return how long each of ``rounds`` calls took, in seconds."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return taken


def parsing(rounds: int) -> dict[str, list[float]]:
    """Measure a parse of the guard and of a long script, and one that the cache answers."""
    from sandhook.syntax import parse, parse_cached

    parse(GUARD)
    parse_cached(GUARD)
    return {
        f"parse, {len(GUARD.splitlines())} lines": seconds(lambda: parse(GUARD), rounds),
        f"parse, {len(LONG.splitlines())} lines": seconds(lambda: parse(LONG), max(3, rounds // 20)),
        "parse, cached": seconds(lambda: parse_cached(GUARD), rounds),
    }


def command_line(rounds: int) -> dict[str, list[float]]:
    """Measure whole processes: Python alone, and ``sandhook fire`` with the guard, new and seen before."""
    with tempfile.TemporaryDirectory() as directory:
        env = os.environ | {"SANDHOOK_CACHE_DIR": directory, "PYTHONPYCACHEPREFIX": directory}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
        fire = (
            "-m",
            "sandhook.cli",
            "fire",
            "user_prompt_submit",
            "--hooks",
            "hooks.json",
            "--prompt",
            "hello",
        )
        numbers = itertools.count()

        def process(*arguments: str) -> None:
            done = subprocess.run([sys.executable, *arguments], env=env, cwd=directory, capture_output=True)
            if done.returncode != 0:
                raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.decode()}")

        def fire_new() -> None:
            command = f"{GUARD}# {next(numbers)}\n"  # a text that no cache has
            hook = {"event": "user_prompt_submit", "executor": {"type": "bash", "command": command}}
            Path(directory, "hooks.json").write_text(json.dumps({"hooks": [hook]}))
            process(*fire)

        fire_new()
        first = seconds(fire_new, rounds)
        return {
            "python -c pass": seconds(lambda: process("-c", "pass"), rounds),
            "sandhook fire, a script not seen before": first,
            "sandhook fire, seen before": seconds(lambda: process(*fire), rounds),
        }


def memory(runs: int) -> tuple[int, int]:
    """Run the guard ``runs`` times; return the resident bytes after the first tenth and at the end."""
    import psutil

    from sandhook.shell import Shell

    process = psutil.Process()
    early = 0
    for number in range(runs):
        Shell(env={"EVERRUNS_HOOK_PAYLOAD_JSON": PAYLOAD}).run(GUARD)
        if number == runs // 10:
            early = process.memory_info().rss
    return early, process.memory_info().rss
