"""The cases in host mode: real files in a directory of their own, with our utilities and with the machine's."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from sandhook.conformance.hosted import HostedShell
from sandhook.conformance.model import HOST
from sandhook.conformance.suite import Selection, find, load, run

CASES = Path(__file__).parents[2] / "conformance"

#: Utilities whose cases do not hold for the machine's program. Its programs do not see our jobs, which are virtual
#: (L-HOST-003), and a test must not signal the machine's processes.
#: rg searches standard input, which is a pipe in host mode, instead of the working directory.
#: Programs find another null device for an output that is closed, and some write other messages (L-HOST-005).
NOT_ON_THE_MACHINE = frozenset(
    {"kill", "killall", "pgrep", "pidof", "pkill", "ps", "rg", "setsid", "write-errors"}
)


@pytest.mark.slow
@pytest.mark.parametrize("prefer", ["own", "machine"])
def test_host_mode_passes_the_cases(prefer: str) -> None:
    if prefer == "machine" and not sys.platform.startswith("linux"):
        pytest.skip("the cases were recorded with GNU's utilities")
    files, wrong = load(find([str(CASES)])[0])
    assert wrong == []
    if prefer == "machine":
        files = [file for file in files if Path(file.path).stem not in NOT_ON_THE_MACHINE]
    selected = [Selection(file, [case for case in file.cases if not case.sandbox_only]) for file in files]
    with HostedShell(root=str(CASES.parent), jobs=os.cpu_count() or 1, prefer=prefer) as shell:
        reports = run([each for each in selected if each.cases], shell)
    assert {report.shell for report in reports} == {HOST}
    assert "\n".join(str(report) for report in reports if not report.good) == ""
    assert sum(len(report.outcomes) for report in reports) > 4_500
