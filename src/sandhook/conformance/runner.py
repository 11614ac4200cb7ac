"""Runs cases on sandhook or on another shell, which is passed as a function, and compares the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import monotonic
from typing import Literal, get_args

from sandhook.conformance.helpers import UTILITIES
from sandhook.conformance.model import HOST, Case, CaseFile, Expectation, Kind, Observation
from sandhook.interp.result import Result as RunResult
from sandhook.limits import Limits
from sandhook.record import Record
from sandhook.shell import Shell
from sandhook.vfs.base import FileSystem
from sandhook.vfs.hostdir import HostDirectory
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath

#: The environment of every shell, in addition to HOME and the names below.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC0"}

#: The environment of the public format: the shell itself, a directory for files, the repository
#: (copy-on-write), and the directory of the helper programs.
SANDBOX = {
    **ENVIRONMENT,
    "HOME": "/home/agent",
    "SH": "bash",
    "TMP": "/workspace",
    "REPO_ROOT": "/repo",
    "TESTBIN": "/usr/bin",
}

#: Limit of one case in seconds, on any shell.
TIMEOUT = 20.0

#: Limits of a case on sandhook.
LIMITS = Limits(wall_seconds=TIMEOUT)

#: The result of a case. "differs" is a mismatch that is not a failure: on a shell that the file does not name, or
#: in an optional case.
Result = Literal["pass", "ok", "bug", "n-i", "skip", "differs", "fail"]

#: All results, in the order of the tables.
RESULTS: tuple[Result, ...] = get_args(Result)

#: What can differ between the expectation and the observation of a case: of a script, or of an event.
Difference = Literal[
    "status", "stdout", "stderr", "trouble",
    "decision", "reason", "context", "message", "input", "prompt", "result", "files",
]  # fmt: skip

#: Results of the expectations for one shell.
_RESULT_OF: dict[Kind, Result] = {"": "pass", "OK": "ok", "BUG": "bug", "N-I": "n-i"}


Run = Callable[[str], Observation]


class Outcome(Record):
    """One case on one shell: expectation, observation and result.

    Attributes:
        result: One of RESULTS.
        differences: The parts that are not as expected.
        details: The lines of the difference, for the case of an event; () for a script.
    """

    case: Case
    result: Result
    expected: Expectation
    observation: Observation
    differences: tuple[Difference, ...] = ()
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"line {self.case.line}: {self.case.name}"]
        if self.details:
            return "\n    ".join([*lines, *self.details])
        for name in self.differences:
            expected, actual = getattr(self.expected, name, None), getattr(self.observation, name)
            if isinstance(actual, bytes):
                actual = actual.decode("utf-8", "surrogateescape")
            lines.append(actual if name == "trouble" else f"{name}: expected {expected!r}, got {actual!r}")
        if self.differences and self.expected.stderr is None and self.observation.stderr:
            lines.append(f"(stderr: {self.observation.stderr.decode('utf-8', 'replace')!r})")
        return "\n    ".join(lines)


@dataclass(slots=True)
class Report:
    """The results of a file on one shell.

    Attributes:
        partial: Only some cases ran, so the number of failures may be too low.
    """

    file: CaseFile
    shell: str
    partial: bool = False
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def failures(self) -> list[Outcome]:
        """The cases that failed."""
        return [outcome for outcome in self.outcomes if outcome.result == "fail"]

    @property
    def passed(self) -> int:
        """The number of cases that are as expected."""
        return sum(outcome.result not in ("fail", "differs") for outcome in self.outcomes)

    @property
    def expected_failures(self) -> int:
        """The number of cases that must fail: ``expected_failures`` for sandhook, 0 for a real shell."""
        return self.file.expected_failures if self.shell in ("sandhook", HOST) else 0

    @property
    def good(self) -> bool:
        """True if the expected number of cases failed; if only some cases ran, at most that number."""
        failure_count = len(self.failures)
        return (
            failure_count <= self.expected_failures
            if self.partial
            else failure_count == self.expected_failures
        )

    @property
    def seconds(self) -> float:
        """The duration of all cases together."""
        return sum(outcome.observation.seconds for outcome in self.outcomes)

    def counts(self) -> dict[Result, int]:
        """Return the number of cases for each of RESULTS."""
        counts = dict.fromkeys(RESULTS, 0)
        for outcome in self.outcomes:
            counts[outcome.result] += 1
        return counts

    def __str__(self) -> str:
        head = (
            f"{self.file.path}: {self.shell}: {self.passed} passed, "
            f"{len(self.failures)} failed, {self.expected_failures} expected"
        )
        return "\n".join([head, *map(str, self.failures)])


def run_sandhook(
    script: str, root: str | None = None, seconds: float | None = None, count: int = 1
) -> Observation:
    """Run a script in a fresh shell over an empty working directory.

    Args:
        root: Directory of the host that the script sees as $REPO_ROOT; its changes there are discarded.
        seconds: Limit of one case; TIMEOUT when None.
        count: Number of cases that the script has.
    """
    start = monotonic()
    limits = LIMITS if seconds is None else LIMITS._replace(wall_seconds=seconds)
    if count > 1:
        limits = limits.with_(
            wall_seconds=limits.wall_seconds * count,
            output_bytes=limits.output_bytes * count,
            steps=limits.steps * count,
        )
    fs: FileSystem | None = None
    if root is not None and "REPO_ROOT" in script:
        fs = table = MountTable(MemoryFileSystem())
        table.mount(VirtualPath(SANDBOX["REPO_ROOT"]), OverlayFileSystem(HostDirectory(root, False)))
    result = Shell(env=SANDBOX, limits=limits, utilities=UTILITIES, fs=fs).run(script)
    return observation_of(result, monotonic() - start)


def observation_of(result: RunResult, seconds: float) -> Observation:
    """Return the result of a run on sandhook in the form of a real shell's result."""
    trouble = ""
    if result.limit is not None:
        trouble = f"limit {result.limit}"
    elif result.defect is not None:
        trouble = f"defect {type(result.defect).__name__}: {result.defect}"
    return Observation(result.exit_status, result.stdout_bytes, result.stderr_bytes, trouble, seconds)


def run_file(
    file: CaseFile, shell: str = "sandhook", run: Run = run_sandhook, version: tuple[int, ...] = ()
) -> Report:
    """Run all cases of a file.

    Args:
        file: The cases.
        shell: The shell whose expectations apply: "sandhook", or the name of an oracle.
        run: Runs one script on that shell, such as ``RealShell.run``.
        version: Version of the shell, for expectations that name a version.
    """
    if file.batch is not None:
        observations = file.batch.split(file.cases, run(file.batch.script(file.cases)))
        return report(file, shell, observations, version=version)
    return report(file, shell, (run(case.script) for case in file.cases), version=version)


def report(
    file: CaseFile,
    shell: str,
    observations: Iterable[Observation],
    *,
    cases: list[Case] | None = None,
    version: tuple[int, ...] = (),
) -> Report:
    """Judge the results of a shell for all cases of a file, or for ``cases``."""
    selection = file.cases if cases is None else cases
    result = Report(file, shell, partial=len(selection) < len(file.cases))
    for case, observation in zip(selection, observations):
        result.outcomes.append(judge(file, case, shell, observation, version))
    return result


def judge(
    file: CaseFile, case: Case, shell: str, observation: Observation, version: tuple[int, ...] = ()
) -> Outcome:
    """Compare the result of a shell with its expectation."""
    expected = case.expectation_for(shell, version)
    if observation.skip is not None:
        return Outcome(case, "skip", expected, observation)
    if not case.newline_matters:
        observation = _ended(expected, observation)
    differences = compare(expected, observation)
    if differences and shell == HOST and expected.kind:  # utilities of the machine may follow the rule
        rule = case.expectation_for("")
        if not compare(rule, observation):
            expected, differences = rule, ()
    result: Result
    if not differences:
        result = _RESULT_OF[expected.kind]
    elif file.requires_pass(shell) and not case.optional:
        result = "fail"
    else:
        result = "differs"
    return Outcome(case, result, expected, observation, differences)


def compare(expected: Expectation, observation: Observation) -> tuple[Difference, ...]:
    """Return the parts that are not as expected."""
    if observation.trouble:
        return ("trouble",)
    differences: list[Difference] = []
    if expected.status is not None and expected.status != observation.status:
        differences.append("status")
    if _differs(expected.stdout, observation.stdout):
        differences.append("stdout")
    if _differs(expected.stderr, observation.stderr):
        differences.append("stderr")
    return tuple(differences)


def _ended(expected: Expectation, observation: Observation) -> Observation:
    """Return a result whose output has a newline at its end, if that makes it the expected output."""
    ended = observation._replace(stdout=observation.stdout + b"\n")
    return observation if _differs(expected.stdout, ended.stdout) else ended


def _differs(expected: str | None, actual: bytes) -> bool:
    return expected is not None and expected.encode("utf-8", "surrogateescape") != actual
