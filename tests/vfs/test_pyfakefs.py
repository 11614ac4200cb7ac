"""A user's own pyfakefs tree: a test that uses the ``fs`` fixture finds what a script wrote."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from sandhook.vfs.base import Device
from sandhook.vfs.pyfakefs_adapter import PyfakefsFileSystem
from tests.vfs.contract import fails


@pytest.fixture
def fake():
    from pyfakefs.fake_filesystem import FakeFilesystem

    return FakeFilesystem(path_separator="/")


def test_both_sides_see_one_tree(fake):
    fake.create_file("/w/in.txt", contents="from the test")
    fake.create_symlink("/w/l", "in.txt")
    fs = PyfakefsFileSystem(fake)
    assert fs.read_bytes("/w/l") == b"from the test"
    fs.write_bytes("/w/out/o.txt", b"from the script", parents=True)
    fs.symlink("out/o.txt", "/w/link")
    assert fake.get_object("/w/out/o.txt").contents == "from the script"
    assert fake.resolve("/w/link").contents == "from the script"
    assert fake.readlink("/w/link") == "out/o.txt"


def test_while_the_patcher_is_active():
    from pyfakefs.fake_filesystem_unittest import Patcher

    with Patcher() as patcher:
        fs = PyfakefsFileSystem(patcher.fs)
        os.makedirs("/w")
        with open("/w/a", "w") as file:
            file.write("a")
        assert fs.read_bytes("/w/a") == b"a"
        fs.write_bytes("/w/b", b"b")
        handle = fs.open("/w/a", write=True)
        handle.append(b"!")
        handle.close()
        with open("/w/b") as file:
            assert file.read() == "b"
        assert os.path.getsize("/w/a") == 2
        fs.unlink("/w/a")
        assert os.listdir("/w") == ["b"]
        fs.rename("/w/b", "/w/c")
        assert os.listdir("/w") == ["c"]


def test_devices_are_there_for_scripts(fake):
    fs = PyfakefsFileSystem(fake)
    assert fs.open("/dev/null", write=True) == Device("null")
    assert stat.S_ISCHR(fs.stat("/dev/zero").mode)
    assert "null" in [entry.name for entry in fs.listdir("/dev")]
    fails(errno.ENOENT, fs.stat, "/dev/sda")


def test_sizes_are_bounded(fake):
    fake.create_dir("/w")
    fs = PyfakefsFileSystem(fake, largest=10)
    handle = fs.open("/w/f", write=True, create=True)
    fails(errno.ENOSPC, handle.truncate, 1 << 40)
    fails(errno.ENOSPC, handle.write_at, 1 << 40, b"x")
    handle.write_at(0, b"x" * 10)
    fake.set_disk_usage(20)
    fails(errno.ENOSPC, fs.write_bytes, "/w/g", b"x" * 10 + b"y")
