"""Cases of a table run in batches: one item of pytest has up to ``SIZE`` cases of one test.

pytest and pytest-xdist need about two milliseconds for an item, and most tests of a table need less. A case that fails is
a failure of its own, with its identifier. A run that asks for single tests (``-k``, ``FILE::TEST``) or compares with the
real programs (``--oracle``) has an item for each case.

Only tests of modules whose arguments are values of a table, or fixtures of ``SHARED``, are run so: by another fixture, a case
could see what the case before it left.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from os import PathLike
from typing import TypeGuard

import pytest

#: Cases of one item. A batch of slow ones still ends soon, so the processes of xdist finish together.
SIZE = 25

#: Fixtures that keep nothing of a case: values, and functions that run a command in a sandbox of its own.
SHARED = frozenset({"attack", "line", "oracle", "utility"})
#: What these fixtures need.
NEEDED = frozenset({"host", "request", "tmp_path_factory", "warm"})

#: Outcomes of a case that a batch reports; any other exception ends the run.
OUTCOMES = (Exception, pytest.fail.Exception, pytest.skip.Exception, pytest.xfail.Exception)


class Batch(pytest.Function):
    """The cases of one test that run as one item."""

    cases: list[pytest.Function]

    def reportinfo(self) -> tuple[PathLike[str] | str, int | None, str]:
        """Return the place of the test, which is not that of the function that calls it."""
        path, line, _ = self.cases[0].reportinfo()
        return path, line, self.name


def in_batches(config: pytest.Config) -> bool:
    """Return whether this run has batches: nobody asks for single cases."""
    option = config.option
    single = option.keyword or option.oracle or option.collectonly or option.deselect
    return not single and not any("::" in each for each in config.args)


def batched(collector: pytest.Collector, name: str, items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the items of one test, with batches in place of cases that can be in one."""
    first = items[0]
    if not isinstance(first, pytest.Function) or not isinstance(collector, pytest.Module):
        return items
    fixtures = fixtures_of(first)
    if fixtures is None:
        return items
    cases = [item for item in items if is_plain(item)]
    if len(cases) < 2:
        return items
    return [*_batches(collector, name, cases, fixtures), *(item for item in items if not is_plain(item))]


def fixtures_of(test: pytest.Function) -> frozenset[str] | None:
    """Return the names of the fixtures that are arguments of a test; None if a batch cannot have them."""
    values = values_of(test)  # parameters of a fixture are in callspec.params, too, and are no arguments
    fixtures = frozenset(inspect.signature(test.obj).parameters.keys() - values)
    return fixtures if fixtures <= SHARED and set(test.fixturenames) - values <= SHARED | NEEDED else None


def values_of(test: pytest.Function) -> set[str]:
    """Return the arguments of a test that are values of its tables."""
    tables = [mark.args[0] for mark in test.own_markers if mark.name == "parametrize" and mark.args]
    names = [each.split(",") if isinstance(each, str) else each for each in tables]
    return {name.strip() for each in names for name in each}


def is_plain(case: pytest.Item) -> TypeGuard[pytest.Function]:
    """Return whether a case has no marks of its own, and its values are no arguments of fixtures."""
    return all(mark.name == "parametrize" and not mark.kwargs.get("indirect") for mark in case.own_markers)


def _batches(
    collector: pytest.Module, name: str, cases: list[pytest.Function], fixtures: frozenset[str]
) -> Iterator[Batch]:
    for start in range(0, len(cases), SIZE):
        chunk = cases[start : start + SIZE]
        label = f"{name}[{start + 1}-{start + len(chunk)} of {len(cases)}]"
        batch = Batch.from_parent(collector, name=label, callobj=_runner(chunk, fixtures))
        batch.cases = chunk
        batch.user_properties.append(("cases", len(chunk)))
        yield batch


def _runner(cases: list[pytest.Function], fixtures: frozenset[str]) -> Callable[..., None]:
    def run(subtests: pytest.Subtests, request: pytest.FixtureRequest) -> None:
        __tracebackhide__ = True
        shared = {name: request.getfixturevalue(name) for name in fixtures}
        for case in cases:
            try:
                case.obj(**shared, **case.callspec.params)
            except OUTCOMES:
                with subtests.test(case.callspec.id):
                    raise

    return run


def cases_of(reports: list[pytest.TestReport]) -> int:
    """Return how many cases the batches among the reports had."""
    return sum(dict(report.user_properties).get("cases", 0) for report in reports)
