"""A worker that sends messages of another form: the run fails, and the host's files stay as they were."""

from __future__ import annotations

from typing import Any

import pytest

from fuzz.targets.confined import HEADER, frame, run
from sandhook.isolation import wire
from sandhook.vfs.delta import DeltaEntry, encode
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath

FILE = 0o100644
CHANGES = encode([DeltaEntry(VirtualPath("/new"), 0o100644, content=b"x")])


def ran(kind: int, payload: bytes) -> tuple[Any, bool, bool]:
    """Return the result, whether the worker is sound, and whether its change was applied."""
    fs = MemoryFileSystem(uid=0, bare=True)
    result, sound = run(fs, frame(kind, payload))
    return result, sound, fs.exists(VirtualPath("/new"))


def test_a_result_brings_its_changes() -> None:
    result, sound, changed = ran(wire.RESULT, wire.pack({**HEADER, "status": 3}, b"out", b"", CHANGES))
    assert (result.exit_status, result.stdout, sound, changed) == (3, "out", True, True)


@pytest.mark.parametrize("field", sorted(HEADER.keys() - {"duration"}))
def test_a_result_without_a_field_changes_nothing(field: str) -> None:
    header = {key: value for key, value in HEADER.items() if key != field}
    result, sound, changed = ran(wire.RESULT, wire.pack(header, b"", b"", CHANGES))
    assert "broke the protocol" in result.failure
    assert not sound and not changed


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (wire.RESULT, wire.pack({**HEADER, "status": float("inf")}, b"", b"", CHANGES)),
        (wire.RESULT, wire.pack({**HEADER, "syntax_error": {"span": [1, 2, 3]}}, b"", b"", CHANGES)),
        (wire.RESULT, b"\x40\x00\x01\x00" + b"[" * 65600),
        (wire.INPUT, b"short"),
        (wire.CALL, b""),
        (99, b""),
    ],
    ids=["infinity", "fields", "depth", "input", "call", "kind"],
)
def test_a_message_of_another_form_is_a_failure(kind: int, payload: bytes) -> None:
    result, sound, changed = ran(kind, payload)
    assert "broke the protocol" in result.failure
    assert not sound and not changed


def entries(*named: tuple[str, bytes]) -> bytes:
    return encode([DeltaEntry(VirtualPath(path), FILE, content=content) for path, content in named])


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        (entries(("/new", bytes(600)), ("/old", bytes(500))), "100 bytes"),
        (entries(*((f"/new{number}", b"") for number in range(60))), "names"),
        (encode([DeltaEntry(VirtualPath("/" + "d/" * 60 + "new"), FILE)]), "names"),
        (encode([DeltaEntry(VirtualPath("/new"), 0o120777, content=b"a" * 1001)]), "bytes"),
        (entries(*((f"/new{number}", bytes(100)) for number in range(30))), "bytes"),
    ],
    ids=["bytes", "names", "directories", "link", "many"],
)
def test_changes_beyond_the_quota_are_a_failure(changes: bytes, missing: str) -> None:
    """The worker has the quota itself, but one that is no longer ours may ignore it."""
    fs = MemoryFileSystem(uid=0, bare=True, quota_bytes=1_000, quota_inodes=50)
    fs.populate({"old": b"old"}, VirtualPath("/"))
    left = fs.quota_left
    result, sound = run(fs, frame(wire.RESULT, wire.pack(HEADER, b"", b"", changes)))
    assert result.failure is not None and "its changes need" in result.failure and missing in result.failure
    assert not sound
    assert fs.quota_left == left
    assert [entry.name for entry in fs.listdir(VirtualPath("/"))] == ["old"]
    assert fs.read_bytes(VirtualPath("/old")) == b"old"
    again, sound = run(fs, frame(wire.RESULT, wire.pack(HEADER, b"", b"", CHANGES)))
    assert again.failure is None and sound and fs.exists(VirtualPath("/new"))


def test_changes_that_fit_when_all_are_made_are_applied() -> None:
    fs = MemoryFileSystem(uid=0, bare=True, quota_bytes=1_000, quota_inodes=50)
    fs.populate({"z": bytes(900)}, VirtualPath("/"))
    changes = entries(("/new", bytes(900)), ("/z", b""))
    result, sound = run(fs, frame(wire.RESULT, wire.pack(HEADER, b"", b"", changes)))
    assert result.failure is None and sound
    assert fs.quota_left[0] == 100
