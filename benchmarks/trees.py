"""Compares two checkouts, for the question "is it slower than before?": `python -m benchmarks.trees OTHER`.

Each checkout runs in a process of its own. Rounds alternate between the two, so that both meet the same load of
the machine, and processor time is measured, which other processes disturb least. A figure is the least median of
all rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time

from benchmarks.workloads import Workload, workloads
from sandhook import Shell

HERE = Path(__file__).parents[1]

#: Seconds that one round of a workload takes, roughly.
ROUND = 0.1

#: What a run costs that the workloads hide, since they call few utilities and no files.
EXTRA = (
    Workload("a utility in a pipeline, 60", "for i in {1..60}; do echo a,b | cut -d, -f1; done >/dev/null"),
    Workload("a utility by its path, 60", "for i in {1..60}; do echo a | /usr/bin/grep -q a; done"),
    Workload("type, 500", "for i in {1..500}; do type cat; done >/dev/null"),
    Workload("test -f, 1,500", "for i in {1..1500}; do [ -f /etc/passwd ]; done"),
    Workload(
        "a script by its path, 50",
        "printf '#!/bin/sh\\nexit 0\\n' >s; chmod +x s; for i in {1..50}; do ./s; done",
    ),
)

#: Whole processes: name and arguments.
COMMANDS = {
    "cold start: exec": ("exec", "-c", "exit 0"),
    "cold start: exec with grep": ("exec", "-c", "echo a | grep -c a"),
    "cold start: fire": (
        "fire",
        "--hooks",
        "hooks.json",
        "--contract",
        "claude_code",
        "PreToolUse",
        "--tool",
        "Bash",
    ),
    "cold start: list": ("list", "--hooks", "hooks.json"),
}

HOOKS = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 0"}]}]}}


def selected(scale: float, only: Sequence[str]) -> list[Workload]:
    """Return the workloads whose names contain one of ``only``; all of them if it is empty."""
    everything = [*workloads(scale), *EXTRA]
    return [work for work in everything if not only or any(part in work.name for part in only)]


def serve(scale: float) -> None:
    """Measure for the other process: read a name and a count, print the median processor time in seconds."""
    known = {work.name: work for work in selected(scale, ())}
    shells: dict[str, Shell] = {}
    for line in sys.stdin:
        name, count = json.loads(line)
        work = known.get(name)
        if work is None:
            print("null", flush=True)
            continue
        shell = shells.setdefault(name, Shell(env=work.env, files=work.files))
        times = []
        for _ in range(count):
            start = process_time()
            shell.run(work.script)
            times.append(process_time() - start)
        print(json.dumps(statistics.median(times)), flush=True)


class Tree:
    """One checkout, measured in a process of its own."""

    def __init__(self, path: Path, scale: float, cache: str) -> None:
        self.environment = os.environ | {"PYTHONPATH": str(path / "src"), "PYTHONPYCACHEPREFIX": cache}
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__)), "--serve", "--scale", str(scale)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self.environment | {"PYTHONPATH": f"{path / 'src'}{os.pathsep}{HERE}"},
        )

    def median(self, name: str, count: int) -> float | None:
        """Return the median processor time of ``count`` runs in seconds; None if the checkout lacks the workload."""
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps([name, count]), file=self.process.stdin, flush=True)
        answer: float | None = json.loads(self.process.stdout.readline())
        return answer

    def command(self, arguments: Sequence[str], directory: str) -> float:
        """Return the processor time of one whole process in seconds."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "sandhook", *arguments]
        subprocess.run(command, env=self.environment, cwd=directory, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def alternating(rounds: int, trees: Sequence[Tree]) -> Iterator[tuple[int, Tree]]:
    """Yield each checkout in each round, by turns the first one first."""
    for number in range(rounds):
        order = list(enumerate(trees))
        yield from order if number % 2 else reversed(order)


def compare(trees: Sequence[Tree], work: Workload, rounds: int) -> list[float] | None:
    """Return the least median of each checkout, in seconds."""
    first = trees[0].median(work.name, 3)
    if first is None or trees[1].median(work.name, 3) is None:
        return None
    count = max(3, min(200, int(ROUND / max(first, 1e-6))))
    least = [float("inf")] * len(trees)
    for index, tree in alternating(rounds, trees):
        least[index] = min(least[index], tree.median(work.name, count) or 0.0)
    return least


def report(name: str, least: Sequence[float]) -> None:
    print(f"{name:<45}{least[0] * 1e3:>12.3f}{least[1] * 1e3:>12.3f}{least[1] / least[0]:>8.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trees", description=__doc__.splitlines()[0])
    parser.add_argument("other", nargs="?", type=Path, help="the checkout from before")
    parser.add_argument("--only", action="append", default=[], help="workloads whose names contain this")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each workload (default: 7)")
    parser.add_argument("--scale", type=float, default=0.1, help="size of the workloads (default: 0.1)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.scale)
        return
    if options.other is None or not (options.other / "src" / "sandhook").is_dir():
        parser.error(f"{options.other} is not a checkout of sandhook: it has no src/sandhook")
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "hooks.json").write_text(json.dumps(HOOKS))
        trees = [
            Tree(path.resolve(), options.scale, str(Path(directory, name)))
            for name, path in (("before", options.other), ("here", HERE))
        ]
        print(f"{'milliseconds of processor time':<45}{'before':>12}{'here':>12}{'ratio':>8}")
        for work in selected(options.scale, options.only):
            least = compare(trees, work, options.rounds)
            if least is not None:
                report(work.name, least)
        for name, arguments in COMMANDS.items():
            if options.only and not any(part in name for part in options.only):
                continue
            times = [float("inf")] * 2
            for index, tree in alternating(4 * options.rounds, trees):
                times[index] = min(times[index], tree.command(arguments, directory))
            report(name, times)


if __name__ == "__main__":
    main()
