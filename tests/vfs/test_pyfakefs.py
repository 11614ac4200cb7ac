"""A user's own pyfakefs tree: a test that uses the ``fs`` fixture finds what a script wrote."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sandhook.vfs.base import Device
from sandhook.vfs.pyfakefs_adapter import PyfakefsFileSystem
from tests.source import ROOT
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


def test_a_missing_pyfakefs_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyfakefs", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'sandhook\[pyfakefs\]'"):
        PyfakefsFileSystem(object())


def test_the_fixture_of_the_documentation_works(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "howto" / "embed-in-python.md").read_text(encoding="utf-8")
    _, found, rest = page.partition("```python test_release.py\n")
    assert found, "the page has no example for pytest"
    (tmp_path / "test_release.py").write_text(rest.partition("```")[0], encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_release.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
