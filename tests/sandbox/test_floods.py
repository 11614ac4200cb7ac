"""TM-DOS 8 to 10: files, names and descriptors are counted; the host stays alive meanwhile."""

from __future__ import annotations

import threading
import time

import pytest

from sandhook.interp.result import Result
from sandhook.limits import Limits
from sandhook.shell import Shell
from tests.sandbox.conftest import SMALL, Attack
from tests.sandbox.tools import present

# --------------------------------------------------------------------------- DOS-8: files


@pytest.mark.parametrize(
    ("script", "message"),
    present(
        [
            ("head -c 2000000 /dev/zero > f", "No space left on device"),
            ("yes > f", "No space left on device"),
            (
                "x=$(head -c 9000 /dev/zero | tr '\\0' a); for i in {1..200}; do echo $x >> f || exit; done",
                "No space left on device",
            ),
            ("for i in {1..600}; do : > f$i || exit; done", "No space left on device"),
            ("for i in {1..600}; do mkdir d$i || exit; done", "No space left on device"),
            ("for i in {1..600}; do ln -s x l$i || exit; done", "No space left on device"),
            ("mkdir d; i=0; while cp -r d d2 && mv d2 d/$((i++)); do :; done", "No space left on device"),
            ("head -c 600000 /dev/zero > a && cp a b", "No space left on device"),
            ("truncate -s 10G f", "No space left on device"),
            ("dd if=/dev/zero of=f bs=1 count=1 seek=10G", "No space left on device"),
            (": > \"$(printf 'x%.0s' {1..300})\"", "File name too long"),
            ("mkdir -p \"$(printf 'x/%.0s' {1..3000})\"", "cannot create directory"),
            ("while mkdir d && cd d; do :; done", ""),
            ("ln -s a b; ln -s b a; cat a", "Too many levels of symbolic links"),
            ("ln -s x/x x; cat x", "Too many levels of symbolic links"),
            (
                "for i in {1..60}; do ln -s l$i l$((i + 1)); done; echo > l1; cat l61",
                "Too many levels of symbolic links",
            ),
            ("while exec {fd}< /dev/null; do :; done", "Too many open files"),
            ('for i in {10..400}; do eval "exec $i< /dev/null" || exit; done', ""),
            ("echo x > /dev/full", "No space left on device"),
            ("mkdir a; mv a a/b", "subdirectory of itself"),
            ("mkdir a; cp -r a a/b", "itself"),
            ("cat f >> f < f; echo x > f; cat f >> f", "input file is output file"),
            ("rmdir /", ""),
            ("mv / x", ""),
            ("rm -rf /", "dangerous"),
        ]
    ),
)
def test_files_are_counted(attack: Attack, script: str, message: str) -> None:
    result = attack(script)
    assert message in result.stderr or result.limit in ("fs_bytes", "fs_inodes")
    assert result.stderr or result.limit


@pytest.mark.parametrize(
    "script",
    present(
        [
            "while :; do echo x >> f; done 2> /dev/null",
            "while :; do mkdir d; rmdir d; done",
            "while :; do : > f$((i++)); done 2> /dev/null",
        ]
    ),
)
def test_a_full_disk_is_no_way_out(attack: Attack, script: str) -> None:
    result = attack(script)
    assert result.limit in ("steps", "fs_bytes", "fs_inodes")
    assert result.exit_status != 0


@pytest.mark.parametrize(
    ("script", "stdout"),
    present(
        [
            ("for i in {1..50}; do head -c 100000 /dev/zero > f; rm f; done; echo ok", "ok\n"),
            ("for i in {1..900}; do : > f; rm f; done; echo ok", "ok\n"),
            ("for i in {1..900}; do exec 5< /dev/null; exec 5<&-; done; echo ok", "ok\n"),
            ("for i in {1..30}; do ln -s l$i l$((i + 1)); done; echo x > l1; cat l31", "x\n"),
            (": > \"$(printf 'x%.0s' {1..255})\"; ls | wc -c", "256\n"),
            ("rm -rf /* 2> /dev/null; cd /; echo still here", "still here\n"),
            ("chmod 0 f; mkdir -p a/b/c; rm -r a; ls", ""),
        ]
    ),
)
def test_what_is_freed_is_free(attack: Attack, script: str, stdout: str) -> None:
    result = attack(script)
    assert (result.stdout, result.limit) == (stdout, None)


def test_files_of_the_caller_count(attack: Attack) -> None:
    result = attack("echo x > f", files={"/workspace/big": b"x" * (1 << 20)})
    assert result.exit_status != 0


# --------------------------------------------------------------------------- processes


@pytest.mark.parametrize(
    "script",
    present(
        [
            ":(){ :|:& };:; sleep 1000",
            "while :; do sleep 1000 & done",
            "for i in {1..100}; do sleep 1000 & done; wait",
            " | ".join(["sleep 1000"] * 100),
            "f() { sleep 1000 | f; }; f",
            "for i in {1..100}; do coproc sleep 1000; done",
            "cat " + " ".join(["<(sleep 1000)"] * 100),
        ]
    ),
    ids=lambda script: script[:30],
)
def test_processes_are_counted(attack: Attack, script: str) -> None:
    result = attack(script)
    assert result.limit in ("processes", "call_depth", "steps", "wall_seconds")
    assert result.exit_status != 0


def test_processes_that_ended_are_free(attack: Attack) -> None:
    result = attack("for i in {1..200}; do (:) & done; wait; for i in {1..200}; do : | :; done; echo ok")
    assert (result.stdout, result.limit) == ("ok\n", None)


def test_thirty_stages_are_fine(attack: Attack) -> None:
    assert attack("echo x | " + " | ".join(["cat"] * 25)).stdout == "x\n"


# --------------------------------------------------------------------------- DOS-10: the host stays alive

FREEZERS = [
    "while :; do :; done",
    "x=x; while :; do x=$x$x; done",
    "yes | sort",
    "jq -n 'def f: f; f'",
    "jq -n '[range(1e9)] | length'",
    "x=$(printf 'a%.0s' {1..9999}); while :; do [[ $x =~ ^(a+)+b$ ]]; done",
    "x=$(printf 'a%.0s' {1..9999}); while :; do case $x in *a*a*a*b) ;; esac; done",
    "awk 'BEGIN { while (1) x = x \"aaaaaaaaaaaaaaaa\" }'",
    "seq 100000 | sort -rn | sort -n | tail -n 1; while :; do :; done",
    "while :; do echo {1..9999} > /dev/null; done",
    "(" * 3000,
    "echo $((" + "(" * 3000,
    "f() { f; }; f",
]


@pytest.mark.parametrize("script", present(FREEZERS), ids=lambda script: script[:40])
def test_other_threads_keep_running(script: str) -> None:
    limits = Limits(wall_seconds=0.15)
    gaps = []
    stop = threading.Event()

    def heartbeat() -> None:
        last = time.process_time()
        while not stop.wait(0.01):
            now = time.process_time()
            gaps.append(now - last)
            last = now

    results: list[Result] = []
    watcher = threading.Thread(target=heartbeat)
    worker = threading.Thread(target=lambda: results.append(Shell(limits=limits).run(script)))
    watcher.start()
    start = time.process_time()
    worker.start()
    worker.join(60)
    took = time.process_time() - start
    stop.set()
    watcher.join()
    assert results, "the run did not come back"
    assert took < limits.wall_seconds + 1.0
    assert max(gaps, default=0.0) < 1.0
    assert results[0].exit_status != 0


def test_nothing_goes_on_after_the_return(attack: Attack) -> None:
    shell = Shell(limits=SMALL)
    shell.run("while :; do echo x >> log; sleep 0.01; done > /dev/null 2>&1 & sleep 0.1; echo started")
    size = len(shell.fs.read_bytes("/workspace/log"))
    assert size > 0
    time.sleep(0.1)
    shell.run(":")
    assert len(shell.fs.read_bytes("/workspace/log")) == size
