"""Overlays: the lower never changes, and the changes are listed."""

from __future__ import annotations

import errno

import pytest

from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem
from tests.vfs.contract import fails


@pytest.fixture
def lower():
    fs = MemoryFileSystem(bare=True)
    fs.populate({"a": "1", "d/x": "x", "d/e/y": "y", "m": "m", "k": "k"}, "/")
    fs.symlink("a", "/l")
    fs.mkfifo("/p")
    return fs


@pytest.fixture
def fs(lower):
    return OverlayFileSystem(lower)


def told(fs: OverlayFileSystem) -> list[tuple[str, str]]:
    return [(change.kind, change.path) for change in fs.changes()]


def test_reading_changes_nothing(fs, lower):
    assert fs.read_bytes("/l") == b"1"
    assert [entry.name for entry in fs.listdir("/")] == ["a", "d", "k", "l", "m", "p"]
    assert told(fs) == []


def test_every_change_stays_above(fs, lower):
    snapshot = lower.snapshot()
    fs.write_bytes("/a", b"2")
    handle = fs.open("/d/x", write=True)
    handle.append(b"!")
    handle.close()
    fs.unlink("/d/e/y")
    fs.rmdir("/d/e")
    fs.chmod("/m", 0o755)
    fs.write_bytes("/n/new", b"3", parents=True)
    fs.unlink("/k")
    fs.mkdir("/k")
    fs.symlink("n", "/nl")
    assert not lower.diff(snapshot)
    assert told(fs) == [
        ("deleted", "/k"),
        ("deleted", "/d/e/y"),
        ("deleted", "/d/e"),
        ("modified", "/a"),
        ("modified", "/d/x"),
        ("created", "/k"),
        ("chmod", "/m"),
        ("created", "/n"),
        ("created", "/n/new"),
        ("created", "/nl"),
    ]
    contents = {change.path: change.content() for change in fs.changes() if change.kind != "deleted"}
    assert contents["/d/x"] == b"x!"
    assert contents["/nl"] == b"n"


def test_a_directory_made_again_is_empty(fs):
    fs.unlink("/d/x")
    fs.unlink("/d/e/y")
    fs.rmdir("/d/e")
    fs.rmdir("/d")
    fs.mkdir("/d", 0o755)
    assert fs.listdir("/d") == []
    fails(errno.ENOENT, fs.stat, "/d/x")
    fs.write_bytes("/d/x", b"x")
    assert told(fs) == [("deleted", "/d/e/y"), ("deleted", "/d/e")]


def test_renaming_a_lower_directory_moves_all_of_it(fs):
    fs.rename("/d", "/moved")
    assert fs.read_bytes("/moved/e/y") == b"y"
    assert not fs.exists("/d")
    assert told(fs) == [
        ("deleted", "/d/x"),
        ("deleted", "/d/e/y"),
        ("deleted", "/d/e"),
        ("deleted", "/d"),
        ("created", "/moved"),
        ("created", "/moved/e"),
        ("created", "/moved/e/y"),
        ("created", "/moved/x"),
    ]
    fs.rename("/moved", "/d")
    assert told(fs) == []


def test_renaming_over_a_lower_file_hides_it(fs):
    fs.rename("/a", "/m")
    assert fs.read_bytes("/m") == b"1"
    fs.unlink("/m")
    assert not fs.exists("/m")
    assert told(fs) == [("deleted", "/m"), ("deleted", "/a")]


def test_links_and_fifos_are_copied_up_as_what_they_are(fs):
    fs.rename("/l", "/l2")
    fs.rename("/p", "/p2")
    assert fs.readlink("/l2") == "a"
    assert fs.open("/p2").kind == "fifo"


def test_writing_what_was_there_is_no_change(fs):
    fs.write_bytes("/a", b"1")
    assert told(fs) == []


def test_a_file_that_does_not_fit_stays_whole(lower):
    lower.write_bytes("/a", b"x" * 50)
    fs = OverlayFileSystem(lower, quota_bytes=10)
    fails(errno.ENOSPC, fs.open, "/a", write=True)
    assert fs.read_bytes("/a") == b"x" * 50
    fs.write_bytes("/a", b"y" * 10)  # truncating needs no copy
    assert fs.read_bytes("/a") == b"y" * 10


def test_permissions_of_the_lower_count(lower):
    lower.chmod("/a", 0o400)
    lower.chmod("/d", 0o500)
    fs = OverlayFileSystem(lower)
    fails(errno.EACCES, fs.open, "/a", write=True)
    fails(errno.EACCES, fs.unlink, "/d/x")
    assert fs.read_bytes("/a") == b"1"
    fs.chmod("/d", 0o700)
    fs.unlink("/d/x")


def test_a_walk_looks_at_each_directory_once(fs, monkeypatch):
    deep = "/d" * 300
    for depth in range(2, len(deep) + 1, 2):
        if depth > 2:
            fs.mkdir(deep[:depth])
    looked = []
    find = MemoryFileSystem.inode
    monkeypatch.setattr(MemoryFileSystem, "inode", lambda fs, path: (looked.append(path), find(fs, path))[1])
    fs.stat(deep)
    assert looked == ["/"]


def test_a_walk_after_a_change_sees_it(fs):
    fs.mkdir("/d/n")
    fs.write_bytes("/d/n/f", b"old")
    assert fs.stat("/d/n/f").size == 3
    fs.rename("/d/n", "/d/o")
    fs.mkdir("/d/n")
    fails(errno.ENOENT, fs.stat, "/d/n/f")
    assert fs.read_bytes("/d/o/f") == b"old"
    with fs.superuser() as view:
        view.unlink("/d/o/f")
    fails(errno.ENOENT, fs.stat, "/d/o/f")
    fork = fs.fork(fs.lower)
    fs.rmdir("/d/o")
    assert fork.exists("/d/o")
    assert not fs.exists("/d/o")
