"""A real studio and a real Chromium; without the extra ``browser`` or the program, the tests are skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.serve.conftest import MISSING
from tests.studio.browser.browsing import CHROMIUM, FLAGS, Browsing, Program

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ABSENT = [
    *MISSING,
    *(name for name in ("playwright", "axe_playwright_python") if find_spec(name) is None),
    *([] if CHROMIUM.exists() else [str(CHROMIUM)]),
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.slow)
            if ABSENT:
                item.add_marker(pytest.mark.skip(reason=f"there is no {ABSENT[0]}"))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Return a browser for the tests of one file.

    Playwright's event loop runs in this thread until the end, where other tests need one of their own.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    """Return ``program(files, options...)``: starts ``sandhook studio``, which ends with the test."""
    started: list[Program] = []

    def start(files: dict[str, str | bytes], *options: str, **more: Any) -> Program:
        started.append(Program(tmp_path / f"studio{len(started)}", files, *options, **more))
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.fixture
def browse(chromium: Browser) -> Iterator[Callable[..., Browsing]]:
    """Return ``browse(program, scheme, width)``: a page of its own; errors of the page fail the test."""
    opened: list[Browsing] = []

    def open_page(program: Program, scheme: str = "light", width: int = 1280) -> Browsing:
        opened.append(Browsing(chromium, program, scheme, width))
        return opened[-1]

    yield open_page
    faults = [fault for each in opened for fault in each.faults]
    for each in opened:
        each.close()
    assert not faults, "\n".join(faults)
