"""timeout ends processes, so it is tested in a whole shell."""

from __future__ import annotations

import subprocess
import time

import pytest

from sandhook.limits import Limits
from sandhook.shell import Shell


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("timeout 1 true; echo $?", "0\n"),
        ("timeout 1 bash -c 'exit 5'; echo $?", "5\n"),
        ("timeout .2 sleep 3; echo $?", "124\n"),
        ("timeout 0.2s bash -c 'sleep 3; echo no'; echo $?", "124\n"),
        ("timeout .2 bash -c 'while :; do :; done'; echo $?", "124\n"),
        ("timeout -s KILL .2 sleep 3; echo $?", "137\n"),
        ("timeout -s INT .2 sleep 3; echo $?", "124\n"),
        ("timeout --preserve-status .2 sleep 3; echo $?", "143\n"),
        ("timeout 1 cat </dev/null | timeout .2 sleep 3; echo ${PIPESTATUS[@]}", "0 124\n"),
        ("(timeout .2 sleep 3; echo $?) & wait", "124\n"),
        ("x=$(timeout .2 sleep 3); echo $?", "124\n"),
        ("timeout 0 sleep .1; echo $?", "0\n"),
        ("timeout -k .1 .2 bash -c 'trap \"\" TERM; sleep 3; sleep 3'; echo $?", "137\n"),
        ("timeout 1 no-such-command 2>/dev/null; echo $?", "127\n"),
        ("timeout 1 sh -c 'echo a; exit 3' | cat; echo ${PIPESTATUS[0]}", "a\n3\n"),
    ],
)
def test_ends_what_takes_too_long(script, stdout, oracle):
    result = Shell(limits=Limits(wall_seconds=30)).run(script)
    assert (result.stdout, result.limit) == (stdout, None)
    if oracle:
        real = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=20, check=False)
        assert real.stdout == stdout


def test_the_time_is_virtual():
    started = time.monotonic()
    assert Shell(limits=Limits(wall_seconds=1000)).run("timeout 300 sleep 900").exit_status == 124
    assert time.monotonic() - started < 250


def test_says_what_it_sends():
    result = Shell().run("timeout -v .2 sleep 3")
    assert result.stderr == "timeout: sending signal TERM to command 'sleep'\n"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ("x true", "timeout: invalid time interval 'x'"),
        ("1", "Try 'timeout --help' for more information."),
        ("-s NOSUCH 1 true", "timeout: 'NOSUCH': invalid signal"),
        ("-q 1 true", "timeout: invalid option -- 'q'"),
    ],
)
def test_refuses(argv, message):
    result = Shell().run(f"timeout {argv}")
    assert result.exit_status == 125
    assert result.stderr.startswith(message + "\n")
