"""Tasks, the virtual clock, and the end of a run."""

from __future__ import annotations

import gc
from contextvars import ContextVar
from threading import Thread

import pytest
from greenlet import getcurrent, greenlet

from sandhook import Shell
from sandhook.errors import LimitExceeded
from sandhook.kernel.scheduler import Scheduler
from sandhook.limits import Budget, Limits


def make(**limits: float) -> Scheduler:
    return Scheduler(Budget(Limits().with_(**limits)))


def test_tasks_take_turns() -> None:
    scheduler = make()
    seen: list[str] = []

    def body(name: str) -> None:
        for turn in range(3):
            seen.append(f"{name}{turn}")
            scheduler.yield_to_others()

    for name in "ab":
        scheduler.spawn(lambda name=name: body(name), None)
    scheduler.run(lambda: len(seen) == 6)
    assert seen == ["a0", "b0", "a1", "b1", "a2", "b2"]


def test_sleep_jumps_when_everybody_waits() -> None:
    scheduler = make(wall_seconds=100)
    woken: list[tuple[str, float]] = []

    def body(name: str, seconds: float) -> None:
        scheduler.sleep(seconds)
        woken.append((name, round(scheduler.budget.elapsed())))

    scheduler.spawn(lambda: body("late", 50), None)
    scheduler.spawn(lambda: body("early", 20), None)
    scheduler.run(lambda: len(woken) == 2)
    assert woken == [("early", 20), ("late", 50)]


def test_a_sleep_beyond_the_limit_times_out_at_once() -> None:
    scheduler = make(wall_seconds=5)
    scheduler.spawn(lambda: scheduler.sleep(60), None)
    with pytest.raises(LimitExceeded) as caught:
        scheduler.run(lambda: False)
    assert (caught.value.limit, caught.value.maximum) == ("wall_seconds", 5)
    scheduler.close()


def test_a_sleep_below_the_limit_does_not() -> None:
    scheduler = make(wall_seconds=5)
    done: list[bool] = []
    scheduler.spawn(lambda: (scheduler.sleep(4.5), done.append(True)), None)
    scheduler.run(lambda: bool(done))


def test_waiting_for_nobody_is_a_timeout() -> None:
    scheduler = make()
    scheduler.spawn(scheduler.block, None)
    with pytest.raises(LimitExceeded, match="wall_seconds"):
        scheduler.run(lambda: False)
    scheduler.close()


def test_what_escapes_a_task_ends_the_run() -> None:
    scheduler = make()

    def fail() -> None:
        raise ZeroDivisionError("a defect")

    scheduler.spawn(fail, None)
    with pytest.raises(ZeroDivisionError):
        scheduler.run(lambda: False)


def test_close_unwinds_what_is_left() -> None:
    scheduler = make()
    unwound: list[bool] = []

    def body() -> None:
        try:
            scheduler.sleep(1)
        finally:
            unwound.append(True)

    scheduler.spawn(body, None)
    scheduler.spawn(lambda: None, None)
    turns = iter([False, False, True])
    scheduler.run(lambda: next(turns))
    scheduler.close()
    assert unwound == [True]


def test_call_fresh_goes_deeper_than_pythons_stack() -> None:
    scheduler = make()
    results: list[int] = []

    def descend(depth: int) -> int:
        if depth == 0:
            return 0
        if depth % 100 == 0:
            return 1 + scheduler.call_on_new_stack(lambda: descend(depth - 1))
        return 1 + descend(depth - 1)

    scheduler.spawn(lambda: results.append(descend(5_000)), None)
    scheduler.run(lambda: bool(results))
    assert results == [5_000]


def test_call_fresh_carries_exceptions_across() -> None:
    scheduler = make()
    seen: list[str] = []

    def fail() -> None:
        raise KeyError("inner")

    def body() -> None:
        try:
            scheduler.call_on_new_stack(fail)
        except KeyError as error:
            seen.append(str(error))

    scheduler.spawn(body, None)
    scheduler.run(lambda: bool(seen))
    assert seen == ["'inner'"]


NAME: ContextVar[str] = ContextVar("NAME", default="nobody")


def run_tasks(*bodies: object) -> None:
    """Run tasks one after the other, each in a scheduler of its own."""
    for body in bodies:
        scheduler, ended = make(), []
        scheduler.spawn(lambda body=body, ended=ended: ended.append(body()), None)
        scheduler.run(lambda ended=ended: bool(ended))
        scheduler.close()


def test_a_greenlet_serves_a_later_run_in_a_fresh_context() -> None:
    seen: list[object] = []

    def body() -> None:
        seen.extend((getcurrent(), NAME.get()))
        NAME.set("somebody")

    run_tasks(body, body)
    assert seen[0] is seen[2]
    assert seen[1::2] == ["nobody", "nobody"]


def test_a_task_that_is_ended_from_outside_leaves_no_greenlet() -> None:
    seen: list[object] = []
    scheduler = make()
    scheduler.spawn(lambda: (seen.append(getcurrent()), scheduler.block()), None)
    scheduler.spawn(lambda: seen.append(""), None)
    scheduler.run(lambda: len(seen) == 2)
    scheduler.close()
    run_tasks(lambda: seen.append(getcurrent()))
    assert seen[0].dead  # type: ignore[attr-defined]
    assert seen[2] is not seen[0]


def test_a_wake_up_of_a_task_that_has_ended_reaches_no_later_one() -> None:
    scheduler = make()
    seen: list[str] = []
    tasks = [scheduler.spawn(lambda: seen.append("first"), None)]
    scheduler.run(lambda: bool(seen))

    def second() -> None:
        scheduler.block()
        seen.append("woken")

    assert scheduler.spawn(second, None) is tasks[0]  # the same greenlet
    scheduler._ready.appendleft((tasks[0], None))  # left over from the first task, before the second begins
    scheduler.spawn(lambda: seen.append("third"), None)
    scheduler.run(lambda: len(seen) == 2)
    scheduler.close()
    assert seen == ["first", "third"]


def test_a_run_within_a_run_takes_no_idle_greenlet() -> None:
    inner: list[object] = []
    outer: list[object] = []

    def body() -> None:
        outer.append(getcurrent())
        run_tasks(lambda: inner.append(getcurrent().parent))

    run_tasks(lambda: None, body)
    assert inner == outer


def test_idle_greenlets_end_with_their_thread() -> None:
    def work() -> None:
        assert Shell().run("echo a | cat | grep a; (echo b); sleep 9 &").stdout == "a\nb\n"

    def count() -> int:
        gc.collect()
        return sum(isinstance(each, greenlet) for each in gc.get_objects())

    work()
    before = count()
    for _ in range(20):
        thread = Thread(target=work)
        thread.start()
        thread.join()
    assert count() < before + 20  # the system may not have ended the last thread yet
