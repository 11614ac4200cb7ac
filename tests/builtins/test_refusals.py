"""What bash has and sandhook has not is refused by name; its harmless neighbour works."""

from __future__ import annotations

import pytest

from sandhook.limits import Limits
from sandhook.shell import Shell
from tests.builtins.conftest import ENVIRONMENT, run_ours


@pytest.mark.parametrize(
    ("script", "message", "twin"),
    [
        ("enable -f lib.so x", "enable: -f is not supported (L-ENABLE-001)", "enable echo"),
    ],
)
def test_refuses_by_name(script: str, message: str, twin: str) -> None:
    refused = run_ours(script)
    assert refused.status == 2
    assert refused.stderr == f"bash: line 1: {message}\n"
    assert run_ours(twin).status == 0


def test_raising_a_limit_is_not_permitted() -> None:
    ran = run_ours("ulimit -n 1000000; ulimit -n $(ulimit -n); echo $?; ulimit -n 5; ulimit -n; ulimit -n 6")
    assert ran.stdout == "0\n5\n"
    assert ran.stderr == (
        "bash: line 1: ulimit: open files: cannot modify limit: Operation not permitted\n" * 2
    )


def test_ulimit_shows_the_run_s_own_limits() -> None:
    result = Shell(env=ENVIRONMENT, limits=Limits(open_files=99, fs_bytes=5 << 20)).run(
        "ulimit -n; ulimit; ulimit -a"
    )
    assert result.stdout.splitlines()[:2] == ["99", "5120"]
    assert "open files                          (-n) 99" in result.stdout.splitlines()


@pytest.mark.parametrize(
    ("script", "limit"),
    [
        ("read -d x v < /dev/zero", "steps"),
        ("while :; do a+=(x); done", "memory_bytes"),
        (
            "mapfile -d x v < <(while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done)",
            "memory_bytes",
        ),
        ("f() { eval 'f'; }; f", "call_depth"),
        ("printf '. ./s\\n' > s; . ./s", "call_depth"),
        ("trap 'kill -USR1 $$' USR1; kill -USR1 $$; while :; do :; done", "steps"),
        ("read -t 100 x < <(sleep 1000)", "wall_seconds"),
        ("sleep 1000 & wait", "wall_seconds"),
    ],
)
def test_a_limit_ends_the_run(script: str, limit: str) -> None:
    limits = Limits(steps=200_000, memory_bytes=1 << 20, call_depth=100)
    result = Shell(env=ENVIRONMENT, limits=limits).run(script + "; echo survived")
    assert result.exit_status != 0
    assert result.limit in (limit, "steps")
    assert "survived" not in result.stdout


def test_kill_reaches_nothing_outside_the_run() -> None:
    ran = run_ours("kill -9 1 2 999; echo $?")
    assert ran.stdout == "1\n"
    assert ran.stderr.count("No such process") == 3


def test_read_keeps_bytes_that_are_not_utf8() -> None:
    result = Shell(env=ENVIRONMENT).run('read -r x; printf "%s" "$x"', stdin=b"a\xff\xfeb\n")
    assert result.stdout_bytes == b"a\xff\xfeb"


def test_read_leaves_what_follows_the_line() -> None:
    result = Shell(env=ENVIRONMENT).run("read -r a; read -n 2 b; cat", stdin=b"one\ntwo\nthree\n")
    assert result.stdout == "o\nthree\n"


def test_a_time_out_costs_no_real_time() -> None:
    result = Shell(env=ENVIRONMENT, limits=Limits(wall_seconds=100)).run(
        "read -t 30 x < <(sleep 60); echo $?"
    )
    assert result.stdout == "142\n"
    assert result.duration < 5
