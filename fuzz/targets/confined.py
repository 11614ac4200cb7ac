"""What a worker that runs scripts sends: questions, calls and a result, or the end of a failed run."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import get_args
from unittest import mock

from fuzz.pieces import WorkerOutput, ended_child, promise
from sandhook.errors import ErrorPlace
from sandhook.interp.beginning import Script, Streams
from sandhook.interp.result import Result
from sandhook.isolation import remote, wire
from sandhook.isolation.files import copies_of
from sandhook.isolation.pool import ShellWorker
from sandhook.kernel.settings import Settings
from sandhook.limits import Limits
from sandhook.net.network import Network
from sandhook.vfs.base import FileSystem
from sandhook.vfs.delta import DeltaEntry, encode
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath
from sandhook.worker import client, frames
from sandhook.worker.confine.report import Report
from sandhook.worker.greeting import with_greeting

WORDS = (
    *(frames.HEADER.pack(kind, size).decode("latin-1") for kind in range(80, 90) for size in (4, 12, 30)),
    "stat",
    "/workspace",
    "../..",
    '"blocks": [0, 0, 0]',
    '"whiteouts": ["/a"]',
)

_LIMITS = Limits()

HEADER: dict[str, object] = {
    "status": 0,
    "limit": None,
    "failure": None,
    "truncated": False,
    "stdout_truncated": False,
    "duration": 0.0,
    "syntax_error": None,
    "defect": None,
    "not_started": None,
    "outermost": False,
    "signal": None,
    "script_status": None,
    "interrupted": False,
    "notes": [],
    "whiteouts": [],
}


def frame(kind: int, payload: bytes) -> bytes:
    return frames.HEADER.pack(kind, len(payload)) + payload


def seeds() -> Iterable[bytes]:
    changes = encode([DeltaEntry(VirtualPath("/workspace/a"), 0o100644, content=b"x")])
    error = {
        "message": "m",
        "source": "s",
        "span": [0, 1],
        "line": 1,
        "column": 1,
        "token": "t",
        "name": "n",
        "incomplete": False,
        "where": "quote",
        "repeats": "line",
    }
    yield b"\0" + frame(wire.RESULT, wire.pack(HEADER, b"out", b"err", changes))
    yield b"\1" + frame(wire.RESULT, wire.pack({**HEADER, "whiteouts": ["/tmp"]}, b"", b"", changes))
    yield b"\0" + frame(wire.RESULT, wire.pack({**HEADER, "syntax_error": error}, b"", b"", b""))
    elsewhere = {**error, "where": "here", "span": [-9, 1 << 70]}
    yield b"\0" + frame(wire.RESULT, wire.pack({**HEADER, "syntax_error": elsewhere}, b"", b"", b""))
    far = {**error, "span": [-9, 1 << 70], "line": -1}
    yield b"\0" + frame(wire.RESULT, wire.pack({**HEADER, "syntax_error": far}, b"", b"", b""))
    operations = (
        ["stat", "/tmp", True],
        ["open", "/etc/passwd", 1, 0],
        ["read_at", 1, 0, 9],
        ["listdir", "/"],
    )
    questions = b"".join(frame(wire.FILES, wire.join(each)) for each in operations)
    yield b"\2" + questions + frame(wire.RESULT, wire.pack(HEADER, b"", b"", b""))
    call = wire.CHANNEL.pack(1) + wire.CALL_HEAD.pack(wire.JQ, 2) + b"{}"
    fetch = wire.CHANNEL.pack(2) + wire.join(
        {
            "method": "GET",
            "url": ["http", "example.com", 80, "/"],
            "headers": [],
            "has_body": False,
            "seconds": 1.0,
            "connect_seconds": None,
        }
    )
    yield b"\0" + frame(wire.CALL, call) + frame(wire.FETCH, fetch) + frame(wire.OUTPUT, b"x")
    yield b"\0" + frame(wire.INPUT, wire.INPUT_HEAD.pack(0.0, 9))
    yield b"\0" + frame(wire.INPUT, wire.INPUT_HEAD.pack(float("nan"), 1 << 31))
    yield b"\0" + frame(wire.INPUT, b"short")
    yield b"\0" + frame(wire.RESULT, wire.pack({**HEADER, "status": float("inf")}, b"", b"", b""))


def _files(kind: int) -> FileSystem:
    if kind % 3 == 0:
        return MemoryFileSystem()
    lower = MemoryFileSystem()
    return OverlayFileSystem(lower) if kind % 3 == 1 else MountTable(lower)


def target(data: bytes) -> None:
    fs = _files(data[0] if data else 0)
    check(*run(fs, data[1:]))
    promise(fs.is_dir(VirtualPath("/")), "the files remain files")


def run(fs: FileSystem, output: bytes) -> tuple[Result, bool]:
    """Return the result of a run whose worker writes ``output``, and whether the worker can be used again."""
    pipe = WorkerOutput(frame(frames.READY, with_greeting(Report().encode())) + output)
    child = ended_child()
    with (
        mock.patch("sandhook.worker.launch.start_command", lambda command: child),
        mock.patch.object(client, "os", SimpleNamespace(read=pipe.read)),
        mock.patch.object(client, "sqlite_pool", lambda: _Pool()),
        mock.patch.object(client, "POOL", _Pool()),
    ):
        streams = Streams(_read, lambda data: None)
        request = remote.RemoteRun(Script(""), streams, Settings(start_files=False), True, Network([]))
        files = remote._Files(fs, copies_of(fs))
        return remote._Remote(ShellWorker(1 << 30), files, _LIMITS, request).result({}, "/workspace")


def _read(count: int, seconds: float) -> bytes:
    """Stand for the caller's standard input."""
    promise(0 <= seconds < 1e10 and 0 < count + 1 <= 1 << 21, "a wait for input is bounded", (count, seconds))
    return b"x"


class _Pool:
    """The workers of jq and SQLite: they answer nothing."""

    def call(self, *arguments: object) -> None:
        return


def check(result: Result, sound: bool) -> None:
    """Check the result of a run whose worker may be hostile."""
    promise(0 <= result.exit_status <= 255, "the exit status has 8 bits", result.exit_status)
    promise(result.limit is None or result.limit in Limits._fields, "a limit is one of Limits", result.limit)
    promise(sound or result.exit_status != 0 or result.failure is None, "a failed run is no success")
    if (error := result.syntax_error) is not None:
        promise(str(error) != "" and error.where in get_args(ErrorPlace), "a syntax error is one of ours")
    own = type(result.defect).__name__
    promise(result.defect is None or own == "RemoteDefect", "what a worker sends is no defect", own)
    size = len(result.stdout_bytes) + len(result.stderr_bytes)
    promise(size <= 2 * _LIMITS.output_bytes, "output is bounded", size)
