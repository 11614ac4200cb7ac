"""Finds case files, runs their cases on shells, and collects a report for each file and shell."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Protocol

from sandhook.conformance.model import Case, CaseFile
from sandhook.conformance.reader import read_all
from sandhook.conformance.runner import Observation, Report, judge

#: Names of case files in a directory.
PATTERNS = ("*.test", "*.test.sh")


class Runner(Protocol):
    """Runs scripts on one shell."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> tuple[int, ...]: ...

    def run(self, script: str) -> Observation: ...

    def map(self, scripts: Sequence[str]) -> Generator[Observation, None, None]: ...


class Selection:
    """The cases of a file that run: all of them, or those of a filter."""

    def __init__(self, file: CaseFile, cases: list[Case]) -> None:
        self.file = file
        self.cases = cases


def find(paths: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Return the case files that paths name, including those in directories, and an error for each invalid path."""
    files: dict[Path, None] = {}
    errors = []
    for name in paths:
        path = Path(name)
        if path.is_dir():
            matches = sorted({file for pattern in PATTERNS for file in path.rglob(pattern) if file.is_file()})
            files |= dict.fromkeys(matches)
            if not matches:
                errors.append(f"{name}: no file named {' or '.join(PATTERNS)}")
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


def load(paths: Sequence[Path]) -> tuple[list[CaseFile], list[str]]:
    """Read case files; return them and all errors in them."""
    files = []
    problems = []
    for path in paths:
        try:
            text, _ = read_lines(path)
        except OSError as error:
            problems.append(f"{path.as_posix()}: {error.strerror}")
            continue
        file, errors = read_all(text, path.as_posix())
        files.append(file)
        problems += map(str, errors)
    return files, problems


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
    results = runner.map([case.script for selection in selections for case in selection.cases])
    try:
        for selection in selections:
            report = Report(
                selection.file, runner.name, partial=len(selection.cases) < len(selection.file.cases)
            )
            for case in selection.cases:
                report.outcomes.append(
                    judge(selection.file, case, runner.name, next(results), runner.version)
                )
                step()
            reports.append(report)
            if fail_fast and not report.good:
                break
    finally:
        results.close()  # ends the runner's workers
    return reports
