"""The contract, for every file system."""

from __future__ import annotations

import sys
from threading import RLock

import pytest

from sandhook.vfs.hostdir import HostDirectory
from sandhook.vfs.locked import LockedFileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.pyfakefs_adapter import PyfakefsFileSystem
from tests.vfs.contract import Contract


class TestMemory(Contract):
    @pytest.fixture
    def fs(self):
        return MemoryFileSystem()


class TestOverlayOverMemory(Contract):
    @pytest.fixture
    def fs(self):
        return OverlayFileSystem(MemoryFileSystem())


class TestLocked(Contract):
    @pytest.fixture
    def fs(self):
        return LockedFileSystem(MemoryFileSystem(), RLock())


class TestOverlayOverLocked(Contract):
    @pytest.fixture
    def fs(self):
        return OverlayFileSystem(LockedFileSystem(MemoryFileSystem(), RLock()))


class TestOverlayOverHost(Contract):
    @pytest.fixture
    def fs(self, tmp_path):
        (tmp_path / "workspace").mkdir()
        return OverlayFileSystem(HostDirectory(str(tmp_path)))


class TestHostDirectory(Contract):
    has_fifos = False
    makes_links = keeps_modes = sys.platform != "win32"
    keeps_names = sys.platform == "linux"  # elsewhere case does not count, and a name must be Unicode

    @pytest.fixture
    def fs(self, tmp_path):
        (tmp_path / "workspace").mkdir()
        return HostDirectory(str(tmp_path), writable=True)


class TestMounts(Contract):
    @pytest.fixture
    def fs(self):
        table = MountTable(MemoryFileSystem())
        table.mount("/mnt/deep", MemoryFileSystem(bare=True))
        return table

    @pytest.fixture
    def base(self):
        return "/mnt/deep"


class TestBesideAMount(Contract):
    @pytest.fixture
    def fs(self):
        table = MountTable(MemoryFileSystem())
        table.mount("/mnt", MemoryFileSystem(bare=True))
        return table


class TestPyfakefs(Contract):
    @pytest.fixture
    def fs(self):
        from pyfakefs.fake_filesystem import FakeFilesystem

        fake = FakeFilesystem(path_separator="/")
        fake.is_windows_fs = False
        fake.create_dir("/workspace")
        return PyfakefsFileSystem(fake)
