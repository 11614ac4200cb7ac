"""What frameworks leave open is collected in their own module's tests, which ignore it; no later test fails for it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def collected() -> Iterator[None]:
    yield
    gc.collect()
