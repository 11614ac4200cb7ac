"""tac: what it prints, and its errors."""

from __future__ import annotations

import pytest

FILES = {"f": "a\tb\nc\n", "g": "1\n2\n3\n", "u": "é€\nx", "n": "", "s": "1:2:3", "long": "abc def ghi\n"}


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["tac", "g"], "3\n2\n1\n"),
        (["tac", "g", "f"], "3\n2\n1\nc\na\tb\n"),
        (["tac", "u"], "xé€\n"),
        (["tac", "n"], ""),
        (["tac", "-s", ":", "s"], "32:1:"),
        (["tac", "-b", "-s", ":", "s"], ":3:21"),
        (["tac", "-s", "2", "g"], "\n3\n1\n2"),
    ],
)
def test_prints(utility, argv, stdout):
    assert utility(*argv, files=FILES) == (0, stdout, "")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["tac", "nope"], "tac: failed to open 'nope' for reading: No such file or directory"),
    ],
)
def test_fails(utility, argv, message):
    assert utility(*argv, files=FILES) == (1, "", f"{message}\n")
