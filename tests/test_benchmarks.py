"""Every workload of the benchmarks runs, small, and gives the same everywhere; nothing is timed."""

from __future__ import annotations

import pytest

from benchmarks.runners import RUNNERS, Output
from benchmarks.workloads import Workload, workloads

SMALL = workloads(scale=0.001)

#: What bash 5.2 gives for the small workloads, asked with --oracle.
EXPECTED = {
    "exit 0": ("", 0),
    "guard: jq and grep": ('{"decision":"block","reason":"prompt contains a private key"}\n', 0),
    "guard: case": ("", 2),
    "while, 20 turns": ("210\n", 0),
    "for ((;;)), 50 turns": ("1225\n", 0),
    "sort, uniq -c, 20 lines": (
        "      1 word480\n      1 word470\n      1 word467\n      1 word448\n      1 word405\n",
        0,
    ),
    "seq 50 and awk": ("1275\n", 0),
    "function calls, 5": ("10\n", 0),
    "text expansions, 5": ("45\n", 0),
}


def ran(name: str, workload: Workload) -> Output:
    with RUNNERS[name](workload) as run:
        return run()


@pytest.mark.parametrize("workload", SMALL, ids=lambda workload: workload.name)
def test_workload(workload: Workload, oracle: bool) -> None:
    expected = Output(*EXPECTED[workload.name])
    assert ran("sandhook", workload) == expected
    if oracle:
        assert ran("bash", workload) == expected


def test_a_new_sandbox_for_each_run() -> None:
    with RUNNERS["sandhook"](Workload("left behind", "ls; echo x > left")) as run:
        assert run() == run() == Output("", 0)
