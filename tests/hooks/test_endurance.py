"""Ten thousand fires of one engine: each within a millisecond, and nothing kept."""

from __future__ import annotations

import pytest

from benchmarks.hooks import measure


def test_a_few_fires_keep_nothing() -> None:
    figures = measure(300)
    assert figures.objects[1] - figures.objects[0] < 3_000


@pytest.mark.slow
def test_ten_thousand_fires() -> None:
    figures = measure(10_000)
    assert figures.objects[1] - figures.objects[0] < 3_000  # what caches with a bound may still take
    assert figures.memory[1] - figures.memory[0] < 4_096
