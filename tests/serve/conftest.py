"""Services for tests; they need the extra ``serve``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.serve.servetools import Running

for _name in ("httptools", "prometheus_client", "starlette", "uvicorn"):
    pytest.importorskip(_name, reason=f"the extra serve is not installed: there is no {_name}")


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
