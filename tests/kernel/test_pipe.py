"""Pipes are bounded, stream, and end as POSIX says."""

from __future__ import annotations

from sandhook.kernel.descriptor import Null
from sandhook.kernel.pipe import CAPACITY
from sandhook.kernel.process import Kernel
from sandhook.limits import Limits
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import ROOT


def two_processes(write, read):  # type: ignore[no-untyped-def]
    """Run a writer and a reader over one pipe; return their statuses."""
    kernel = Kernel(MemoryFileSystem(), Limits())
    reader, writer = kernel.pipe().ends()
    left = kernel.new_process(1, {1: writer}, ROOT)
    right = kernel.new_process(1, {0: reader}, ROOT)
    left.start(lambda: write(left))
    right.start(lambda: read(right))
    kernel.scheduler.run(lambda: left.done and right.done)
    assert not kernel.processes
    return left.status, right.status


def test_a_writer_waits_for_room() -> None:
    sizes: list[int] = []

    def write(process) -> int:  # type: ignore[no-untyped-def]
        process.descriptor(1).write(b"x" * (CAPACITY * 3))
        return 0

    def read(process) -> int:  # type: ignore[no-untyped-def]
        while data := process.descriptor(0).read(CAPACITY):
            sizes.append(len(data))
        return 0

    assert two_processes(write, read) == (0, 0)
    assert sum(sizes) == CAPACITY * 3
    assert max(sizes) <= CAPACITY


def test_a_writer_without_reader_dies_of_sigpipe() -> None:
    def write(process) -> int:  # type: ignore[no-untyped-def]
        while True:
            process.descriptor(1).write(b"y\n" * 1000)

    def read(process) -> int:  # type: ignore[no-untyped-def]
        process.descriptor(0).read(10)
        return 0

    assert two_processes(write, read) == (141, 0)


def test_read_until_leaves_the_rest() -> None:
    lines: list[bytes] = []

    def write(process) -> int:  # type: ignore[no-untyped-def]
        for piece in (b"on", b"e\ntwo\nth", b"ree"):
            process.descriptor(1).write(piece)
            process.kernel.scheduler.yield_to_others()
        return 0

    def read(process) -> int:  # type: ignore[no-untyped-def]
        description = process.descriptor(0)
        lines.append(description.read_until(b"\n", 100))
        lines.append(description.read_until(b"\n", 2))
        lines.append(description.read(100))
        while data := description.read(100):
            lines.append(data)
        return 0

    assert two_processes(write, read) == (0, 0)
    assert lines[:2] == [b"one\n", b"tw"]
    assert b"".join(lines[2:]) == b"o\nthree"


def test_descriptors_are_shared_and_counted() -> None:
    kernel = Kernel(MemoryFileSystem(), Limits())
    description = Null()
    parent = kernel.new_process(1, {1: description}, ROOT)
    child = parent.fork()
    assert description.references == 2
    child.end(0)
    assert description.references == 1
    parent.end(0)
    assert description.references == 0
