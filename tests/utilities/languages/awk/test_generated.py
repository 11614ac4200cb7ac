"""Random awk programs: both paths of awk agree, and with --oracle gawk prints the same."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from sandhook import Limits, Shell
from sandhook.utilities.languages.awk import machine
from tests.utilities.languages.awk.generated import FILES, Case, case

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/home/nobody"}
LIMITS = Limits(wall_seconds=60.0)
#: Seconds for one program of gawk.
TIMEOUT = 10.0
#: Seeds of programs that gawk runs with --oracle.
PROGRAMS = 3_000


class Outcome(NamedTuple):
    """What a program gave."""

    status: int
    stdout: str
    message: str  #: the first line of standard error that is not a warning


def in_sandbox(program: Case) -> Outcome:
    files = {f"/workspace/{name}": text for name, text in FILES.items()}
    shell = Shell(env=ENVIRONMENT, limits=LIMITS, files=files)
    result = shell.run('gawk "$@"', args=list(program.arguments), stdin=program.stdin)
    assert result.limit is None
    return _outcome(result.exit_status, result.stdout_bytes, result.stderr_bytes)


def in_gawk(program: Case, directory: Path) -> Outcome | None:
    """Return what gawk prints; None when it does not end or crashes."""
    directory.mkdir()
    for name, text in FILES.items():
        directory.joinpath(name).write_text(text, "utf-8")
    try:
        ran = subprocess.run(
            ["gawk", *program.arguments],
            input=program.stdin.encode(),
            capture_output=True,
            cwd=directory,
            env=ENVIRONMENT,
            timeout=TIMEOUT,
        )
    except subprocess.TimeoutExpired:
        return None
    finally:
        shutil.rmtree(directory)
    return None if ran.returncode < 0 else _outcome(ran.returncode, ran.stdout, ran.stderr)


def _outcome(status: int, stdout: bytes, stderr: bytes) -> Outcome:
    lines = stderr.decode("utf-8", "surrogateescape").splitlines()
    message = next((line for line in lines if line and "warning:" not in line), "")
    return Outcome(status, stdout.decode("utf-8", "surrogateescape"), message)


class Declared(NamedTuple):
    """A row of docs/divergences.md, and how a program that differs for it is known; all patterns must be found."""

    row: str
    program: str = ""
    gawk: str = ""  #: pattern of gawk's message
    here: str = ""  #: pattern of the sandbox's message
    stdout: str = ""  #: pattern of what gawk printed

    def holds(self, program: Case, gawk: Outcome, here: Outcome) -> bool:
        texts = (
            (self.program, "\n".join(program.arguments)), (self.gawk, gawk.message), (self.here, here.message),
            (self.stdout, gawk.stdout),
        )  # fmt: skip
        return all(re.search(pattern, text) for pattern, text in texts)


_NONE = r"fatal: cannot open file `none'"
_IN_PROGRAM = r"cmd\. line:[0-9]+: (?!.*fatal: )"
DECLARED = (
    Declared("L-AWK-005", gawk=_NONE, here=_NONE),
    Declared("L-AWK-005", gawk=_IN_PROGRAM, here=_IN_PROGRAM),
    Declared("L-AWK-007", gawk=r"attempt to use (?:array|scalar)"),
    Declared("L-AWK-007", r"\btypeof\("),
    Declared("L-AWK-008", stdout="[\udc80-\udcff]"),
    Declared("L-AWK-008", stdout=r"(?i)\binf\b"),
    Declared("L-AWK-008", stdout=r"0x0\.\w+p-1022"),
    Declared("L-AWK-008", r"\b(?:patsplit|FPAT)\b"),
    Declared("L-AWK-008", r"\bgetline NF\b|, NF\)"),
    Declared("L-AWK-008", here=r"`(?:break|continue)' is not allowed outside"),
)


def declared(program: Case, gawk: Outcome, here: Outcome) -> str | None:
    """Return the row of docs/divergences.md that explains a difference; None when none does."""
    return next((each.row for each in DECLARED if each.holds(program, gawk, here)), None)


def on_both_paths(program: Case, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """Run a program record by record and, where that is possible, by columns; return what both give."""
    with monkeypatch.context() as patch:
        patch.setattr(machine, "_WORTH_PLANNING", 1 << 30)
        ordinary = in_sandbox(program)
        patch.setattr(machine, "_WORTH_PLANNING", 1)
        assert in_sandbox(program) == ordinary, program
    return ordinary


def test_both_paths_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = [on_both_paths(case(seed), monkeypatch) for seed in range(150)]
    assert sum(outcome.status == 0 and outcome.stdout != "" for outcome in outcomes) > 40


@pytest.mark.slow
def test_gawk_prints_the_same(oracle: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not oracle:
        pytest.skip("compares with the real gawk: --oracle")
    assert shutil.which("gawk"), "--oracle needs gawk"
    different: list[tuple[int, Case, Outcome, Outcome]] = []
    for seed in range(PROGRAMS):
        program = case(seed)
        expected = in_gawk(program, tmp_path / "work")
        if expected is None:
            continue
        found = on_both_paths(program, monkeypatch)
        if found == expected or declared(program, expected, found) is not None:
            continue
        # L-AWK-008: gawk prints memory that it does not own, and so another text each time
        if all(in_gawk(program, tmp_path / "work") == expected for _ in range(5)):
            different.append((seed, program, expected, found))
    assert not different
