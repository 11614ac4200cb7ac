"""The pump of the proxy: order, ends, and what is left of it when a hook or a side fails."""

from __future__ import annotations

from collections.abc import Callable
from io import BufferedReader, RawIOBase
from queue import Queue
from threading import Event, Thread

import pytest

from sandhook.bridges.mcp.pump import Pump, Task, Work

#: Seconds after which a test gives up on a thread that would never end.
PATIENCE = 30.0


class Side:
    """A side whose lines the test writes, and which a pump reads."""

    def __init__(self, pass_on: Callable[[bytes], None], work: Work) -> None:
        self.lines: Queue[bytes | Exception] = Queue()
        self.ended = Event()
        self.ends = 0
        self.pump = Pump(self._read, pass_on, work, self._at_end)

    def _read(self) -> bytes:
        line = self.lines.get(timeout=PATIENCE)
        if isinstance(line, Exception):
            raise line
        return line

    def _at_end(self) -> None:
        self.ends += 1
        self.ended.set()

    def write(self, *lines: bytes | Exception) -> None:
        for line in lines:
            self.lines.put(line)

    def finish(self) -> None:
        """Wait for the end, which must come once."""
        assert self.ended.wait(PATIENCE), "the pump never said that it ended"
        assert self.ends == 1


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def work(notes: list[str]) -> Work:
    return Work(notes.append)


def test_lines_pass_in_order_until_the_end(work: Work) -> None:
    passed: list[bytes] = []
    side = Side(passed.append, work)
    lines = [b"%d\n" % number for number in range(500)]
    side.write(*lines, b"")
    side.pump.start()
    side.finish()
    assert passed == lines


def test_the_end_of_one_side_is_not_that_of_the_other(work: Work) -> None:
    passed: list[bytes] = []
    one, other = Side(passed.append, work), Side(passed.append, work)
    one.pump.start()
    other.pump.start()
    one.write(b"")
    one.finish()
    assert not other.ended.is_set()
    other.write(b"x\n", b"")
    other.finish()
    assert passed == [b"x\n"]


class Pieces(RawIOBase):
    """A stream that gives its bytes in small pieces, as a pipe may."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        piece = self._pieces.pop(0) if self._pieces else b""
        memoryview(buffer)[: len(piece)] = piece  # type: ignore[arg-type]
        return len(piece)


def test_half_lines_and_a_large_message_pass_whole(work: Work) -> None:
    large = b"x" * 3_000_000 + b"\n"
    pieces = [
        b'{"a"',
        b": 1",
        b"}\n{",
        b"}\n",
        *(large[at : at + 1000] for at in range(0, len(large), 1000)),
        b"last",
    ]
    passed: list[bytes] = []
    ended = Event()
    Pump(BufferedReader(Pieces(pieces)).readline, passed.append, work, ended.set).start()
    assert ended.wait(PATIENCE)
    assert passed == [b'{"a": 1}\n', b"{}\n", large, b"last"]


def test_lines_pass_while_hooks_wait(work: Work) -> None:
    """Two tasks wait, one in a thread of the pump and one in the pool; the third line passes all the same."""
    go, passed = Event(), Queue[bytes]()
    done: list[bytes] = []

    def pass_on(line: bytes) -> None:
        passed.put(line)
        if line.startswith(b"call"):
            work.submit(lambda: done.append(line) if go.wait(PATIENCE) else None)

    side = Side(pass_on, work)
    side.pump.start()
    side.write(b"call 1\n", b"call 2\n", b"ping\n")
    assert [passed.get(timeout=PATIENCE) for _ in range(3)] == [b"call 1\n", b"call 2\n", b"ping\n"]
    assert done == []
    go.set()
    side.write(b"")
    side.finish()
    work.settle()
    assert sorted(done) == [b"call 1\n", b"call 2\n"]


def test_answers_of_the_other_side_pass_while_a_hook_waits(work: Work) -> None:
    go, answers = Event(), Queue[bytes]()
    client = Side(lambda line: work.submit(lambda: go.wait(PATIENCE) and None), work)
    server = Side(answers.put, work)
    client.pump.start()
    server.pump.start()
    client.write(b"call\n")
    server.write(b"answer\n")
    assert answers.get(timeout=PATIENCE) == b"answer\n"
    client.write(b"")
    assert not client.ended.wait(0.05), "the end overtook a hook"
    go.set()
    client.finish()
    server.write(b"")
    server.finish()


def test_settle_waits_for_all_that_was_submitted(work: Work) -> None:
    go, done = Event(), Queue[int]()

    def task(number: int) -> Task:
        return lambda: done.put(number) if go.wait(PATIENCE) else None

    for number in range(5):
        work.submit(task(number))
    settled = Event()
    Thread(target=lambda: (work.settle(), settled.set()), daemon=True).start()
    assert not settled.wait(0.05)
    go.set()
    assert settled.wait(PATIENCE)
    assert sorted(done.queue) == [0, 1, 2, 3, 4]


class Defect(Exception):
    pass


@pytest.mark.parametrize("count", [1, 2, 40])
def test_an_exception_in_a_hook_leaves_the_pump_at_work(count: int, work: Work, notes: list[str]) -> None:
    passed: list[bytes] = []

    def broken() -> None:
        raise Defect("of a hook")

    def pass_on(line: bytes) -> None:
        passed.append(line)
        if line == b"call\n":
            work.submit(broken)

    side = Side(pass_on, work)
    side.write(*[b"call\n", b"ping\n"] * count, b"")
    side.pump.start()
    side.finish()
    work.settle()
    assert passed == [b"call\n", b"ping\n"] * count
    assert notes == ["hooks failed: Defect: of a hook"] * count


def test_an_exception_for_a_line_leaves_the_pump_at_work(work: Work, notes: list[str]) -> None:
    passed: list[bytes] = []

    def pass_on(line: bytes) -> None:
        if line == b"bad\n":
            raise Defect("of a line")
        passed.append(line)

    side = Side(pass_on, work)
    side.write(b"bad\n", b"good\n", b"bad\n", b"bad\n", b"last\n", b"")
    side.pump.start()
    side.finish()
    assert passed == [b"good\n", b"last\n"]
    assert notes == ["a message was not passed on: Defect: of a line"] * 3


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), ValueError("read of closed file")])
def test_a_side_that_cannot_be_read_has_ended(error: Exception, work: Work, notes: list[str]) -> None:
    passed: list[bytes] = []
    side = Side(passed.append, work)
    side.write(b"x\n", error)
    side.pump.start()
    side.finish()
    assert passed == [b"x\n"]
    assert notes == [f"a side could not be read: {error.__class__.__name__}: {error}"]
