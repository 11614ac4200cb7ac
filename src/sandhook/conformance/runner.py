"""Runs cases on sandhook, or on any shell that is given as a callable, and compares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sandhook.conformance.reader import Case, CaseFile
from sandhook.limits import Limits
from sandhook.record import Record
from sandhook.shell import Shell

#: What every shell finds in its environment, besides HOME: the same everywhere.
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC0"}

#: Time and steps that one case may take.
LIMITS = Limits(wall_seconds=20.0)


class Observed(Record):
    """What a shell gave for one script.

    Attributes:
        trouble: Why the run is no answer at all (a limit, a defect, a missing shell), or "".
    """

    status: int
    stdout: bytes
    stderr: bytes
    trouble: str = ""


Run = Callable[[str], Observed]


class Failure(Record):
    """A case whose outcome is not the expected one.

    Attributes:
        differences: One line for each of status, stdout, stderr and trouble that differs.
    """

    case: Case
    differences: tuple[str, ...]

    def __str__(self) -> str:
        listed = "".join(f"\n    {difference}" for difference in self.differences)
        return f"line {self.case.line}: {self.case.name}{listed}"


@dataclass(slots=True)
class Report:
    """What one shell made of a file."""

    file: CaseFile
    shell: str
    passed: int = 0
    failures: list[Failure] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Exactly as many cases failed as the file says: of sandhook; a real shell fails none."""
        wanted = self.file.expected_failures if self.shell == "sandhook" else 0
        return len(self.failures) == wanted

    def __str__(self) -> str:
        wanted = self.file.expected_failures if self.shell == "sandhook" else 0
        head = f"{self.file.path}: {self.shell}: {self.passed} passed, {len(self.failures)} failed, {wanted} expected"
        return "\n".join([head, *map(str, self.failures)])


def run_sandhook(script: str) -> Observed:
    """Run a script in a fresh shell over an empty working directory."""
    result = Shell(env={**ENVIRONMENT, "HOME": "/home/agent"}, limits=LIMITS).run(script)
    trouble = ""
    if result.limit is not None:
        trouble = f"limit {result.limit}"
    elif result.defect is not None:
        trouble = f"defect {type(result.defect).__name__}: {result.defect}"
    return Observed(result.exit_status, result.stdout_bytes, result.stderr_bytes, trouble)


def run_file(file: CaseFile, shell: str = "sandhook", run: Run = run_sandhook) -> Report:
    """Run all cases of a file.

    Args:
        file: The cases.
        shell: Whose expectations hold: "sandhook", or an oracle's name.
        run: Runs one script; ``oracle.runner_of`` gives one for a real shell.
    """
    report = Report(file, shell)
    for case in file.cases:
        differences = compare(case, shell, run(case.script))
        if differences:
            report.failures.append(Failure(case, differences))
        else:
            report.passed += 1
    return report


def compare(case: Case, shell: str, observed: Observed) -> tuple[str, ...]:
    """Return what differs from the expectation, a line each; nothing when all is as it should be."""
    expected = case.expected(shell)
    if observed.trouble:
        return (observed.trouble,)
    found = []
    if expected.status != observed.status:
        found.append(f"status: expected {expected.status}, got {observed.status}")
    for name, wanted, got in (
        ("stdout", expected.stdout, observed.stdout),
        ("stderr", expected.stderr, observed.stderr),
    ):
        if wanted is not None and wanted.encode("utf-8", "surrogateescape") != got:
            text = got.decode("utf-8", "surrogateescape")
            found.append(f"{name}: expected {wanted!r}, got {text!r}")
    if found and expected.stderr is None and observed.stderr:
        found.append(f"(stderr: {observed.stderr.decode('utf-8', 'replace')!r})")
    return tuple(found)
