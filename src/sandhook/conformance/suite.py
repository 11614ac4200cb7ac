"""Finds case files, runs their cases on shells, and collects a report for each file and shell."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from sandhook.conformance.bashkit import is_bashkit, read_bashkit
from sandhook.conformance.bats import is_bats, read_bats
from sandhook.conformance.expectations.model import ENDINGS
from sandhook.conformance.model import Case, CaseError, CaseFile, Observation
from sandhook.conformance.reader import read_all
from sandhook.conformance.runner import Report, judge

#: Names of case files in a directory.
PATTERNS = ("*.test", "*.test.sh", "*.bats", *(f"*{ending}" for ending in ENDINGS))


class Runner(Protocol):
    """Runs scripts on one shell."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> tuple[int, ...]: ...

    def run(self, script: str) -> Observation: ...

    def map(
        self, scripts: Sequence[str], counts: Sequence[int] | None = None
    ) -> Generator[Observation, None, None]: ...


class Selection:
    """The cases of a file that run: all of them, or those of a filter."""

    def __init__(self, file: CaseFile, cases: list[Case]) -> None:
        self.file = file
        self.cases = cases
        self._runs = [case for case in cases if not case.skip]

    def scripts(self) -> list[str]:
        """Return the scripts to run."""
        if self.file.batch is not None:
            return [self.file.batch.script(self._runs)] if self._runs else []
        return [case.script for case in self._runs]

    def counts(self) -> list[int]:
        """Return the number of cases of each script."""
        if self.file.batch is not None:
            return [len(self._runs)] if self._runs else []
        return [1] * len(self._runs)

    def observations(self, results: Iterator[Observation]) -> Iterator[Observation]:
        """Yield the result of each case, from the results of the scripts."""
        if self.file.batch is not None and self._runs:
            results = iter(self.file.batch.split(self._runs, next(results)))
        for case in self.cases:
            yield Observation(0, b"", b"", skip=case.skip) if case.skip else next(results)


#: Directories of installed packages and of git, in which no case is one of the project.
_SKIPPED = frozenset(
    {".git", ".venv", "venv", "node_modules", "site-packages", ".tox", ".nox", "__pycache__"}
)


def _below(directory: Path) -> Iterator[Path]:
    """Yield the files below a directory, without those of directories that tools make."""
    for entry in directory.iterdir():
        if entry.is_file():
            yield entry
        elif entry.is_dir() and not entry.is_symlink() and entry.name not in _SKIPPED:
            yield from _below(entry)


def find(paths: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Return the case files that paths name, including those in directories, and an error for each invalid path."""
    files: dict[Path, None] = {}
    errors = []
    for name in paths:
        path = Path(name)
        if path.is_dir():
            matches = sorted(file for file in _below(path) if any(map(file.match, PATTERNS)))
            files |= dict.fromkeys(matches)
            if not matches:
                errors.append(f"{name}: no file named {' or '.join(PATTERNS)}")
        elif path.suffix in (".yaml", ".yml", ".json") and not name.endswith(ENDINGS) and path.is_file():
            wanted = path.with_suffix(f".expect{path.suffix}").name
            errors.append(f"{name}: no case file has such a name; a file of expectations would be {wanted}")
        else:
            files[path] = None
    return list(files), errors


def read_lines(path: Path) -> tuple[str, str]:
    """Return the text of a file and its line ending.

    When all lines end with a carriage return and a line feed, as git writes them on Windows, the text has only
    the line feeds.
    """
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    if text.endswith("\r\n") and text.count("\n") == text.count("\r\n"):
        return text.replace("\r\n", "\n"), "\r\n"
    return text, "\n"


def load(paths: Sequence[Path], root: str = ".") -> tuple[list[CaseFile], list[str]]:
    """Read case files; return them and all errors in them.

    Args:
        root: Directory that cases see as $REPO_ROOT.
    """
    files = []
    problems = []
    for path in paths:
        try:
            text, _ = read_lines(path)
        except OSError as error:
            problems.append(f"{path.as_posix()}: {error.strerror}")
            continue
        file, errors = _read(text, path, root)
        files.append(file)
        problems += map(str, errors)
    return files, problems


def _read(text: str, path: Path, root: str) -> tuple[CaseFile, list[CaseError]]:
    name = path.as_posix()
    if is_bats(name):
        top = Path(root).resolve()
        place = path.resolve()
        if not place.is_relative_to(top):
            message = f"a bats file outside of {root}, which tests see as their directory; use --root DIR"
            return CaseFile(name), [CaseError(name, 1, message)]
        return read_bats(text, name, place.relative_to(top).as_posix())
    if is_bashkit(text, name):
        return read_bashkit(text, name)
    return read_all(text, name)


def run(
    selections: Sequence[Selection],
    runner: Runner,
    *,
    step: Callable[[], None] = lambda: None,
    fail_fast: bool = False,
) -> list[Report]:
    """Run cases on one shell and return a report for each file, in order.

    Args:
        step: Called after each case.
        fail_fast: Stop after the first file that is not as expected.
    """
    reports = []
    results = runner.map(
        [script for selection in selections for script in selection.scripts()],
        [count for selection in selections for count in selection.counts()],
    )
    try:
        for selection in selections:
            report = Report(
                selection.file, runner.name, partial=len(selection.cases) < len(selection.file.cases)
            )
            for case, observation in zip(selection.cases, selection.observations(results)):
                report.outcomes.append(judge(selection.file, case, runner.name, observation, runner.version))
                step()
            reports.append(report)
            if fail_fast and not report.good:
                break
    finally:
        results.close()  # ends the runner's workers
    return reports
