"""A pytest plugin: fixtures for shells and hooks, and files of expectations and of shell cases as tests.

The entry point ``sandhook.pytest_plugin`` loads it when pytest starts, in every project of the environment. So this
module imports nothing of sandhook; each function imports what it needs when it is called.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sandhook.pytest_plugin.engines import Fire, LoadHooks
    from sandhook.shell import Shell

#: Endings of the names of files that are collected.
ENDINGS = (".expect.yaml", ".expect.yml", ".expect.json", ".test.sh")

_MARKERS = (
    "sandhook_shell(**arguments): arguments of sandhook.Shell for the fixture sandhook_shell",
    "sandhook_hooks(*sources, **arguments): the hooks of the fixtures hook_engine and fire",
)


def pytest_configure(config: pytest.Config) -> None:
    """Describe the markers."""
    for line in _MARKERS:
        config.addinivalue_line("markers", line)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the files whose names say that they have expectations or shell cases."""
    if not file_path.name.endswith(ENDINGS):
        return None
    from sandhook.pytest_plugin.items import collector_of

    return collector_of(file_path, parent)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what the hooks did to the report of a test that failed."""
    report = yield
    if report.failed and call.excinfo is not None and "sandhook.hooks.model" in sys.modules:
        from sandhook.pytest_plugin.explain import explain

        explain(item, call.excinfo, report)
    return report


@pytest.fixture
def sandhook_shell(request: pytest.FixtureRequest) -> Shell:
    """A ``sandhook.Shell``; the marker ``sandhook_shell`` passes its arguments.

    In a test with pyfakefs's ``fs``, scripts run over the files of that fixture.
    """
    from sandhook.pytest_plugin.fakefs import fake_files, paused

    fake = fake_files(request)
    with paused(fake):
        from sandhook.pytest_plugin.shells import shell_of

        return shell_of(request.node, fake)


@pytest.fixture
def hook_engine(request: pytest.FixtureRequest) -> LoadHooks:
    """A function that returns a ``HookEngine`` with hooks of the project; all of them are trusted, in the sandbox."""
    from sandhook.pytest_plugin.fakefs import fake_files, paused

    fake = fake_files(request)
    with paused(fake):
        from sandhook.pytest_plugin.engines import Hooks

        return Hooks(request.node, fake).load


@pytest.fixture
def fire(request: pytest.FixtureRequest) -> Fire:
    """A function that fires an event at hooks of the project, and returns their ``Decision``."""
    from sandhook.pytest_plugin.fakefs import fake_files, paused

    fake = fake_files(request)
    with paused(fake):
        from sandhook.pytest_plugin.engines import Hooks

        return Hooks(request.node, fake).fire
