from __future__ import annotations

import pytest

HERE = "<here>"


@pytest.fixture
def linked(steps):
    """A link, a dangling one, a loop, and a link to a directory."""
    steps("ln", "-s", "f", "l", files={"f": "", "d/x": ""})
    steps("ln", "-s", "nope", "dangling")
    steps("ln", "-s", "loop", "loop")
    steps("ln", "-s", "d", "ld")
    return steps


@pytest.mark.parametrize(
    ("argv", "status", "stdout"),
    [
        (["l"], 0, "f\n"),
        (["-n", "l"], 0, "f"),
        (["-z", "l"], 0, "f\0"),
        (["l", "dangling"], 0, "f\nnope\n"),
        (["f"], 1, ""),
        (["nope"], 1, ""),
        (["-f", "l"], 0, "<here>/f\n"),
        (["-f", "dangling"], 0, "<here>/nope\n"),
        (["-f", "nope"], 0, "<here>/nope\n"),
        (["-f", "nope/"], 0, "<here>/nope\n"),
        (["-f", "nope/x"], 1, ""),
        (["-f", "f/."], 1, ""),
        (["-f", "l/"], 1, ""),
        (["-f", "ld/x"], 0, "<here>/d/x\n"),
        (["-f", "ld/../f"], 0, "<here>/f\n"),
        (["-f", "loop"], 1, ""),
        (["-e", "dangling"], 1, ""),
        (["-e", "ld/x"], 0, "<here>/d/x\n"),
        (["-m", "nope/x/../y"], 0, "<here>/nope/y\n"),
        (["-m", "f/x"], 0, "<here>/f/x\n"),
        (["-f", "/"], 0, "/\n"),
        (["-f", "."], 0, "<here>\n"),
    ],
)
def test_reads(linked, argv, status, stdout):
    got = linked("readlink", *argv, same=False)
    assert got == (status, stdout.replace(HERE, "/workspace"), "")


def test_reports_on_demand(linked):
    assert linked("readlink", "-v", "f") == (1, "", "readlink: f: Invalid argument\n")
    assert linked("readlink", "-ve", "nope") == (1, "", "readlink: nope: No such file or directory\n")


def test_needs_an_operand(utility):
    hint = "Try 'readlink --help' for more information.\n"
    assert utility("readlink") == (1, "", f"readlink: missing operand\n{hint}")
