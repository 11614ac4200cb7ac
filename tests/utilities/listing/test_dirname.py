from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["a"], ".\n"),
        (["a/b"], "a\n"),
        (["a/b/"], "a\n"),
        (["a//b//"], "a\n"),
        (["/a"], "/\n"),
        (["//a"], "/\n"),
        (["/"], "/\n"),
        (["//"], "/\n"),
        ([""], ".\n"),
        (["."], ".\n"),
        (["../x"], "..\n"),
        (["/usr/bin/env", "x"], "/usr/bin\n.\n"),
        (["-z", "a/b"], "a\0"),
    ],
)
def test_prints(utility, argv, stdout):
    assert utility("dirname", *argv) == (0, stdout, "")


def test_refuses(utility):
    hint = "Try 'dirname --help' for more information.\n"
    assert utility("dirname") == (1, "", f"dirname: missing operand\n{hint}")
    assert utility("dirname", "-a", "x") == (1, "", f"dirname: invalid option -- 'a'\n{hint}")
