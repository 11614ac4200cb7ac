from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("argv", "tree"),
    [
        (["a", "b"], {"a": "d755", "b": "d755"}),
        (["-p", "a/b/c"], {"a": "d755", "a/b": "d755", "a/b/c": "d755"}),
        (["-p", "a//b/"], {"a": "d755", "a/b": "d755"}),
        (["-p", "./a/../b"], {"a": "d755", "b": "d755"}),
        (["a/"], {"a": "d755"}),
        (["-m", "700", "a"], {"a": "d700"}),
        (["-m", "u=rwx,go=", "a"], {"a": "d700"}),
        (["-m", "a-w", "a"], {"a": "d555"}),
        (["-m", "+t", "a"], {"a": "d1755"}),
        (["-m", "g=u", "a"], {"a": "d777"}),
        (["-m", "go+w", "a"], {"a": "d777"}),
        (["-pm", "711", "a/b"], {"a": "d755", "a/b": "d711"}),
        (["--parents", "--mode=750", "a"], {"a": "d750"}),
    ],
)
def test_makes(steps, argv, tree):
    assert steps("mkdir", *argv) == (0, "", "")
    assert steps.tree() == tree


def test_says_what_it_makes(utility):
    out = "mkdir: created directory 'a'\nmkdir: created directory 'a/b'\n"
    assert utility("mkdir", "-pv", "a/b") == (0, out, "")


def test_an_existing_directory_is_an_error_unless_p(steps):
    steps("mkdir", "a")
    assert steps("mkdir", "a") == (1, "", "mkdir: cannot create directory 'a': File exists\n")
    assert steps("mkdir", "-p", "a", "a/b") == (0, "", "")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["a/b"], "cannot create directory 'a/b': No such file or directory"),
        (["f"], "cannot create directory 'f': File exists"),
        (["f/x"], "cannot create directory 'f/x': Not a directory"),
        (["-p", "f/x/y"], "cannot create directory 'f': Not a directory"),
        (["-p", "f"], "cannot create directory 'f': File exists"),
        ([""], "cannot create directory '': No such file or directory"),
        (["-p", ""], "cannot create directory '': No such file or directory"),
        (["-m", "zz", "q"], "invalid mode 'zz'"),
        (["-m", "99", "q"], "invalid mode '99'"),
    ],
)
def test_fails(utility, argv, message):
    assert utility("mkdir", *argv, files={"f": ""}) == (1, "", f"mkdir: {message}\n")


def test_goes_on_behind_a_failure(steps):
    assert steps("mkdir", "x/y", "z")[0] == 1
    assert steps.tree() == {"z": "d755"}


def test_needs_an_operand(utility):
    hint = "Try 'mkdir --help' for more information.\n"
    assert utility("mkdir") == (1, "", f"mkdir: missing operand\n{hint}")
    assert utility("mkdir", "--frob", "x") == (1, "", f"mkdir: unrecognized option '--frob'\n{hint}")
