"""Options shared by all tests."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from collections.abc import Generator
from functools import cache
from pathlib import Path

import pytest

from tests import batches

WINDOWS = Path(__file__).resolve().parents[1] / "docs" / "windows.md"


def pytest_configure() -> None:
    """Have signals as at a terminal: shells ignore some in the background, and nohup SIGHUP.

    No test asks a service that the developer runs: it would run another version of the code.
    """
    os.environ["SANDHOOK_SOCKET"] = ""
    if sys.platform != "win32":  # under Wine both systems would write the same files
        # Without bytecode, each of the many processes that tests start compiles what it imports.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if sys.platform != "win32":
        for number in (signal.SIGQUIT, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than there are processors: tests of deadlines and of other processes wait a third of the time."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (processors or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for garbage, and never look through the collected tests again.

    They are some millions of objects, which every full collection would go through.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(10_000, 10, 10)  # a test leaves little garbage
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--oracle",
        action="store_true",
        help="also ask the real programs (bash, GNU coreutils, grep, sed, jq); their absence is a failure",
    )


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, name: str) -> Generator[None, object, object]:
    """Put the cases of tables into batches."""
    found = yield
    if not isinstance(found, list) or len(found) < 2 or not batches.in_batches(collector.config):
        return found
    if under_wine() and any(each.nodeid in exempt() for each in found):
        return found
    return batches.batched(collector, name, found)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [each for each in terminalreporter.stats.get("passed", ()) if each.user_properties]
    if cases := batches.cases_of(reports):
        terminalreporter.write_line(f"{len(reports)} of the tests that passed are batches, of {cases} cases")


@cache
def under_wine() -> bool:
    """Whether this Windows is Wine's."""
    if sys.platform != "win32":
        return False
    import ctypes

    return hasattr(ctypes.WinDLL("ntdll"), "wine_get_version")


@cache
def exempt() -> dict[str, str]:
    """Return the tests that docs/windows.md says cannot run under Wine, and why."""
    section = WINDOWS.read_text(encoding="utf-8").partition("\n## Tests that cannot run under Wine\n")[2]
    rows = [re.split(r"(?<!\\)\|", line)[1:3] for line in section.splitlines() if line.startswith("| `")]
    return {test.strip(" `").replace("\\|", "|"): why.strip() for test, why in rows}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not under_wine():
        return
    rows = exempt()
    for item in items:
        why = rows.get(item.nodeid, rows.get(item.nodeid.partition("[")[0]))
        if why is not None:
            item.add_marker(pytest.mark.skip(reason=f"under Wine: {why}"))


@pytest.fixture
def few_objects() -> None:
    """Have collections of garbage go through the objects of this test only; those of the tests before take half a second."""
    gc.freeze()


@pytest.fixture(scope="session")
def oracle(request: pytest.FixtureRequest) -> bool:
    """Whether recorded expectations are checked against the real programs too."""
    return bool(request.config.getoption("--oracle"))
