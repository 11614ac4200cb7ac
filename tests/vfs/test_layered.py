"""Layers of file systems over one another: each path is walked once, and permissions of each user count."""

from __future__ import annotations

import errno
from pathlib import Path
from threading import RLock

import pytest

from sandhook.vfs.base import FileSystem, Stat
from sandhook.vfs.hostdir import HostDirectory
from sandhook.vfs.locked import LockedFileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath


class Counted(HostDirectory):
    """A directory that counts how often a file is looked at."""

    looks = 0

    def _lstat(self, path: VirtualPath) -> Stat:
        self.looks += 1
        return super()._lstat(path)


def layers(host: HostDirectory, count: int) -> FileSystem:
    """Return a mount over some overlays of a directory, each of which is locked."""
    fs: FileSystem = host
    for _ in range(count):
        fs = LockedFileSystem(OverlayFileSystem(fs), RLock())
    table = MountTable(MemoryFileSystem())
    table.mount(VirtualPath("/project"), fs)
    return table


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_a_look_up_walks_a_path_once_in_any_number_of_layers(tmp_path: Path, count: int) -> None:
    (tmp_path / "a/b/c/d").mkdir(parents=True)
    (tmp_path / "a/b/c/d/file").write_text("x")
    host = Counted(str(tmp_path))
    assert layers(host, count).stat(VirtualPath("/project/a/b/c/d/file")).size == 1
    assert host.looks <= 6, "the root and five names"


@pytest.mark.parametrize("count", [1, 2])
def test_links_lead_where_the_whole_namespace_says(tmp_path: Path, count: int) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/file").write_text("x")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "out").symlink_to(tmp_path / "real")
    fs = layers(HostDirectory(str(tmp_path)), count)
    assert fs.read_bytes(VirtualPath("/project/link/file")) == b"x"
    assert fs.realpath(VirtualPath("/project/link/file")) == "/project/real/file"
    assert not fs.exists(VirtualPath("/project/out/file")), "the path is one of the host"


def test_a_layer_of_another_user_checks_its_own_permissions() -> None:
    lower = MemoryFileSystem(uid=0)
    lower.mkdir(VirtualPath("/closed"), 0o700)
    lower.write_bytes(VirtualPath("/closed/file"), b"x")
    middle = OverlayFileSystem(lower, uid=7, gid=7)
    outer = OverlayFileSystem(middle, uid=0, gid=0)
    assert OverlayFileSystem(lower, uid=0, gid=0).exists(VirtualPath("/closed/file"))
    with pytest.raises(OSError) as caught:
        outer.stat(VirtualPath("/closed/file"))
    assert caught.value.errno in (errno.EACCES, errno.ENOENT)
