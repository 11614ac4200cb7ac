from __future__ import annotations

import pytest

from sandhook.utilities import load

FILES = {"a": "abc", "b": "", "d/x.txt": "x" * 600, "d/e/y.TXT": "", "d/.h": "", "it's": ""}
ALL = ". ./a ./b ./d ./d/.h ./d/e ./d/e/y.TXT ./d/x.txt ./it's"


@pytest.fixture
def tree(steps):
    """Files with times a day apart, one link to a file and one that leads nowhere."""
    steps("mkdir", "empty", files=FILES)
    steps("ln", "-s", "a", "l")
    steps("ln", "-s", "nope", "n")
    steps("chmod", "700", "a")
    steps("touch", "-d", "3 days ago", "b")
    steps("touch", "-d", "10 minutes ago", "a")
    return steps


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (["a"], "a"),
        (["a", "d"], "a d d/.h d/e d/e/y.TXT d/x.txt"),
        (["d/"], "d/ d/.h d/e d/e/y.TXT d/x.txt"),
        (["-maxdepth", "1"], ". ./a ./b ./d ./empty ./it's ./l ./n"),
        (["-maxdepth", "0"], "."),
        (["-mindepth", "2"], "./d/.h ./d/e ./d/e/y.TXT ./d/x.txt"),
        (["d", "-mindepth", "1", "-maxdepth", "1"], "d/.h d/e d/x.txt"),
        (["-name", "*.txt"], "./d/x.txt"),
        (["-iname", "*.txt"], "./d/e/y.TXT ./d/x.txt"),
        (["-name", ".*"], ". ./d/.h"),
        (["-name", "*h"], "./d/.h"),
        (["-name", "[!a-z]*", "-name", "?*"], ". ./d/.h"),
        (["-name", "\\*"], ""),
        (["-path", "./d/*"], "./d/.h ./d/e ./d/e/y.TXT ./d/x.txt"),
        (["-wholename", "*/e/*"], "./d/e/y.TXT"),
        (["-ipath", "./D/E"], "./d/e"),
        (["-type", "d"], ". ./d ./d/e ./empty"),
        (["-type", "l"], "./l ./n"),
        (["-type", "d,l"], ". ./d ./d/e ./empty ./l ./n"),
        (["-xtype", "f"], "./a ./b ./d/.h ./d/e/y.TXT ./d/x.txt ./it's ./l"),
        (["-xtype", "l"], "./n"),
        (["-L", ".", "-type", "l"], "./n"),
        (["-L", ".", "-type", "f", "-name", "l"], "./l"),
        (["-H", "l", "-type", "f"], "l"),
        (["l", "-type", "l"], "l"),
        (["-empty"], "./b ./d/.h ./d/e/y.TXT ./empty ./it's"),
        (["-type", "f", "!", "-empty"], "./a ./d/x.txt"),
        (["-type", "f", "-not", "-name", "*.*"], "./a ./b ./it's"),
        (["!", "!", "-name", "a"], "./a"),
        (["-name", "a", "-o", "-name", "b"], "./a ./b"),
        (["-name", "a", "-or", "-name", "b", "-a", "-name", "c"], "./a"),
        (["(", "-name", "a", "-o", "-name", "b", ")", "-size", "0"], "./b"),
        (["-name", "a", ",", "-name", "b"], "./b"),
        (["-size", "3c"], "./a"),
        (["-type", "f", "-size", "2"], "./d/x.txt"),
        (["-type", "f", "-size", "+1b"], "./d/x.txt"),
        (["-type", "f", "-size", "-1k"], "./b ./d/.h ./d/e/y.TXT ./it's"),
        (["-type", "f", "-size", "1k"], "./a ./d/x.txt"),
        (["-type", "f", "-perm", "700"], "./a"),
        (["-type", "f", "-perm", "-u=x"], "./a"),
        (["-type", "f", "-perm", "/111"], "./a"),
        (["-type", "f", "-perm", "-644", "-size", "+0"], "./d/x.txt"),
        (["-type", "f", "-perm", "u=rwx,go="], "./a"),
        (["-mtime", "+2"], "./b"),
        (["-mtime", "3"], "./b"),
        (["-mtime", "+3"], ""),
        (["-type", "f", "-mtime", "-1", "-name", "?"], "./a"),
        (["-type", "f", "-mtime", "0", "-name", "?"], "./a"),
        (["-type", "f", "-mmin", "+5"], "./a ./b"),
        (["-type", "f", "-mmin", "+5", "-mmin", "-60"], "./a"),
        (["-type", "f", "-newer", "b", "-name", "?"], "./a"),
        (["-type", "f", "-newermt", "1 day ago", "-name", "?"], "./a"),
        (["-type", "f", "!", "-newermt", "1 hour ago"], "./b"),
        (["-regex", ".*/x.*"], "./d/x.txt"),
        (["-regex", ".*\\.\\(txt\\|TXT\\)"], "./d/e/y.TXT ./d/x.txt"),
        (["-regex", "./[ab]+"], "./a ./b"),
        (["-regextype", "posix-extended", "-regex", ".*\\.(txt|md)"], "./d/x.txt"),
        (["-iregex", ".*\\.txt"], "./d/e/y.TXT ./d/x.txt"),
        (["-regex", "x"], ""),
        (["-lname", "a"], "./l"),
        (["-samefile", "a"], "./a"),
        (["-links", "+2", "-type", "d", "-name", "d"], "./d"),
        (["-path", "./d", "-prune", "-o", "-name", "?", "-print"], ". ./a ./b ./l ./n"),
        (["-name", "a", "-print", "-name", "b"], "./a"),
        (["-name", "d", "-prune"], "./d"),
        (["-true", "-name", "a"], "./a"),
        (["-false"], ""),
        (["-name", "a", "-quit"], ""),
        (["-readable", "-name", "a"], "./a"),
        (["d", "-depth", "-name", "[de]"], "d d/e"),
        (["-daystart", "-noleaf", "-xdev", "-mount", "-name", "a"], "./a"),
        (["-name", "b", "-o", "-uid", "123456"], "./b"),
        (["--", "a"], "a"),
        (["-P", "l"], "l"),
    ],
)
def test_finds(tree, argv, names):
    status, out, err = tree.sorted("find", *argv)
    assert (status, err) == (0, "")
    assert out == names


def test_the_order_is_that_of_the_names(sandbox):
    out = sandbox.run("find", files=FILES)[1].decode()
    assert out.splitlines() == ALL.split(" ")
    out = sandbox.run("find", "d", "-depth")[1].decode()
    assert out.splitlines() == ["d/.h", "d/e/y.TXT", "d/e", "d/x.txt", "d"]


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("%p|%f|%h|%P|%H|%d\\n", "d/x.txt|x.txt|d|x.txt|d|1"),
        ("%s|%y|%Y|%m|%M|%n\\n", "600|f|f|644|-rw-r--r--|1"),
        ("%5s|%-5s|%05m|%.3f|%#m|%10f\\n", "  600|600  |00644|x.t|0644|     x.txt"),
        ("%TY-%Tm-%Td %TH:%TM:%TS %T@\\n", "2026-01-31 10:00:05.1234567890 1769853605.1234567890"),
        ("%t|%TT|%Tb|%T+\\n",
         "Sat Jan 31 10:00:05.1234567890 2026|10:00:05.1234567890|Jan|2026-01-31+10:00:05.1234567890"),
        ("%b %k\\n", "8 4"),
        ("a\\tb\\101%%\\n", "a\tbA%"),
        ("%l.\\n", "."),
        ("x\\cy\\n", "x"),
    ],
)  # fmt: skip
def test_printf(tree, format_, text):
    tree("touch", "-d", "@1769853605.123456789", "d/x.txt")
    assert tree.sorted("find", "d", "-name", "x.txt", "-printf", format_, env={"TZ": "UTC0"}) == (0, text, "")


def test_printf_of_links(tree):
    assert tree.sorted("find", "l", "n", "-printf", "%p %y%Y %l\\n")[1] == "l lf a n lN nope"


def test_printf_knows_its_directives(utility):
    got = utility("find", ".", "-maxdepth", "0", "-printf", "%q|%p")
    assert got == (0, "%q|.", "find: warning: unrecognized format directive `%q'\n")


def test_printf_knows_its_escapes(utility):
    got = utility("find", ".", "-maxdepth", "0", "-printf", "\\x41\\\\")
    assert got == (0, "\\x41\\", "find: warning: unrecognized escape `\\x'\n")


def test_print0(utility):
    assert utility("find", "d", "-name", "x", "-print0", files={"d/x": ""}) == (0, "d/x\0", "")


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["a", "-exec", "echo", "x{}y", "{}", ";"], "xay a"),
        (["a", "b", "-exec", "echo", "{}", ";"], "a b"),
        (["a", "b", "-exec", "echo", "n", "{}", "+"], "n a b"),
        (["a", "-exec", "false", ";", "-print"], ""),
        (["a", "-exec", "true", ";", "-print"], "a"),
        (["a", "!", "-exec", "false", ";", "-print"], "a"),
        (["d/x.txt", "-execdir", "echo", "{}", ";"], "./x.txt"),
        (["d/x.txt", "-execdir", "ls", "{}", "+"], "./x.txt"),
        (["a", "-exec", "cat", ";"], "IN"),
    ],
)
def test_runs_commands(tree, argv, stdout):
    assert tree.sorted("find", *argv, stdin="IN") == (0, stdout, "")


def test_a_failing_plus_is_status_1(tree):
    assert tree.sorted("find", "a", "-exec", "false", "{}", "+")[0] == 1
    assert tree.sorted("find", "a", "-exec", "false", "{}", ";")[0] == 0


def test_asks(tree):
    assert tree.sorted("find", "a", "-ok", "echo", "{}", ";", stdin="y\n") == (0, "a", "< echo ... a > ? ")
    assert tree.sorted("find", "a", "-ok", "echo", "{}", ";", stdin="n\n") == (0, "", "< echo ... a > ? ")


def test_deletes(tree):
    assert tree("find", ".", "-name", "*.txt", "-delete") == (0, "", "")
    assert tree("find", "empty", "-type", "d", "-empty", "-delete") == (0, "", "")
    names = tree.tree()
    assert "d/x.txt" not in names and "empty" not in names
    status, _, err = tree("find", "d", "-name", "d", "-delete")
    assert (status, err) == (1, "find: cannot delete 'd': Directory not empty\n")
    assert tree("find", "d", "-delete") == (0, "", "")
    assert "d" not in tree.tree()


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nope"], "'nope': No such file or directory"),
        (["a/"], "'a/': Not a directory"),
        (["-foo"], "unknown predicate `-foo'"),
        (["-fprint", "no/x"], "'no/x': No such file or directory"),
        (["-fprintf", "x", "%"], "error: % at end of format string"),
        (["-context", "x"], "unknown predicate `-context'"),
        (["-newerBt", "x"], "invalid predicate `-newerBt'"),
        (["-perm", "+111"], "invalid mode '+111'"),
        (["-files0-from", "nope"], "cannot open 'nope' for reading: No such file or directory"),
        (
            ["("],
            (
                "invalid expression; expected to find a ')' but didn't see one."
                " Perhaps you need an extra predicate after '('"
            ),
        ),
        (["-name"], "missing argument to `-name'"),
        (["-type", "z"], "Unknown argument to -type: z"),
        (["-size", "1x"], "invalid -size type `x'"),
        (["-mtime", "x"], "invalid argument `x' to `-mtime'"),
        (["-maxdepth", "x"], "Expected a positive decimal integer argument to -maxdepth, but got 'x'"),
        (["-maxdepth", "-1"], "Expected a positive decimal integer argument to -maxdepth, but got '-1'"),
        (["-perm", "zz"], "invalid mode 'zz'"),
        (["-newer", "nope"], "'nope': No such file or directory"),
        (["-newermt", "zzz"], "I cannot figure out how to interpret 'zzz' as a date or time"),
        (["-user", "nobodyx"], "'nobodyx' is not the name of a known user"),
        (
            ["(", "-name", "a"],
            "invalid expression; I was expecting to find a ')' somewhere but did not see one.",
        ),
        (["-name", "a", ")"], "you have too many ')'"),
        (["(", ")"], "invalid expression; empty parentheses are not allowed."),
        (["-not"], "expected an expression after '-not'"),
        (
            ["-a", "-name", "a"],
            "invalid expression; you have used a binary operator '-a' with nothing before it.",
        ),
        (["-exec"], "missing argument to `-exec'"),
        (["-exec", "echo"], "missing argument to `-exec'"),
        (["-exec", "echo", "{}"], "missing argument to `-exec'"),
        (["-exec", ";"], "invalid argument `;' to `-exec'"),
        (["-exec", "echo", "{}", "{}", "+"], "Only one instance of {} is supported with -exec ... +"),
        (["-exec", "echo", "{}", "x{}", "{}", "+"], "Only one instance of {} is supported with -exec ... +"),
        (["-regextype", "foo"], None),
    ],
)
def test_fails(utility, argv, message):
    known_to_gnu = message is None or not ("-fprint" in message or "newerB" in message)
    status, out, err = utility("find", *argv, files={"a": ""}, same=known_to_gnu)
    assert (status, out) == (1, "")
    if message is None:
        assert err.startswith(
            "find: Unknown regular expression type 'foo'; valid types are 'findutils-default',"
        )
    else:
        assert err == f"find: {message}\n"


def test_nesting_is_bounded_and_width_is_not(sandbox):
    deep = ["("] * 51 + ["-name", "a"] + [")"] * 51
    assert sandbox.run("find", *deep)[2] == b"find: parentheses nest over 50 levels (L-FIND-003)\n"
    assert sandbox.run("find", *deep[1:-1])[0] == 0
    wide = ["-name", "x"] + ["-o", "-name", "x"] * 20_000
    assert sandbox.run("find", *wide) == (0, b"", b"")
    assert sandbox.run("find", *["!"] * 20_000, "-name", ".") == (0, b".\n", b"")


def test_a_loop_of_links_ends(tree):
    tree("ln", "-s", "..", "d/up")
    status, out, err = tree.sorted("find", "-L", ".", "-name", "x.txt")
    assert (status, out) == (1, "./d/x.txt")
    assert "File system loop detected" in err


def test_a_deep_tree_needs_no_recursion(sandbox):
    sandbox.run("mkdir", "-p", "/".join(["d"] * 300))
    assert sandbox.run("find", "d")[1].count(b"\n") == 300
    assert sandbox.run("find", "d", "-delete") == (0, b"", b"")


def test_help(utility):
    assert utility("find", "--help", same=False)[1].startswith("Usage: find ")
    assert load("find").__doc__
