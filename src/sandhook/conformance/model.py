"""The contents of a case file: cases, the expectations for each shell, and the oracles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from sandhook.record import Record

#: Other names of a shell in expectations: sandhook reproduces bash.
ALSO = {"sandhook": ("bash",), "ash": ("busybox-ash", "busybox"), "busybox": ("busybox-ash", "ash")}

#: Name of sandhook's host mode as a shell. It has the expectations of sandhook, without sandbox-only cases.
HOST = "host"

#: The release of bash that sandhook reproduces.
BASH_VERSION = (5, 2, 15)


#: Why a shell has a separate expectation: OK, BUG, or N-I (not implemented). "" is the rule itself.
Kind = Literal["", "OK", "BUG", "N-I"]


class CaseError(ValueError):
    """An invalid case file.

    Attributes:
        path: The file, as the caller named it.
        line: Number of the invalid line, from 1.
    """

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path = path
        self.line = line


class Expectation(Record):
    """The expected result on one shell. None is not compared; an expectation of one shell inherits from the rule.

    Attributes:
        kind: "" for the rule itself; see ``Kind``.
        line: Line of its first directive, from 1.
    """

    status: int | None = None
    stdout: str | None = None
    stderr: str | None = None
    kind: Kind = ""
    line: int = 0


class Observation(Record):
    """The result of one script on a shell.

    Attributes:
        trouble: Why there is no result (a limit, a defect, a missing shell), or "".
        seconds: Duration.
        skip: Why the test skipped itself; None if it ran.
    """

    status: int
    stdout: bytes
    stderr: bytes
    trouble: str = ""
    seconds: float = 0.0
    skip: str | None = None


class Oracle(Record):
    """A shell that must pass a file, and the lowest version that passes."""

    name: str
    version: tuple[int, ...] = ()


def labels(shell: str, version: tuple[int, ...] = ()) -> list[str]:
    """Return the names of a shell in expectations, the most specific first.

    >>> labels("bash", (5, 2))
    ['bash-5.2', 'bash-5', 'bash']
    """
    result = []
    if shell == "sandhook":
        result.append(shell)
        version = version or BASH_VERSION
    for name in (*ALSO.get(shell, ()),) if shell == "sandhook" else (shell, *ALSO.get(shell, ())):
        result += [f"{name}-{'.'.join(map(str, version[:count]))}" for count in range(len(version), 0, -1)]
        result.append(name)
    return result


@dataclass(slots=True)
class Case:
    """One script and its expectations.

    Attributes:
        name: The rule that it shows.
        line: Its first line in the file, from 1.
        script: Text that ends with a newline.
        expectations: By shell; "" is for all other shells.
        source: The text that states the rule.
        divergence: Identifier in docs/divergences.md; "" if sandhook should match.
        sandbox_only: Why host mode differs; "" if it must not.
        strict: Output without an expectation must be empty; otherwise it is not compared.
        spans: Lines of the rule's status, stdout and stderr: the first, and one after the last, from 0.
        end: One after the last line of the script, from 0; expectations begin here.
        default_status: The exit status of a case that states none; None is not compared.
        newline_matters: False if a newline at the end of the output is not compared.
        optional: Why a mismatch is not a failure, or "".
        skip: Why the case does not run, or "".
    """

    name: str
    line: int
    script: str = ""
    expectations: dict[str, Expectation] = field(default_factory=dict)
    source: str = ""
    divergence: str = ""
    sandbox_only: str = ""
    strict: bool = True
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    end: int = 0
    default_status: int | None = 0
    newline_matters: bool = True
    optional: str = ""
    skip: str = ""

    def own_expectation(self, shell: str, version: tuple[int, ...] = ()) -> Expectation:
        """Return the expectation that names a shell, or an empty expectation."""
        for label in labels(shell, version):
            if label in self.expectations:
                return self.expectations[label]
        return Expectation()

    def expectation_for(self, shell: str, version: tuple[int, ...] = ()) -> Expectation:
        """Return the expectation for a shell: its own, completed by the rule."""
        rule = self.expectations.get("", Expectation())
        own = self.own_expectation("sandhook" if shell == HOST else shell, version)
        stdout = own.stdout if own.stdout is not None else rule.stdout
        stderr = own.stderr
        if stderr is None and not (own.kind and self.strict):  # such a shell prints other messages
            stderr = rule.stderr
        status = own.status if own.status is not None else rule.status
        return Expectation(
            status=self.default_status if status is None else status,
            stdout=stdout or "" if self.strict else stdout,
            stderr=stderr,
            kind=own.kind,
            line=own.line or rule.line or self.line,
        )


class Batch(Protocol):
    """Runs the cases of a file in one script, because they share what the file sets up."""

    def script(self, cases: Sequence[Case]) -> str:
        """Return the script that runs these cases."""
        ...

    def split(self, cases: Sequence[Case], whole: Observation) -> list[Observation]:
        """Return the result of each case from the result of the script."""
        ...


@dataclass(slots=True)
class CaseFile:
    """All cases of a file.

    Attributes:
        oracles: The shells of ``## oracle:``.
        compared_shells: The shells of ``## compare_shells:``, in the public format.
        expected_failures: Number of cases that sandhook fails.
        own: True for the stricter form of this project.
        records: False if ``--record`` cannot write the form of this file.
        batch: Runs all cases in one script; None if each case is a script.
    """

    path: str
    source: str = ""
    oracles: tuple[Oracle, ...] = ()
    compared_shells: tuple[str, ...] = ()
    expected_failures: int = 0
    own: bool = True
    records: bool = True
    batch: Batch | None = None
    cases: list[Case] = field(default_factory=list)

    def requires_pass(self, shell: str) -> bool:
        """Return True if a mismatch on this shell is a failure; otherwise it only "differs"."""
        names = {oracle.name for oracle in self.oracles} or {
            label.partition("-")[0] for label in self.compared_shells
        }
        return shell in ("sandhook", HOST) or not names or any(label in names for label in labels(shell))
