"""Session.fork: two sessions that do not see each other's changes."""

from __future__ import annotations

from pathlib import Path
from threading import RLock

import pytest

from sandhook import HostShell, Limits, Shell, SnapshotError
from sandhook.vfs.base import FileSystem
from sandhook.vfs.hostdir import HostDirectory
from sandhook.vfs.locked import LockedFileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath


def overlay() -> FileSystem:
    lower = MemoryFileSystem()
    lower.write_bytes("/tmp/lower", b"lower\n")
    return OverlayFileSystem(lower)


FILES = {
    "memory": MemoryFileSystem,
    "overlay": overlay,
    "locked": lambda: LockedFileSystem(MemoryFileSystem(), RLock()),
    "locked overlay": lambda: LockedFileSystem(overlay(), RLock()),
}


@pytest.mark.parametrize("kind", FILES)
def test_neither_session_sees_the_changes_of_the_other(kind: str) -> None:
    first = Shell(fs=FILES[kind](), files={"a": "0\n"}).session()
    first.run(
        "x=0; a=(0); declare -A m=([k]=0); f() { echo f0; }; cd /tmp; set -u; rm -f lower; ln /workspace/a b"
    )
    second = first.fork()
    probe = "echo $x ${a[@]} ${m[k]} $(f) $PWD $-; cat /workspace/a; ls /tmp"
    before = first.run(probe).stdout
    assert second.run(probe).stdout == before
    for session, other in ((first, second), (second, first)):
        own, unchanged = session.run(probe).stdout, other.run(probe).stdout
        session.run(
            "x+=1; a+=(1); m[k]+=1; f() { echo f1; }; echo 1 >> /workspace/a; touch new; cd /; set +u"
        )
        assert session.run(probe).stdout != own
        assert other.run(probe).stdout == unchanged


def test_a_fork_has_the_limits_of_its_origin_and_a_budget_of_its_own() -> None:
    session = Shell(limits=Limits(steps=5_000, fs_bytes=1_000)).session()
    session.run("head -c 600 /dev/zero > f")
    fork = session.fork()
    assert fork.run("while :; do :; done").limit == "steps"
    assert fork.run("head -c 600 /dev/zero > g").exit_status == 1
    assert session.run("rm f; head -c 600 /dev/zero > g").exit_status == 0


def test_contents_are_shared_until_they_change() -> None:
    session = Shell(files={"large": b"x" * 1_000_000}).session()
    session.run(":")
    fork = session.fork()
    path = "/workspace/large"
    assert session.shell.fs.read_bytes(path) is fork.shell.fs.read_bytes(path)


def test_a_fork_of_a_fork_can_be_stored() -> None:
    session = Shell(files={"a": "1"}).session()
    fork = session.fork().fork()
    fork.run("x=1")
    assert Shell.restore(fork.snapshot()).run("cat a; echo $x").stdout == "11\n"


def test_mounts_are_forked_with_what_lies_below_them(tmp_path: Path) -> None:
    (tmp_path / "read").write_bytes(b"machine\n")
    shared, table = MemoryFileSystem(bare=True), MountTable(MemoryFileSystem())
    table.mount(VirtualPath("/both"), shared)
    table.mount(VirtualPath("/again"), shared)
    table.mount(VirtualPath("/over"), OverlayFileSystem(shared))
    table.mount(VirtualPath("/machine"), HostDirectory(str(tmp_path)))
    session = Shell(fs=table).session()
    session.run("echo one > /both/f")
    fork = session.fork()
    assert session.run("echo two > /both/f; echo new > /over/g").stderr == ""
    probe = "cat /again/f /over/f; ls /over; cat /machine/read; stat -c %d /both /over /machine"
    assert fork.run(probe).stdout == "one\none\nf\nmachine\n2\n4\n5\n"
    assert session.run(probe).stdout == "two\ntwo\nf\ng\nmachine\n2\n4\n5\n"
    assert fork.run("echo x > /machine/read").exit_status == 1


def test_a_directory_that_scripts_may_change_has_no_fork(tmp_path: Path) -> None:
    table = MountTable(MemoryFileSystem())
    table.mount(VirtualPath("/machine"), HostDirectory(str(tmp_path), writable=True))
    with pytest.raises(SnapshotError, match="is mounted for writing, and has no copy"):
        Shell(fs=table).session().fork()


def test_sessions_of_this_machine_are_refused() -> None:
    session = HostShell().session()
    with pytest.raises(SnapshotError, match="this machine"):
        session.fork()
    with pytest.raises(SnapshotError, match="this machine"):
        session.snapshot()
    with pytest.raises(SnapshotError, match="HostShell has the files of this machine"):
        HostShell.restore(Shell().session().snapshot())
