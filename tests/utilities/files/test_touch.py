from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("argv", "stamps"),
    [
        (["-d", "@100", "f"], "100 100"),
        (["-d", "2026-01-31 10:00", "f"], "1769853600 1769853600"),
        (["-t", "202601311000", "f"], "1769853600 1769853600"),
        (["-t", "202601311000.30", "f"], "1769853630 1769853630"),
        (["-t", "7001010000", "f"], "0 0"),
        (["-a", "-d", "@100", "f"], "100 7"),
        (["-m", "-d", "@100", "f"], "7 100"),
        (["-am", "-d", "@100", "f"], "100 100"),
        (["--time=atime", "-d", "@100", "f"], "100 7"),
        (["--time", "modify", "-d", "@100", "f"], "7 100"),
        (["-r", "r", "f"], "30 40"),
        (["-r", "r", "-d", "1 hour", "f"], "3630 3640"),
        (["-c", "-d", "@100", "f", "nope"], "100 100"),
        (["-f", "-d", "@100", "f"], "100 100"),
    ],
)
def test_sets_times(steps, argv, stamps):
    steps("touch", "-d", "@7", "f", files={"f": "x", "r": ""})
    steps("touch", "-a", "-d", "@30", "r")
    steps("touch", "-m", "-d", "@40", "r")
    assert steps("touch", *argv, env={"TZ": "UTC0"}) == (0, "", "")
    assert steps("stat", "-c", "%X %Y", "f") == (0, f"{stamps}\n", "")
    assert "nope" not in steps.tree()


def test_makes_files(steps):
    assert steps("touch", "a", "b c", "") == (1, "", "touch: cannot touch '': No such file or directory\n")
    assert steps.tree() == {"a": "f644 b''", "b c": "f644 b''"}


def test_a_link_is_followed_unless_h(steps):
    steps("ln", "-s", "f", "l", files={"f": ""})
    steps("touch", "-d", "@5", "l")
    steps("touch", "-h", "-d", "@6", "l")
    assert steps("stat", "-c", "%Y", "f", "l")[1] == "5\n6\n"


def test_nanoseconds(steps):
    steps("touch", "-d", "@1.123456789", "f")
    assert steps("stat", "-c", "%.9Y", "f")[1] == "1.123456789\n"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["x/y"], "cannot touch 'x/y': No such file or directory"),
        (["f/y"], "cannot touch 'f/y': Not a directory"),
        (["-d", "zzz", "q"], "invalid date format 'zzz'"),
        (["-t", "99", "q"], "invalid date format '99'"),
        (["-t", "13010000", "q"], "invalid date format '13010000'"),
        (["-r", "nope", "q"], "failed to get attributes of 'nope': No such file or directory"),
    ],
)
def test_fails(utility, argv, message):
    assert utility("touch", *argv, files={"f": ""}) == (1, "", f"touch: {message}\n")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "missing file operand"),
        (["-q", "x"], "invalid option -- 'q'"),
        (["-t", "01010000", "-d", "now", "x"], "cannot specify times from more than one source"),
    ],
)
def test_refuses(utility, argv, message):
    hint = "Try 'touch --help' for more information.\n"
    assert utility("touch", *argv) == (1, "", f"touch: {message}\n{hint}")
