from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["a.c", ".c"], "a\n"),
        ([".c", ".c"], ".c\n"),  # a suffix is never the whole name
        (["/usr/bin/env"], "env\n"),
        (["/usr/bin/"], "bin\n"),
        (["/"], "/\n"),
        (["//"], "/\n"),
        (["///", "/"], "/\n"),
        ([""], "\n"),
        (["", ""], "\n"),
        (["a b/c d"], "c d\n"),
        (["-a", "x/1", "y/2"], "1\n2\n"),
        (["-s", ".sh", "a/x.sh", "b.sh"], "x\nb\n"),
        (["-as.sh", "x.sh"], "x\n"),
        (["--suffix=.sh", "x.sh"], "x\n"),
        (["-z", "a/b"], "b\0"),
        (["--", "-a"], "-a\n"),
        (["x/-a", "-a"], "-a\n"),  # options end at the first operand
    ],
)
def test_prints(utility, argv, stdout):
    assert utility("basename", *argv) == (0, stdout, "")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "missing operand"),
        (["a", "b", "c"], "extra operand 'c'"),
        (["-x"], "invalid option -- 'x'"),
        (["--frob"], "unrecognized option '--frob'"),
        (["-s"], "option requires an argument -- 's'"),
    ],
)
def test_refuses(utility, argv, message):
    hint = "Try 'basename --help' for more information."
    assert utility("basename", *argv) == (1, "", f"basename: {message}\n{hint}\n")
