"""The cases in host mode: real files in a directory of their own, with our utilities and with the machine's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sandhook.conformance.hosted import HostedShell
from sandhook.conformance.model import HOST
from sandhook.conformance.runner import ENVIRONMENT
from sandhook.conformance.suite import Selection, find, load, run

CASES = Path(__file__).parents[2] / "conformance"

#: Utilities whose cases do not hold for the machine's program. Its programs do not see our jobs, which are virtual
#: (L-HOST-003), and a test must not signal the machine's processes.
#: rg searches standard input, which is a pipe in host mode, instead of the working directory.
NOT_ON_THE_MACHINE = frozenset({"kill", "killall", "pgrep", "pidof", "pkill", "ps", "rg", "setsid"})

#: Cases that do not hold for the machine's programs: these find another null device for an output that is closed, and
#: some write other messages (L-HOST-005), or the same one once. GNU parallel runs functions only if the first shell
#: among its ancestors, which it searches for, has them.
CASES_NOT_ON_THE_MACHINE = frozenset(
    {
        ("cat", "a closed standard input is reported twice"),
        ("parallel", "functions, environment and standard input"),
        ("unreadable-input", "a closed standard input is an error of reading, and of closing it at the end"),
        ("unreadable-input", "a closed standard input of programs that read it once"),
        ("unreadable-input", "grep and sed"),
        ("unreadable-input", "gzip, bzip2, xz, tar and patch"),
        ("write-errors", "a closed descriptor"),
        ("write-errors", "programs that print little, a full disk and a closed descriptor"),
    }
)


def jq_of_the_machine() -> str:
    """Return the version that the cases find; they were recorded with 1.8, and older ones even abort."""
    jq = shutil.which("jq", path=ENVIRONMENT["PATH"])
    return (
        ""
        if jq is None
        else subprocess.run([jq, "--version"], capture_output=True, text=True, check=False).stdout
    )


@pytest.mark.slow
@pytest.mark.parametrize("prefer", ["own", "machine"])
def test_host_mode_passes_the_cases(prefer: str) -> None:
    if prefer == "machine" and not sys.platform.startswith("linux"):
        pytest.skip("the cases were recorded with GNU's utilities")
    files, wrong = load(find([str(CASES)])[0])
    assert wrong == []
    if prefer == "machine":
        # The machine's nice adds to the niceness of this process; the cases were recorded without one.
        others = NOT_ON_THE_MACHINE | ({"nice"} if os.nice(0) else frozenset())
        others |= set() if jq_of_the_machine().startswith("jq-1.8") else {"jq"}
        files = [file for file in files if Path(file.path).stem not in others]
    left_out = CASES_NOT_ON_THE_MACHINE if prefer == "machine" else frozenset()
    selected = [
        Selection(
            file,
            [
                case
                for case in file.cases
                if not case.sandbox_only and (Path(file.path).stem, case.name) not in left_out
            ],
        )
        for file in files
    ]
    with HostedShell(root=str(CASES.parent), jobs=os.cpu_count() or 1, prefer=prefer) as shell:
        reports = run([each for each in selected if each.cases], shell)
    assert {report.shell for report in reports} == {HOST}
    assert "\n".join(str(report) for report in reports if not report.good) == ""
    assert sum(len(report.outcomes) for report in reports) > 4_500


def test_the_cases_that_are_left_out_exist() -> None:
    groups = (str(CASES / "utilities" / name) for name in ("lines", "extras", "processes"))
    files, _ = load(find([*groups])[0])
    names = {(Path(file.path).stem, case.name) for file in files for case in file.cases}
    assert names >= CASES_NOT_ON_THE_MACHINE
