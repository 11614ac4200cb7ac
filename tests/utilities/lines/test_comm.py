from __future__ import annotations

import pytest

FILES = {"a": "1\n2\n3\n", "b": "2\n3\n4\n", "n": "", "u": "b\na\n", "l": "1\n2"}


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["a", "b"], "1\n\t\t2\n\t\t3\n\t4\n"),
        (["-12", "a", "b"], "2\n3\n"),
        (["-3", "a", "b"], "1\n\t4\n"),
        (["-23", "a", "b"], "1\n"),
        (["-13", "a", "b"], "4\n"),
        (["-123", "a", "b"], ""),
        (["-1", "a", "b"], "\t2\n\t3\n4\n"),
        (["a", "n"], "1\n2\n3\n"),
        (["--output-delimiter=,", "a", "b"], "1\n,,2\n,,3\n,4\n"),
        (["--total", "-123", "a", "b"], "1\t1\t2\ttotal\n"),
        (["l", "a"], "\t\t1\n\t\t2\n\t3\n"),
        (["--nocheck-order", "u", "n"], "b\na\n"),
        (["u", "u"], "\t\tb\n\t\ta\n"),
    ],
)
def test_prints(utility, argv, stdout):
    assert utility("comm", *argv, files=FILES) == (0, stdout, "")


def test_reads_standard_input(utility):
    assert utility("comm", "-12", "-", "a", stdin="3\n", files=FILES) == (0, "3\n", "")


def test_order(utility):
    err = "comm: file 1 is not in sorted order\ncomm: input is not in sorted order\n"
    assert utility("comm", "u", "n", files=FILES) == (1, "b\na\n", err)
    assert utility("comm", "--check-order", "u", "n", files=FILES, same=False)[0] == 1


def test_fails(utility):
    hint = "Try 'comm --help' for more information.\n"
    assert utility("comm", "a", "nope", files=FILES) == (1, "", "comm: nope: No such file or directory\n")
    assert utility("comm", "a") == (1, "", f"comm: missing operand after 'a'\n{hint}")
    assert utility("comm", "a", "b", "c") == (1, "", f"comm: extra operand 'c'\n{hint}")
