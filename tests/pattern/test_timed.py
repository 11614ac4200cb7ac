"""Searches whose engine counts processor time end by real time, whatever else the machine and the process do."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandhook.errors import LimitExceeded
from sandhook.limits import Limits
from sandhook.pattern.timed import search_in_time

LIMITS = Limits(wall_seconds=5.0)


class Machine:
    """An engine whose clock runs ``speed`` times as fast as real time, and a search that needs some of its seconds."""

    def __init__(self, needed: float, speed: Callable[[float], float]) -> None:
        self.now = 0.0
        self.needed = needed
        self.speed = speed

    def __call__(self, *, timeout: float) -> str:
        spent, step = 0.0, 0.001
        while spent < min(self.needed, timeout):
            self.now += step
            spent += step * self.speed(self.now)
        if self.needed > timeout:
            raise TimeoutError
        return "found"

    def remaining(self) -> float:
        return max(0.0, LIMITS.wall_seconds - self.now)

    def search(self, longest: float = float("inf")) -> str:
        return search_in_time(self, self.remaining, longest, LIMITS, clock=lambda: self.now)


SPEEDS: dict[str, Callable[[float], float]] = {
    "quiet": lambda now: 1.0,
    "busy": lambda now: 0.25,
    "very busy": lambda now: 0.02,
    "four threads": lambda now: 4.0,
    "busy later": lambda now: 1.0 if now < 1 else 0.5,
    "quiet later": lambda now: 0.2 if now < 1 else 1.0,
}


@pytest.mark.parametrize("speed", SPEEDS)
def test_a_search_without_end_uses_the_time_and_hardly_more(speed: str) -> None:
    machine = Machine(float("inf"), SPEEDS[speed])
    with pytest.raises(LimitExceeded) as caught:
        machine.search()
    assert caught.value.limit == "wall_seconds"
    most = {"busy later": 9.0}.get(speed, 5.3)
    assert machine.now <= most
    assert machine.now > 2.0


@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("seconds", [0.01, 0.3, 1.0])
def test_a_search_ends_if_there_is_time_for_it(speed: str, seconds: float) -> None:
    """Its own share of the processor may be smaller than one, or next to other threads the clock faster."""
    machine = Machine(seconds * min(1.0, SPEEDS[speed](0)), SPEEDS[speed])
    assert machine.search() == "found"
    assert machine.now <= LIMITS.wall_seconds


def test_on_a_quiet_machine_a_search_may_use_four_fifths_of_the_time() -> None:
    assert Machine(3.9, SPEEDS["quiet"]).search() == "found"


@pytest.mark.parametrize("speed", SPEEDS)
def test_the_memory_of_its_stack_bounds_a_search(speed: str) -> None:
    with pytest.raises(LimitExceeded) as caught:
        Machine(float("inf"), SPEEDS[speed]).search(longest=0.05)
    assert caught.value.limit == "memory_bytes"


def test_an_engine_without_memory_is_a_limit() -> None:
    def fail(*, timeout: float) -> str:
        raise MemoryError

    with pytest.raises(LimitExceeded) as caught:
        search_in_time(fail, lambda: 1.0, 1.0, LIMITS)
    assert caught.value.limit == "memory_bytes"


def test_a_search_does_not_begin_without_time() -> None:
    with pytest.raises(LimitExceeded):
        search_in_time(Machine(0.0, SPEEDS["quiet"]), lambda: 0.0, 1.0, LIMITS)
