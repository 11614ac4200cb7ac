"""awk: features that are refused, messages, and limits."""

from __future__ import annotations

import pytest

from sandhook import Limits, Shell
from sandhook.errors import LimitExceeded
from tests.utilities.conftest import Sandbox

SMALL = Limits(memory_bytes=4 << 20, steps=500_000, wall_seconds=20, output_bytes=1 << 18)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ('@include "x"', "error: cannot open source file `x' for reading: No such file or directory"),
        ('{ @include "x" }', "^ syntax error"),
        ('{ @namespace "x" }', "^ syntax error"),
        ('@namespace "1"', "namespace name `1' must meet identifier naming rules"),
        ('@namespace "in"', "using reserved identifier `in' as a namespace is not allowed"),
        ('@load "x"', "@load is not supported (L-AWK-002)"),
        ("BEGIN { SYMTAB[1] = 2 }", "fatal: cannot assign to arbitrary elements of SYMTAB"),
        ("BEGIN { FUNCTAB[1] = 2 }", "fatal: cannot assign to elements of FUNCTAB"),
        ("BEGIN { delete SYMTAB }", "fatal: `delete' is not allowed with SYMTAB"),
        ('BEGIN { print 1 > "/inet/tcp/0/h/1" }', "networks are not supported (L-AWK-002)"),
        ("BEGIN { print ( }", "^ syntax error"),
        ('BEGIN { print "a', "^ unterminated string"),
        ("BEGIN { f(1) }", "fatal: function `f' not defined"),
        ("BEGIN { x = 0; print 1 / x }", "fatal: division by zero attempted"),
        ("BEGIN { print $(-1) }", "fatal: attempt to access field -1"),
        ("BEGIN { x[1]; print x }", "fatal: attempt to use array `x' in a scalar context"),
        ("{", "^ unexpected newline or end of string"),
        ("BEGIN { print " + "(" * 60 + "1" + ")" * 60 + "}", "program nests deeper than 100 levels"),
        ("BEGIN { print " + "! " * 200 + "1 }", "program nests deeper than 100 levels"),
        ("BEGIN {" + "{" * 200 + "}" * 200 + "}", "program nests deeper than 100 levels"),
        ("BEGIN { x = " + "a = " * 3000 + "1 }", "program nests deeper than 100 levels"),
        ("BEGIN { x = " + "1 + " * 300 + "1 }", "more than 200 operators in a row"),
        ("BEGIN { x = " + "f(" * 300 + "1" + ")" * 300 + " }", "program nests deeper than 100 levels"),
    ],
)
def test_refusals(program: str, message: str) -> None:
    status, out, err = Sandbox().run("awk", program)
    assert status in (1, 2)
    assert out == b""
    assert err.decode().rstrip("\n").endswith(message)


@pytest.mark.parametrize(
    "program",
    [
        "BEGIN { print " + "(" * 45 + "1" + ")" * 45 + "}",
        "BEGIN { print " + "! " * 90 + "1 }",
        "BEGIN {" + "{" * 90 + "print 1" + "}" * 90 + "}",
        "BEGIN { x = " + "1 - " * 150 + "0; print 1 }",
        "BEGIN { print " + '"" ' * 5000 + "1 }",
        "BEGIN { print " + "0 || " * 5000 + "1 }",
        "BEGIN {" + "if (0) print 0; else " * 2000 + "print 1 }",
        "function f(n) { return n ? f(n - 1) : 1 } BEGIN { print f(900) }",
    ],
)
def test_what_comes_close_still_works(program: str) -> None:
    assert Sandbox().run("awk", program) == (0, b"1\n", b"")


@pytest.mark.parametrize(
    ("program", "limit"),
    [
        ("BEGIN { while (1) i++ }", "steps"),
        ("BEGIN { for (;;) ; }", "steps"),
        ("function f(n) { return f(n + 1) } BEGIN { f(1) }", "call_depth"),
        ('BEGIN { x = "x"; while (1) x = x x }', "memory_bytes"),
        ("BEGIN { while (1) a[i++] = i }", "memory_bytes"),
        ('BEGIN { s = sprintf("%50000s", ""); while (1) a[i++] = s i }', "memory_bytes"),
        ('BEGIN { x = sprintf("%999999999s", "") }', "memory_bytes"),
        ('BEGIN { x = "aa"; while (1) gsub(/a/, "aa", x) }', "memory_bytes"),
        ("BEGIN { $999999999 = 1 }", "memory_bytes"),
        ("BEGIN { while (1) print 1 }", "output_bytes"),
    ],
)
def test_limits(program: str, limit: str) -> None:
    with pytest.raises(LimitExceeded) as error:
        Sandbox(SMALL).run("awk", program)
    assert error.value.limit == limit


def test_options_of_gawk_that_are_missing_are_named() -> None:
    status, _, err = Sandbox().run("awk", "--bignum", "1")
    assert status == 1
    assert b"unrecognized option '--bignum'" in err


@pytest.mark.parametrize(
    ("script", "stdout"),
    [
        ("""awk 'BEGIN { while (("echo a; echo b" | getline x) > 0) print "<" x ">" }'""", "<a>\n<b>\n"),
        (
            """printf '2\\n1\\n' | awk '{ print | "sort" } END { close("sort"); print "end" }'""",
            "1\n2\nend\n",
        ),
        ("""awk 'BEGIN { print 1; r = system("echo 2; exit 3"); print r }'""", "1\n2\n3\n"),
        ("""awk 'BEGIN { "exit 4" | getline; print close("exit 4") }'""", "4\n"),
        ("yes | awk 'NR == 3 { print NR; exit }'", "3\n"),
    ],
)
def test_commands_run_in_the_sandbox(script: str, stdout: str) -> None:
    result = Shell().run(script)
    assert (result.exit_status, result.stdout, result.stderr) == (0, stdout, "")


def test_memory_is_given_back() -> None:
    script = (
        "for i in 1 2 3 4 5 6; do awk 'BEGIN { for (i = 0; i < 10000; i++) a[i] = i; print length(a) }'; done"
    )
    result = Shell(limits=Limits(memory_bytes=3 << 20)).run(script)
    assert result.stdout == "10000\n" * 6
