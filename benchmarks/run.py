"""Measure everything in one run, turn by turn, so that the machine's moods hit all alike.

A turn is one call that is not measured, then a tenth of the rounds: what is measured is warm.

    python -m benchmarks.run [TEXT]... [--pure] [--rounds N] [--runner NAME]... [--json FILE]

Prints medians, the range, and the ratio to bash; each once for the time that passed and once for
the processor time (user and system, of bash's own process and its children, of this process for those in it),
which says more on a machine that others use too. A runner whose output is not that of the first
one is named and gets no figure. Nothing here is a test: no figure makes it fail.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import platform
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import alone
from benchmarks.runners import RUNNERS, Output, Run, installed, processor_clock
from benchmarks.workloads import Workload, workloads


class Figures:
    """How long the rounds of one runner on one workload took, in seconds; or why there is no figure.

    ``used`` is the processor time of each round; empty where the system does not report it.
    """

    def __init__(self, taken: list[float], fault: str = "", used: list[float] | None = None) -> None:
        self.taken = taken
        self.fault = fault
        self.used = used or []

    @property
    def median(self) -> float:
        return statistics.median(self.taken)

    def plain(self) -> dict[str, Any]:
        if self.fault:
            return {"fault": self.fault}
        plain = {
            "median": self.median,
            "min": min(self.taken),
            "max": max(self.taken),
            "rounds": len(self.taken),
        }
        return plain | ({"processor_median": statistics.median(self.used)} if self.used else {})


def measure(workload: Workload, names: list[str], rounds: int) -> dict[str, Figures]:
    """Run one workload on every runner, ``rounds`` times by turns, after one that is checked."""
    faults: dict[str, str] = {}
    runs: dict[str, Run] = {}
    wanted: Output | None = None
    with contextlib.ExitStack() as stack:
        for name in names:
            try:
                run = stack.enter_context(RUNNERS[name](workload))
                output = run()
            except Exception as error:  # a peer's failure is a result
                faults[name] = f"{type(error).__name__}: {error}"
                continue
            wanted = output if wanted is None else wanted
            if output == wanted:
                runs[name] = run
            else:
                faults[name] = f"gave {output}, not {wanted}"
        taken: dict[str, list[float]] = {name: [] for name in names}
        used: dict[str, list[float]] = {name: [] for name in names}
        for turn in batches(rounds):
            for name, run in runs.items():
                clock = processor_clock(name)
                run()
                for _ in range(turn):
                    start, before = time.perf_counter(), clock()
                    run()
                    after = clock()
                    taken[name].append(time.perf_counter() - start)
                    if before is not None and after is not None:
                        used[name].append(after - before)
    return {name: Figures(taken[name], faults.get(name, ""), used[name]) for name in names}


def batches(rounds: int) -> list[int]:
    """Split rounds into at most ten turns of about equal length."""
    turns = min(rounds, 10)
    return [rounds * (turn + 1) // turns - rounds * turn // turns for turn in range(turns)]


def milliseconds(value: float) -> str:
    return f"{value * 1000:.3f}" if value < 0.01 else f"{value * 1000:.1f}"


def ratio(mine: list[float], first: list[float]) -> str:
    """Return the ratio of two medians, "-" when one is missing."""
    if not mine or not first:
        return "-"
    return f"{statistics.median(mine) / statistics.median(first):.2f}"


def print_table(head: list[str], rows: list[list[str]]) -> None:
    """Print columns; those of words are aligned left, those of figures right."""
    left = [index for index, name in enumerate(head) if name in ("workload", "", "sandhook alone")]
    widths = [max(len(row[index]) for row in [head, *rows]) for index in range(len(head))]
    for row in [head, ["-" * width for width in widths], *rows]:
        cells = [
            cell.ljust(width) if index in left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths))
        ]
        print("  ".join(cells).rstrip())


def side_by_side(chosen: list[Workload], names: list[str], rounds: int | None) -> dict[str, Any]:
    """Measure, print one line for each workload and runner, and return the figures."""
    report: dict[str, Any] = {}
    rows = []
    faults = []
    for workload in chosen:
        figures = measure(workload, names, rounds or workload.rounds)
        report[workload.name] = {name: found.plain() for name, found in figures.items()}
        first = figures[names[0]]
        for name, found in figures.items():
            label = workload.name if name == names[0] else ""
            if found.fault:
                rows.append([label, name, "-", "-", "-", "-", "-"])
                faults.append(f"{workload.name}: {name}: {found.fault}")
                continue
            spread = f"{milliseconds(min(found.taken))} to {milliseconds(max(found.taken))}"
            cells = [milliseconds(found.median), spread, ratio(found.taken, first.taken)]
            cells += [milliseconds(statistics.median(found.used)) if found.used else "-"]
            rows.append([label, name, *cells, ratio(found.used, first.used)])
    of = f"of {names[0]}"
    print_table(["workload", "", "median ms", "range ms", of, "processor ms", of], rows)
    for fault in faults:
        print(f"no figure: {fault}")
    return report


def sandhook_alone(rounds: int, runs: int) -> dict[str, Any]:
    """Measure what only sandhook has; print it and return the figures."""
    found = alone.parsing(rounds) | alone.command_line(max(3, rounds // 10))
    rows = [
        [
            name,
            milliseconds(statistics.median(taken)),
            f"{milliseconds(min(taken))} to {milliseconds(max(taken))}",
        ]
        for name, taken in found.items()
    ]
    print_table(["sandhook alone", "median ms", "range ms"], rows)
    early, late = alone.memory(runs)
    print(
        f"memory: {early / 2**20:.1f} MiB after {runs // 10:,} guard runs, {late / 2**20:.1f} MiB after {runs:,}"
    )
    return {name: Figures(taken).plain() for name, taken in found.items()} | {
        "memory": {"runs": runs, "early_bytes": early, "late_bytes": late}
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.run", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("only", nargs="*", metavar="TEXT", help="workloads whose name contains a TEXT")
    parser.add_argument("--pure", action="store_true", help="workloads of the shell language alone")
    parser.add_argument("--rounds", type=int, help="rounds of every workload (default: its own number)")
    parser.add_argument(
        "--runner", action="append", choices=list(RUNNERS), help="runners (default: all installed)"
    )
    parser.add_argument("--memory-runs", type=int, default=10_000, help="guard runs of the memory figure")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE too")
    options = parser.parse_args(arguments)

    chosen = [
        workload
        for workload in workloads()
        if (workload.pure or not options.pure)
        and (not options.only or any(text in workload.name for text in options.only))
    ]
    names = options.runner or installed()
    print(
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}; {', '.join(names)}\n"
    )
    report: dict[str, Any] = {"python": platform.python_version(), "system": platform.platform()}
    report["workloads"] = side_by_side(chosen, names, options.rounds)
    if not options.only and not options.pure and "sandhook" in names:
        print()
        report["alone"] = sandhook_alone(options.rounds or 200, options.memory_runs)
    if options.json is not None:
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
