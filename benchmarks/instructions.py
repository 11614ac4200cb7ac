"""Counts the instructions of two checkouts: `python -m benchmarks.instructions OTHER`.

A busy machine moves times by five per cent and more, but hardly the count of instructions, which valgrind's callgrind
reads. It answers what `benchmarks.trees` cannot there: is a workload within three per cent of before? Caches, waits and
other processes (jq, SQLite) are not in it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parents[1]

#: Instructions that the runs of one workload should have in all: enough to hide what is done once.
ENOUGH = 150_000_000

_COLLECTED = re.compile(r"Collected : (\d+)")


def run_workload(name: str, scale: float, count: int) -> None:
    """Run one workload ``count`` times; the process that is counted calls this."""
    import gc

    from benchmarks.trees import selected
    from sandhook import Shell
    from sandhook.worker import client

    gc.disable()  # a collection comes at another run in another checkout
    client._ALERT = 0  # else the polls for a worker's answer are counted, as many as fit into its time
    work = next(work for work in selected(scale, ()) if work.name == name)
    shell = Shell(env=work.env, files=work.files)
    for _ in range(count):
        shell.run(work.script)


class Counted:
    """A checkout whose processes run under callgrind.

    Raises:
        OSError: valgrind is not installed.
    """

    def __init__(self, path: Path, scale: float, directory: str, name: str) -> None:
        cache = str(Path(directory, name))
        self.environment = os.environ | {
            "PYTHONPATH": f"{path / 'src'}{os.pathsep}{HERE}",
            "PYTHONPYCACHEPREFIX": cache,
            "PYTHONHASHSEED": "0",
        }
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
        self.scale = scale
        self.directory = directory

    def instructions(self, arguments: Sequence[str]) -> int:
        """Return the instructions of one Python process, whose bytecode is compiled before."""
        command = [sys.executable, *arguments]
        run = {"cwd": self.directory, "env": self.environment, "capture_output": True, "text": True}
        subprocess.run(command, check=True, **run)  # type: ignore[call-overload]
        counting = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        result = subprocess.run([*counting, *command], check=True, **run)  # type: ignore[call-overload]
        found = _COLLECTED.search(result.stderr)
        if found is None:
            raise SystemExit(f"callgrind printed no count: {result.stderr[-300:]}")
        return int(found[1])

    def workload(self, name: str) -> float:
        """Return the instructions of one run of a workload."""

        def of(count: int) -> int:
            return self.instructions(
                [str(Path(__file__)), "--run", name, "--scale", str(self.scale), "--count", str(count)]
            )

        once, few = of(3), of(8)
        rough = max((few - once) / 5, 1.0)
        count = 3 + max(5, min(400, int(ENOUGH / rough)))
        return (of(count) - once) / (count - 3)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.instructions", description=__doc__.splitlines()[0]
    )
    parser.add_argument("other", nargs="?", type=Path, help="the checkout from before")
    parser.add_argument("--only", action="append", default=[], help="workloads whose names contain this")
    parser.add_argument("--scale", type=float, default=0.1, help="size of the workloads (default: 0.1)")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run is not None:
        run_workload(options.run, options.scale, options.count)
        return
    if options.other is None or not (options.other / "src" / "sandhook").is_dir():
        parser.error(f"{options.other} is not a checkout of sandhook: it has no src/sandhook")
    from benchmarks.trees import COMMANDS, HOOKS, selected

    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(2) as pool:
        Path(directory, "hooks.json").write_text(json.dumps(HOOKS))
        paths = {"before": options.other, "here": HERE}
        trees = [Counted(path.resolve(), options.scale, directory, name) for name, path in paths.items()]
        print(f"{'thousands of instructions':<45}{'before':>12}{'here':>12}{'ratio':>8}", flush=True)
        for work in selected(options.scale, options.only):
            _report(work.name, list(pool.map(lambda tree, name=work.name: tree.workload(name), trees)))
        for name, arguments in COMMANDS.items():
            if not options.only or any(part in name for part in options.only):
                command = ["-m", "sandhook", *arguments]
                _report(name, list(pool.map(lambda tree, words=command: tree.instructions(words), trees)))


def _report(name: str, counts: Sequence[float]) -> None:
    before, here = counts
    print(f"{name:<45}{before / 1e3:>12,.0f}{here / 1e3:>12,.0f}{here / before:>8.3f}", flush=True)


if __name__ == "__main__":
    main()
