from __future__ import annotations

import re

import pytest


@pytest.fixture
def tree(steps):
    steps(
        "touch",
        "-d",
        "2026-01-31 10:00:00.123456789",
        "f",
        files={"f": "12345", "e": "", "d/x": ""},
        env={"TZ": "UTC0"},
    )
    steps("chmod", "4751", "f")
    steps("ln", "-s", "f", "l")
    steps("ln", "f", "h")
    return steps


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["-c", "%n %s %a %A %F", "f", "e", "d"],
         "f 5 4751 -rwsr-x--x regular file\ne 0 644 -rw-r--r-- regular empty file\nd 4096 755 drwxr-xr-x directory\n"),
        (["-c", "%h %f", "f"], "2 89e9\n"),
        (["-c", "%F %N", "l"], "symbolic link 'l' -> 'f'\n"),
        (["-L", "-c", "%F %s", "l"], "regular file 5\n"),
        (["-c", "%y|%Y|%.Y|%.3Y|%.0Y", "f"],
         "2026-01-31 10:00:00.123456789 +0000|1769853600|1769853600.123456789|1769853600.123|1769853600\n"),
        (["--printf=%n\\t%s\\n", "f"], "f\t5\n"),
        (["--printf", "%n\\x41\\101", "f"], "fAA"),
        (["-c", "[%10s][%-10s][%010s][%.2n]", "f"], "[         5][5         ][0000000005][f]\n"),
        (["-c", "%#a %%n %", "f"], "04751 %n %\n"),
        (["-c", "%b %B %o", "f", "e"], "8 512 4096\n0 512 4096\n"),
        (["--format=%n", "d/"], "d/\n"),
        (["-c", "%t %T", "f"], "0 0\n"),
    ],
)  # fmt: skip
def test_prints(tree, argv, stdout):
    assert tree("stat", *argv, env={"TZ": "UTC0"}) == (0, stdout, "")


def test_owners(tree):
    assert (
        tree("stat", "-c", "%u %U %g %G", "f", "/", same=False)[1] == "1000 agent 1000 agent\n0 root 0 root\n"
    )


def test_all(tree):
    out = tree("stat", "l", same=False)[1]
    assert re.fullmatch(
        r"  File: 'l' -> 'f'\n  Size: 1         \tBlocks: 0          IO Block: 4096   symbolic link\n"
        r"Device: 0,1\tInode: \d+ +Links: 1\n"
        r"Access: \(0777/lrwxrwxrwx\)  Uid: \( 1000/   agent\)   Gid: \( 1000/   agent\)\n"
        r"Access: .*\nModify: .*\nChange: .*\n Birth: -\n",
        out,
    ) or out.startswith("  File: l -> f\n")
    assert out.count("\n") == 8


@pytest.mark.parametrize(
    ("name", "reason"), [("nope", "No such file or directory"), ("f/x", "Not a directory")]
)
def test_fails(tree, name, reason):
    assert tree("stat", "-c", "%n", name, "e") == (1, "e\n", f"stat: cannot statx '{name}': {reason}\n")


def test_refuses(utility):
    hint = "Try 'stat --help' for more information.\n"
    assert utility("stat") == (1, "", f"stat: missing operand\n{hint}")
    assert utility("stat", "-q", "x") == (1, "", f"stat: invalid option -- 'q'\n{hint}")


def test_widths_are_clamped(sandbox):
    assert len(sandbox.run("stat", "-c", "%999999999s", "f", files={"f": ""})[1]) == 4097


def test_file_system_is_what_df_measures(utility):
    status, text, _ = utility("stat", "-f", "-c", "%i %l %s %S %t %T", ".", same=False)
    assert (status, text) == (0, "1 255 4096 4096 1021994 tmpfs\n")
    _, text, _ = utility("stat", "-f", "-c", "%a %b %c %d %f", ".", same=False)
    available, blocks, files, left, free = map(int, text.split())
    assert available == free <= blocks
    assert left < files
    assert utility("stat", "-ft", "/", same=False)[1].startswith("/ 1 255 1021994 4096 4096 ")
