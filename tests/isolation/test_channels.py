"""Calls of a worker's run to jq and SQLite: several at the same time, and what a hostile worker can do with them."""

from __future__ import annotations

import gc
import weakref

import pytest

from sandhook.isolation import channels, relay, remote, wire
from sandhook.isolation.files import shared
from sandhook.isolation.pool import ShellWorker
from sandhook.limits import Limits
from sandhook.shell import Shell
from sandhook.vfs.memory import MemoryFileSystem
from tests.sandbox.tools import every

LIMITS = Limits(output_bytes=1 << 20, wall_seconds=30.0)


@pytest.mark.parametrize(
    "script",
    every(3, [
        "seq 15000 | jq -c . | jq -c . | jq -c . | tail -n 1",
        "seq 15000 | jq .",
        "seq 15000 | jq -c . | head -n 1",
        "echo 'select 1;' | sqlite3 | jq -c . | sqlite3 :memory: '.read /dev/stdin' ; echo $?",
        "seq 15000 | jq . | while read -r x; do [ $x = 500 ] && jq -n '\"inner\"'; done",
        "seq 15000 | jq . > a & seq 15000 | jq . > b; wait; cmp a b && wc -l < a",
    ]),
)  # fmt: skip
@pytest.mark.parametrize("streams", [False, True])
def test_programs_of_a_pipeline_use_workers_at_the_same_time(script: str, streams: bool) -> None:
    outputs = []
    for isolation in ("thread", "process"):
        pieces: list[bytes] = []
        shell = Shell(limits=LIMITS, isolation="thread" if isolation == "thread" else "process")
        result = shell.run(script, stdout=pieces.append if streams else None)
        outputs.append((b"".join(pieces) or result.stdout_bytes, result.stderr, result.exit_status))
        assert (result.failure, result.limit, result.defect) == (None, None, None)
    assert outputs[0] == outputs[1]


def channel(number: int, payload: bytes = b"") -> bytes:
    return wire.CHANNEL.pack(number) + payload


@pytest.mark.parametrize(
    "frames",
    [
        [(wire.CALL, b"")],
        [(wire.CALL, channel(1))],
        [(wire.CALL, channel(1, b"\x09\x00\x00\x00\x00"))],
        [(wire.CALL, channel(1, b"\x00\xff\xff\xff\xff"))],
        [(wire.ANSWER, channel(1, b"g"))],
        [(wire.NEXT, channel(1))],
        [(wire.FETCH, channel(1))],
        [(wire.FETCH, channel(1, wire.join({})))],
        [(wire.FILES, wire.join(["stat", "/", True]))],
    ],
)
def test_frames_of_calls_that_break_the_protocol_are_a_failed_run(
    monkeypatch: pytest.MonkeyPatch, frames: list[tuple[int, bytes]]
) -> None:
    shell = Shell(isolation="process")
    assert shell.run("echo x").stdout == "x\n"
    frame = ShellWorker.frame
    waiting = list(frames)

    def hostile(self: ShellWorker) -> tuple[int, bytes]:
        return waiting.pop(0) if waiting else frame(self)

    with monkeypatch.context() as patch:
        patch.setattr(ShellWorker, "frame", hostile)
        result = shell.run("while :; do :; done")
    assert result.failure is not None
    assert result.failure.startswith("the shell worker broke the protocol"), result.failure
    assert shell.run("echo y").stdout == "y\n"


@pytest.mark.parametrize(
    "frame",
    [
        (wire.INPUT, b"short"),
        (wire.INPUT, wire.INPUT_HEAD.pack(float("nan"), 9)),
        (wire.INPUT, wire.INPUT_HEAD.pack(float("inf"), 9)),
        (wire.INPUT, wire.INPUT_HEAD.pack(-1.0, 9)),
        (wire.INPUT, wire.INPUT_HEAD.pack(0.0, 1 << 31)),
        (wire.RESULT, wire.pack({"limit": None, "defect": None, "syntax_error": None, "whiteouts": [],
                                 "status": float("inf")}, b"", b"", b"")),
        (wire.RESULT, wire.pack({"limit": None, "defect": None, "syntax_error": None, "whiteouts": ["../a"],
                                 "status": 0}, b"", b"", b"")),
    ],
)  # fmt: skip
def test_numbers_and_paths_of_a_worker_are_checked(
    monkeypatch: pytest.MonkeyPatch, frame: tuple[int, bytes]
) -> None:
    asked = []

    def read(count: int, seconds: float) -> bytes:
        asked.append((count, seconds))
        return b""

    shell = Shell(isolation="process")
    with monkeypatch.context() as patch:
        patch.setattr(ShellWorker, "frame", lambda self: frame)
        patch.setattr(ShellWorker, "ready", lambda self: None)
        result = shell.run("echo x", stdin=read)
    assert result.failure is not None
    assert result.failure.startswith("the shell worker broke the protocol"), result.failure
    assert (asked, result.defect) == ([], None)


def test_the_channels_of_a_run_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "call", lambda line, payload: line.receive())
    shell = Shell(isolation="process")
    assert shell.run("echo x").stdout == "x\n"
    numbers = iter(range(1000))
    with monkeypatch.context() as patch:
        patch.setattr(ShellWorker, "frame", lambda self: (wire.CALL, channel(next(numbers))))
        result = shell.run("echo x")
    assert result.failure == "the shell worker broke the protocol: too many channels, or one that is open"
    assert next(numbers) == channels._MOST + 1


def test_a_result_while_a_call_is_open_ends_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "call", lambda line, payload: line.receive())
    shell = Shell(isolation="process")
    assert shell.run("echo x").stdout == "x\n"
    frame = ShellWorker.frame
    pids = []
    waiting = [(wire.CALL, channel(1))]

    def hostile(self: ShellWorker) -> tuple[int, bytes]:
        pids.append(self.pid)
        return waiting.pop() if waiting else frame(self)

    with monkeypatch.context() as patch:
        patch.setattr(ShellWorker, "frame", hostile)
        shell.run("echo x")
        first = pids[-1]
        assert shell.run("echo y").stdout == "y\n"
    assert pids[-1] != first


def test_a_deep_header_breaks_the_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell(isolation="process")
    deep = b"[" * 200_000
    payload = len(deep).to_bytes(4, "little") + deep
    with monkeypatch.context() as patch:
        patch.setattr(remote._Remote, "_converse", lambda self: payload)
        result = shell.run("echo x")
    assert result.failure is not None and "broke the protocol" in result.failure


@pytest.mark.usefixtures("few_objects")
def test_a_file_system_is_not_kept_alive_by_its_versions() -> None:
    fs = MemoryFileSystem()
    shared(fs)
    gone = weakref.ref(fs)
    del fs
    gc.collect()
    assert gone() is None
