"""A pytest plugin that collects files of expectations: each case is a test.

``pytest_plugins = ["sandhook.pytest_plugin"]`` in the conftest.py at the root of a project switches it on.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandhook.conformance.expectations.model import EventCase, ExpectationFile, is_expectations
from sandhook.errors import ConfigError


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the files whose names say that they have expectations."""
    if not is_expectations(file_path.name):
        return None
    collector: pytest.Collector = ExpectationsFile.from_parent(parent, path=file_path)
    return collector


class ExpectationsFile(pytest.File):
    """A file of expectations; its faults are one error of the collection."""

    def collect(self) -> Iterator[pytest.Item]:
        from sandhook.conformance.expectations.reader import read_expectations
        from sandhook.conformance.expectations.run import check_hooks

        try:
            file = read_expectations(os.path.relpath(self.path).replace("\\", "/"), dict(os.environ))
            check_hooks(file)
        except ConfigError as error:
            raise self.CollectError("\n".join(map(str, error.problems))) from None
        for case in file.cases:
            yield ExpectationItem.from_parent(self, name=case.name, file=file, case=case)


class ExpectationItem(pytest.Item):
    """One event and the expected decision."""

    def __init__(self, *, file: ExpectationFile, case: EventCase, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self._file = file
        self._case = case

    def runtest(self) -> None:
        from sandhook.conformance.expectations.run import run_case

        outcome = run_case(self._file, self._case)
        if outcome.result != "pass":
            raise NotAsExpected("\n".join(outcome.details))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """Return the difference alone: a traceback would show this module."""
        if isinstance(excinfo.value, NotAsExpected):
            return f"{self._file.path}:{self._case.line}: {self._case.name}\n{excinfo.value}"
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self._case.line - 1, self.name


class NotAsExpected(AssertionError):
    """A decision differs from what its case expects."""
