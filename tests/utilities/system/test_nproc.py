"""nproc: nothing of the host shows, so what the real program prints is not expected."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["nproc"], "1\n"),
        (["nproc", "--all", "--ignore=3"], "1\n"),
    ],
)
def test_prints(utility, argv, stdout):
    assert utility(*argv, same=False) == (0, stdout, "")


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        (["nproc", "--ignore=x"], 1, "nproc: invalid number: 'x'"),
    ],
)
def test_refuses(utility, argv, status, message):
    result = utility(*argv)
    assert result[:2] == (status, "")
    assert result[2].startswith(message + "\n")
