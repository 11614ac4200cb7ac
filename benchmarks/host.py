"""How long a hook takes that runs three real commands: in host mode, and by ``bash -c`` of the same text.

    python -m benchmarks.host [--rounds N]

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

#: A hook as people write them: a few real programs, and a decision.
TEXT = "git --version >/dev/null; ls / >/dev/null; grep -q root /etc/passwd && echo ok"


class Figures(NamedTuple):
    """Milliseconds of real time of one run."""

    median: float
    least: float


def by_bash() -> None:
    """Run the text as an agent with a system shell does."""
    subprocess.run(["bash", "-c", TEXT], stdin=subprocess.DEVNULL, capture_output=True, check=True)


def by_host_mode() -> None:
    """Run the text by a fresh HostShell, as ``HostRunner`` does for each hook."""
    result = HostShell(env=os.environ).run(TEXT)
    if (result.exit_status, result.stdout) != (0, "ok\n"):
        raise RuntimeError(f"the hook gave {result!r}")


def measure(rounds: int) -> dict[str, Figures]:
    """Run both in turns and return what each takes."""
    ways: dict[str, Callable[[], None]] = {"bash -c": by_bash, "host mode": by_host_mode}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for each in ways.values():
        each()
    for _ in range(rounds):
        for name, each in ways.items():
            start = time.perf_counter()
            each()
            taken[name].append((time.perf_counter() - start) * 1000)
    return {name: Figures(statistics.median(times), min(times)) for name, times in taken.items()}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=100, help="runs of each (default 100)")
    figures = measure(parser.parse_args().rounds)
    for name, found in figures.items():
        print(f"{name:<10} median {found.median:6.2f} ms, least {found.least:6.2f} ms")
    bash, host = figures["bash -c"], figures["host mode"]
    print(
        f"host mode costs {host.median - bash.median:+.2f} ms (median), {host.least - bash.least:+.2f} ms (least)"
    )


if __name__ == "__main__":
    main()
