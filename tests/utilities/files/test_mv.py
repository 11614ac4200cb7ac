from __future__ import annotations

import pytest

FILES = {"a": "A", "b": "B", "d/x": "X", "t/keep": ""}


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (["a", "n"], "b d d/x n t t/keep"),
        (["a", "b"], "b d d/x t t/keep"),
        (["a", "t"], "b d d/x t t/a t/keep"),
        (["a", "b", "t"], "d d/x t t/a t/b t/keep"),
        (["-t", "t", "a"], "b d d/x t t/a t/keep"),
        (["d", "n"], "a b n n/x t t/keep"),
        (["d", "n/"], "a b n n/x t t/keep"),
        (["d", "t"], "a b t t/d t/d/x t/keep"),
        (["-n", "a", "b"], "a b d d/x t t/keep"),
        (["-i", "a", "b"], "a b d d/x t t/keep"),
        (["-f", "a", "b"], "b d d/x t t/keep"),
        (["-T", "a", "n"], "b d d/x n t t/keep"),
    ],
)
def test_moves(steps, argv, names):
    assert steps("mv", *argv, files=FILES)[:2] == (0, "")
    assert " ".join(steps.tree()) == names


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nope", "x"], "cannot stat 'nope': No such file or directory"),
        (["a", "nope/x"], "cannot move 'a' to 'nope/x': No such file or directory"),
        (["a", "nope/"], "cannot move 'a' to 'nope/': Not a directory"),
        (["a", "a"], "'a' and 'a' are the same file"),
        (["a", "./a"], "'a' and './a' are the same file"),
        (["a", "b", "nope"], "target 'nope': No such file or directory"),
        (["a", "b", "a"], "target 'a': Not a directory"),
        (["d", "a"], "cannot overwrite non-directory 'a' with directory 'd'"),
        (["-T", "a", "d"], "cannot overwrite directory 'd' with non-directory"),
        (["-T", "d", "t"], "cannot move 'd' to 't': Directory not empty"),
        (["d", "d"], "cannot move 'd' to a subdirectory of itself, 'd/d'"),
        (["d", "d/n"], "cannot move 'd' to a subdirectory of itself, 'd/n'"),
        (["a", "d/../a", "t"], "cannot stat 'd/../a': No such file or directory"),
    ],
)
def test_fails(utility, argv, message):
    assert utility("mv", *argv, files=FILES) == (1, "", f"mv: {message}\n")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "missing file operand"),
        (["a"], "missing destination file operand after 'a'"),
        (["-T", "a", "b", "d"], "extra operand 'd'"),
        (["-q", "a", "b"], "invalid option -- 'q'"),
    ],
)
def test_refuses(utility, argv, message):
    hint = "Try 'mv --help' for more information.\n"
    assert utility("mv", *argv) == (1, "", f"mv: {message}\n{hint}")


def test_a_directory_replaces_an_empty_one(steps):
    steps("mkdir", "e", files=FILES)
    assert steps("mv", "-T", "d", "e") == (0, "", "")
    assert "e/x" in steps.tree()


def test_update(steps):
    steps("touch", "-d", "@200", "b", files=FILES)
    steps("touch", "-d", "@100", "a")
    assert steps("mv", "-u", "a", "b") == (0, "", "")
    assert "a" in steps.tree()
    steps("mv", "-u", "b", "a")
    assert steps("cat", "a")[1] == "B"


def test_two_links_of_one_file(steps):
    steps("ln", "a", "n", files=FILES)
    assert steps("mv", "a", "n") == (1, "", "mv: 'a' and 'n' are the same file\n")
    assert {"a", "n"} <= steps.tree().keys()


def test_moves_links_themselves(steps):
    steps("ln", "-s", "d", "l", files=FILES)
    steps("mv", "l", "m")
    assert steps.tree()["m"] == "-> d"


def test_asks(steps):
    assert steps("mv", "-i", "a", "b", stdin="y\n", files=FILES) == (0, "", "mv: overwrite 'b'? ")
    assert "a" not in steps.tree()


def test_says_what_it_moves(steps):
    assert steps("mv", "-v", "a", "b", "t", files=FILES) == (
        0,
        "renamed 'a' -> 't/a'\nrenamed 'b' -> 't/b'\n",
        "",
    )


def test_between_mounts_it_copies_and_removes(sandbox, monkeypatch):
    import errno

    from sandhook.vfs.errors import fs_error
    from sandhook.vfs.memory import MemoryFileSystem

    def refuse(self, old, new):
        raise fs_error(errno.EXDEV, old)

    monkeypatch.setattr(MemoryFileSystem, "rename", refuse)
    files = {"d/x": "X", "d/e/y": "Y", "f": "F", "g": "G"}
    assert sandbox.run("mv", "-v", "f", "g", files=files) == (0, b"copied 'f' -> 'g'\nremoved 'f'\n", b"")
    assert sandbox.run("mv", "d", "n") == (0, b"", b"")
    assert sandbox.run("ls", "-R")[1] == b".:\ng\nn\n\n./n:\ne\nx\n\n./n/e:\ny\n"
    assert sandbox.run("cat", "g")[1] == b"F"
