from __future__ import annotations

import time

import pytest

from sandhook import Limits, Shell


@pytest.mark.parametrize("argv", [["0"], ["0.01"], ["0s", "0m", ".01"], ["1e-2"], ["0x0"]])
def test_sleeps(utility, argv):
    assert utility("sleep", *argv) == (0, "", "")


def test_time_is_virtual():
    started = time.monotonic()
    assert Shell(limits=Limits(wall_seconds=1000)).run("sleep 5m 2.5 .5s; echo $?").stdout == "0\n"
    assert time.monotonic() - started < 250


@pytest.mark.parametrize("text", ["x", "-1x", "", "1 ", "1sm", "1_0", "nan", "0x"])
def test_refuses(utility, text):
    hint = "Try 'sleep --help' for more information.\n"
    if text[:1] == "-":
        assert utility("sleep", text) == (1, "", f"sleep: invalid option -- '1'\n{hint}")
    else:
        assert utility("sleep", text) == (1, "", f"sleep: invalid time interval '{text}'\n{hint}")


def test_names_every_bad_interval(utility):
    err = (
        "sleep: invalid time interval 'a'\nsleep: invalid time interval 'b'\n"
        "Try 'sleep --help' for more information.\n"
    )
    assert utility("sleep", "a", "1", "b") == (1, "", err)
