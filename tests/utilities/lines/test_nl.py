from __future__ import annotations

import pytest

TEXT = "a\n\nb\n"


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        ([], "     1\ta\n       \n     2\tb\n"),
        (["-ba"], "     1\ta\n     2\t\n     3\tb\n"),
        (["-b", "n"], "       a\n       \n       b\n"),
        (["-bpb"], "       a\n       \n     1\tb\n"),
        (["-w3", "-s: "], "  1: a\n     \n  2: b\n"),
        (["-nln"], "1     \ta\n       \n2     \tb\n"),
        (["-nrz", "-w3"], "001\ta\n    \n002\tb\n"),
        (["-v5", "-i10"], "     5\ta\n       \n    15\tb\n"),
        (["-v-1", "-ba", "-nrz"], "-00001\ta\n000000\t\n000001\tb\n"),
        (["-ba", "-l2"], "     1\ta\n       \n     2\tb\n"),
    ],
)
def test_numbers(utility, argv, stdout):
    assert utility("nl", *argv, stdin=TEXT) == (0, stdout, "")


def test_sections(utility):
    text = "\\:\\:\\:\nh\n\\:\\:\nb\n\\:\nf\n\\:\\:\\:\n\\:\\:\nc\n"
    assert utility("nl", stdin=text) == (0, "\n       h\n\n     1\tb\n\n       f\n\n\n     1\tc\n", "")
    assert (
        utility("nl", "-p", "-ha", stdin=text)[1] == "\n     1\th\n\n     2\tb\n\n       f\n\n\n     3\tc\n"
    )


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nope"], "nope: No such file or directory"),
        (["-b", "x"], "invalid body numbering style: 'x'\nTry 'nl --help' for more information."),
        (["-n", "x"], "invalid line numbering format: 'x'\nTry 'nl --help' for more information."),
        (["-v", "x"], "invalid starting line number: 'x'"),
    ],
)
def test_fails(utility, argv, message):
    assert utility("nl", *argv) == (1, "", f"nl: {message}\n")
