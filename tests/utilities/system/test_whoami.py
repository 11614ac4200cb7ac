"""whoami: nothing of the host shows, so what the real program prints is not expected."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["whoami"], "agent\n"),
    ],
)
def test_prints(utility, argv, stdout):
    assert utility(*argv, same=False) == (0, stdout, "")


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        (["whoami", "x"], 1, "whoami: extra operand 'x'"),
    ],
)
def test_refuses(utility, argv, status, message):
    result = utility(*argv)
    assert result[:2] == (status, "")
    assert result[2].startswith(message + "\n")
