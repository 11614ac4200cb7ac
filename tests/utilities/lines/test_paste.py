"""paste: what it prints, and its errors."""

from __future__ import annotations

import pytest

FILES = {"f": "a\tb\nc\n", "g": "1\n2\n3\n", "u": "é€\nx", "n": "", "s": "1:2:3", "long": "abc def ghi\n"}


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["paste", "f", "g"], "a\tb\t1\nc\t2\n\t3\n"),
        (["paste", "-d,", "f", "g"], "a\tb,1\nc,2\n,3\n"),
        (["paste", "-s", "g"], "1\t2\t3\n"),
        (["paste", "-sd+", "g"], "1+2+3\n"),
        (["paste", "-sd", ",;", "g"], "1,2;3\n"),
        (["paste", "-s", "g", "f"], "1\t2\t3\na\tb\tc\n"),
        (["paste", "-d\\n,", "f", "g", "g"], "a\tb\n1,1\nc\n2,2\n\n3,3\n"),
        (["paste", "-d\\0", "g", "g"], "11\n22\n33\n"),
        (["paste", "-sd", "", "g"], "123\n"),
        (["paste", "n", "g"], "\t1\n\t2\n\t3\n"),
        (["paste", "-s", "n"], "\n"),
        (["paste", "n"], ""),
    ],
)
def test_prints(utility, argv, stdout):
    assert utility(*argv, files=FILES) == (0, stdout, "")


def test_shares_standard_input(utility):
    assert utility("paste", "-", "-", stdin="a\nb\nc\n") == (0, "a\tb\nc\t\n", "")
    assert utility("paste", "-d ", "-", "f", "-", stdin="x\ny\nz\n", files={"f": "1\n"}) == (
        0,
        "x 1 y\nz  \n",
        "",
    )


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["paste", "nope"], "paste: nope: No such file or directory"),
        (["paste", "-d\\", "f"], "paste: delimiter list ends with an unescaped backslash: \\"),
    ],
)
def test_fails(utility, argv, message):
    assert utility(*argv, files=FILES) == (1, "", f"{message}\n")
