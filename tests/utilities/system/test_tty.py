"""tty: nothing of the host shows, so what the real program prints is not expected."""

from __future__ import annotations

import pytest


def test_there_is_no_terminal(utility):
    assert utility("tty") == (1, "not a tty\n", "")
    assert utility("tty", "-s") == (1, "", "")


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        (["tty", "x"], 2, "tty: extra operand 'x'"),
    ],
)
def test_refuses(utility, argv, status, message):
    result = utility(*argv)
    assert result[:2] == (status, "")
    assert result[2].startswith(message + "\n")
