from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["-i"], ""),
        (["-i", "A=1", "B=x y"], "A=1\nB=x y\n"),
        (["-", "A=1"], "A=1\n"),
        (["-i", "A=1", "-u"], None),
        (["-i0", "A=1"], "A=1\0"),
        (["-i", "A=1", "echo", "-n", "x"], "x"),  # options end at the first operand
        (["-i", "A=1", "A=2"], "A=2\n"),
        (["-i", "A="], "A=\n"),
        (["-S", "-i A=1 B='x y'"], "A=1\nB=x y\n"),
        (["-Secho a\\tb"], "a\tb\n"),
        (["-S", 'echo "a  b" c # d'], "a  b c\n"),
        (["-S", "echo ${X}.${nope}", "z"], "1. z\n"),
        (["-S", 'printf <%s> ${nope} "${nope}" a${nope}'], "<><a>"),  # one that is not set begins no word
        (["-S", "echo a\\_b", "'"], "a b '\n"),
        (["-S", 'echo "a\\_b"'], "a b\n"),
        (["-S", "echo x \\c y"], "x\n"),
    ],
)
def test_prints(utility, argv, stdout):
    if stdout is None:
        assert utility("env", *argv, env={"X": "1"})[0] == 127  # "-u" is a command here
    else:
        assert utility("env", *argv, env={"X": "1"}) == (0, stdout, "")


def test_prints_the_environment(utility):
    env = {"A": "1", "B": "two\nlines"}
    assert utility("env", env=env, same=False) == (0, "A=1\nB=two\nlines\n", "")
    assert utility("env", "-u", "A", env=env, same=False) == (0, "B=two\nlines\n", "")
    assert utility("env", "-uA", "--unset=B", env=env, same=False) == (0, "", "")


def test_runs_in_another_environment(utility):
    assert utility("env", "A=2", "env", env={"A": "1", "B": "3"}, same=False) == (0, "A=2\nB=3\n", "")
    assert utility("env", "-i", "C=4", "env", same=False) == (0, "C=4\n", "")


def test_a_variable_may_have_no_name(utility):
    assert utility("env", "-i", "=x") == (0, "=x\n", "")


def test_runs_in_another_directory(utility):
    assert utility("env", "-C", "d", "ls", files={"d/x": ""}) == (0, "x\n", "")


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        (["-C", "/nope", "ls"], 125, "cannot change directory to '/nope': No such file or directory"),
        (["-C", "f", "ls"], 125, "cannot change directory to 'f': Not a directory"),
        (["-u", "A=B"], 125, "cannot unset 'A=B': Invalid argument"),
        (["-S", "echo 'a"], 125, "no terminating quote in -S string"),
        (["-S", "echo \\q"], 125, "invalid sequence '\\q' in -S"),
        (["-S", "echo $A"], 125, "only ${VARNAME} expansion is supported, error at: $A"),
    ],
)
def test_fails(utility, argv, status, message):
    got = utility("env", *argv, files={"f": ""})
    assert got == (status, "", f"env: {message}\n")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-0", "ls"], "cannot specify --null (-0) with command"),
        (["-C", "/"], "must specify command with --chdir (-C)"),
        (["--frob"], "unrecognized option '--frob'"),
    ],
)
def test_refuses(utility, argv, message):
    hint = "Try 'env --help' for more information.\n"
    assert utility("env", *argv) == (125, "", f"env: {message}\n{hint}")


def test_passes_the_status_on(utility):
    assert utility("env", "false")[0] == 1
    assert utility("env", "no-such-command")[0] == 127
