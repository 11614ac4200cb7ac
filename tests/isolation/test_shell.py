"""Shell(isolation="process"): what a run in a worker shares with its caller, what it survives, and what is refused."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

import pytest

from sandhook.command.own import utility
from sandhook.errors import IsolationError
from sandhook.isolation import remote, wire
from sandhook.isolation.files import shared
from sandhook.isolation.pool import ShellWorker, pool_for
from sandhook.limits import Cancellation, Limits
from sandhook.shell import Result, Shell
from sandhook.vfs.base import Device
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath
from sandhook.worker.client import Pool

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


def isolated(**arguments: Any) -> Shell:
    return Shell(isolation="process", **arguments)


def pool() -> Pool[ShellWorker]:
    return pool_for(Limits())


def facts(result: Result) -> tuple[object, ...]:
    """Return what a result says, without its duration."""
    error = result.syntax_error
    return (
        result.stdout_bytes,
        result.stderr_bytes,
        result.exit_status,
        result.limit,
        result.failure,
        result.truncated,
        result.stdout_truncated,
        result.notes,
        None if error is None else (str(error), error.span, error.token, error.where, error.incomplete),
        None if result.defect is None else str(result.defect),
    )


@pytest.mark.parametrize(
    "script",
    [
        "echo out; echo err >&2; exit 7",
        "cat; printf '\\377\\0x'",
        "echo $0 $1 ${#2} $X \"$NAME\"",
        "cat a; echo more >> a; ln -s a l; mkdir -p d/e; chmod 700 d; rm b; mkfifo f; ls -lR --time-style=+ | grep -v total",
        "for i in",
        "echo $(",
        "while :; do :; done",
        "x=x; while :; do x=$x$x; done",
        "yes",
        "f() { f; }; f",
        "kill -9 $$",
        "jq -r .a; sqlite3 t.db 'create table t(a); insert into t values(1); select * from t'; ls",
        "echo '{\"a\":1}' | jq -c '., (range(3))'; jq -n 'error(\"x\")'",
        "echo é | jq -R . | tee t; TZ=Europe/Berlin date -d @0; echo aa | grep -P '(a)\\1'; echo 'a: 1' | yq .a",
        "frobnicate; sort --frobnicate; echo a | gzip | zcat; echo a | sha256sum; bc <<< '2^70'; printf '%(%Y)T' 0",
        "sleep 3; date >/dev/null; echo $SECONDS",
        "nosuch() { echo x; }; coproc nosuch",
    ],
)  # fmt: skip
def test_a_run_in_a_worker_ends_as_one_in_a_thread(script):
    limits = Limits(wall_seconds=20.0, steps=200_000, memory_bytes=4 << 20)
    arguments: dict[str, Any] = {
        "files": {"a": "one\n", "b": "two\n"},
        "env": {"X": "1", "PATH": "/usr/bin:/bin"},
        "limits": limits,
    }
    here, there = Shell(**arguments), isolated(**arguments)
    run: dict[str, Any] = {
        "stdin": b'{"a":"\xc3\xa9"}\n',
        "args": ["p", "\udcff"],
        "name": "hook.sh",
        "env": {"NAME": "a b"},
    }
    assert facts(there.run(script, **run)) == facts(here.run(script, **run))
    assert listing(there) == listing(here)


def listing(shell: Shell) -> str:
    return (
        Shell(fs=shell.fs)
        .run("find . -printf '%P %y %m %s %l\\n' | sort; cat $(find . -type f -name '[ab]')")
        .stdout
    )


def test_later_runs_see_the_files_of_earlier_ones_and_of_the_caller():
    shell = isolated(files={"a": "1"})
    shell.run("echo 2 > b")
    assert shell.fs.read_bytes(VirtualPath("/workspace/b")) == b"2\n"
    shell.fs.write_bytes(VirtualPath("/workspace/c"), b"3\n")
    assert shell.run("cat a b c; rm a; touch -d @5 c").stdout == "12\n3\n"
    assert shell.fs.stat(VirtualPath("/workspace/c")).mtime_ns == 5 * 10**9
    shell.fs.unlink(VirtualPath("/workspace/b"))
    assert shell.run("ls").stdout == "c\n"
    other = isolated(fs=shell.fs)
    assert other.run("cat c; echo 4 > d").stdout == "3\n"
    assert shell.run("cat d").stdout == "4\n"


def test_what_is_written_by_a_file_that_was_opened_before_the_first_run_is_seen():
    fs = MemoryFileSystem()
    handle = fs.open(VirtualPath("/tmp/a"), write=True, create=True)
    assert not isinstance(handle, Device)
    shell = isolated(fs=fs)
    for text in (b"1\n", b"2\n", b"3\n"):
        handle.write_at(0, text)
        assert shell.run("cat /tmp/a").stdout_bytes == text


def test_shells_do_not_see_the_files_of_others():
    first, second = isolated(files={"secret": "x"}), isolated()
    first.run("echo leak > /tmp/leak; export LEAK=1; alias l=ls")
    assert second.run("ls /tmp . ; echo $LEAK; alias").stdout == ".:\n\n/tmp:\n\n"
    assert first.run("ls /tmp; echo $LEAK").stdout == "leak\n\n"


def test_the_quota_is_that_of_the_file_system():
    shell = isolated(limits=Limits(fs_bytes=100_000))
    assert shell.run("head -c 60000 /dev/zero > a").exit_status == 0
    assert "No space left" in shell.run("head -c 60000 /dev/zero > b").stderr
    shell.run("rm -f b")
    assert shell.run("head -c 30000 /dev/zero > b").exit_status == 0


def test_streams_are_passed_as_they_come():
    pieces: list[bytes] = []
    lines = [b"one\n", b"two\n", b""]
    result = isolated().run(
        'while read -r x; do echo "got $x"; done; echo err >&2',
        stdin=lambda count, seconds: lines.pop(0),
        stdout=pieces.append,
        stderr=pieces.append,
    )
    assert (b"".join(pieces), result.exit_status, result.failure) == (b"got one\ngot two\nerr\n", 0, None)


def test_an_error_of_the_caller_s_stream_is_a_defect_of_the_run_alone():
    def fail(data: bytes) -> None:
        raise RuntimeError("the caller's")

    shell = isolated()
    assert str(shell.run("echo x", stdout=fail).defect) == "the caller's"
    assert shell.run("echo x").stdout == "x\n"


def test_a_cancellation_ends_the_worker():
    cancel = Cancellation()
    pieces: list[bytes] = []

    def take(data: bytes) -> None:
        pieces.append(data)
        cancel.cancel()

    result = isolated(limits=Limits(wall_seconds=60.0)).run(
        "echo x; while :; do :; done", stdout=take, cancel=cancel
    )
    assert (result.limit, result.exit_status, pieces) == ("cancelled", 137, [b"x\n"])
    assert isolated().run("echo x", cancel=cancel).limit == "cancelled"


@posix
def test_a_crash_is_one_failed_run_and_the_pool_is_refilled(monkeypatch):
    shell = isolated()
    assert shell.run("echo x").stdout == "x\n"
    monkeypatch.setattr(remote._Remote, "_converse", killing(remote._Remote._converse))
    result = shell.run("while :; do :; done")
    assert result.failure == "the shell worker was ended by SIGKILL"
    assert (result.exit_status, result.limit, result.defect, result.stdout) == (137, None, None, "")
    monkeypatch.undo()
    assert pool()._idle, "another worker was started at once"
    assert shell.run("echo y").stdout == "y\n"


def killing(converse: Any) -> Any:
    def kill_and_converse(self: remote._Remote) -> bytes:
        os.kill(self._worker.pid, 9)
        return bytes(converse(self))

    return kill_and_converse


@pytest.mark.parametrize("seconds", [2147484.0, 1e10, 1e12, 1e300])
def test_a_limit_may_be_longer_than_a_timer_of_the_host(seconds: float) -> None:
    assert isolated(limits=Limits(wall_seconds=seconds)).run("sleep 1; echo x").stdout == "x\n"


def test_a_worker_that_does_not_end_in_time_is_killed(monkeypatch):
    shell = isolated(limits=Limits(wall_seconds=0.5))
    assert shell.run("echo x").stdout == "x\n"
    if sys.platform == "win32":
        monkeypatch.setattr(remote, "_GRACE", -0.4)
    else:
        monkeypatch.setattr(remote._Remote, "_converse", stopping(remote._Remote._converse))
    result = shell.run("echo x; while :; do :; done")
    assert (result.limit, result.exit_status) == ("wall_seconds", 124)
    monkeypatch.undo()
    assert shell.run("echo y").stdout == "y\n"


def stopping(converse: Any) -> Any:
    """Stop the worker, as code in C that never returns would."""

    def stop_and_converse(self: remote._Remote) -> bytes:
        os.kill(self._worker.pid, 19)
        return bytes(converse(self))

    return stop_and_converse


@pytest.mark.parametrize(
    "frame",
    [
        (wire.RESULT, b""),
        (wire.RESULT, b"\xff\xff\xff\xff{}"),
        (wire.RESULT, wire.pack({"status": 0}, b"", b"", b"")),
        (wire.RESULT, b"\x02\x00\x00\x00[]"),
        (wire.OUTPUT, b"x"),
        (wire.INPUT, b"x"),
        (200, b""),
    ],
)
def test_a_worker_that_breaks_the_protocol_is_a_failed_run(monkeypatch, frame):
    shell = isolated()
    assert shell.run("echo x").stdout == "x\n"
    with monkeypatch.context() as patch:
        patch.setattr(ShellWorker, "frame", lambda self: frame)
        result = shell.run("echo x")
    assert result.failure is not None
    assert result.failure.startswith("the shell worker broke the protocol")
    assert shell.run("echo y").stdout == "y\n"


def test_a_worker_cannot_send_without_bound(monkeypatch):
    shell = isolated()
    assert shell.run("echo x").stdout == "x\n"
    monkeypatch.setattr(remote, "most_bytes", lambda limits, steps: 10)
    result = shell.run("echo x")
    assert result.failure is not None and "at once" in result.failure


@pytest.mark.parametrize("path", ["relative", "/a/../b", "/a//b", "/a\0b", "/", "/a/."])
def test_changes_outside_plain_paths_are_refused(path):
    from sandhook.vfs.delta import DeltaEntry, encode

    fs = MemoryFileSystem()
    with pytest.raises((ValueError, OSError)):
        shared(fs).bring_in(0, encode([DeltaEntry(VirtualPath(path), 0o100644)]))


def test_runs_at_the_same_time_keep_the_changes_of_all():
    shell = isolated()
    threads = [
        threading.Thread(target=lambda n=n: [shell.run(f"echo {n} >> {n}; echo x > same") for _ in range(5)])
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shell.run("cat 0 1 2 3 same").stdout == "0\n" * 5 + "1\n" * 5 + "2\n" * 5 + "3\n" * 5 + "x\n"


@utility
def greet(name: str) -> int:
    """Print nothing."""
    return len(name)


def test_what_cannot_cross_is_named_when_the_shell_is_made():
    with pytest.raises(IsolationError, match="utilities cannot be used with isolation='process'") as error:
        isolated(utilities=[greet])
    assert error.value.argument == "utilities"
    Shell(utilities=[greet])


@pytest.mark.parametrize(
    ("name", "value", "argument"),
    [
        ("frozen", True, "sys.executable"),
        ("executable", "", "sys.executable"),
        ("platform", "wasi", "sys.platform"),
    ],
)
def test_a_system_that_cannot_start_workers_is_named(monkeypatch, name, value, argument):
    monkeypatch.setattr(sys, name, value, raising=False)
    with pytest.raises(IsolationError) as error:
        isolated()
    assert error.value.argument == argument
    assert Shell().run("echo x").stdout == "x\n"


@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_temporary_files_exist_during_their_run_alone(isolation):
    shell = Shell(isolation=isolation, files={"kept": "old"})
    files = [("/tmp/new/t", b"1"), ("/workspace/kept", b"2")]
    assert shell.run("cat /tmp/new/t kept", temporary_files=files).stdout == "12"
    assert shell.run("ls -A /tmp . 2>&1").stdout == ".:\n\n/tmp:\n"
    assert shell.run("echo own > /tmp/own; cat /tmp/new/t", temporary_files=files[:1]).stdout == "1"
    assert shell.run("ls -A /tmp; cat /tmp/own").stdout == "own\nown\n"
    result = shell.run("echo x", temporary_files=[("/etc/passwd/x", b"")])
    assert (result.stdout, len(result.notes)) == ("x\n", 1)
    assert "cannot write /etc/passwd/x: Not a directory" in result.notes[0]


def test_other_words_and_sessions_are_refused():
    with pytest.raises(ValueError, match="isolation must be 'thread' or 'process', not 'fork'"):
        Shell(isolation="fork")  # type: ignore[arg-type]
    with pytest.raises(IsolationError, match="session"):
        isolated().session()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_worker_is_confined():
    assert isolated().run("echo x").stdout == "x\n"
    worker = pool()._idle[-1]
    assert worker.confinement is not None
    assert worker.confinement.complete, worker.confinement.lines()
    with open(f"/proc/{worker.pid}/status", encoding="ascii") as lines:
        status = dict(line.split(":", 1) for line in lines)
    assert status["Seccomp"].strip() == "2"
    assert status["Threads"].strip() == "1"
    assert sorted(os.listdir(f"/proc/{worker.pid}/fd")) == ["0", "1", "2", "3"]


@pytest.mark.parametrize("overlay", [False, True])
@pytest.mark.parametrize("path", ["/a\0b/c", "/" + "n" * 300 + "/f", "/etc/passwd/x/y"])
def test_a_temporary_file_that_cannot_exist_is_a_note(path: str, overlay: bool) -> None:
    files = MemoryFileSystem()
    shell = Shell(fs=OverlayFileSystem(files) if overlay else files)
    result = shell.run("echo ok", temporary_files=[(path, b"x")])
    assert result.stdout == "ok\n"
    assert len(result.notes) == 1 and result.notes[0].endswith("; the hook runs without it")


@pytest.mark.parametrize("path", ["/tmp/../opt/app/f", "//srv/./app/f", "/home/me/f"])
def test_a_temporary_file_may_be_anywhere(path: str) -> None:
    result = Shell().run(f"cat {path}", temporary_files=[(path, b"text\n")])
    assert (result.stdout, result.notes) == ("text\n", ())
