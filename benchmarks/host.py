"""How long hooks take that run real commands: in host mode, and by ``bash -c`` of the same text.

    python -m benchmarks.host [--rounds N] [--only NAME]

Both run in turns, so that both see the same machine. Prints medians and minima of real time in milliseconds,
and what host mode costs beyond bash.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import time
from collections.abc import Callable
from typing import NamedTuple

from sandhook import HostShell


class Workload(NamedTuple):
    """A hook as people write them, and what it prints."""

    text: str
    output: str
    rounds: int


WORKLOADS = {
    "three commands": Workload(
        "git --version >/dev/null; ls / >/dev/null; grep -q root /etc/passwd && echo ok", "ok\n", 100
    ),
    "a pipeline of three": Workload(
        "/bin/cat /etc/passwd | /usr/bin/sort | /usr/bin/head -n 0; echo ok", "ok\n", 100
    ),
    "200 MB through it": Workload("head -c 200000000 /dev/zero | /bin/cat | wc -c", "200000000\n", 5),
    "20,000 lines read": Workload(
        "seq 20000 | { n=0; while read -r x; do n=$((n + x)); done; echo $n; }", "200010000\n", 5
    ),
}


class Figures(NamedTuple):
    """Milliseconds of real time of one run."""

    median: float
    least: float


def by_bash(workload: Workload) -> str:
    """Run the text as an agent with a system shell does."""
    done = subprocess.run(
        ["bash", "-c", workload.text], stdin=subprocess.DEVNULL, capture_output=True, check=True, text=True
    )
    return done.stdout


def by_host_mode(workload: Workload) -> str:
    """Run the text by a fresh HostShell, as ``HostRunner`` does for each hook."""
    return HostShell(env=os.environ).run(workload.text).stdout


def measure(workload: Workload, rounds: int) -> dict[str, Figures]:
    """Run both in turns and return what each takes."""
    ways: dict[str, Callable[[Workload], str]] = {"bash -c": by_bash, "host mode": by_host_mode}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for name, each in ways.items():
        if (found := each(workload)) != workload.output:
            raise RuntimeError(f"{name} of {workload.text!r} gave {found!r}")
    for _ in range(rounds):
        for name, each in ways.items():
            start = time.perf_counter()
            each(workload)
            taken[name].append((time.perf_counter() - start) * 1000)
    return {name: Figures(statistics.median(times), min(times)) for name, times in taken.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, help="runs of each (default: 100 short or 5 long ones)")
    parser.add_argument("--only", choices=WORKLOADS, help="one workload")
    options = parser.parse_args()
    for title, workload in WORKLOADS.items():
        if options.only not in (None, title):
            continue
        figures = measure(workload, options.rounds or workload.rounds)
        for name, found in figures.items():
            print(f"{title:<20} {name:<10} median {found.median:8.2f} ms, least {found.least:8.2f} ms")
        bash, host = figures["bash -c"], figures["host mode"]
        median, least = host.median - bash.median, host.least - bash.least
        print(f"{title:<20} host mode costs {median:+.2f} ms (median), {least:+.2f} ms (least)")


if __name__ == "__main__":
    main()
