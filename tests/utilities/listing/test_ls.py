from __future__ import annotations

import re

import pytest

FILES = {"b": "22", "a": "1", ".h": "", "d/x": "", "d/e/y": "", "c.txt": "333", "B": "", "a10": "", "a9": ""}


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        ([], "B\na\na10\na9\nb\nc.txt\nd\n"),
        (["-1"], "B\na\na10\na9\nb\nc.txt\nd\n"),
        (["-a"], ".\n..\n.h\nB\na\na10\na9\nb\nc.txt\nd\n"),
        (["-A"], ".h\nB\na\na10\na9\nb\nc.txt\nd\n"),
        (["-r"], "d\nc.txt\nb\na9\na10\na\nB\n"),
        (["-v"], "B\na\na9\na10\nb\nc.txt\nd\n"),
        (["-X"], "B\na\na10\na9\nb\nd\nc.txt\n"),
        (["-S", "a", "b", "c.txt", "B"], "c.txt\nb\na\nB\n"),
        (["-Sr", "a", "b", "c.txt", "B"], "B\na\nb\nc.txt\n"),
        (["-F"], "B\na\na10\na9\nb\nc.txt\nd/\n"),
        (["-p", "d", "a"], "a\n\nd:\ne/\nx\n"),
        (["-d", "d"], "d\n"),
        (["-dF", "d"], "d/\n"),
        (["-d"], ".\n"),
        (["d"], "e\nx\n"),
        (["d/"], "e\nx\n"),
        (["d", "a"], "a\n\nd:\ne\nx\n"),
        (["-R", "d"], "d:\ne\nx\n\nd/e:\ny\n"),
        (["-R"], ".:\nB\na\na10\na9\nb\nc.txt\nd\n\n./d:\ne\nx\n\n./d/e:\ny\n"),
        (["-m"], "B, a, a10, a9, b, c.txt, d\n"),
        (["-m", "-w", "10"], "B, a, a10,\na9, b,\nc.txt, d\n"),
        (["-C"], "B  a  a10  a9  b  c.txt  d\n"),
        (["-C", "-w", "15"], "B    b\na    c.txt\na10  d\na9\n"),
        (["-x", "-w", "15"], "B   a  a10\na9  b  c.txt\nd\n"),
        (["-CT0"], "B  a  a10  a9  b  c.txt  d\n"),
        (["--group-directories-first"], "d\nB\na\na10\na9\nb\nc.txt\n"),
        (["-Q", "a"], '"a"\n'),
        (["--zero", "a", "b"], "a\0b\0"),
        (["--sort=size", "a", "b"], "b\na\n"),
        (["--color=never", "a"], "a\n"),
        (["--color=auto", "a"], "a\n"),
        (["-U", "d/x"], "d/x\n"),
        (["-B", "a"], "a\n"),
        (["-s", "a", "B"], "0 B\n4 a\n"),
        (["-1sh", "a", "B"], "   0 B\n4.0K a\n"),
    ],
)
def test_lists(utility, argv, stdout):
    assert utility("ls", *argv, files=FILES) == (0, stdout, "")


def test_names_are_literal(utility):
    files = {"a b": "", "it's": "", "new\nline": "", "é": ""}
    assert utility("ls", files=files) == (0, "a b\nit's\nnew\nline\né\n", "")
    assert utility("ls", "-q", files=files) == (0, "a b\nit's\nnew?line\né\n", "")
    assert utility("ls", "-b", files=files) == (0, "a\\ b\nit's\nnew\\nline\né\n", "")
    assert utility("ls", "-Q", files=files) == (0, '"a b"\n"it\'s"\n"new\\nline"\n"é"\n', "")
    expected = "'a b'\n\"it's\"\n'new'$'\\n''line'\né\n"
    assert utility("ls", "--quoting-style=shell-escape", files=files) == (0, expected, "")


def test_long_lines(steps):
    stamp = "2001-02-03 04:05:06.789"
    steps("touch", "-d", stamp, "a", "bb", files={"a": "1", "bb": "x" * 1500}, env={"TZ": "UTC0"})
    steps("chmod", "640", "a")
    out = steps("ls", "-l", "a", "bb", same=False)[1]
    assert out == (
        "-rw-r----- 1 agent agent    1 Feb  3  2001 a\n-rw-r--r-- 1 agent agent 1500 Feb  3  2001 bb\n"
    )
    assert steps("ls", "-n", "a", same=False)[1] == "-rw-r----- 1 1000 1000 1 Feb  3  2001 a\n"
    assert steps("ls", "-gG", "a")[1] == "-rw-r----- 1 1 Feb  3  2001 a\n"
    assert steps("ls", "-goh", "bb")[1] == "-rw-r--r-- 1 1.5K Feb  3  2001 bb\n"
    assert steps("ls", "-go", "--full-time", "a")[1].endswith("2001-02-03 04:05:06.789000000 +0000 a\n")
    assert steps("ls", "-go", "--time-style=long-iso", "a")[1] == "-rw-r----- 1 1 2001-02-03 04:05 a\n"
    assert (
        steps("ls", "-go", "--time-style=+%Y|%H", "a", env={"TZ": "XXX-2"})[1] == "-rw-r----- 1 1 2001|06 a\n"
    )
    assert steps("ls", "-go", "--time-style=iso", "a")[1] == "-rw-r----- 1 1 2001-02-03  a\n"
    assert steps("ls", "-gos", "a", "bb")[1].startswith("4 -rw-r----- 1    1 Feb")
    assert steps("ls", "-log", "--si", "bb")[1] == "-rw-r--r-- 1 1.5k Feb  3  2001 bb\n"


def test_long_lists_begin_with_the_blocks(steps):
    steps("touch", "-d", "2001-02-03", "d/a", "d/b", files={"d/a": "x" * 5000, "d/b": ""})
    expected = "total 8\n-rw-r--r-- 1 5000 Feb  3  2001 a\n-rw-r--r-- 1    0 Feb  3  2001 b\n"
    assert steps("ls", "-go", "d")[1] == expected
    assert steps("ls", "-goh", "d")[1].startswith("total 8.0K\n-rw-r--r-- 1 4.9K")
    assert steps("ls", "-s", "d")[1] == "total 8\n8 a\n0 b\n"
    steps("mkdir", "e")
    assert steps("ls", "-l", "e")[1] == "total 0\n"


def test_recent_times_have_no_year(steps):
    steps("touch", "a")
    assert re.fullmatch(r"-rw-r--r-- 1 0 \w{3} [ \d]\d \d\d:\d\d a\n", steps("ls", "-go", "a", same=False)[1])
    steps("touch", "-d", "1 year", "a")  # the future
    assert re.fullmatch(r"-rw-r--r-- 1 0 \w{3} [ \d]\d  \d{4} a\n", steps("ls", "-go", "a", same=False)[1])


def test_order_of_times(steps):
    files = {"a": "", "b": "", "c": ""}
    steps("touch", "-d", "@3", "a", files=files)
    steps("touch", "-m", "-d", "@9", "b")
    steps("touch", "-a", "-d", "@5", "c")
    steps("touch", "-m", "-d", "@1", "c")
    assert steps("ls", "-t")[1] == "b\na\nc\n"
    assert steps("ls", "-tr")[1] == "c\na\nb\n"
    assert steps("ls", "-u")[1] == "b\nc\na\n"
    assert steps("ls", "-tu")[1] == "b\nc\na\n"
    assert steps("ls", "--time=atime", "--sort=time")[1] == "b\nc\na\n"


def test_links(steps):
    steps("ln", "-s", "d", "l", files={"d/x": "", "f": ""})
    steps("ln", "-s", "nope", "broken")
    steps("touch", "-h", "-d", "2001-02-03", "l", "broken", "f")
    assert steps("ls", "l")[1] == "x\n"
    assert steps("ls", "-d", "l")[1] == "l\n"
    assert steps("ls", "-F")[1] == "broken@\nd/\nf\nl@\n"
    assert steps("ls", "-go", "l", "broken")[1] == (
        "lrwxrwxrwx 1 4 Feb  3  2001 broken -> nope\nlrwxrwxrwx 1 1 Feb  3  2001 l -> d\n"
    )
    assert steps("ls", "-goF", "l")[1] == "lrwxrwxrwx 1 1 Feb  3  2001 l -> d/\n"
    assert steps("ls", "-go", "l/")[1].startswith("total 0\n-rw")
    assert steps("ls", "-dL", "l")[1] == "l\n"
    assert steps("ls", "-H", "l")[1] == "x\n"
    assert steps("ls", "-L") == (0, "broken\nd\nf\nl\n", "")
    status, out, err = steps("ls", "-FL")
    assert (status, out, err) == (
        1,
        "broken@\nd/\nf\nl/\n",
        "ls: cannot access 'broken': No such file or directory\n",
    )


def test_indicators_of_types(steps):
    steps("chmod", "+x", "s", files={"s": "", "d/x": ""})
    assert steps("ls", "-F")[1] == "d/\ns*\n"
    assert steps("ls", "--file-type")[1] == "d/\ns\n"
    assert steps("ls", "--classify=never")[1] == "d\ns\n"
    assert steps("ls", "--indicator-style=slash")[1] == "d/\ns\n"


def test_missing_operands_are_status_2(utility):
    err = "ls: cannot access 'nope': No such file or directory\n"
    assert utility("ls", "nope", "a", files={"a": ""}) == (2, "a\n", err)
    assert utility("ls", "a/x", files={"a": ""}) == (2, "", "ls: cannot access 'a/x': Not a directory\n")
    assert utility("ls", "", files={"a": ""}) == (2, "", "ls: cannot access '': No such file or directory\n")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-y"], "invalid option -- 'y'\nTry 'ls --help' for more information."),
        (["--frob"], "unrecognized option '--frob'\nTry 'ls --help' for more information."),
        (["-w", "x"], "invalid line width: 'x'"),
    ],
)
def test_refuses(utility, argv, message):
    assert utility("ls", *argv) == (2, "", f"ls: {message}\n")


@pytest.mark.parametrize(
    ("env", "out"),
    [
        ({}, "a\nd\n"),
        ({"TERM": "dumb"}, "a\nd\n"),
        ({"TERM": "xterm"}, "a\n\x1b[0m\x1b[01;34md\x1b[0m\n"),
        ({"COLORTERM": "yes"}, "a\n\x1b[0m\x1b[01;34md\x1b[0m\n"),
        ({"LS_COLORS": "di=1:fi=2"}, "\x1b[0m\x1b[2ma\x1b[0m\n\x1b[1md\x1b[0m\n"),
        ({"LS_COLORS": "di=0:*a=3:*b=4"}, "\x1b[0m\x1b[3ma\x1b[0m\n\x1b[0md\x1b[0m\n"),
    ],
)
def test_colours_are_those_of_the_environment(utility, env, out):
    assert utility("ls", "--color", files={"a": "", "d/x": ""}, env=env) == (0, out, "")


def test_colours_that_cannot_be_read_are_told(utility):
    status, out, err = utility("ls", "--color=always", files={"a": ""}, env={"LS_COLORS": "xx=1"})
    assert (status, out) == (0, "a\n")
    told = "ls: unparsable value for LS_COLORS environment variable\n"
    assert err == "ls: unrecognized prefix: 'xx'\n" + told


def test_colours_are_never_those_of_a_terminal(utility):
    assert utility("ls", "--color=auto", files={"d/x": ""}, env={"TERM": "xterm"}) == (0, "d\n", "")


def test_a_deep_tree_needs_no_recursion(sandbox):
    sandbox.run("mkdir", "-p", "/".join(["d"] * 300))
    status, out, _ = sandbox.run("ls", "-R", "d")
    assert (status, out.count(b":\n")) == (0, 300)


@pytest.mark.parametrize(
    ("size", "shown"),
    [(0, "0"), (1023, "1023"), (1024, "1.0K"), (1025, "1.1K"), (10189, "10K"), (10240, "10K"), (10241, "11K"),
     (1047552, "1023K"), (1047553, "1.0M"), (1048576, "1.0M"), (5 << 20, "5.0M")],
)  # fmt: skip
def test_human_sizes_round_up(size, shown):
    from sandhook.utilities.listing.sizes import human_size

    assert human_size(size, "binary") == shown
