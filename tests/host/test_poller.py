"""Pipes to and from programs, and waiting for them without threads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sandhook.host.children import Supervisor
from sandhook.host.poller import Poller, inbound, outbound, read_some, unread_bytes, write_some
from tests.host.programs import LONG, Left, posix, read_all, shell, spawn, until, wait


def closed(*fds: int) -> None:
    for fd in fds:
        os.close(fd)


def pollers() -> list[Callable[[], Poller]]:
    """Return the ways in which ends of children are noticed here."""
    if os.name == "nt":
        return [Poller]
    return [Poller, lambda: Poller(handles=False)]


@pytest.fixture(params=pollers(), ids=["handles", "looks"][: len(pollers())])
def poller(request: pytest.FixtureRequest) -> object:
    made = request.param()
    yield made
    made.close()


class TestPipes:
    def test_reading_does_not_wait(self) -> None:
        ours, theirs = inbound()
        assert read_some(ours, 10) is None
        os.write(theirs, b"abc")
        assert read_some(ours, 2) == b"ab"
        assert read_some(ours, 2) == b"c"
        assert read_some(ours, 2) is None
        os.write(theirs, b"d")
        closed(theirs)
        assert read_some(ours, 2) == b"d"
        assert read_some(ours, 2) == b""
        assert read_some(ours, 2) == b""
        closed(ours)

    def test_writing_does_not_wait(self) -> None:
        theirs, ours = outbound()
        total = 0
        while taken := write_some(ours, b"x" * 10_000):
            total += taken
        assert total >= 4096
        assert write_some(ours, b"x") == 0
        assert len(os.read(theirs, 8192)) == 8192
        assert 0 < write_some(ours, memoryview(b"y" * 10_000)) <= 10_000
        closed(theirs, ours)

    def test_writing_that_nobody_reads_is_an_error(self) -> None:
        theirs, ours = outbound()
        closed(theirs)
        with pytest.raises(BrokenPipeError):
            write_some(ours, b"x")
        closed(ours)

    @posix
    def test_writing_that_nobody_reads_does_not_end_a_host_with_the_default_action(self) -> None:
        code = """
import os, signal
from sandhook.host.poller import outbound, write_some
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
theirs, ours = outbound()
assert write_some(ours, b"abc") == 3
os.close(theirs)
for _ in range(2):
    try:
        write_some(ours, b"x")
    except BrokenPipeError:
        print("told", flush=True)
assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()
os.write(ours, b"x")
print("never", flush=True)
"""
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            timeout=LONG,
        )
        assert (done.stdout, done.returncode) == (b"told\ntold\n", -signal.SIGPIPE)

    def test_what_nobody_read_comes_back(self) -> None:
        theirs, ours = outbound()
        assert unread_bytes(theirs, 10) == b""
        write_some(ours, b"x" * 3000)
        assert unread_bytes(theirs, 1000) == b"x" * 1000
        assert unread_bytes(theirs, 10_000) == b"x" * 2000
        assert unread_bytes(theirs, 10_000) == b""
        closed(ours)
        assert unread_bytes(theirs, 10) == b""
        closed(theirs)

    @posix
    def test_the_childs_ends_wait_as_programs_expect(self) -> None:
        (theirs_in, ours_out), (ours_in, theirs_out) = outbound(), inbound()
        unread_bytes(theirs_in, 10)
        assert [os.get_blocking(fd) for fd in (theirs_in, theirs_out)] == [True, True]
        assert not any(os.get_inheritable(fd) for fd in (theirs_in, ours_out, ours_in, theirs_out))
        closed(theirs_in, ours_out, ours_in, theirs_out)


class TestPoller:
    def test_it_tells_of_data_once(self, poller: Poller) -> None:
        ours, theirs = inbound()
        told: list[str] = []
        poller.readable(ours, lambda: told.append("read"))
        assert not poller.wait(0)
        os.write(theirs, b"x")
        assert poller.wait(LONG)
        assert not poller.wait(0.01)
        assert told == ["read"]
        closed(theirs)
        assert not poller.wait(0)
        poller.readable(ours, lambda: told.append("end"))
        assert read_some(ours, 1) == b"x"
        assert poller.wait(LONG)
        assert told == ["read", "end"]
        closed(ours)

    def test_it_tells_of_room_once(self, poller: Poller) -> None:
        theirs, ours = outbound()
        told: list[str] = []
        poller.writable(ours, lambda: told.append("write"))
        assert poller.wait(LONG)
        assert not poller.wait(0.02)
        while write_some(ours, b"x" * 10_000):
            pass
        poller.writable(ours, lambda: told.append("room"))
        os.read(theirs, 60_000)
        assert poller.wait(LONG)
        assert told == ["write", "room"]
        poller.writable(ours, lambda: told.append("failure"))
        closed(theirs)
        assert poller.wait(LONG)
        assert told[-1] == "failure"
        closed(ours)

    @posix  # Windows does not always say it
    def test_it_tells_of_no_room_where_there_is_none(self, poller: Poller) -> None:
        theirs, ours = outbound()
        while write_some(ours, b"x" * 10_000):
            pass
        poller.writable(ours, lambda: pytest.fail("there is no room"))
        assert not poller.wait(0.05)
        poller.forget(ours)
        closed(theirs, ours)

    def test_it_tells_of_the_end_of_a_child_once(self, poller: Poller) -> None:
        told: list[int | None] = []
        with Supervisor() as supervisor:
            child = supervisor.start(spawn("import time; time.sleep(0.1); raise SystemExit(5)"))
            poller.ended(child, lambda: told.append(child.status))
            assert poller.wait(LONG)
            assert not poller.wait(0.01)
            poller.ended(child, lambda: told.append(-1))
            assert poller.wait(0)
        assert told == [5, -1]

    def test_it_tells_of_a_child_that_others_waited_for(self, poller: Poller) -> None:
        told: list[int] = []
        with Supervisor() as supervisor:
            child = supervisor.start(spawn("pass"))
            poller.ended(child, lambda: told.append(1))
            poller.ended(child, lambda: told.append(2))
            until(child.poll)
            assert poller.wait(LONG)
            if len(told) == 1:
                assert poller.wait(LONG)
        assert told == [1, 2]

    def test_all_that_is_ready_is_told_in_one_turn_data_first(self, poller: Poller) -> None:
        ours, theirs = inbound()
        told: list[str] = []
        with Supervisor() as supervisor:
            child = supervisor.start(spawn("print(1)", files={1: theirs}))
            poller.ended(child, lambda: told.append("end"))
            until(child.poll)
            poller.readable(ours, lambda: told.append("data"))
            assert poller.wait(LONG)
        assert told == ["data", "end"]
        closed(ours, theirs)

    def test_it_waits_no_longer_than_asked(self, poller: Poller) -> None:
        ours, theirs = inbound()
        poller.readable(ours, lambda: pytest.fail("nothing came"))
        with Supervisor() as supervisor:
            child = supervisor.start(spawn("import time; time.sleep(100)"))
            poller.ended(child, lambda: pytest.fail("it has not ended"))
            for seconds in (0, 0.001, 0.05):
                began = time.monotonic()
                assert not poller.wait(seconds)
                assert time.monotonic() - began >= seconds * 0.95
        poller.forget(ours)
        closed(ours, theirs)

    def test_without_watches_it_is_a_pause(self, poller: Poller) -> None:
        began = time.monotonic()
        assert not poller.wait(0.05)
        assert time.monotonic() - began >= 0.045
        assert not poller.wait(None)
        assert not poller.wait(0)

    def test_what_is_forgotten_is_not_told(self, poller: Poller) -> None:
        ours, theirs = inbound()
        os.write(theirs, b"x")
        poller.readable(ours, lambda: pytest.fail("forgotten"))
        poller.forget(ours)
        poller.forget(ours)
        assert not poller.wait(0)
        closed(ours, theirs)

    def test_a_call_may_watch_and_forget(self, poller: Poller) -> None:
        pairs = [inbound() for _ in range(3)]
        for _, theirs in pairs:
            os.write(theirs, b"x")
        told: list[int] = []

        def one(number: int) -> None:
            told.append(number)
            for ours, _ in pairs:
                poller.forget(ours)
            if len(told) == 1:
                poller.readable(pairs[0][0], lambda: one(9))

        for number, (ours, _) in enumerate(pairs):
            poller.readable(ours, lambda number=number: one(number))  # type: ignore[misc]
        assert poller.wait(LONG)
        while poller.wait(0):
            pass
        assert len(told) == 2 and told[1] == 9
        for pair in pairs:
            closed(*pair)

    def test_a_call_that_raises_leaves_the_others(self, poller: Poller) -> None:
        pairs = [inbound() for _ in range(2)]
        told: list[int] = []

        def one(number: int) -> None:
            told.append(number)
            raise KeyError(number)

        for number, (ours, theirs) in enumerate(pairs):
            os.write(theirs, b"x")
            poller.readable(ours, lambda number=number: one(number))  # type: ignore[misc]
        for _ in pairs:
            with pytest.raises(KeyError):
                poller.wait(LONG)
        assert sorted(told) == [0, 1]
        for pair in pairs:
            closed(*pair)

    def test_much_data_goes_both_ways(self, poller: Poller) -> None:
        """A program that copies its input: writing must not wait for reading, nor reading for writing."""
        before = Left()
        data = os.urandom(1 << 20)
        theirs_in, ours_out = outbound()
        ours_in, theirs_out = inbound()
        with Supervisor() as supervisor:
            child = supervisor.start(
                spawn(
                    "import sys\nwhile piece := sys.stdin.buffer.read1(): sys.stdout.buffer.write(piece)",
                    files={0: theirs_in, 1: theirs_out},
                )
            )
            closed(theirs_in, theirs_out)
            rest = memoryview(data)

            def give() -> None:
                nonlocal rest
                while rest and (taken := write_some(ours_out, rest)):
                    rest = rest[taken:]
                if rest:
                    poller.writable(ours_out, give)
                else:
                    closed(ours_out)

            poller.writable(ours_out, give)
            assert read_all(ours_in, poller) == data
            assert wait(child, poller) == 0
        del rest
        poller.close()
        assert Left() <= before

    def test_a_program_that_reads_nothing_does_not_hold_the_writer(self, poller: Poller) -> None:
        theirs, ours = outbound()
        with Supervisor() as supervisor:
            child = supervisor.start(spawn("raise SystemExit(4)", files={0: theirs}))
            closed(theirs)
            failed: list[bool] = []

            def give() -> None:
                try:
                    while write_some(ours, b"x" * 10_000):
                        pass
                except BrokenPipeError:
                    failed.append(True)
                else:
                    poller.writable(ours, give)

            poller.writable(ours, give)
            while not failed:
                assert poller.wait(LONG)
            assert wait(child, poller) == 4
        closed(ours)

    def test_what_a_program_leaves_of_its_input_comes_back(self, poller: Poller) -> None:
        theirs, ours = outbound()
        write_some(ours, b"first\nsecond\nthird\n")
        with Supervisor() as supervisor:
            text = "import os\nwhile os.read(0, 1) != b'\\n': pass"
            assert wait(supervisor.start(spawn(text, files={0: theirs})), poller) == 0
        assert unread_bytes(theirs, 100) == b"second\nthird\n"
        closed(theirs, ours)

    @posix
    def test_many_children_are_told_of(self, poller: Poller) -> None:
        told: set[int] = set()
        with Supervisor() as supervisor:
            for number in range(70):
                child = supervisor.start(shell(f"sleep 0.{number % 10}"))
                poller.ended(child, lambda number=number: told.add(number))  # type: ignore[misc]
            while len(told) < 70:
                assert poller.wait(LONG)

    @posix
    def test_a_signal_handler_of_the_host_runs_while_it_waits(self, poller: Poller) -> None:
        ours, theirs = inbound()

        def arrive(number: int, frame: object) -> None:
            os.write(theirs, b"x")

        before = signal.signal(signal.SIGALRM, arrive)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            told: list[bool] = []
            poller.readable(ours, lambda: told.append(True))
            assert poller.wait(LONG) and told
        finally:
            signal.signal(signal.SIGALRM, before)
            closed(ours, theirs)
