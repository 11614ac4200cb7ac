from __future__ import annotations

import base64
import random

import pytest


@pytest.mark.parametrize(
    ("argv", "stdin", "stdout"),
    [
        ([], "hello\n", "aGVsbG8K\n"),
        ([], "", ""),
        (["-w4"], "hello\n", "aGVs\nbG8K\n"),
        (["-w0"], "hello\n", "aGVsbG8K"),
        (["-w5"], "hello", "aGVsb\nG8=\n"),
        (["-d"], "aGVsbG8K", "hello\n"),
        (["-d"], "aGVs\nbG8K\n", "hello\n"),
        (["--decode"], "aGk=\n", "hi"),
        (["-di"], "a*G k=!\n", "hi"),
        (["-d"], "", ""),
        (["-d"], "aGk=aGk=", "hihi"),
    ],
)
def test_converts(utility, argv, stdin, stdout):
    assert utility("base64", *argv, stdin=stdin) == (0, stdout, "")


@pytest.mark.parametrize(
    ("stdin", "stdout"),
    [("a b", ""), ("aGk", "hi"), ("aGVsaGk", "helhi"), ("====", ""), ("a", ""), ("aGVs*", "hel")],
)
def test_bad_input_is_an_error_behind_what_was_good(utility, stdin, stdout):
    assert utility("base64", "-d", stdin=stdin) == (1, stdout, "base64: invalid input\n")


def test_long_input_is_wrapped_as_a_whole(utility):
    data = random.Random(1).randbytes(200_001)
    status, out, _ = utility("base64", stdin=data)
    assert (status, out.encode()) == (0, base64.encodebytes(data))


def test_lines_of_76(utility):
    assert [len(line) for line in utility("base64", stdin="x" * 200)[1].split()] == [76, 76, 76, 40]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nope"], "nope: No such file or directory"),
        (["-w", "x"], "invalid wrap size: 'x'"),
    ],
)
def test_fails(utility, argv, message):
    assert utility("base64", *argv) == (1, "", f"base64: {message}\n")


def test_refuses(utility):
    hint = "Try 'base64 --help' for more information.\n"
    assert utility("base64", "f", "g") == (1, "", f"base64: extra operand 'g'\n{hint}")
    assert utility("base64", "-x") == (1, "", f"base64: invalid option -- 'x'\n{hint}")
