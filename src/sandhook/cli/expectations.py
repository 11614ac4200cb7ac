"""The files of expectations among those of ``sandhook test``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sandhook.conformance.expectations.model import ExpectationFile, is_expectations
from sandhook.conformance.suite import Selection
from sandhook.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from sandhook.conformance.model import CaseFile
    from sandhook.conformance.runner import Report


class Expectations:
    """The files of expectations that a command line names.

    Attributes:
        files: Each as a file of cases, which the reports show.
        problems: A line for each fault.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.files: list[CaseFile] = []
        self.problems: list[str] = []
        self._by_case_file: dict[int, ExpectationFile] = {}
        names = [path.as_posix() for path in paths if is_expectations(path.name)]
        if not names:
            return
        from sandhook.conformance.expectations.reader import read_expectations
        from sandhook.conformance.expectations.run import case_file, check_hooks

        for name in names:
            try:
                file = read_expectations(name, dict(os.environ))
                check_hooks(file)
            except ConfigError as error:
                self.problems += map(str, error.problems)
                continue
            self.files.append(case_file(file))
            self._by_case_file[id(self.files[-1])] = file

    def has(self, selection: Selection) -> bool:
        """Return whether the cases of a selection are events."""
        return id(selection.file) in self._by_case_file

    def run(
        self, selections: Sequence[Selection], shell: str, step: Callable[[], None], *, fail_fast: bool
    ) -> list[Report]:
        """Run cases in the sandbox ("sandhook") or on this machine ("host"); return a report for each file."""
        from sandhook.conformance.expectations.run import run_file

        reports: list[Report] = []
        for selection in selections:
            names = [case.name for case in selection.cases]
            report = run_file(self._by_case_file[id(selection.file)], shell=shell, names=names, step=step)
            report.file = selection.file
            report.partial = len(selection.cases) < len(selection.file.cases)
            reports.append(report)
            if fail_fast and not report.good:
                break
        return reports
