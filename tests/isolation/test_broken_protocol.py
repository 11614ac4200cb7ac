"""A worker that sends messages of another form: the run fails, and the host's files stay as they were."""

from __future__ import annotations

from typing import Any

import pytest

from fuzz.targets.confined import HEADER, frame, run
from sandhook.isolation import wire
from sandhook.vfs.delta import DeltaEntry, encode
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath

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
