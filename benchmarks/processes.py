"""What it costs to start programs: the supervisor and the host shell compared with subprocess and bash.

    python -m benchmarks.processes [--rounds N] [--size MEGABYTES]

The ways are measured in turn, round by round, and the best and the median of each are printed. The
last lines are the cost of ending a run which has left processes. With ``--size`` this process is made
larger first, as an agent is.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable

from sandhook.host.children import Spawn, Supervisor
from sandhook.host.poller import Poller
from sandhook.host.shell import HostShell

PROGRAM = shutil.which("true") or "/bin/true"
SCRIPT = f"{PROGRAM}; {PROGRAM} x; {PROGRAM} y"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--size", type=int, default=0, metavar="MEGABYTES")
    chosen = parser.parse_args()
    ballast = os.urandom(1 << 20) * chosen.size
    null = os.open(os.devnull, os.O_RDWR)
    taken = measure(ways(null), chosen.rounds)
    os.close(null)
    width = max(map(len, taken))
    print(f"{'':{width}}     best   median  (ms; {len(ballast) >> 20} MB more)")
    for name, times in taken.items():
        print(f"{name:{width}} {1e3 * min(times):8.3f} {1e3 * statistics.median(times):8.3f}")


def measure(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Return the seconds that each way took, in each round."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            began = time.perf_counter()
            call()
            taken[name].append(time.perf_counter() - began)
    return taken


def ways(null: int) -> dict[str, Callable[[], object]]:
    """Return what is compared."""
    files = {0: null, 1: null, 2: null}

    def supervised(count: int, *, subreaper: bool = False, text: str = "") -> None:
        argv = ("sh", "-c", text) if text else (PROGRAM,)
        spawn = Spawn(shutil.which(argv[0]) or argv[0], argv, os.environ, os.getcwd(), files)
        poller = Poller()
        with Supervisor(subreaper=subreaper) as supervisor:
            for _ in range(count):
                child = supervisor.start(spawn)
                if not text:
                    poller.ended(child, lambda: None)
                    poller.wait(None)
        poller.close()

    shell = HostShell()
    bash = shutil.which("bash") or "bash"

    def own() -> None:
        assert shell.run(SCRIPT).exit_status == 0

    return {
        "subprocess.run, one program": lambda: subprocess.run([PROGRAM], stdin=null, check=True),
        "supervisor, one program": lambda: supervised(1),
        "supervisor that adopts orphans, one": lambda: supervised(1, subreaper=True),
        "supervisor, three programs": lambda: supervised(3),
        "bash -c, three programs": lambda: subprocess.run(
            [bash, "-c", SCRIPT], stdin=null, capture_output=True, check=True
        ),
        "HostShell, three programs": own,
        "start and end what sleeps": lambda: supervised(1, text="sleep 100 & sleep 100"),
    }


if __name__ == "__main__":
    main()
