"""What the worker of an isolated run sends: a result, or a failure; the host's files stay sound."""

from __future__ import annotations

import json
from collections.abc import Iterable
from types import SimpleNamespace
from typing import cast
from unittest import mock

from fuzz.pieces import Pieces, promise
from fuzz.targets.scripts import LIMITS
from fuzz.targets.snapshots import state
from sandhook.interp.result import Result
from sandhook.isolation import relay, wire
from sandhook.isolation.files import SharedFiles
from sandhook.isolation.pool import ShellWorker
from sandhook.isolation.remote import RemoteRun, _Remote
from sandhook.vfs.delta import DeltaEntry, encode
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath
from sandhook.worker.client import WorkerDied

KINDS = (wire.RESULT, wire.RESULT, wire.OUTPUT, wire.ERRORS, wire.INPUT, wire.CALL, wire.ANSWER, 0)

WORDS = (
    *(
        '"status": ',
        '"limit": "steps"',
        '"blocks": [',
        '"defect": ["E", "x"]',
        '"span": [0, 1]',
        "1e999",
        "null",
    ),
    *("[[[[", "\0\0\0\0", "/a", "/a/b", "/../x", "\x81\xa4", "\x41\xed", "\xa1\xff", "true", "-1"),
)

_HEADER: dict[str, object] = {
    "status": 3,
    "limit": None,
    "failure": None,
    "truncated": False,
    "stdout_truncated": False,
    "duration": 0.5,
    "syntax_error": None,
    "defect": None,
    "not_started": None,
    "signal": None,
    "interrupted": False,
    "notes": [],
}

_SYNTAX_ERROR = {
    "message": "m",
    "source": "s",
    "span": [0, 1],
    "line": 1,
    "column": 1,
    "token": "",
    "name": "n",
    "incomplete": False,
    "where": "",
    "repeats": "",
}


def seeds() -> Iterable[bytes]:
    entries = [
        DeltaEntry(VirtualPath("/d"), 0o040755, 0, 0, 1, 2),
        DeltaEntry(VirtualPath("/d/f"), 0o100644, 0, 0, 1, 2, b"text"),
        DeltaEntry(VirtualPath("/l"), 0o120777, 0, 0, 1, 2, b"d/f"),
        DeltaEntry(VirtualPath("/p"), 0o010600, 0, 0, 1, 2),
        DeltaEntry(VirtualPath("/old"), 0),
    ]
    headers: list[dict[str, object]] = [
        _HEADER,
        {**_HEADER, "syntax_error": _SYNTAX_ERROR},
        {**_HEADER, "limit": "steps", "defect": ["E", "x"], "notes": ["n"], "signal": "TERM"},
    ]
    for header in headers:
        yield b"\0" + wire.pack(header, b"out", b"err", encode(entries))
    yield b"\1" + encode(entries)
    for kind, payload in (
        (2, b"out"),
        (4, wire.INPUT_HEAD.pack(1.0, 5)),
        (5, wire.CALL_HEAD.pack(0, 2) + b"{}x"),
    ):
        yield bytes([2 + kind]) + payload


def target(data: bytes) -> None:
    pieces = Pieces(data)
    choice = pieces.number(2 + len(KINDS))
    payload = pieces.rest()
    frames = [(wire.RESULT, payload)]
    if choice == 1:
        frames = [(wire.RESULT, wire.pack(_HEADER, b"", b"", payload))]
    elif choice > 1:
        frames = [(KINDS[choice - 2], payload), (wire.RESULT, wire.pack(_HEADER, b"", b"", b""))]
    fs = MemoryFileSystem(uid=0, bare=True)
    fs.write_bytes(VirtualPath("/old"), b"old")
    before = state(fs)
    saved = fs.snapshot()
    result, sound = run(fs, frames)
    promise(0 <= result.exit_status <= 255, "an exit status has 8 bits", result)
    if not sound and result.limit is None and result.defect is None:
        promise(state(fs) == before, "a failure changes no file", payload)
    json.dumps(sorted(map(str, state(fs))))
    fs.restore(saved)
    promise(state(fs) == before, "a snapshot is restored after a run", payload)


def run(fs: MemoryFileSystem, frames: list[tuple[int, bytes]]) -> tuple[Result, bool]:
    """Return the result of a run whose worker sends these frames and then dies, and whether it kept the protocol."""
    pending = list(frames)

    def frame() -> tuple[int, bytes]:
        if not pending:
            raise WorkerDied("it has ended")
        return pending.pop(0)

    worker = SimpleNamespace(
        extend=lambda seconds: None,
        ready=lambda: None,
        send=lambda kind, payload: None,
        frame=frame,
        files=None,
        most_bytes=0,
    )
    request = RemoteRun(
        *(
            "true",
            (),
            "s",
            False,
            None,
            lambda count, seconds: b"x" * 9,
            lambda data: None,
            lambda data: None,
        ),
        *("kill", False, None),
    )
    with mock.patch.object(relay, "call", call):
        remote = _Remote(cast("ShellWorker", worker), SharedFiles(fs), LIMITS, request)
        return remote.result({}, "/")


def call(payload: bytes, *arguments: object) -> None:
    """Read a request for jq or SQLite, which does not run."""
    relay._request(payload)
