"""Files of expectations and of shell cases as tests: each case is an item."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandhook.conformance.bashkit import is_bashkit
from sandhook.conformance.expectations.model import EventCase, ExpectationFile, is_expectations
from sandhook.conformance.model import Case, CaseFile
from sandhook.conformance.report import difference, text_of, wrong_count
from sandhook.conformance.runner import Report, judge, run_sandhook
from sandhook.errors import ConfigError


def collector_of(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return what collects a file; None for a shell script without cases, which some other tool runs."""
    kind: type[pytest.File] = ScriptsFile
    if is_expectations(path.name):
        kind = ExpectationsFile
    elif not _has_cases(path):
        return None
    collector: pytest.Collector = kind.from_parent(parent, path=path)
    return collector


def _has_cases(path: Path) -> bool:
    text = text_of(path.read_bytes())
    return re.search(r"^#### ", text, re.M) is not None or is_bashkit(text, path.name)


def _shown(path: Path) -> str:
    return os.path.relpath(path).replace("\\", "/")


class NotAsExpected(AssertionError):
    """A result differs from what its case expects."""


class CaseItem(pytest.Item):
    """One or more cases of a file; a failure is their difference alone."""

    def __init__(self, *, line: int, check: Callable[[], str], **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self._line = line
        self._check = check

    def runtest(self) -> None:
        text = self._check()
        if text:
            raise NotAsExpected(text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """Return the difference alone: a traceback would show this module."""
        if isinstance(excinfo.value, NotAsExpected):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self._line - 1, self.name


class ExpectationsFile(pytest.File):
    """A file of expectations; its faults are one error of the collection."""

    def collect(self) -> Iterator[pytest.Item]:
        from sandhook.conformance.expectations.reader import read_expectations
        from sandhook.conformance.expectations.run import check_hooks

        try:
            file = read_expectations(_shown(self.path), dict(os.environ))
            check_hooks(file)
        except ConfigError as error:
            raise self.CollectError("\n".join(map(str, error.problems))) from None
        for case in file.cases:
            yield CaseItem.from_parent(self, name=case.name, line=case.line, check=_event_check(file, case))


def _event_check(file: ExpectationFile, case: EventCase) -> Callable[[], str]:
    def check() -> str:
        from sandhook.conformance.expectations.run import run_case

        outcome = run_case(file, case)
        if outcome.result == "pass":
            return ""
        return "\n".join((f"{file.path}:{case.line}: {case.name}", *outcome.details))

    return check


class ScriptsFile(pytest.File):
    """A file of shell cases. If some of them are expected to fail, which ones is open: they are one item."""

    def collect(self) -> Iterator[pytest.Item]:
        from sandhook.conformance.suite import load

        root = self.config.rootpath
        files, problems = load([Path(_shown(self.path))], str(root))
        if problems:
            raise self.CollectError("\n".join(problems))
        file = files[0]
        if file.expected_failures:
            name = f"all cases, {file.expected_failures} expected to fail"
            yield CaseItem.from_parent(self, name=name, line=1, check=_script_check(file, file.cases, root))
            return
        names: dict[str, int] = {}
        for case in file.cases:
            count = names[case.name] = names.get(case.name, 0) + 1
            item: pytest.Item = CaseItem.from_parent(
                self,
                name=case.name if count == 1 else f"{case.name} (line {case.line})",
                line=case.line,
                check=_script_check(file, [case], root),
            )
            if case.skip:
                item.add_marker(pytest.mark.skip(reason=case.skip))
            yield item


def _script_check(file: CaseFile, cases: list[Case], root: Path) -> Callable[[], str]:
    def check() -> str:
        report = Report(file, "sandhook", partial=len(cases) < len(file.cases))
        for case in cases:
            observation = run_sandhook(case.script, str(root))
            report.outcomes.append(judge(file, case, "sandhook", observation))
        if report.good:
            return ""
        lines = [line for outcome in report.failures for line in difference(report, outcome)]
        return "\n".join([*lines, *filter(None, [wrong_count(report)])])

    return check
