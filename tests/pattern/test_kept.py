"""What threads share: the bound of compiled expressions, and the cache of parsed scripts."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandhook.pattern.kept import Kept
from sandhook.syntax import parse
from sandhook.syntax.cache import ScriptCache
from sandhook.syntax.options import DEFAULT_OPTIONS


class Item:
    released = 0

    def release(self) -> None:
        self.released += 1


@pytest.fixture
def switching() -> Iterator[None]:
    """Let threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(work: Callable[[int, int], None]) -> None:
    def many(thread: int) -> None:
        for turn in range(4_000):
            work(thread, turn)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(many, range(4)))


@pytest.mark.usefixtures("switching")
def test_threads_may_add_expressions_at_once() -> None:
    kept = Kept(1_000, 300)
    items = [Item() for _ in range(50)]
    in_threads(lambda thread, turn: kept.add(items[(turn * 7 + thread) % 50] if turn % 3 else Item(), 100))
    kept.add(items[0], 100)
    gc.collect()
    assert kept.total() <= 1_000
    assert sum(item.released for item in items) > 100


@pytest.mark.usefixtures("switching")
def test_threads_may_share_a_cache_of_scripts() -> None:
    cache = ScriptCache(5, 100)

    def work(thread: int, turn: int) -> None:
        text = f"echo {turn * 7 % 40 + thread}"
        cache.put(text, DEFAULT_OPTIONS, ())
        cache.get(text, DEFAULT_OPTIONS)

    in_threads(work)
    assert len(cache) <= 5
    assert cache._characters == sum(len(text) for text, _ in cache._units)
    units = parse("echo x")
    cache.put("echo x", DEFAULT_OPTIONS, units)
    assert cache.get("echo x", DEFAULT_OPTIONS) is units
