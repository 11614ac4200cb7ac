"""Mounts: one namespace, and boundaries where POSIX wants them."""

from __future__ import annotations

import errno

import pytest

from sandhook.vfs.hostdir import HostDirectory
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from tests.vfs.contract import fails


@pytest.fixture
def inner():
    fs = MemoryFileSystem(bare=True)
    fs.write_bytes("/f", b"inner")
    return fs


@pytest.fixture
def fs(inner):
    table = MountTable(MemoryFileSystem())
    table.mount("/mnt/a", inner)
    return table


def test_mount_points_are_shown(fs):
    assert "mnt" in [entry.name for entry in fs.listdir("/")]
    assert [entry.name for entry in fs.listdir("/mnt")] == ["a"]
    assert fs.is_dir("/mnt")
    assert fs.read_bytes("/mnt/a/f") == b"inner"


def test_links_are_resolved_in_the_whole_namespace(fs, inner):
    inner.symlink("/etc/hostname", "/out")
    inner.symlink("../../etc/hostname", "/climb")
    inner.write_bytes("/etc-hostname", b"")
    assert fs.read_bytes("/mnt/a/out") == b"sandhook\n"
    assert fs.read_bytes("/mnt/a/climb") == b"sandhook\n"
    fs.symlink("/mnt/a", "/tmp/in")
    assert fs.read_bytes("/tmp/in/f") == b"inner"
    assert fs.realpath("/tmp/in/..") == "/mnt"


def test_boundaries(fs):
    fs.write_bytes("/tmp/x", b"")
    fails(errno.EXDEV, fs.rename, "/tmp/x", "/mnt/a/x")
    fails(errno.EXDEV, fs.link, "/tmp/x", "/mnt/a/x")
    fails(errno.EBUSY, fs.rmdir, "/mnt/a")
    fs.rename("/tmp/x", "/tmp/y")
    fs.rename("/mnt/a/f", "/mnt/a/g")
    assert fs.stat("/mnt/a").device != fs.stat("/mnt").device


def test_mount_points_stay_where_they_are(fs):
    root = MountTable(MemoryFileSystem(uid=0), uid=0)
    root.mount("/tmp/d/m", MemoryFileSystem(bare=True))
    root.write_bytes("/tmp/d/f", b"", parents=True) if root.exists("/tmp/d/f") else None
    fails(errno.EBUSY, root.rename, "/tmp/d/m", "/tmp/e")
    fails(errno.EBUSY, root.rmdir, "/tmp/d")


def test_a_point_is_mounted_once_and_the_root_never(fs, inner):
    fails(errno.EBUSY, fs.mount, "/mnt/a/", inner)
    fails(errno.EBUSY, fs.mount, "/", inner)
    fs.mount("/mnt/a/deeper", MemoryFileSystem(bare=True))
    fs.write_bytes("/mnt/a/deeper/x", b"")
    assert not inner.exists("/deeper/x")


def test_a_read_only_mount(fs, tmp_path):
    (tmp_path / "f").write_text("host")
    fs.mount("/host", HostDirectory(str(tmp_path)))
    assert fs.read_bytes("/host/f") == b"host"
    fails(errno.EROFS, fs.write_bytes, "/host/f", b"")
    fails(errno.EROFS, fs.write_bytes, "/host/new", b"")
    fails(errno.EROFS, fs.unlink, "/host/f")
    assert not fs.access("/host/f", 2)
    assert fs.access("/host/f", 4)
