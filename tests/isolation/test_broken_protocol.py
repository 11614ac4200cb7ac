"""A worker that sends messages of another form: the run fails, and the host's files stay as they were."""

from __future__ import annotations

from typing import Any

import pytest

from fuzz.targets.confined import HEADER, frame, run
from sandhook.isolation import wire
from sandhook.vfs.delta import LINK, DeltaEntry, encode
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem
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


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("/new", "/nosuch"),
        ("/new", "/dir"),
        ("/new", "/"),
        ("/dir/new", "/dir"),
        ("/dir", "/old"),
        ("/old/new", "/old"),
        ("/old", "/old"),
    ],
)
def test_a_link_to_anything_but_a_file_changes_nothing_harmful(path: str, first: str) -> None:
    """A directory with two names could contain itself."""
    fs = MemoryFileSystem(uid=0, bare=True, quota_bytes=1_000, quota_inodes=50)
    fs.populate({"old": b"old", "dir/file": b"file"}, VirtualPath("/"))
    changes = encode([DeltaEntry(VirtualPath(path), LINK, content=first.encode())])
    run(fs, frame(wire.RESULT, wire.pack(HEADER, b"", b"", changes)))
    assert fs.read_bytes(VirtualPath("/dir/file")) == b"file"
    assert not fs.exists(VirtualPath("/new")) and not fs.exists(VirtualPath("/dir/new"))
    assert fs.stat(VirtualPath("/dir")).links == 2
    assert len(fs.snapshot().paths()) == 3


@pytest.mark.parametrize("first", ["relative", "/a/../b", "/a\0b", ""])
def test_a_link_to_a_path_of_another_form_breaks_the_protocol(first: str) -> None:
    changes = encode([DeltaEntry(VirtualPath("/new"), LINK, content=first.encode())])
    result, sound, changed = ran(wire.RESULT, wire.pack(HEADER, b"", b"", changes))
    assert "broke the protocol" in result.failure
    assert not sound and not changed


def test_further_names_count_as_names_and_not_as_bytes() -> None:
    fs = MemoryFileSystem(uid=0, bare=True, quota_bytes=1_000, quota_inodes=50)
    fs.populate({"old": bytes(900)}, VirtualPath("/"))
    links = [DeltaEntry(VirtualPath(f"/l{number}"), LINK, content=b"/old") for number in range(49)]
    result, sound = run(fs, frame(wire.RESULT, wire.pack(HEADER, b"", b"", encode(links))))
    assert result.failure is None and sound
    assert fs.quota_left[:2] == (100, 0) and fs.stat(VirtualPath("/old")).links == 50
    more = encode([DeltaEntry(VirtualPath("/more"), LINK, content=b"/old")])
    result, sound = run(fs, frame(wire.RESULT, wire.pack(HEADER, b"", b"", more)))
    assert result.failure is not None and "names" in result.failure and not sound


def test_whiteouts_of_what_the_files_do_not_have_are_not_kept() -> None:
    """A worker that is no longer ours could fill the memory of this process with them."""
    lower = MemoryFileSystem(uid=0, bare=True)
    lower.populate({"dir/file": b"1", "kept": b"2"}, VirtualPath("/"))
    fs = OverlayFileSystem(lower, uid=0)
    whiteouts = ["/dir", "/dir/file", *(f"/nosuch{number}" for number in range(2_000))]
    result, sound = run(fs, frame(wire.RESULT, wire.pack({**HEADER, "whiteouts": whiteouts}, b"", b"", b"")))
    assert result.failure is None and sound
    assert fs.whiteouts == {"/dir"}
    assert not fs.exists(VirtualPath("/dir/file")) and fs.exists(VirtualPath("/kept"))


@pytest.mark.parametrize(
    "entry",
    [
        DeltaEntry(VirtualPath("/l"), 0o120777, content=b"a\0b"),
        DeltaEntry(VirtualPath("/l"), 0o120777, content=b""),
        DeltaEntry(VirtualPath("/l"), 0o120777, content=b"x" * 5_000),
        DeltaEntry(VirtualPath("/" + "n" * 256), FILE),
        DeltaEntry(VirtualPath("/a\0b"), FILE),
        DeltaEntry(VirtualPath("/f"), FILE | 1 << 20),
        DeltaEntry(VirtualPath("/f"), 0o060644),
        DeltaEntry(VirtualPath("/f/../g"), FILE),
        DeltaEntry(VirtualPath("/f"), LINK, content=b"../g"),
    ],
)  # fmt: skip
def test_a_change_that_no_file_system_can_have_is_a_failure(entry: DeltaEntry) -> None:
    result, _, changed = ran(wire.RESULT, wire.pack(HEADER, b"", b"", CHANGES + encode([entry])))
    assert result.failure
    assert not changed
