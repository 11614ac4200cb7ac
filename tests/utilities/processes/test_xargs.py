from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("argv", "stdin", "stdout"),
    [
        ([], "a  b\nc\n", "a b c\n"),
        ([], "", "\n"),
        (["-r", "echo", "x"], "", ""),
        (["echo", "x"], "", "x\n"),
        (["-n2", "echo"], "a b c", "a b\nc\n"),
        (["-n", "1", "echo", "-n"], "a b", "ab"),
        (["-L1", "echo"], "a b \nc\n\nd\n", "a b c\nd\n"),
        (["-l", "echo", "y"], "a b\nc\n", "y a b\ny c\n"),
        (
            ["-I{}", "echo", "[{}]", "{}{}"],
            ' a b \n\n c\\ d \n"q  r"\n',
            "[a b ] a b a b \n[c d ] c d c d \n[q  r] q  rq  r\n",
        ),
        (["-i", "echo", "{}!"], "a\n", "a!\n"),
        (["-I", "X", "echo", "aXb"], "1\n2\n", "a1b\na2b\n"),
        (["-I{}", "echo", "x"], "", ""),
        (["-0", "echo"], "a b\0c\n\0", "a b c\n\n"),
        (["-0", "-n1", "echo"], "it's\0\"\0", "it's\n\"\n"),
        (["-d", ",", "-n1", "echo"], "a,b,,c", "a\nb\n\nc\n"),
        (["-d\\n", "-n1", "echo"], "a b\nc'd\n", "a b\nc'd\n"),
        (["-d\\x2c", "echo"], "a,b", "a b\n"),
        (["-d\\054", "echo"], "a,b", "a b\n"),
        (["-d,", "-I{}", "echo", "<{}>"], "a,b", "<a>\n<b>\n"),
        (["-d,", "-L2", "echo"], "a,b,c", "a b\nc\n"),
        (["-E_", "echo"], "a b _ c", "a b\n"),
        (["-e_", "echo"], "a _ b", "a\n"),
        (["-e", "echo"], "a _ b", "a _ b\n"),
        (["-E", "END", "-I{}", "echo", "{}"], "a\nEND\nb\n", "a\n"),
        (["-n1", "echo"], "'a b' \"c d\" e\\ f g'h'i", "a b\nc d\ne f\nghi\n"),
        (["-n1", "echo"], "a\\\nb c", "a\nb\nc\n"),
        (["-n1", "echo"], "'' x", "\nx\n"),
        (["-P4", "-n1", "echo"], "a\n", "a\n"),
        (["-s", "12", "echo"], "a b c", "a b c\n"),
        (["-s", "9", "echo"], "a b c", "a b\nc\n"),
        (["-x", "-n2", "echo"], "a b c", "a b\nc\n"),
        (["-t", "echo"], "a", "a\n"),
        (["echo", "-n", "x"], "y", "x y"),  # options end at the command
        (["-n1", "-I{}", "echo", "x{}"], "a b\n", "xa b\n"),
    ],
)
def test_runs(utility, argv, stdin, stdout):
    assert utility("xargs", *argv, stdin=stdin)[:2] == (0, stdout)


def test_reads_a_file_and_leaves_standard_input_to_the_command(utility):
    assert utility("xargs", "-a", "f", "cat", stdin="in", files={"f": "- x", "x": "X"}) == (0, "inX", "")


def test_the_command_has_no_input(utility):
    assert utility("xargs", "cat", stdin="-\n") == (0, "", "")


@pytest.mark.parametrize(
    ("argv", "stdin", "status"),
    [
        (["false"], "a", 123),
        (["-n1", "ls", "-d"], ". nope .", 123),
        (["no-such-command"], "a", 127),
        (["true"], "a", 0),
    ],
)
def test_exit_status(utility, argv, stdin, status):
    assert utility("xargs", *argv, stdin=stdin)[0] == status


@pytest.mark.parametrize(
    ("argv", "stdin", "message"),
    [
        ([], "it's", "unmatched single quote; by default quotes are special to xargs unless you use the -0 option"),
        ([], '"a\nb"', "unmatched double quote; by default quotes are special to xargs unless you use the -0 option"),
        (["-s12"], "aaaaaaaaaaaa", "argument line too long"),
        (["-s1"], "", "cannot fit single argument within argument list size limit"),
        (["-d", "ab"], "", "Invalid input delimiter specification ab: the delimiter must be either a single character or an escape sequence starting with \\."),
        (["-a", "nope"], "", "Cannot open input file 'nope': No such file or directory"),
    ],
)  # fmt: skip
def test_fails(utility, argv, stdin, message):
    assert utility("xargs", *argv, stdin=stdin) == (1, "", f"xargs: {message}\n")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-n", "x"], 'invalid number "x" for -n option'),
        (["-n0"], "value 0 for -n option should be >= 1"),
        (["-L-3"], "value -3 for -L option should be >= 1"),
        (["-P", "x"], 'invalid number "x" for -P option'),
        (["-Z"], "invalid option -- 'Z'"),
    ],
)
def test_refuses(utility, argv, message):
    hint = "Try 'xargs --help' for more information.\n"
    assert utility("xargs", *argv) == (1, "", f"xargs: {message}\n{hint}")


def test_traces(utility):
    assert (
        utility("xargs", "-t", "-n1", "echo", "a b", stdin="c 'd e'")[2] == "echo 'a b' c\necho 'a b' 'd e'\n"
    )


def test_a_huge_count_is_only_a_count(utility):
    assert utility("xargs", "-n", "99999999999999999999", stdin="a", same=False) == (0, "a\n", "")
