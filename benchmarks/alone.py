"""What has no counterpart elsewhere: parsing, the command line's cold start, memory over many runs."""

from __future__ import annotations

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
    from sandhook.syntax import parse
    from sandhook.syntax.cache import parse_cached

    parse(GUARD)
    parse_cached(GUARD)
    return {
        f"parse, {len(GUARD.splitlines())} lines": seconds(lambda: parse(GUARD), rounds),
        f"parse, {len(LONG.splitlines())} lines": seconds(lambda: parse(LONG), max(3, rounds // 20)),
        "parse, cached": seconds(lambda: parse_cached(GUARD), rounds),
    }


def command_line(rounds: int) -> dict[str, list[float]]:
    """Measure whole processes: Python alone, and the guard run by the command line, first and again."""
    with tempfile.TemporaryDirectory() as directory:
        script = Path(directory, "guard.sh")
        env = os.environ | {
            "EVERRUNS_HOOK_PAYLOAD_JSON": PAYLOAD,
            "XDG_CACHE_HOME": directory,
            "LOCALAPPDATA": directory,
        }

        def process(*arguments: str) -> None:
            done = subprocess.run([sys.executable, *arguments], env=env, cwd=directory, capture_output=True)
            if done.returncode != 0:
                raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.decode()}")

        def run_new() -> None:
            run_new.count += 1  # type: ignore[attr-defined]
            script.write_text(f"{GUARD}# {run_new.count}\n")  # type: ignore[attr-defined]
            process("-m", "sandhook.cli", "exec", "guard.sh")

        run_new.count = 0  # type: ignore[attr-defined]
        run_new()
        first = seconds(run_new, rounds)
        return {
            "python -c pass": seconds(lambda: process("-c", "pass"), rounds),
            "sandhook exec, a script not seen before": first,
            "sandhook exec, seen before": seconds(
                lambda: process("-m", "sandhook.cli", "exec", "guard.sh"), rounds
            ),
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
