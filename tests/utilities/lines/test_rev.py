"""rev: what it prints, and its errors."""

from __future__ import annotations

import pytest

FILES = {"f": "a\tb\nc\n", "g": "1\n2\n3\n", "u": "é€\nx", "n": "", "s": "1:2:3", "long": "abc def ghi\n"}


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["rev", "f"], "b\ta\nc\n"),
        (["rev", "u"], "€é\nx"),
        (["rev", "n"], ""),
    ],
)
def test_prints(utility, argv, stdout):
    assert utility(*argv, files=FILES) == (0, stdout, "")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["rev", "nope"], "rev: cannot open nope: No such file or directory"),
    ],
)
def test_fails(utility, argv, message):
    assert utility(*argv, files=FILES) == (1, "", f"{message}\n")
