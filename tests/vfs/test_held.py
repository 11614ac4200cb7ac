"""HeldFileSystem: a file system like any other, with a check before each access."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.vfs.held import Access, HeldFileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath
from tests.vfs.contract import Contract, fails


class TestHeld(Contract):
    @pytest.fixture
    def fs(self) -> Any:
        return HeldFileSystem(MemoryFileSystem(), lambda path, access: None)


def test_checks_what_a_path_leads_to() -> None:
    files = MemoryFileSystem()
    files.write_bytes("/workspace/a", b"1")
    files.symlink("a", VirtualPath("/workspace/link"))
    seen: list[tuple[str, Access]] = []
    held = HeldFileSystem(files, lambda path, access: seen.append((str(path), access)))
    held.open(VirtualPath("/workspace/link")).close()  # type: ignore[union-attr]
    held.unlink(VirtualPath("/workspace/link"))
    held.rename(VirtualPath("/workspace/a"), VirtualPath("/workspace/b"))
    assert seen == [
        ("/workspace/a", "read"),
        ("/workspace/link", "write"),
        ("/workspace/a", "write"),
        ("/workspace/b", "write"),
    ]


def test_a_refusal_changes_nothing() -> None:
    files = MemoryFileSystem()
    files.write_bytes("/workspace/a", b"1")

    def refuse(path: VirtualPath, access: Access) -> None:
        from sandhook.vfs.errors import fs_error

        raise fs_error(13, str(path))

    held = HeldFileSystem(files, refuse)
    a = VirtualPath("/workspace/a")
    for call in (
        lambda: held.open(a),
        lambda: held.unlink(a),
        lambda: held.rename(a, VirtualPath("/workspace/b")),
        lambda: held.link(a, VirtualPath("/workspace/b")),
        lambda: held.symlink("a", VirtualPath("/workspace/b")),
        lambda: held.mkdir(VirtualPath("/workspace/d")),
        lambda: held.chmod(a, 0),
        lambda: held.utime(a, 0, 0),
        lambda: held.mkfifo(VirtualPath("/workspace/f")),
        lambda: held.write_bytes("/workspace/b", b""),
        lambda: held.read_bytes("/workspace/a"),
    ):
        fails(13, call)
    assert [entry.name for entry in files.listdir(VirtualPath("/workspace"))] == ["a"]
