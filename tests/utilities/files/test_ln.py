from __future__ import annotations

import pytest

FILES = {"f": "F", "g": "G", "d/x": ""}


@pytest.mark.parametrize(
    ("argv", "name", "entry"),
    [
        (["f", "n"], "n", "f644 b'F'"),
        (["-s", "f", "n"], "n", "-> f"),
        (["-s", "no such", "n"], "n", "-> no such"),
        (["f", "d"], "d/f", "f644 b'F'"),
        (["-s", "../f", "d"], "d/f", "-> ../f"),
        (["-s", "f", "g", "d"], "d/g", "-> g"),
        (["-st", "d", "f", "g"], "d/f", "-> f"),
        (["-sf", "f", "g"], "g", "-> f"),
        (["-f", "f", "g"], "g", "f644 b'F'"),
        (["-sr", "f", "d/n"], "d/n", "-> ../f"),
        (["-s", "/x/y"], "y", "-> /x/y"),
        (["-sT", "d", "n"], "n", "-> d"),
    ],
)
def test_links(steps, argv, name, entry):
    assert steps("ln", *argv, files=FILES) == (0, "", "")
    assert steps.tree()[name] == entry


def test_n_replaces_a_link_to_a_directory(steps):
    steps("ln", "-s", "d", "l", files=FILES)
    assert steps("ln", "-sfn", "f", "l") == (0, "", "")
    assert steps.tree()["l"] == "-> f"
    assert "d/f" not in steps.tree()


def test_says_what_it_links(steps):
    assert steps("ln", "-v", "f", "n", files=FILES)[1] == "'n' => 'f'\n"
    assert steps("ln", "-sv", "f", "d/y")[1] == "'d/y' -> 'f'\n"


def test_asks(steps):
    assert steps("ln", "-si", "f", "g", stdin="n\n", files=FILES)[2] == "ln: replace 'g'? "
    assert steps.tree()["g"] == "f644 b'G'"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["f", "g"], "failed to create hard link 'g': File exists"),
        (["-s", "f", "g"], "failed to create symbolic link 'g': File exists"),
        (["nope", "x"], "failed to access 'nope': No such file or directory"),
        (["d", "x"], "d: hard link not allowed for directory"),
        (["-s", "f", "nope/x"], "failed to create symbolic link 'nope/x': No such file or directory"),
        (["f", "nope/x"], "failed to create hard link 'nope/x' => 'f': No such file or directory"),
        (["-sf", "f", "f"], "'f' and 'f' are the same file"),
        (["-sfT", "x", "d"], "d: cannot overwrite directory"),
        (["-r", "f", "x"], "cannot do --relative without --symbolic"),
        (["f", "g", "nope"], "target 'nope': No such file or directory"),
    ],
)
def test_fails(utility, argv, message):
    assert utility("ln", *argv, files=FILES) == (1, "", f"ln: {message}\n")


def test_needs_an_operand(utility):
    hint = "Try 'ln --help' for more information.\n"
    assert utility("ln") == (1, "", f"ln: missing file operand\n{hint}")
