"""What the caller writes is written whatever the permission bits; scripts keep to them."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock, Thread

import pytest

from sandhook.vfs.base import FileSystem
from sandhook.vfs.initial import make_directories, superuser, write_file
from sandhook.vfs.locked import LockedFileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath
from sandhook.vfs.temporary import temporary

Create = Callable[[], FileSystem]
PATH = VirtualPath("/volume/app/lib/f")


def locked_overlay() -> FileSystem:
    return LockedFileSystem(OverlayFileSystem(MemoryFileSystem()), RLock())


every = pytest.mark.parametrize(
    "create", [MemoryFileSystem, lambda: OverlayFileSystem(MemoryFileSystem()), locked_overlay]
)


@every
def test_a_file_is_written_where_the_user_may_not_and_belongs_to_the_user(create: Create) -> None:
    fs = create()
    with pytest.raises(PermissionError):
        fs.mkdir(VirtualPath("/volume"))
    write_file(fs, PATH, b"x", 0o640)
    stat = fs.stat(PATH)
    assert (stat.uid, stat.gid, stat.mode & 0o7777) == (1000, 1000, 0o640)
    assert fs.stat(VirtualPath("/volume/app")).uid == 1000
    with pytest.raises(PermissionError):
        fs.mkdir(VirtualPath("/other"))


@every
def test_each_file_of_the_superuser_has_a_number_of_its_own(create: Create) -> None:
    fs = create()
    numbers = []
    for name in ("a", "b"):
        write_file(fs, VirtualPath(f"/volume/{name}"), b"", 0o644)
        fs.write_bytes(VirtualPath(f"/tmp/{name}"), b"")
        numbers += [fs.stat(VirtualPath(f"/volume/{name}")).inode, fs.stat(VirtualPath(f"/tmp/{name}")).inode]
    assert len(set(numbers)) == 4


@every
def test_links_are_followed(create: Create) -> None:
    fs = create()
    fs.symlink("/volume/app", VirtualPath("/tmp/link"))
    make_directories(fs, VirtualPath("/volume/app"))
    make_directories(fs, VirtualPath("/tmp/link/lib"))
    write_file(fs, VirtualPath("/tmp/link/lib/f"), b"x", 0o644)
    assert fs.read_bytes(PATH) == b"x"


@every
def test_a_file_in_the_way_of_a_directory_is_named(create: Create) -> None:
    fs = create()
    write_file(fs, VirtualPath("/volume/app"), b"", 0o644)
    for attempt in (lambda: write_file(fs, PATH, b"", 0o644), lambda: make_directories(fs, PATH)):
        with pytest.raises(NotADirectoryError) as raised:
            attempt()
        assert raised.value.filename in ("/volume/app", "/volume/app/lib")


@every
def test_temporary_files_leave_nothing_where_the_user_may_not_write(create: Create) -> None:
    fs = create()
    with temporary(fs, [("/volume/t/f", b"x")]) as notes:
        assert fs.read_bytes(VirtualPath("/volume/t/f")) == b"x"
    assert notes == []
    assert not fs.exists(VirtualPath("/volume/t"))


def test_no_other_thread_sees_files_that_are_being_replaced() -> None:
    fs = LockedFileSystem(MemoryFileSystem(), RLock())
    write_file(fs, PATH, b"old", 0o644)
    seen: list[bytes] = []
    reader = Thread(target=lambda: seen.append(fs.read_bytes(PATH)))
    with superuser(fs) as view:
        view.write_bytes(PATH, b"")
        reader.start()
        reader.join(0.05)
        assert seen == []
        view.write_bytes(PATH, b"new")
    reader.join()
    assert seen == [b"new"]
