from __future__ import annotations

import pytest

FILES = {"a": "A", "b": "B", "d/x": "X", "d/e/y": "Y", "t/keep": ""}


@pytest.mark.parametrize(
    ("argv", "new"),
    [
        (["a", "n"], {"n": "f644 b'A'"}),
        (["a", "b"], {"b": "f644 b'A'"}),
        (["a", "t"], {"t/a": "f644 b'A'"}),
        (["a", "b", "t"], {"t/a": "f644 b'A'", "t/b": "f644 b'B'"}),
        (["-t", "t", "a", "b"], {"t/a": "f644 b'A'", "t/b": "f644 b'B'"}),
        (["-r", "d", "n"], {"n": "d755", "n/x": "f644 b'X'", "n/e": "d755", "n/e/y": "f644 b'Y'"}),
        (["-r", "d", "t"], {"t/d": "d755", "t/d/x": "f644 b'X'", "t/d/e": "d755", "t/d/e/y": "f644 b'Y'"}),
        (["-r", "d/", "n"], {"n": "d755", "n/x": "f644 b'X'", "n/e": "d755", "n/e/y": "f644 b'Y'"}),
        (["-r", "d/.", "t"], {"t/x": "f644 b'X'", "t/e": "d755", "t/e/y": "f644 b'Y'"}),
        (["-rT", "d", "t"], {"t/x": "f644 b'X'", "t/e": "d755", "t/e/y": "f644 b'Y'"}),
        (["-n", "a", "b"], {}),
        (["-i", "a", "b"], {}),  # no input: no
        (["-f", "a", "b"], {"b": "f644 b'A'"}),
        (["-p", "a", "n"], {"n": "f644 b'A'"}),
        (["-a", "d", "n"], {"n": "d755", "n/x": "f644 b'X'", "n/e": "d755", "n/e/y": "f644 b'Y'"}),
        (["-s", "a", "n"], {"n": "-> a"}),
        (["-l", "a", "n"], {"n": "f644 b'A'"}),
        (["--parents", "d/e/y", "t"], {"t/d": "d755", "t/d/e": "d755", "t/d/e/y": "f644 b'Y'"}),
        (["--remove-destination", "a", "b"], {"b": "f644 b'A'"}),
        (["--attributes-only", "a", "n"], {"n": "f644 b''"}),
        (["/dev/null", "n"], {"n": "f644 b''"}),
    ],
)
def test_copies(steps, argv, new):
    base = {
        "a": "f644 b'A'", "b": "f644 b'B'", "d": "d755", "d/x": "f644 b'X'", "d/e": "d755", "d/e/y": "f644 b'Y'",
        "t": "d755", "t/keep": "f644 b''",
    }  # fmt: skip
    status, out, err = steps("cp", *argv, files=FILES)
    if argv == ["/dev/null", "n"]:
        base["n"] = steps.tree()["n"]  # its bits are the device's
        new = {}
    assert (out, status) == ("", 0)
    assert err == ("cp: overwrite 'b'? " if "-i" in argv else "")
    assert steps.tree() == base | new


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nope", "x"], "cannot stat 'nope': No such file or directory"),
        (["a", "nope/x"], "cannot create regular file 'nope/x': No such file or directory"),
        (["a", "nope/"], "cannot create regular file 'nope/': Not a directory"),
        (["a", "a"], "'a' and 'a' are the same file"),
        (["a", "./a"], "'a' and './a' are the same file"),
        (["d", "n"], "-r not specified; omitting directory 'd'"),
        (["a", "b", "nope"], "target 'nope': No such file or directory"),
        (["a", "b", "a"], "target 'a': Not a directory"),
        (["-t", "a", "b"], "target directory 'a': Not a directory"),
        (["-r", "d", "a"], "cannot overwrite non-directory 'a' with directory 'd'"),
        (["-T", "a", "d"], "cannot overwrite directory 'd' with non-directory"),
        (["-r", "d", "d"], "cannot copy a directory, 'd', into itself, 'd/d'"),
        (["-r", "d", "d/n"], "cannot copy a directory, 'd', into itself, 'd/n'"),
        (["-a", "nope", "x"], "cannot stat 'nope': No such file or directory"),
        (["", "x"], "cannot stat '': No such file or directory"),
        (["a", "d/x", "d/x", "t/a"], "target 't/a': No such file or directory"),
        (["a", "d/x", "e/a", "t"], "will not overwrite just-created 't/a' with 'e/a'"),
        (["-r", "d", "."], "'d' and './d' are the same file"),
    ],
)
def test_fails(utility, argv, message):
    assert utility("cp", *argv, files=FILES | {"e/a": ""}) == (1, "", f"cp: {message}\n")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "missing file operand"),
        (["a"], "missing destination file operand after 'a'"),
        (["-T", "a", "b", "d"], "extra operand 'd'"),
        (["-Q", "a", "b"], "invalid option -- 'Q'"),
        (["--backup=x", "a", "b"], None),
        (["-b", "-n", "a", "b"], "options --backup and --no-clobber are mutually exclusive"),
    ],
)
def test_refuses(utility, argv, message):
    hint = "Try 'cp --help' for more information.\n"
    known_to_gnu = argv[:1] == ["-Z"]
    if message is None:
        message = (
            "invalid argument 'x' for 'backup type'\nValid arguments are:\n  - 'none', 'off'\n"
            "  - 'simple', 'never'\n  - 'existing', 'nil'\n  - 'numbered', 't'"
        )
    assert utility("cp", *argv, same=not known_to_gnu) == (1, "", f"cp: {message}\n{hint}")


@pytest.mark.parametrize(("name", "what"), [("d/../a", "file"), ("./d", "directory")])
def test_an_operand_given_twice_is_copied_once(utility, name, what):
    first = name.rpartition("/")[2]
    err = f"cp: warning: source {what} '{name}' specified more than once\n"
    assert utility("cp", "-r", first, name, "t", files=FILES) == (0, "", err)


def test_goes_on_behind_a_failure(steps):
    assert steps("cp", "nope", "a", "t", files=FILES)[0] == 1
    assert "t/a" in steps.tree()


def test_permission_bits(steps):
    steps("chmod", "4750", "a", files=FILES)
    steps("chmod", "777", "b")
    steps("chmod", "555", "d/e")
    steps("cp", "a", "n1")
    steps("cp", "b", "n2")
    steps("cp", "-p", "a", "n3")
    steps("cp", "-r", "d", "n4")
    steps("cp", "a", "b")  # an existing file keeps its own
    tree = steps.tree()
    assert [tree[n].split()[0] for n in ("n1", "n2", "n3", "n4/e", "b")] == [
        "f750",
        "f755",
        "f4750",
        "d555",
        "f777",
    ]


def test_times_are_kept_on_demand(steps):
    steps("touch", "-d", "@100", "a", files=FILES)
    steps("cp", "-p", "a", "n")
    assert steps("stat", "-c", "%Y %X", "n")[1] == "100 100\n"
    steps("cp", "--preserve=mode", "a", "m")
    assert int(steps("stat", "-c", "%Y", "m", same=False)[1]) > 100
    steps("cp", "-a", "--no-preserve=timestamps", "a", "o")
    assert int(steps("stat", "-c", "%Y", "o", same=False)[1]) > 100


def test_update(steps):
    steps("touch", "-d", "@200", "b", files=FILES)
    steps("touch", "-d", "@100", "a")
    steps("cp", "-u", "a", "b")
    assert steps("cat", "b")[1] == "B"
    steps("cp", "-u", "b", "a")
    assert steps("cat", "a")[1] == "B"


def test_links(steps):
    steps("ln", "-s", "a", "l", files=FILES)
    steps("ln", "-s", "../a", "d/l")
    steps("ln", "-s", "nope", "dangling")
    steps("cp", "l", "n1")
    steps("cp", "-P", "l", "n2")
    steps("cp", "-r", "d", "n3")
    steps("cp", "-rL", "d", "n4")
    steps("cp", "-rH", "d", "n5")
    steps("cp", "-d", "l", "n6")
    steps("cp", "-a", "dangling", "n7")
    steps("cp", "b", "l")  # through the link
    tree = steps.tree()
    assert tree["n1"] == "f644 b'A'"
    assert tree["n2"] == tree["n6"] == "-> a"
    assert tree["n3/l"] == tree["n5/l"] == "-> ../a"
    assert tree["n4/l"] == "f644 b'A'"
    assert tree["n7"] == "-> nope"
    assert tree["a"] == "f644 b'B'"
    assert steps("cp", "b", "dangling") == (1, "", "cp: not writing through dangling symlink 'dangling'\n")
    assert steps("cp", "-r", "b", "l", "t")[0] == 0


def test_hard_links_stay_together(steps):
    steps("ln", "d/x", "d/z", files=FILES)
    steps("cp", "-a", "d", "n")
    assert steps("stat", "-c", "%h", "n/x", "n/z")[1] == "2\n2\n"
    steps("cp", "-r", "d", "m")
    assert steps("stat", "-c", "%h", "m/x", "m/z")[1] == "1\n1\n"


def test_asks(steps):
    assert steps("cp", "-i", "a", "b", stdin="y\n", files=FILES) == (0, "", "cp: overwrite 'b'? ")
    assert steps("cat", "b")[1] == "A"


def test_says_what_it_copies(steps):
    assert steps("cp", "-v", "a", "t", files=FILES) == (0, "'a' -> 't/a'\n", "")
    assert steps("cp", "-rv", "d/e", "n") == (0, "'d/e' -> 'n'\n'd/e/y' -> 'n/y'\n", "")


def test_a_deep_tree_needs_no_recursion(sandbox):
    sandbox.run("mkdir", "-p", "/".join(["d"] * 300))
    assert sandbox.run("cp", "-r", "d", "e") == (0, b"", b"")
    assert sandbox.run("ls", "-R", "e")[1].count(b":\n") == 300


def test_a_forced_copy_replaces_what_cannot_be_written(sandbox):
    sandbox.run("chmod", "444", "b", files={"a": "A", "b": "B"})
    assert sandbox.run("cp", "a", "b")[2] == b"cp: cannot create regular file 'b': Permission denied\n"
    assert sandbox.run("cp", "-f", "a", "b") == (0, b"", b"")
    assert sandbox.run("cat", "b")[1] == b"A"
    assert sandbox.run("stat", "-c", "%a", "b")[1] == b"644\n"  # of its source


def test_a_forced_copy_needs_a_writable_directory(sandbox):
    sandbox.run("chmod", "444", "d/b", files={"a": "A", "d/b": "B"})
    sandbox.run("chmod", "555", "d")
    assert sandbox.run("cp", "-f", "a", "d/b") == (1, b"", b"cp: cannot remove 'd/b': Permission denied\n")
