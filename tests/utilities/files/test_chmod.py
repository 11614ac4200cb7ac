from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("before", "mode", "after"),
    [
        ("644", "755", "755"),
        ("644", "+x", "755"),
        ("644", "u+x", "744"),
        ("644", "a+x", "755"),
        ("755", "-x", "644"),
        ("755", "go-rx", "700"),
        ("755", "go=", "700"),
        ("600", "g=u", "660"),
        ("640", "o=g", "644"),
        ("644", "u=rwx,g=rx,o=", "750"),
        ("644", "ug+w,o-r", "660"),
        ("644", "+X", "644"),
        ("744", "+X", "755"),
        ("644", "u+s", "4644"),
        ("755", "g+s", "2755"),
        ("755", "+t", "1755"),
        ("7755", "u-s,g-s,-t", "755"),
        ("644", "0", "0"),
        ("644", "4755", "4755"),
        ("644", "=", "0"),
        ("644", "=r", "444"),
        ("777", "=rw", "644"),
        ("644", "+w", "644"),
        ("666", "-w", "466"),
        ("644", "u+x-w", "544"),
        ("644", "a=r+w", "666"),
        ("644", "+111", "755"),
        ("000", "u+rwx,g+u", "770"),
        ("644", "g=u-w", "644"),
    ],
)
def test_modes(steps, before, mode, after):
    steps("chmod", before, "f", files={"f": ""})
    got = steps("chmod", mode, "f")
    if mode == "-w" and before == "666":  # it leaves what the umask keeps, and says so
        assert got == (1, "", "chmod: f: new permissions are r--rw-rw-, not r--r--r--\n")
    else:
        assert got == (0, "", "")
    assert steps("stat", "-c", "%a", "f")[1] == f"{after}\n"


@pytest.mark.parametrize(
    ("argv", "after"),
    [(["-x", "f"], "644"), (["f", "-rx"], "200"), (["-w,+t", "f"], "1555"), (["--", "-x", "f"], "644"),
     (["--reference=r", "f"], "600"), (["-f", "700", "f"], "700")],
)  # fmt: skip
def test_modes_that_look_like_options(steps, argv, after):
    steps("chmod", "755", "f", files={"f": "", "r": ""})
    steps("chmod", "600", "r")
    assert steps("chmod", *argv)[0] in (0, 1)
    assert steps("stat", "-c", "%a", "f")[1] == f"{after}\n"


@pytest.mark.parametrize(
    ("mode", "after"), [("755", "6755"), ("0755", "6755"), ("00755", "755"), ("g-s", "4755"), ("=rx", "6555")]
)
def test_directories_keep_their_set_id_bits(steps, mode, after):
    steps("mkdir", "d")
    steps("chmod", "6755", "d")
    steps("chmod", mode, "d")
    assert steps("stat", "-c", "%a", "d")[1] == f"{after}\n"


def test_recursive(steps):
    steps("ln", "-s", "../o", "d/l", files={"d/x": "", "d/e/y": "", "o": ""})
    assert steps("chmod", "-R", "go-rwX,u+X", "d") == (0, "", "")
    tree = steps.tree()
    assert (tree["d"], tree["d/e"], tree["d/x"], tree["o"]) == ("d700", "d700", "f600 b''", "f644 b''")


def test_says_what_it_changes(steps):
    expected = "mode of 'f' changed from 0644 (rw-r--r--) to 0755 (rwxr-xr-x)\n"
    assert steps("chmod", "-v", "+x", "f", files={"f": ""})[1] == expected
    assert steps("chmod", "-v", "755", "f")[1] == "mode of 'f' retained as 0755 (rwxr-xr-x)\n"
    assert steps("chmod", "-c", "755", "f")[1] == ""


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["+x", "nope"], "cannot access 'nope': No such file or directory"),
        (["--reference=nope", "f"], "failed to get attributes of 'nope': No such file or directory"),
    ],
)
def test_fails(utility, argv, message):
    assert utility("chmod", *argv, files={"f": ""}) == (1, "", f"chmod: {message}\n")
    assert utility("chmod", "-f", "+x", "nope") == (1, "", "")


def test_other_peoples_files(utility):
    err = "chmod: changing permissions of '/etc/passwd': Operation not permitted\n"
    assert utility("chmod", "777", "/etc/passwd", same=False) == (1, "", err)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "missing operand"),
        (["755"], "missing operand after '755'"),
        (["999", "f"], "invalid mode: '999'"),
        (["u+q", "f"], "invalid mode: 'u+q'"),
        (["77777", "f"], "invalid mode: '77777'"),
        (["-w,q", "f"], "invalid mode: '-w,q'"),
        (["-z", "f"], "invalid option -- 'z'"),
    ],
)
def test_refuses(utility, argv, message):
    hint = "Try 'chmod --help' for more information.\n"
    assert utility("chmod", *argv, files={"f": ""}) == (1, "", f"chmod: {message}\n{hint}")
