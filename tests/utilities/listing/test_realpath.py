from __future__ import annotations

import pytest


@pytest.fixture
def linked(steps):
    steps("ln", "-s", "f", "l", files={"f": "", "d/e/x": "", "o/x": ""})
    steps("ln", "-s", "../o", "d/lo")
    return steps


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["--relative-to=.", "l"], "f\n"),
        (["--relative-to=d", "f", "d/e", "d"], "../f\ne\n.\n"),
        (["--relative-to=.", "d/lo/../f"], "f\n"),
        (["--relative-to=.", "-L", "d/lo/../e"], "d/e\n"),
        (["--relative-to=.", "-s", "l", "d/lo/."], "l\nd/lo\n"),
        (["--relative-to=.", "-m", "no/such/../x"], "no/x\n"),
        (["--relative-to=.", "nope"], "nope\n"),
        (["-z", "--relative-to=.", "f"], "f\0"),
        (["/"], "/\n"),
        (["/nope"], "/nope\n"),
        (["/../tmp/./"], "/tmp\n"),
    ],
)
def test_prints(linked, argv, stdout):
    assert linked("realpath", *argv) == (0, stdout, "")


def test_relative_base(linked):
    got = linked("realpath", "--relative-base=d", "f", "d/e", "d", same=False)
    assert got == (0, "/workspace/f\ne\n.\n", "")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nope/x"], "nope/x: No such file or directory"),
        (["-e", "nope"], "nope: No such file or directory"),
        (["f/x"], "f/x: Not a directory"),
        (["f/"], "f/: Not a directory"),
        ([""], "'': No such file or directory"),
    ],
)
def test_fails(linked, argv, message):
    assert linked("realpath", *argv) == (1, "", f"realpath: {message}\n")
    assert linked("realpath", "-q", *argv) == (1, "", "")


def test_needs_an_operand(utility):
    hint = "Try 'realpath --help' for more information.\n"
    assert utility("realpath") == (1, "", f"realpath: missing operand\n{hint}")
