from __future__ import annotations

import pytest

FILES = {"a": "1", "b": "2", "d/x": "3", "d/e/y": "4"}


@pytest.mark.parametrize(
    ("argv", "left"),
    [
        (["a"], {"b", "d", "d/x", "d/e", "d/e/y"}),
        (["a", "b"], {"d", "d/x", "d/e", "d/e/y"}),
        (["-r", "d"], {"a", "b"}),
        (["-rf", "d", "nope"], {"a", "b"}),
        (["-R", "d/"], {"a", "b"}),
        (["-f", "nope", "a/b"], {"a", "b", "d", "d/x", "d/e", "d/e/y"}),
        (["-f"], {"a", "b", "d", "d/x", "d/e", "d/e/y"}),
        (["-rf", "a", "b", "d"], set()),
        (["--recursive", "--force", "d"], {"a", "b"}),
        (["-r", "--one-file-system", "d"], {"a", "b"}),
    ],
)
def test_removes(steps, argv, left):
    assert steps("rm", *argv, files=FILES) == (0, "", "")
    assert steps.tree().keys() == left


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nope"], "cannot remove 'nope': No such file or directory"),
        (["d"], "cannot remove 'd': Is a directory"),
        (["-d", "d"], "cannot remove 'd': Directory not empty"),
        (["a/"], "cannot remove 'a/': Not a directory"),
        (["a/x"], "cannot remove 'a/x': Not a directory"),
        (["-r", "."], "refusing to remove '.' or '..' directory: skipping '.'"),
        (["-rf", "d/.."], "refusing to remove '.' or '..' directory: skipping 'd/..'"),
        (["-r", "./"], "refusing to remove '.' or '..' directory: skipping './'"),
        (["."], "cannot remove '.': Is a directory"),
        ([""], "cannot remove '': No such file or directory"),
        (["it's"], 'cannot remove "it\'s": No such file or directory'),
        (["x\ny"], "cannot remove 'x'$'\\n''y': No such file or directory"),
    ],
)
def test_fails(steps, argv, message):
    before = len(FILES) + 2
    assert steps("rm", *argv, files=FILES) == (1, "", f"rm: {message}\n")
    assert len(steps.tree()) == before


@pytest.mark.parametrize(("name", "same"), [("/", ""), ("/tmp/..", " (same as '/')")])
def test_keeps_the_root(utility, name, same):
    if name == "/":
        message = (
            f"rm: it is dangerous to operate recursively on '{name}'{same}\n"
            "rm: use --no-preserve-root to override this failsafe\n"
        )
    else:
        message = f"rm: refusing to remove '.' or '..' directory: skipping '{name}'\n"
    assert utility("rm", "-rf", name, same=False) == (1, "", message)


def test_d_removes_empty_directories(steps):
    steps("mkdir", "x")
    assert steps("rm", "-dv", "x") == (0, "removed directory 'x'\n", "")


def test_says_what_it_removes(steps):
    out = "removed 'd/e/y'\nremoved directory 'd/e'\nremoved 'd/x'\nremoved directory 'd'\n"
    files = {"d/e/y": "", "d/x": ""}
    status, stdout, stderr = steps("rm", "-rv", "d", files=files, same=False)
    assert (status, stdout, stderr) == (0, out, "")


@pytest.mark.parametrize(
    ("answer", "gone"), [("y\n", True), ("Y", True), ("n\n", False), ("", False), (" y", False)]
)
def test_asks(steps, answer, gone):
    status, out, err = steps("rm", "-i", "a", stdin=answer, files={"a": "1", "b": ""})
    assert (status, out, err) == (0, "", "rm: remove regular file 'a'? ")
    assert ("a" not in steps.tree()) == gone


def test_asks_on_the_way_down(sandbox):
    files = {"d/a": "", "d/b": "x"}
    status, out, err = sandbox.run("rm", "-ri", "d", stdin=b"y\nn\ny\n", files=files)
    assert (status, out) == (0, b"")
    assert err == (
        b"rm: descend into directory 'd'? rm: remove regular empty file 'd/a'? rm: remove regular file 'd/b'? "
    )
    assert sandbox.run("ls", "d")[1] == b"a\n"


def test_asks_once(steps):
    files = {"a": "", "b": "", "c": "", "d": "", "e": ""}
    assert steps("rm", "-I", "a", "b", "c", files=files) == (0, "", "")
    steps("touch", "a", "b", "c")
    assert steps("rm", "-I", "a", "b", "c", "d", stdin="n\n") == (0, "", "rm: remove 4 arguments? ")
    assert steps("rm", "-rI", "a", stdin="y\n") == (0, "", "rm: remove 1 argument recursively? ")
    assert set(steps.tree()) == {"b", "c", "d", "e"}
    assert steps("rm", "-If", "b", "c", "d", "e") == (0, "", "")


def test_the_last_of_i_and_f_wins(steps):
    assert steps("rm", "-if", "a", files=FILES) == (0, "", "")
    assert steps("rm", "-fi", "b")[2] == "rm: remove regular file 'b'? "


def test_removes_a_link_not_what_it_leads_to(steps):
    steps("ln", "-s", "d", "l", files=FILES)
    assert steps("rm", "-r", "l") == (0, "", "")
    assert "d/e/y" in steps.tree()


def test_a_deep_tree_needs_no_recursion(sandbox):
    deep = "/".join(["d"] * 300)
    assert sandbox.run("mkdir", "-p", deep)[0] == 0
    assert sandbox.run("rm", "-r", "d") == (0, b"", b"")
    assert sandbox.run("ls", "-A")[1] == b""


def test_needs_an_operand(utility):
    hint = "Try 'rm --help' for more information.\n"
    assert utility("rm") == (1, "", f"rm: missing operand\n{hint}")
    assert utility("rm", "-q", "a") == (1, "", f"rm: invalid option -- 'q'\n{hint}")
