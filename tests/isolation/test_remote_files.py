"""Files of which a worker has no copy: the host performs each operation, and checks what it is asked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from sandhook.confined import files as confined_files
from sandhook.confined.files import RemoteFileSystem
from sandhook.isolation import wire
from sandhook.isolation.files import copies_of
from sandhook.isolation.fileserver import FileServer
from sandhook.limits import Limits
from sandhook.shell import Shell
from sandhook.vfs.hostdir import HostDirectory
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath
from tests.vfs.contract import Contract

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")


class TestRemote(Contract):
    """The contract of a file system, with both ends of the conversation in this process."""

    @pytest.fixture
    def fs(self, monkeypatch: pytest.MonkeyPatch) -> RemoteFileSystem:
        server = FileServer(MemoryFileSystem())

        def ask(name: str, *arguments: object, data: bytes = b"") -> tuple[object, bytes]:
            kind, payload = server.answer(wire.join([name, *arguments], data))
            value, content = wire.split(payload)
            if kind == wire.VALUE:
                return value, content
            assert isinstance(value, list)
            raise OSError(*value)

        monkeypatch.setattr(confined_files, "ask_files", ask)
        return RemoteFileSystem()


def namespace(directory: Path, *, writable: bool = False) -> MountTable:
    """Return what ``exec --mount`` shows."""
    table = MountTable(MemoryFileSystem())
    host = HostDirectory(str(directory), writable)
    table.mount(VirtualPath("/workspace"), host if writable else OverlayFileSystem(host))
    return table


SCRIPTS = [
    "cat a d/b; ls -l --time-style=+ d | grep -v total; find . -type f | sort",
    "echo more >> a; rm -r d; mkdir -p n/m; echo x > n/m/y; mv n o; cat a o/m/y; ls",
    "while read -r line; do echo \"<$line>\"; done < a; cat < nosuch; echo $?; cat ../../etc/shadow",
    "seq 30000 > big; tail -n 1 big; wc -c < big; head -c 5 big; cp big big2; cmp big big2; sort -r big | head -n 1",
    "exec 3<a; read -r x <&3; echo $x; : > a; cat a; [ -s a ] || echo empty; echo x > /dev/null; mktemp -d | wc -l",
    "jq -c . > out <<< '{\"a\": 1}'; cat out; echo '[1]' | jq -c '.[]' | tee t1 t2; cat t1 t2",
]  # fmt: skip


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("writable", [False, pytest.param(True, marks=posix)])
def test_a_directory_of_the_machine_looks_as_to_a_run_in_a_thread(
    script: str, writable: bool, tmp_path: Path
) -> None:
    outputs = []
    for isolation in ("thread", "process"):
        directory = tmp_path / isolation
        (directory / "d").mkdir(parents=True)
        (directory / "a").write_bytes(b"one\ntwo\n")
        (directory / "d" / "b").write_bytes(b"three\n")
        shell = Shell(
            fs=namespace(directory, writable=writable),
            limits=Limits(output_bytes=1 << 20, wall_seconds=60.0),
            isolation="thread" if isolation == "thread" else "process",
        )
        result = shell.run(script)
        there = {str(path.relative_to(directory)) for path in directory.rglob("*")}
        outputs.append((result.stdout, result.stderr, result.exit_status, result.failure, there))
        assert writable or there == {"a", "d", str(Path("d", "b"))}
    assert outputs[0] == outputs[1]


@posix
def test_no_link_leads_out_of_the_directory(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    directory = tmp_path / "shown"
    directory.mkdir()
    (directory / "link").symlink_to(tmp_path / "secret")
    (directory / "up").symlink_to("..")
    shell = Shell(fs=namespace(directory), isolation="process")
    result = shell.run("cat link up/secret; cat /workspace/../secret")
    assert result.stdout == "" and result.exit_status != 0


def test_the_caller_sees_changes_at_once_and_the_script_those_of_the_caller() -> None:
    class Own(MemoryFileSystem):
        """A file system that a caller wrote: no worker has a copy of it."""

    fs = Own()
    assert copies_of(fs) is None
    lines = iter([b"go\n", b"on\n", b""])
    seen = []

    def read(count: int, seconds: float) -> bytes:
        if fs.exists(VirtualPath("/tmp/x")):
            seen.append(fs.read_bytes(VirtualPath("/tmp/x")))
        fs.write_bytes(VirtualPath("/tmp/y"), b"theirs\n")
        return next(lines)

    result = Shell(fs=fs, isolation="process").run(
        "while read -r x; do echo $x >> /tmp/x; cat /tmp/y; done", stdin=read
    )
    assert (result.stdout, result.failure) == ("theirs\ntheirs\n", None)
    assert seen == [b"go\n", b"go\non\n"]


def test_an_exception_of_the_caller_s_file_system_is_a_defect_of_the_run() -> None:
    class Own(MemoryFileSystem):
        def readlink(self, path: VirtualPath) -> str:
            raise RuntimeError("the caller's")

    shell = Shell(fs=Own(), isolation="process")
    assert str(shell.run("ln -s a l; readlink l").defect) == "the caller's"
    assert shell.run("echo x").stdout == "x\n"


def test_the_user_of_a_file_system_crosses() -> None:
    for isolation in ("thread", "process"):
        root = Shell(
            fs=MemoryFileSystem(uid=0, gid=0), isolation="thread" if isolation == "thread" else "process"
        )
        assert root.run("echo x > /root/a; id -u; stat -c %u /root/a").stdout == "0\n0\n", isolation


@pytest.mark.parametrize(
    "question",
    [
        b"",
        wire.join([]),
        wire.join({}),
        wire.join([1]),
        wire.join(["__init__", "/"]),
        wire.join(["close"]),
        wire.join(["stat", "relative", True]),
        wire.join(["stat", ["/"], True]),
        wire.join(["stat", "/", 1]),
        wire.join(["rename", "/a", "b"]),
        wire.join(["mkdir", "/a", 1 << 80]),
        wire.join(["read_at", 1, 0, 1]),
        wire.join(["read_at", True, 0, 1]),
        wire.join(["size", -1]),
        wire.join(["open", "/a", "r", 0]),
    ],
)
def test_a_question_of_another_form_is_refused(question: bytes) -> None:
    with pytest.raises(ValueError):
        FileServer(MemoryFileSystem()).answer(question)


def test_a_piece_of_a_file_is_bounded_and_open_files_are_counted() -> None:
    fs = MemoryFileSystem()
    fs.write_bytes(VirtualPath("/tmp/a"), bytes(3 << 20))
    server = FileServer(fs)
    opening = wire.join(["open", "/tmp/a", wire.READ, 0])
    number = wire.split(server.answer(opening)[1])[0]
    assert len(wire.split(server.answer(wire.join(["read_at", number, 0, 1 << 40]))[1])[1]) == wire.CHUNK
    with pytest.raises(ValueError, match="too many open files"):
        for _ in range(5000):
            server.answer(opening)
    handles: list[Any] = list(server._handles.values())
    server.close()
    assert all(handle._closed for handle in handles)
