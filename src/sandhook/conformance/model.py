"""What a case file says: cases, what each shell must give, and the shells that vouch for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sandhook.record import Record

#: Names under which a shell's expectations may also stand, besides its own: sandhook means to be bash.
ALSO = {"sandhook": ("bash",), "ash": ("busybox-ash", "busybox"), "busybox": ("busybox-ash", "ash")}

#: sandhook's host mode, where a shell is named; it must give what sandhook must, but for sandbox-only cases.
HOST = "host"

#: The release of bash that sandhook reproduces.
REPRODUCED = (5, 2, 15)


#: Why a shell has an expectation of its own: OK, BUG, or N-I (not implemented). "" is the rule itself.
Kind = Literal["", "OK", "BUG", "N-I"]


class CaseError(ValueError):
    """A case file that cannot be read.

    Attributes:
        path: The file as it was named.
        line: Number of the wrong line, from 1.
    """

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")
        self.path = path
        self.line = line


class Expectation(Record):
    """What one shell must give; None is not compared, or not said and inherited.

    Attributes:
        kind: "" for the rule itself; see ``Kind``.
        line: Where it was first said, from 1.
    """

    status: int | None = None
    stdout: str | None = None
    stderr: str | None = None
    kind: Kind = ""
    line: int = 0


class Oracle(Record):
    """A shell that must pass a file, and the lowest version that can."""

    name: str
    version: tuple[int, ...] = ()


def labels(shell: str, version: tuple[int, ...] = ()) -> list[str]:
    """Return the names under which a shell's expectations are looked up, the most special first.

    >>> labels("bash", (5, 2))
    ['bash-5.2', 'bash-5', 'bash']
    """
    found = []
    if shell == "sandhook":
        found.append(shell)
        version = version or REPRODUCED
    for name in (*ALSO.get(shell, ()),) if shell == "sandhook" else (shell, *ALSO.get(shell, ())):
        found += [f"{name}-{'.'.join(map(str, version[:count]))}" for count in range(len(version), 0, -1)]
        found.append(name)
    return found


@dataclass(slots=True)
class Case:
    """One script and what it must do.

    Attributes:
        name: The rule that it shows.
        line: Where it begins in its file, from 1.
        script: Text with a newline at its end.
        expectations: By shell; "" is what holds for all others.
        source: Where the rule is written down.
        divergence: Identifier in docs/divergences.md, "" when sandhook means to match.
        sandbox_only: Why host mode gives something else, "" when it must give the same.
        strict: Output that is not said must be empty; otherwise it is not compared.
        spans: Where the rule's status, stdout and stderr stand: first line and line behind, from 0.
        end: The line behind the script's last, from 0: where expectations begin.
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

    def own(self, shell: str, version: tuple[int, ...] = ()) -> Expectation:
        """Return what is said of a shell by name; an empty expectation when nothing is."""
        for label in labels(shell, version):
            if label in self.expectations:
                return self.expectations[label]
        return Expectation()

    def expected(self, shell: str, version: tuple[int, ...] = ()) -> Expectation:
        """Return what a shell must give: its own words, and the rule's where it has none."""
        rule = self.expectations.get("", Expectation())
        own = self.own("sandhook" if shell == HOST else shell, version)
        stdout = own.stdout if own.stdout is not None else rule.stdout
        stderr = own.stderr
        if stderr is None and not (own.kind and self.strict):  # another way has other messages
            stderr = rule.stderr
        return Expectation(
            status=own.status if own.status is not None else rule.status or 0,
            stdout=stdout or "" if self.strict else stdout,
            stderr=stderr,
            kind=own.kind,
            line=own.line or rule.line or self.line,
        )


@dataclass(slots=True)
class CaseFile:
    """All cases of a file.

    Attributes:
        oracles: The shells that the file's own ``## oracle:`` names.
        compared: The shells that ``## compare_shells:`` of the public format names.
        own: A file of this project's stricter form.
        counted: It says how many cases sandhook fails.
    """

    path: str
    source: str = ""
    oracles: tuple[Oracle, ...] = ()
    compared: tuple[str, ...] = ()
    expected_failures: int = 0
    own: bool = True
    cases: list[Case] = field(default_factory=list)

    def vouched_for(self, shell: str) -> bool:
        """Tell whether a mismatch of this shell is a failure, and not merely worth knowing."""
        named = {oracle.name for oracle in self.oracles} or {
            label.partition("-")[0] for label in self.compared
        }
        return shell in ("sandhook", HOST) or not named or any(label in named for label in labels(shell))
