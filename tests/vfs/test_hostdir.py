"""Host directories: nothing leads out of them, and changes are written back whole."""

from __future__ import annotations

import errno
import os
import socket
import stat
from contextlib import suppress

import pytest

from sandhook.vfs.base import Device
from sandhook.vfs.changes import Change
from sandhook.vfs.hostdir import HostDirectory, apply_changes
from sandhook.vfs.hostnames import check_windows_name
from sandhook.vfs.overlay import OverlayFileSystem
from tests.vfs.contract import fails

posix = pytest.mark.skipif(os.name != "posix", reason="links and special files of POSIX")


@pytest.fixture
def outside(tmp_path):
    (tmp_path / "secret").write_text("secret")
    return tmp_path


@pytest.fixture
def root(outside):
    path = outside / "root"
    (path / "d").mkdir(parents=True)
    (path / "f").write_text("inside")
    return path


@pytest.fixture
def fs(root):
    return HostDirectory(str(root), writable=True)


@posix
@pytest.mark.parametrize("target", ["../secret", "{outside}/secret", "d/../../secret", "/secret"])
def test_links_do_not_lead_out(fs, root, outside, target):
    os.symlink(target.format(outside=outside), root / "l")
    fails(errno.ENOENT, fs.read_bytes, "/l")
    fails(errno.ENOENT, fs.stat, "/l")
    os.symlink("../f", root / "d" / "ok")
    assert fs.read_bytes("/d/ok") == b"inside"


@posix
def test_an_absolute_link_means_the_virtual_root(fs, root):
    os.symlink("/f", root / "l")
    assert fs.read_bytes("/l") == b"inside"


@posix
def test_a_directory_link_does_not_lead_out(fs, root, outside):
    os.symlink(str(outside), root / "out")
    os.symlink("..", root / "up")
    fails(errno.ENOENT, fs.listdir, "/out")
    fails(errno.ENOENT, fs.read_bytes, "/out/secret")
    fs.write_bytes("/up/secret", b"x")  # above the root is the root
    assert (root / "secret").read_text() == "x"
    assert fs.read_bytes("/up/f") == b"inside"
    assert (outside / "secret").read_text() == "secret"


def test_dots_stop_at_the_root(fs):
    assert fs.read_bytes("/../../f") == b"inside"
    fails(errno.ENOENT, fs.stat, "/../secret")


@posix
def test_a_component_that_became_a_link_is_not_followed(fs, root, outside):
    """What the walk saw as a directory is opened without following what it is by then."""
    (outside / "other").mkdir()
    (outside / "other" / "x").write_text("secret")
    os.rmdir(root / "d")
    os.symlink(str(outside / "other"), root / "d")
    for call in (fs._open, fs._create):
        with pytest.raises(OSError):
            call("/d/x", False, False) if call == fs._open else call("/d/x", 0o600)
    os.symlink(str(outside / "secret"), root / "x")
    with pytest.raises(OSError):
        fs._open("/x", False, False)


@posix
def test_special_files_are_shown_but_not_opened(fs, root):
    os.mkfifo(root / "p")
    listener = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(root)  # a socket's path must be short
    try:
        listener.bind("s")
    finally:
        os.chdir(here)
        listener.close()
    assert stat.S_ISFIFO(fs.stat("/p").mode)
    assert stat.S_ISSOCK(fs.stat("/s").mode)
    for path in ("/p", "/s"):
        fails(errno.EACCES, fs.open, path)
        fails(errno.EACCES, fs.open, path, read=False, write=True)
    handle = fs.open("/f")
    assert not isinstance(handle, Device)
    handle.close()


def test_a_read_only_directory_refuses_every_change(root):
    fs = HostDirectory(str(root))
    for call in (
        lambda: fs.write_bytes("/f", b""),
        lambda: fs.write_bytes("/n", b""),
        lambda: fs.mkdir("/n"),
        lambda: fs.rmdir("/d"),
        lambda: fs.unlink("/f"),
        lambda: fs.rename("/f", "/g"),
        lambda: fs.link("/f", "/g"),
        lambda: fs.symlink("f", "/g"),
        lambda: fs.chmod("/f", 0o777),
        lambda: fs.utime("/f", 0, 0),
    ):
        fails(errno.EROFS, call)
    assert fs.read_bytes("/f") == b"inside"
    assert not fs.access("/f", 2)
    assert fs.access("/f", 4)


def test_errors_name_virtual_paths_only(fs, root):
    with pytest.raises(OSError) as caught:
        fs.stat("/d/gone")
    assert str(root) not in str(caught.value)
    fails(errno.ENOTDIR, HostDirectory, str(root / "f"))


@posix
def test_special_permission_bits_do_not_reach_the_host(fs, root):
    fs.chmod("/f", 0o6755)
    assert stat.S_IMODE((root / "f").stat().st_mode) == 0o755


# Writing back.


def test_an_overlays_changes_are_written_back(root):
    overlay = OverlayFileSystem(HostDirectory(str(root)))
    overlay.write_bytes("/f", b"changed")
    overlay.write_bytes("/n/new.sh", b"#!/bin/sh\n", parents=True, mode=0o755)
    overlay.rmdir("/d")
    assert (root / "f").read_text() == "inside"
    done = apply_changes(overlay.changes(), str(root))
    assert done == ["/d", "/f", "/n", "/n/new.sh"]
    assert (root / "f").read_text() == "changed"
    assert not (root / "d").exists()
    assert sorted(os.listdir(root)) == ["f", "n"]
    if os.name == "posix":
        assert stat.S_IMODE((root / "n" / "new.sh").stat().st_mode) == 0o755
    assert not overlay.changes()


@posix
def test_a_replaced_kind_is_written_back(root):
    overlay = OverlayFileSystem(HostDirectory(str(root)))
    overlay.unlink("/f")
    overlay.mkdir("/f")
    overlay.rmdir("/d")
    overlay.symlink("f", "/d")
    apply_changes(overlay.changes(), str(root))
    assert (root / "f").is_dir()
    assert os.readlink(root / "d") == "f"


@posix
def test_writing_back_does_not_go_through_links(root, outside):
    os.symlink(str(outside), root / "out")
    os.symlink(str(outside / "secret"), root / "l")
    for path in ("/out/secret", "/l"):
        with pytest.raises(OSError):
            apply_changes([Change("modified", path, 0o100644, lambda: b"x")], str(root))
    assert (outside / "secret").read_text() == "secret"
    assert sorted(os.listdir(root)) == ["d", "f", "l", "out"]
    apply_changes([Change("modified", "/f", 0o100644, lambda: b"x")], str(root))
    assert (root / "f").read_text() == "x"


@posix
@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        ("created", 0o100644),
        ("modified", 0o100755),
        ("created", 0o040755),
        ("created", 0o120777),
        ("chmod", 0o100600),
        ("deleted", 0o100644),
        ("deleted", 0o040755),
    ],
)
def test_no_change_goes_through_a_link_of_the_target(root, outside, kind, mode):
    """Whatever the change is: below a link to a directory outside, and at a link itself."""
    (outside / "sub").mkdir()
    os.symlink(str(outside), root / "out")
    os.symlink(str(outside / "secret"), root / "l")
    os.symlink(str(outside / "sub"), root / "s")
    before = sorted(os.listdir(outside)), (outside / "secret").stat().st_mode
    for path in ("/out/secret", "/out/new", "/out/sub", "/l", "/s"):
        with suppress(OSError):
            apply_changes([Change(kind, path, mode, lambda: b"x")], str(root))
    assert (sorted(os.listdir(outside)), (outside / "secret").stat().st_mode) == before
    assert (outside / "secret").read_text() == "secret"


@posix
def test_writing_back_refuses_devices_and_strips_special_bits(root):
    fails(errno.EPERM, apply_changes, [Change("created", "/p", 0o010644, bytes)], str(root))
    apply_changes([Change("created", "/s", 0o106755, lambda: b"x")], str(root))
    assert stat.S_IMODE((root / "s").stat().st_mode) == 0o755


def test_a_failed_write_leaves_the_old_contents(root):
    def broken() -> bytes:
        raise OSError(errno.EIO, "broken")

    with pytest.raises(OSError):
        apply_changes([Change("modified", "/f", 0o100644, broken)], str(root))
    assert (root / "f").read_text() == "inside"
    assert sorted(os.listdir(root)) == ["d", "f"]


# Windows.


@pytest.mark.parametrize(
    "name",
    [
        "con",
        "NUL.txt",
        "com1",
        "LPT9.log",
        "aux .c",
        "a:b",
        "f::$DATA",
        "a\\b",
        "a.",
        "a ",
        "",
        "a*",
        "x\x01",
        "\udcff",
    ],
)
def test_names_that_windows_takes_for_something_else(name):
    fails(errno.EINVAL, check_windows_name, name)


@pytest.mark.parametrize("name", ["console", "nul_", "com", "com10", "a.b", ".profile", "é", "a b"])
def test_names_that_are_only_names(name):
    assert check_windows_name(name) == name


def test_a_host_without_directory_descriptors(monkeypatch, root):
    """Windows' road: whole paths, names checked one by one, no symbolic links made."""
    from sandhook.vfs import hostdir

    monkeypatch.setattr(hostdir, "_HAS_DIR_FD", False)
    fs = HostDirectory(str(root), writable=True)
    fs.write_bytes("/d/e/x", b"1", parents=True)
    assert fs.read_bytes("/d/e/x") == b"1"
    assert [entry.name for entry in fs.listdir("/")] == ["d", "f"]
    fs.rename("/d/e", "/e")
    fs.link("/e/x", "/e/y")
    assert fs.stat("/e/x").links == 2
    fs.chmod("/e/x", 0o400)
    fs.utime("/e/x", 0, 2_000_000_000)
    assert fs.stat("/e/x").mtime_ns == 2_000_000_000
    fs.unlink("/e/y")
    fails(errno.EPERM, fs.symlink, "f", "/l")
    for name in ("nul", "a:b", "a\\b", "a."):
        fails(errno.EINVAL, fs.write_bytes, f"/{name}", b"")
        fails(errno.ENOENT, fs.stat, f"/{name}/x")
    assert fs.read_bytes("/../f") == b"inside"


@posix
@pytest.mark.parametrize("swap", [True, False])
def test_the_mode_of_a_file_that_cannot_be_read_is_its_own(fs, root, outside, monkeypatch, swap):
    """Between two looks at a name, another process may put a link there."""
    secret = outside / "secret"
    secret.chmod(0o600)
    real = os.open

    def unreadable(path, flags, *arguments, **options):
        if path == "f" and not flags & getattr(os, "O_PATH", 0):
            if swap:
                (root / "f").unlink()
                (root / "f").symlink_to(secret)
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, flags, *arguments, **options)

    monkeypatch.setattr(os, "open", unreadable)
    if swap:
        with suppress(OSError):
            fs.chmod("/f", 0o777)
    else:
        fs.chmod("/f", 0o640)
    monkeypatch.undo()
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert swap or stat.S_IMODE((root / "f").stat().st_mode) == 0o640
