"""Services for tests; without the extra ``serve``, the tests are skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.serve.servetools import Running


def is_absent(name: str) -> bool:
    """Return whether a module is not installed."""
    try:
        return find_spec(name) is None
    except ValueError:  # sys.modules has None
        return True


MISSING = [name for name in ("httptools", "prometheus_client", "starlette", "uvicorn") if is_absent(name)]


class SkippedModule(pytest.Module):
    """A module of tests that need what is not installed."""

    def collect(self) -> Any:
        pytest.skip(f"the extra serve is not installed: there is no {MISSING[0]}", allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Skip modules by name, before they import what is not installed."""
    return SkippedModule.from_parent(parent, path=module_path) if MISSING else None


@pytest.fixture
def serve() -> Iterator[Callable[..., Running]]:
    """Return ``serve(*options, files={...})``: starts a service, which ends with the test."""
    started: list[Running] = []

    def start(*options: Any, **more: Any) -> Running:
        started.append(Running(*options, **more))
        return started[-1]

    yield start
    for each in started:
        each.close()
