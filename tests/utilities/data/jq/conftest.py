"""Both ways to libjq: its own functions, and the package's interface, which is all that Windows has."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sandhook.worker import client
from sandhook.worker.client import Pool, Worker


@pytest.fixture(scope="session")
def wrapped_pool() -> Iterator[Pool]:
    pool = Pool(lambda: Worker(module="jq.server"))
    yield pool
    pool.close()


@pytest.fixture
def wrapped(wrapped_pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let jq use the package's interface in this test."""
    monkeypatch.setattr(client, "NATIVE", False)
    monkeypatch.setattr(client, "POOL", wrapped_pool)


@pytest.fixture
def native() -> None:
    """Skip this test where libjq's own functions are hidden."""
    if not client.NATIVE:
        pytest.skip("libjq's functions cannot be called here")


@pytest.fixture(params=["native", "wrapped"])
def way(request: pytest.FixtureRequest) -> str:
    """Run this test in both ways."""
    request.getfixturevalue(request.param)
    return str(request.param)
