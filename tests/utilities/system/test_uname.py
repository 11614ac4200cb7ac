"""uname: nothing of the host shows, so what the real program prints is not expected."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["uname"], "Linux\n"),
        (["uname", "-s", "-m"], "Linux x86_64\n"),
        (["uname", "-sr"], "Linux 6.1.0\n"),
        (["uname", "-n"], "sandhook\n"),
        (["uname", "-o"], "GNU/Linux\n"),
        (["uname", "-po"], "unknown GNU/Linux\n"),
        (["uname", "-a"], "Linux sandhook 6.1.0 #1 sandhook x86_64 GNU/Linux\n"),
    ],
)
def test_prints(utility, argv, stdout):
    assert utility(*argv, same=False) == (0, stdout, "")


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        (["uname", "x"], 1, "uname: extra operand 'x'"),
        (["uname", "-x"], 1, "uname: invalid option -- 'x'"),
    ],
)
def test_refuses(utility, argv, status, message):
    result = utility(*argv)
    assert result[:2] == (status, "")
    assert result[2].startswith(message + "\n")
