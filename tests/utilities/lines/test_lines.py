"""rev, tac, paste, fold, yes: small filters of lines."""

from __future__ import annotations

import pytest

from sandhook.errors import LimitExceeded

FILES = {"f": "a\tb\nc\n", "g": "1\n2\n3\n", "u": "é€\nx", "n": "", "s": "1:2:3", "long": "abc def ghi\n"}


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["rev", "f"], "b\ta\nc\n"),
        (["rev", "u"], "€é\nx"),
        (["rev", "n"], ""),
        (["tac", "g"], "3\n2\n1\n"),
        (["tac", "g", "f"], "3\n2\n1\nc\na\tb\n"),
        (["tac", "u"], "xé€\n"),
        (["tac", "n"], ""),
        (["tac", "-s", ":", "s"], "32:1:"),
        (["tac", "-b", "-s", ":", "s"], ":3:21"),
        (["tac", "-s", "2", "g"], "\n3\n1\n2"),
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


def test_paste_shares_standard_input(utility):
    assert utility("paste", "-", "-", stdin="a\nb\nc\n") == (0, "a\tb\nc\t\n", "")
    assert utility("paste", "-d ", "-", "f", "-", stdin="x\ny\nz\n", files={"f": "1\n"}) == (
        0,
        "x 1 y\nz  \n",
        "",
    )


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["rev", "nope"], "rev: cannot open nope: No such file or directory"),
        (["tac", "nope"], "tac: failed to open 'nope' for reading: No such file or directory"),
        (["paste", "nope"], "paste: nope: No such file or directory"),
        (["paste", "-d\\", "f"], "paste: delimiter list ends with an unescaped backslash: \\"),
        (["fold", "nope"], "fold: nope: No such file or directory"),
        (["fold", "-w", "x"], "fold: invalid number of columns: 'x'"),
        (["fold", "-w0"], "fold: invalid number of columns: '0': Numerical result out of range"),
    ],
)
def test_fails(utility, argv, message):
    status, out, err = utility(*argv, files=FILES, same=message is not None)
    assert (status, out) == (1, "")
    assert err == f"{message}\n" if message else err.startswith("tac: invalid option -- 'r'\n")


def test_yes_goes_on_until_a_limit(sandbox):
    with pytest.raises(LimitExceeded):
        sandbox.run("yes", "a", "b")
