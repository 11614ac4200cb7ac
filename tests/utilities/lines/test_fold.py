"""fold: what it prints, and its errors."""

from __future__ import annotations

import pytest

FILES = {"f": "a\tb\nc\n", "g": "1\n2\n3\n", "u": "é€\nx", "n": "", "s": "1:2:3", "long": "abc def ghi\n"}


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["fold", "-w2", "long"], "ab\nc \nde\nf \ngh\ni\n"),
        (["fold", "-w6", "-s", "long"], "abc \ndef \nghi\n"),
        (["fold", "-w4", "f"], "a\n\t\nb\nc\n"),
        (["fold", "-b", "-w2", "f"], "a\t\nb\nc\n"),
        (["fold", "g"], "1\n2\n3\n"),
        (["fold", "-w1", "s"], "1\n:\n2\n:\n3"),
    ],
)
def test_prints(utility, argv, stdout):
    assert utility(*argv, files=FILES) == (0, stdout, "")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["fold", "nope"], "fold: nope: No such file or directory"),
        (["fold", "-w", "x"], "fold: invalid number of columns: 'x'"),
        (["fold", "-w0"], "fold: invalid number of columns: '0': Numerical result out of range"),
    ],
)
def test_fails(utility, argv, message):
    assert utility(*argv, files=FILES) == (1, "", f"{message}\n")
