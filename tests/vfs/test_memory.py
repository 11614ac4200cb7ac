"""What only the memory file system does: skeleton, quotas, initial files, snapshots."""

from __future__ import annotations

import errno
import stat

import pytest

from sandhook.vfs import skeleton
from sandhook.vfs.base import Device
from sandhook.vfs.errors import error_text, fs_error
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.path import VirtualPath
from tests.vfs.contract import fails
from tests.work import lines_run


@pytest.fixture
def fs():
    return MemoryFileSystem()


# The skeleton.


@pytest.mark.parametrize(
    ("path", "mode", "uid"),
    [
        ("/", 0o755, 0),
        ("/bin", 0o755, 0),
        ("/usr/bin", 0o755, 0),
        ("/usr/local/bin", 0o755, 0),
        ("/tmp", 0o1777, 0),
        ("/var/tmp", 0o1777, 0),
        ("/root", 0o700, 0),
        ("/home/agent", 0o755, 1000),
        ("/workspace", 0o755, 1000),
        ("/proc/self/fd", 0o555, 1000),
    ],
)
def test_directories_of_the_skeleton(fs, path, mode, uid):
    found = fs.stat(path)
    assert stat.S_ISDIR(found.mode)
    assert (stat.S_IMODE(found.mode), found.uid) == (mode, uid)


def test_synthetic_files(fs):
    assert b"agent:x:1000:1000:" in fs.read_bytes("/etc/passwd")
    assert b"agent:x:7:8:" in MemoryFileSystem(uid=7, gid=8).read_bytes("/etc/passwd")
    assert b"\tlocalhost\n" in fs.read_bytes("/etc/hosts")
    assert fs.read_bytes("/etc/hostname") == b"sandhook\n"
    assert fs.read_bytes("/etc/os-release").startswith(b"PRETTY_NAME=")


def test_numbers_of_the_skeleton_differ_and_fit_their_blocks():
    fs = MemoryFileSystem()
    tops = [entry.name for entry in fs.listdir(VirtualPath("/"))]
    assert max(len(skeleton._rows(top)) for top in tops) <= skeleton._BLOCK
    numbers = [row.number for rows in (skeleton._root(), *map(skeleton._rows, tops)) for row in rows]
    assert len(numbers) == len(set(numbers))
    assert max(numbers) <= skeleton._LAST


@pytest.mark.parametrize(
    ("path", "start"),
    [
        ("/etc/debian_version", b"12"),
        ("/etc/shells", b"/bin/sh\n"),
        ("/proc/cpuinfo", b"processor\t: 0\n"),
        ("/proc/meminfo", b"MemTotal:          65536 kB\n"),
        ("/proc/mounts", b"sandhook / sandhook rw,relatime 0 0\nproc /proc proc "),
        ("/proc/self/cgroup", b"0::/\n"),
    ],
)
def test_files_that_scripts_read(path, start):
    assert MemoryFileSystem().read_bytes(path).startswith(start)


def test_the_skeleton_is_not_the_users(fs):
    fails(errno.EACCES, fs.write_bytes, "/etc/passwd", b"")
    fails(errno.EACCES, fs.unlink, "/etc/passwd")
    fails(errno.EACCES, fs.mkdir, "/new")
    fails(errno.EACCES, fs.listdir, "/root")
    fails(errno.EACCES, fs.stat, "/root/x")
    fails(errno.EPERM, fs.chmod, "/etc/passwd", 0o777)
    fs.write_bytes("/tmp/new", b"")
    root = MemoryFileSystem(uid=0)
    root.write_bytes("/etc/passwd", b"")
    root.unlink("/etc/passwd")
    assert root.listdir("/root") == []


@pytest.mark.parametrize(
    ("path", "device"),
    [
        ("/dev/null", Device("null")),
        ("/dev/zero", Device("zero")),
        ("/dev/full", Device("full")),
        ("/dev/urandom", Device("random")),
        ("/dev/stdin", Device("stdin")),
        ("/dev/tty", Device("tty")),
        ("/dev/fd/0", Device("fd", 0)),
        ("/dev/fd/63", Device("fd", 63)),
        ("/proc/self/fd/2", Device("fd", 2)),
    ],
)
def test_devices(fs, path, device):
    for opened in (
        fs.open(path, write=True),
        fs.open(path, read=False, write=True, create=True, truncate=True),
    ):
        assert (opened.kind, opened.number) == (device.kind, device.number)
    assert stat.S_ISCHR(fs.stat(path).mode)


@pytest.mark.parametrize(
    ("name", "major", "minor"),
    [
        ("null", 1, 3),
        ("zero", 1, 5),
        ("full", 1, 7),
        ("random", 1, 8),
        ("urandom", 1, 9),
        ("tty", 5, 0),
        ("fd/0", 0, 0),
    ],
)
def test_numbers_of_devices(fs, name, major, minor):
    assert divmod(fs.stat(f"/dev/{name}").rdev, 256) == (major, minor)


@pytest.mark.parametrize("name", ["x", "-1", "01", "1.0", "\u0661", "9" * 12])
def test_what_is_no_descriptor(fs, name):
    fails(errno.ENOENT, fs.open, f"/dev/fd/{name}")


# Quotas.


def test_bytes_are_charged_before_they_are_there():
    fs = MemoryFileSystem(quota_bytes=100)
    fs.write_bytes("/tmp/a", b"x" * 100)
    fails(errno.ENOSPC, fs.write_bytes, "/tmp/b", b"y")
    fs.unlink("/tmp/b")
    handle = fs.open("/tmp/a", write=True)
    fails(errno.ENOSPC, handle.append, b"z")
    fails(errno.ENOSPC, handle.truncate, 1 << 40)
    fails(errno.ENOSPC, handle.write_at, 1 << 40, b"z")
    assert handle.size() == 100
    handle.write_at(0, b"z" * 100)  # in place costs nothing
    handle.truncate(50)
    fs.write_bytes("/tmp/b", b"y" * 50)


def test_bytes_come_back():
    fs = MemoryFileSystem(quota_bytes=100)
    for _ in range(5):
        fs.write_bytes("/tmp/a", b"x" * 100)
        fs.write_bytes("/tmp/a", b"")
        fs.write_bytes("/tmp/b", b"x" * 100)
        fs.unlink("/tmp/b")
        fs.write_bytes("/tmp/c", b"x" * 100)
        fs.rename("/tmp/a", "/tmp/c")
        fs.unlink("/tmp/c")


def test_an_unlinked_file_is_charged_until_its_last_handle_closes():
    fs = MemoryFileSystem(quota_bytes=100)
    fs.write_bytes("/tmp/a", b"x" * 100)
    one, two = fs.open("/tmp/a"), fs.open("/tmp/a")
    fs.unlink("/tmp/a")
    one.close()
    one.close()
    fails(errno.ENOSPC, fs.write_bytes, "/tmp/b", b"y")
    two.close()
    fs.write_bytes("/tmp/b", b"y" * 100)


def test_a_hard_link_shares_its_bytes():
    fs = MemoryFileSystem(quota_bytes=100)
    fs.write_bytes("/tmp/a", b"x" * 100)
    fs.link("/tmp/a", "/tmp/b")
    fs.unlink("/tmp/a")
    fails(errno.ENOSPC, fs.write_bytes, "/tmp/c", b"y")
    fs.unlink("/tmp/b")
    fs.write_bytes("/tmp/c", b"y" * 100)


def test_link_targets_are_charged():
    fs = MemoryFileSystem(quota_bytes=100)
    fails(errno.ENOSPC, fs.symlink, "t" * 101, "/tmp/l")
    fs.symlink("t" * 100, "/tmp/l")
    fs.unlink("/tmp/l")
    fs.symlink("t" * 100, "/tmp/l")


@pytest.mark.parametrize(
    "make",
    [
        lambda fs, name: fs.write_bytes(name, b""),
        lambda fs, name: fs.mkdir(name),
        lambda fs, name: fs.symlink("x", name),
        lambda fs, name: fs.link("/tmp/first", name),
        lambda fs, name: fs.mkfifo(name),
    ],
)
def test_names_are_counted(make):
    fs = MemoryFileSystem(quota_inodes=3)
    fs.write_bytes("/tmp/first", b"")
    make(fs, "/tmp/a")
    make(fs, "/tmp/b")
    fails(errno.ENOSPC, make, fs, "/tmp/c")
    assert not fs.exists("/tmp/c")
    (fs.rmdir if fs.is_dir("/tmp/a") else fs.unlink)("/tmp/a")
    make(fs, "/tmp/c")


def test_deep_trees_are_bounded_and_need_no_recursion():
    fs = MemoryFileSystem()
    fs.mkdir("/tmp/d")
    for _ in range(1100):  # each time one directory more around all that there is
        fs.mkdir("/tmp/n")
        fs.rename("/tmp/d", "/tmp/n/d")
        fs.rename("/tmp/n", "/tmp/d")
    snapshot = fs.snapshot()
    fs.mkdir("/tmp/e")
    assert fs.diff(snapshot).created == ["/tmp/e"]
    fs.restore(snapshot)
    with pytest.raises(OSError) as caught:
        for _ in range(1100):
            fs.mkdir("/tmp/n")
            fs.rename("/tmp/d", "/tmp/n/d")
            fs.rename("/tmp/n", "/tmp/d")
    assert caught.value.errno == errno.ENAMETOOLONG


def test_many_appends_take_linear_time(fs):
    handle = fs.open("/tmp/f", write=True, create=True)
    handle.append(b"x" * 50)
    handle.append(b"x" * 50)
    contents = handle._inode.data
    for _ in range(998):
        assert lines_run(lambda: handle.append(b"x" * 50), 20)
    assert handle.size() == 50_000
    assert handle._inode.data is contents, "they grow in place, and are never copied"


# Initial files.


def test_populate(fs):
    fs.populate(
        {"hook.sh": "#!/bin/bash\nexit 0\n", "a/b.txt": b"\xff", "/home/agent/.rc": "\udcff", "t": "#"},
        "/workspace",
    )
    assert stat.S_IMODE(fs.stat("/workspace/hook.sh").mode) == 0o755
    assert stat.S_IMODE(fs.stat("/workspace/a/b.txt").mode) == 0o644
    assert stat.S_IMODE(fs.stat("/workspace/t").mode) == 0o644
    assert fs.read_bytes("/workspace/a/b.txt") == b"\xff"
    assert fs.read_bytes("/home/agent/.rc") == b"\xff"
    fs.populate({"hook.sh": "echo", "/etc/conf/x": ""}, "/workspace")
    assert stat.S_IMODE(fs.stat("/workspace/hook.sh").mode) == 0o644
    assert fs.read_bytes("/workspace/hook.sh") == b"echo"


@pytest.mark.parametrize(
    "key", ["", "..", "../x", "a/../b", "./a", "a//b", "a/", "/", "/..", "a\0b", "n" * 256]
)
def test_names_that_populate_refuses(fs, key):
    with pytest.raises(ValueError, match="file name") as caught:
        fs.populate({key: "x"}, "/workspace")
    assert repr(key)[1:5] in str(caught.value)


def test_populate_keeps_to_the_quota():
    fails(errno.ENOSPC, MemoryFileSystem(quota_bytes=3).populate, {"a": "four"}, "/workspace")
    fails(errno.ENOSPC, MemoryFileSystem(quota_inodes=1).populate, {"a/b": ""}, "/workspace")
    fails(errno.ENOTDIR, MemoryFileSystem().populate, {"/etc/passwd/x": ""}, "/workspace")
    fails(errno.EISDIR, MemoryFileSystem().populate, {"/tmp": ""}, "/workspace")
    MemoryFileSystem(quota_bytes=4, quota_inodes=1).populate({"a": "four"}, "/workspace")


# Snapshots.


def test_a_difference_lists_what_changed(fs):
    fs.populate({"keep": "1", "change": "1", "drop": "1", "mode": "1", "d/x": "1", "kind": "1"}, "/workspace")
    snapshot = fs.snapshot()
    assert not fs.diff(snapshot)
    fs.write_bytes("/workspace/change", b"2")
    fs.unlink("/workspace/drop")
    fs.chmod("/workspace/mode", 0o755)
    fs.unlink("/workspace/d/x")
    fs.rmdir("/workspace/d")
    fs.write_bytes("/workspace/n/new", b"3", parents=True)
    fs.symlink("keep", "/workspace/link")
    fs.unlink("/workspace/kind")
    fs.mkdir("/workspace/kind")
    fs.utime("/workspace/keep", 0, 0)
    changes = fs.diff(snapshot)
    assert [(change.kind, change.path) for change in changes] == [
        ("deleted", "/workspace/kind"),
        ("deleted", "/workspace/drop"),
        ("deleted", "/workspace/d/x"),
        ("deleted", "/workspace/d"),
        ("modified", "/workspace/change"),
        ("created", "/workspace/kind"),
        ("created", "/workspace/link"),
        ("chmod", "/workspace/mode"),
        ("created", "/workspace/n"),
        ("created", "/workspace/n/new"),
    ]
    by_path = {change.path: change for change in changes if change.kind != "deleted"}
    assert by_path["/workspace/change"].content() == b"2"
    assert by_path["/workspace/link"].is_link
    assert by_path["/workspace/link"].content() == b"keep"
    assert by_path["/workspace/n"].is_dir
    assert by_path["/workspace/n/new"].is_file
    assert changes.created[0] == "/workspace/kind"
    assert changes.modified == ["/workspace/change"]
    assert "/workspace/d" in changes.deleted


def test_a_snapshot_does_not_change_with_its_file_system(fs):
    fs.write_bytes("/tmp/f", b"one")
    fs.link("/tmp/f", "/tmp/g")
    snapshot = fs.snapshot()
    handle = fs.open("/tmp/f", write=True)
    handle.append(b"two")
    handle.write_at(0, b"ONE")
    fs.restore(snapshot)
    assert fs.read_bytes("/tmp/f") == b"one"
    fs.write_bytes("/tmp/g", b"shared")
    assert fs.read_bytes("/tmp/f") == b"shared"
    handle.append(b"!")  # detached: it writes to a file that nobody sees
    assert fs.read_bytes("/tmp/f") == b"shared"
    fs.restore(snapshot)
    assert fs.read_bytes("/tmp/f") == b"one"
    assert fs.open("/dev/fd/7") == Device("fd", 7)


def test_restoring_gives_the_quota_back():
    fs = MemoryFileSystem(quota_bytes=100, quota_inodes=2)
    fs.write_bytes("/tmp/a", b"x" * 40)
    handle = fs.open("/tmp/a")
    snapshot = fs.snapshot()
    for _ in range(3):
        fs.write_bytes("/tmp/b", b"x" * 60)
        fails(errno.ENOSPC, fs.write_bytes, "/tmp/a", b"x" * 41)
        fs.restore(snapshot)
    fs.unlink("/tmp/a")
    handle.close()
    fs.write_bytes("/tmp/a", b"x" * 100)
    fails(errno.ENOSPC, fs.write_bytes, "/tmp/b", b"x")


def test_orphaned_bytes_are_not_part_of_a_snapshot():
    fs = MemoryFileSystem(quota_bytes=100)
    fs.write_bytes("/tmp/a", b"x" * 100)
    handle = fs.open("/tmp/a")
    fs.unlink("/tmp/a")
    fs.restore(fs.snapshot())
    fs.write_bytes("/tmp/b", b"y" * 100)
    handle.close()
    fails(errno.ENOSPC, fs.write_bytes, "/tmp/c", b"z")


# Times, errors, speed.


def test_times_come_from_the_given_clock():
    now = iter(range(10, 10_000, 10))
    fs = MemoryFileSystem(now_ns=lambda: next(now))
    fs.write_bytes("/tmp/f", b"1")
    made = fs.stat("/tmp/f")
    fs.chmod("/tmp/f", 0o600)
    changed = fs.stat("/tmp/f")
    assert changed.ctime_ns > made.ctime_ns
    assert changed.mtime_ns == made.mtime_ns
    fs.read_bytes("/tmp/f")
    assert fs.stat("/tmp/f").atime_ns > made.atime_ns
    before = fs.stat("/tmp").mtime_ns
    fs.unlink("/tmp/f")
    assert fs.stat("/tmp").mtime_ns > before


def test_errors_have_gnus_texts():
    error = fs_error(errno.ENOENT, "/x")
    assert isinstance(error, FileNotFoundError)
    assert (error.strerror, error.filename) == ("No such file or directory", "/x")
    assert error_text(OSError(errno.EACCES, "Zugriff verweigert")) == "Permission denied"
    assert error_text(OSError("odd")) == "Unknown error"


def test_a_fresh_file_system_costs_next_to_nothing():
    fs = MemoryFileSystem()
    assert fs._tree.root is None
    lines_run(MemoryFileSystem, 15)  # 0.3 microseconds
    lines_run(lambda: fs.stat("/"), 500)  # 5 microseconds, as it creates the directories of the root
    lines_run(lambda: fs.stat("/usr/local/bin"), 460)  # it creates what is below /usr
    lines_run(lambda: fs.stat("/usr/local/bin"), 70)  # 1 microsecond
