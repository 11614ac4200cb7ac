"""Frames of a worker process, and requests to it: bytes on a pipe are a frame, or the end of the worker."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from unittest import mock

from fuzz.pieces import WorkerOutput, ended_child, promise
from sandhook.errors import WorkerError
from sandhook.worker import client, frames
from sandhook.worker.client import OutOfTime, Pool, Worker, WorkerDied
from sandhook.worker.confine.report import Report
from sandhook.worker.greeting import with_greeting
from sandhook.worker.requests import NativeRequest, Request

WORDS = tuple(frames.HEADER.pack(kind, size).decode("latin-1") for kind in range(1, 10) for size in (0, 1, 9))

#: The version that workers and their host have here, so that seeds outlast a release.
VERSION = mock.patch("sandhook.worker.greeting.__version__", "0")


def seeds() -> Iterable[bytes]:
    with VERSION:
        report = with_greeting(Report().encode())
    ready = frames.HEADER.pack(frames.READY, len(report)) + report
    done = (
        frames.HEADER.pack(frames.DONE, frames.DONE_HEAD.size + 2)
        + frames.DONE_HEAD.pack(1, 2, 0, 0, 0)
        + b"1\n"
    )
    failed = (
        frames.HEADER.pack(frames.FAILED, frames.FAILED_HEAD.size + 3)
        + frames.FAILED_HEAD.pack(0, 1)
        + b"bad"
    )
    yield ready + frames.HEADER.pack(frames.OUTPUT, 3) + b"{}\n" + done
    yield (
        ready
        + failed
        + frames.HEADER.pack(frames.ALSO, 1)
        + b"x"
        + frames.HEADER.pack(frames.BROKEN, 3)
        + b"why"
    )
    yield ready + frames.HEADER.pack(frames.MEMORY, 0)
    yield done


def target(data: bytes) -> None:
    pipe = WorkerOutput(data)
    child = ended_child()
    frames_read: list[tuple[int, bytes]] = []
    host = SimpleNamespace(read=pipe.read)
    with (
        mock.patch("sandhook.worker.launch.start", lambda module: child),
        VERSION,
        mock.patch.object(client, "os", host),
        mock.patch.object(Worker, "kill", lambda self: None),
    ):
        pool: Pool[Worker] = Pool()
        try:
            pool.call(
                Request(b".", data), lambda: 5.0, lambda kind, payload: frames_read.append((kind, payload))
            )
        except (WorkerDied, WorkerError, OutOfTime):
            promise(not pool._busy, "a worker that failed is dropped")
            return
    last, _ = frames_read[-1]
    shortest = frames.SHORTEST["jq.native" if client.NATIVE else "jq.server"]
    promise(last in (frames.DONE, frames.BROKEN), "the last frame ends the answer", last)
    for kind, payload in frames_read:
        promise(len(payload) >= shortest.get(kind, 0), "a frame has its fields", kind)
    promise(sum(len(payload) for _, payload in frames_read) <= len(data), "frames have what the worker wrote")
    check_requests(data)


def check_requests(data: bytes) -> None:
    """Encode requests of these bytes, and read them as a worker does."""
    half = len(data) // 2
    frame = Request(data[:half], data[half:], variables=data[:3], probe=data[-2:]).encode(1.0)
    *_, program, variables, body, probe = frames.REQUEST.unpack_from(frame)
    promise(
        len(frame) == frames.REQUEST.size + program + variables + body + probe, "a request has its lengths"
    )
    frame = NativeRequest(data[:half], data[half:]).encode(1.0)
    _, header, body = frames.NATIVE.unpack_from(frame)
    start = frames.NATIVE.size
    promise(
        frame[start : start + header] + frame[start + header :] == data and body == len(data) - half,
        "a request",
    )
