"""A pool of its own for each test."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from sandhook.worker.client import Pool, Worker
from tests.worker.asking import output, request


@pytest.fixture
def pool() -> Iterator[Pool]:
    made = Pool(lambda: Worker(module="jq.server"))
    yield made
    made.close()


@pytest.fixture
def ask(pool: Pool) -> Callable[..., bytes]:
    """Return ``ask(program, data=b"null", seconds=10)`` -> what it prints."""

    def run(program: bytes, data: bytes = b"null", seconds: float = 10.0) -> bytes:
        return output(pool, request(program, data), seconds)

    return run
