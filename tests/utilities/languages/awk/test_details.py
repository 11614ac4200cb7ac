"""Details of awk with their messages, recorded from gawk 5.2, which --oracle asks again."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandhook import Shell
from tests.utilities.conftest import Sandbox, ask_host

FILES = {"f": "x:1:2\ny:é:3\n", "n": "one\nend", "late.awk": "BEGIN {\n  print (\n}\n"}

CASES: list[tuple[list[str], int, str, str]] = [
    (['BEGIN { print RLENGTH, RSTART, RLENGTH ""; match("a", /b/); print RLENGTH }'], 0, '0 0 0\n-1\n', ''),
    (['BEGIN { do { x++ } while (x < 2) print x }'], 0, '2\n', ''),
    (['BEGIN { do x++; while (x < 2) print x }'], 0, '2\n', ''),
    (['BEGIN { do do x++; while (x < 2) while (x < 3); print x }'], 0, '3\n', ''),
    (['BEGIN { if (1) do x++; while (x < 2) else print x }'], 0, '', ''),
    (['BEGIN { do { x++ }; while (x < 2) }'], 1, '', 'gawk: cmd. line:1: BEGIN { do { x++ }; while (x < 2) }\ngawk: cmd. line:1:                   ^ syntax error\n'),
    (['BEGIN { if (1) do x++; while (x < 2); else print x }'], 1, '', 'gawk: cmd. line:1: BEGIN { if (1) do x++; while (x < 2); else print x }\ngawk: cmd. line:1:                                       ^ syntax error\n'),
    (['BEGIN { do x++\n;\nwhile (x < 2) print x }'], 1, '', 'gawk: cmd. line:2: ;\ngawk: cmd. line:2: ^ syntax error\n'),
    (['BEGIN { print 1; if (0) printf; print 2; printf > "x"; print 3 }'], 2, '1\n2\n', 'gawk: cmd. line:1: fatal: printf: no arguments\n'),
    (['{ print $1; printf }', 'f'], 2, 'x:1:2\n', 'gawk: cmd. line:1: (FILENAME=f FNR=1) fatal: printf: no arguments\n'),
    (['BEGIN { printf "%5 d|%5-d|%5+d|%5#x|%-5 d|\\n", 5, 6, 7, 8, 9 }'], 0, '    5|6    |   +7|  0x8| 9   |\n', ''),
    (['BEGIN { printf "%.3+d|%.3 d|%5|%5.2", 5, 6 }'], 0, '%.3+d|%.3 d|%5|%5.2', ''),
    (['BEGIN { printf "%*z|%d|%*%|\\n", 5, 6, 7 }'], 0, '%*z|6|%|\n', ''),
    (['BEGIN { printf "%z %d %q %lld|%ld %hd %zd|\\n", 1, 2, 3 }'], 0, '%d %q %lld|1 2 3|\n', ''),
    (['BEGIN { printf "%*" }'], 2, '', "gawk: cmd. line:1: fatal: not enough arguments to satisfy format string\n\t`%*'\n\t ^ ran out for this one\n"),
    (['BEGIN { printf "%d %*" , 1 }'], 2, '', "gawk: cmd. line:1: fatal: not enough arguments to satisfy format string\n\t`%d %*'\n\t    ^ ran out for this one\n"),
    (['BEGIN { printf "a%-*s|", 3 }'], 2, '', "gawk: cmd. line:1: fatal: not enough arguments to satisfy format string\n\t`a%-*s|'\n\t    ^ ran out for this one\n"),
    (['BEGIN { printf "%5.2d" }'], 2, '', "gawk: cmd. line:1: fatal: not enough arguments to satisfy format string\n\t`%5.2d'\n\t    ^ ran out for this one\n"),
    (['BEGIN { printf "%s %1$d\\n", 1, 2 }'], 2, '', "gawk: cmd. line:1: fatal: must use `count$' on all formats or none\n"),
    (['BEGIN { printf "%d %1$d\\n" }'], 2, '', "gawk: cmd. line:1: fatal: not enough arguments to satisfy format string\n\t`%d %1$d\n'\n\t ^ ran out for this one\n"),
    (['BEGIN { printf "%1$d %*d\\n", 1, 2 }'], 2, '', "gawk: cmd. line:1: fatal: fatal: must use `count$' on all formats or none\n"),
    (['BEGIN { printf "%1$d %d\\n", 1, 2 }'], 2, '', "gawk: cmd. line:1: fatal: must use `count$' on all formats or none\n"),
    (['BEGIN { printf "%s %*1$d\\n", 1, 2 }'], 0, '1 2\n', ''),
    (['BEGIN { printf "%0$d\\n", 1 }'], 2, '', "gawk: cmd. line:1: fatal: argument index with `$' must be > 0\n"),
    (['BEGIN { printf "%d %d\\n", 1 > "no/directory" }'], 2, '', "gawk: cmd. line:1: fatal: cannot redirect to `no/directory': No such file or directory\n"),
    (['-v', 'f=1', 'function f(a) { return a }\nBEGIN { print f(1) }'], 1, '', "gawk: cmd. line:1: error: function name `f' previously defined\n"),
    (['-v', 'f=1', 'BEGIN {\nprint f(1) }'], 1, '', "gawk: cmd. line:2: error: attempt to use non-function `f' in function call\n"),
    (['BEGIN { f = 1\nx = f(1) }'], 1, '', "gawk: cmd. line:2: error: attempt to use non-function `f' in function call\n"),
    (['-v', 'length=1', 'BEGIN { print ( }'], 2, '', "gawk: fatal: cannot use gawk builtin `length' as variable name\n"),
    (['-v', '1v=1', 'BEGIN { print ( }'], 2, '', "gawk: fatal: `1v' is not a legal variable name\n"),
    (['-v', 'v=a\\', '-v', 'w=a\\\\', 'BEGIN { print v, w }'], 0, 'a a\\\n', ''),
    (['BEGIN { switch (1) { case 1: case "1": print 3 } }'], 1, '', 'gawk: cmd. line:1: error: duplicate case values in switch body: 1\n'),
    (['BEGIN {\nswitch (1)\n{\ncase 1:\n print 3\n\ncase 01: print 3\n}\n}'], 1, '', 'gawk: cmd. line:4: error: duplicate case values in switch body: 1\n'),
    (['BEGIN { switch (1) { case "a": case /a/: case /a/: case 0.1: case ".1": print 3; default: print 4 } }'], 0, '4\n', ''),
    (['BEGIN { switch (1) { case -1: case 1: case -1: print 3 } }'], 1, '', 'gawk: cmd. line:1: error: duplicate case values in switch body: -1\n'),
    (['BEGIN { switch (1) { default: case 1: default: print 3 } }'], 1, '', "gawk: cmd. line:1: error: duplicate `default' detected in switch body\n"),
    (['BEGIN { print patsplit("abc", m, //) }'], 2, '', 'gawk: cmd. line:1: fatal: patsplit: third argument must be non-null\n'),
    (['BEGIN { FPAT = ""; print patsplit("abc", m) }'], 2, '', 'gawk: cmd. line:1: fatal: patsplit: third argument must be non-null\n'),
    (['BEGIN { print or(1, log(-1) ""), compl(-log(0)), lshift(1, -log(0)), lshift(3, 65), rshift(1, 70), or(2^64, 1) }'], 0, '1 9007199254740991 1 6 0 1\n', "gawk: cmd. line:1: warning: log: received negative argument -1\n"),
    (['BEGIN { print or(-1, -2) }'], 2, '', 'gawk: cmd. line:1: fatal: or: argument 2 negative value -2 is not allowed\n'),
    (['BEGIN { print and(1, -2, 3) }'], 2, '', 'gawk: cmd. line:1: fatal: and: argument 2 negative value -2 is not allowed\n'),
    (['BEGIN { NR = 1e30; print NR; NR = 2.7; print NR; FNR = -1e30; print FNR }'], 0, '-9223372036854775808\n2\n-9223372036854775808\n', ''),
    (['{ print (NR += 0.7), NR }', 'n'], 0, '1.7 1\n2.7 2\n', ''),
    (['{ print (-1 < RT), RT == 0 }', 'n'], 0, '0 0\n1 1\n', ''),
    (['function g() { OFS = "-"; return 2 } BEGIN { print 1, g(); print 1, 2, g(); print 1, 2 > "/dev/stdout" }'], 0, '1-2\n1-2-2\n1-2\n', ''),
    (['{ getline $3 < "none"; print NF; getline $4; print NF, $4 }', 'n'], 0, '3\n4 end\n', ''),
    (['BEGIN {\nx = 1\ny = 2 }\n{ print }', 'none'], 2, '', "gawk: cmd. line:3: fatal: cannot open file `none' for reading: No such file or directory\n"),
    (['{ print }\nEND { print FILENAME }', '/'], 0, '/\n', "gawk: warning: command line argument `/' is a directory: skipped\n"),
    (['BEGIN { print (1\n+2) }'], 1, '', 'gawk: cmd. line:2: BEGIN { print (1\ngawk: cmd. line:2:                 ^ unexpected newline or end of string\n'),
    (['BEGIN { m[\n1] }'], 1, '', 'gawk: cmd. line:2: BEGIN { m[\ngawk: cmd. line:2:           ^ unexpected newline or end of string\n'),
    (['BEGIN { if (x\n) y }'], 1, '', 'gawk: cmd. line:2: BEGIN { if (x\ngawk: cmd. line:2:              ^ unexpected newline or end of string\n'),
    (['-f', 'late.awk'], 1, '', 'gawk: late.awk:3:   print (\ngawk: late.awk:3:          ^ unexpected newline or end of string\n'),
    (['function f(\na) { } BEGIN { print 1 }'], 1, '', 'gawk: cmd. line:2: function f(\ngawk: cmd. line:2:            ^ unexpected newline or end of string\n'),
    (['function f(a\n,b) { } BEGIN { print 1 }'], 1, '', 'gawk: cmd. line:2: function f(a\ngawk: cmd. line:2:             ^ unexpected newline or end of string\n'),
    (['function f(a,\nb) { }\nBEGIN { print 1 }'], 0, '1\n', ''),
    (['BEGIN\n{ print }'], 1, '', 'gawk: cmd. line:2: BEGIN blocks must have an action part\n'),
    (['END'], 1, '', 'gawk: cmd. line:1: END blocks must have an action part\n'),
    (['BEGIN { print 1 2 in }\nBEGIN { print "a }'], 1, '', 'gawk: cmd. line:1: BEGIN { print 1 2 in }\ngawk: cmd. line:1:                      ^ syntax error\n'),
    (['BEGIN { split("a", m, "[z-a]") }'], 2, '', 'gawk: cmd. line:1: fatal: invalid regexp: Invalid range end: /[z-a]/\n'),
    (['BEGIN { FS = "[z-a]"; $0 = "a b"; print $1 }'], 2, '', 'gawk: cmd. line:1: fatal: invalid regexp: Invalid range end: /[z-a]/\n'),
    (['BEGIN { print "a" ~ /[z-a]/ }'], 1, '', 'gawk: cmd. line:1: error: Invalid range end: /[z-a]/\n'),
    (['BEGIN { print "x"; undefined(1) }'], 2, 'x\n', "gawk: cmd. line:1: fatal: function `undefined' not defined\n"),
    (['BEGIN { x =\n3 }'], 1, '', 'gawk: cmd. line:2: BEGIN { x =\ngawk: cmd. line:2:            ^ unexpected newline or end of string\n'),
    (['BEGIN { x = y ? 3\n: 4 }'], 1, '', 'gawk: cmd. line:2: BEGIN { x = y ? 3\ngawk: cmd. line:2:                  ^ unexpected newline or end of string\n'),
    (['BEGIN { print substr(\n"abc", 2) }'], 1, '', 'gawk: cmd. line:2: BEGIN { print substr(\ngawk: cmd. line:2:                      ^ unexpected newline or end of string\n'),
    (['BEGIN { print substr("abc",\n2) }'], 0, 'bc\n', ''),
    (['BEGIN { pr++intf("%d", 1 / 0) }'], 1, '', 'gawk: cmd. line:1: error: division by zero attempted\n'),
    ([';'], 1, '', 'gawk: cmd. line:1: each rule must have a pattern or an action part\n'),
    (['BEGIN { print 1 };\n;BEGIN { print 2 }'], 1, '', 'gawk: cmd. line:2: each rule must have a pattern or an action part\n'),
    (['BEGIN { print 1 }\n;\nBEGIN { print 2 };'], 0, '1\n2\n', ''),
    (['function f() {} ; ; BEGIN { print 2 }'], 1, '', 'gawk: cmd. line:1: each rule must have a pattern or an action part\n'),
    (['BEGIN { print 1\nprint index("a", /a/)\nprint 1 1 ( }'], 2, '', 'gawk: cmd. line:2: fatal: index: regexp constant as second argument is not allowed\n'),
    (['BEGIN { print index("a", (/a/)), index(/a/, "0") }'], 0, '0 1\n', ''),
    (['BEGIN { print sub(/a/, "b", "abc"), sub(/a/, "b", 3) }'], 0, '1 0\n', ''),
    (['BEGIN { sub(/a/, "b", (x)) }'], 1, '', 'gawk: cmd. line:1: BEGIN { sub(/a/, "b", (x)) }\ngawk: cmd. line:1:                          ^ sub third parameter is not a changeable object\n'),
    (['BEGIN { NF() }'], 1, '', "gawk: cmd. line:1: error: attempt to use non-function `NF' in function call\n"),
    (['BEGIN { ++1 }'], 1, '', 'gawk: cmd. line:1: BEGIN { ++1 }\ngawk: cmd. line:1:           ^ syntax error\n'),
    (['BEGIN { print 1 \\ 2 }'], 1, '', 'gawk: cmd. line:1: BEGIN { print 1 \\ 2 }\ngawk: cmd. line:1:                 ^ backslash not last character on line\n'),
    (['BEGIN { print 1 & 2 }'], 1, '', 'gawk: cmd. line:1: BEGIN { print 1 & 2 }\ngawk: cmd. line:1:                 ^ syntax error\n'),
    (['BEGIN { @a }'], 1, '', 'gawk: cmd. line:1: BEGIN { @a }\ngawk: cmd. line:1:          ^ syntax error\n'),
    (['BEGIN { switch (1) { case x: print 1 } }'], 1, '', 'gawk: cmd. line:1: BEGIN { switch (1) { case x: print 1 } }\ngawk: cmd. line:1:                           ^ syntax error\n'),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "status", "stdout", "stderr"), CASES, ids=range(len(CASES)))
def test_details(
    arguments: list[str], status: int, stdout: str, stderr: str, oracle: bool, tmp_path: Path
) -> None:
    expected = (status, stdout, stderr)
    assert _texts(*Sandbox().run("gawk", *arguments, files=FILES)) == expected
    if oracle:
        assert _texts(*ask_host(tmp_path, ("gawk", *arguments), b"", FILES, {})) == expected


def _texts(status: int, stdout: bytes, stderr: bytes) -> tuple[int, str, str]:
    return status, stdout.decode(), stderr.decode()


def test_a_fatal_error_writes_standard_output_before_the_commands_end() -> None:
    result = Shell().run('gawk \'BEGIN { print "b" | "sort"; print "a"; print 1 / x }\'')
    assert (result.exit_status, result.stdout) == (2, "a\nb\n")


@pytest.mark.parametrize(
    ("program", "stdout"),
    [
        ('print "b" | "sort"; print "c" | "sort -r"', "c\nb\n"),
        ('print "b" | "sort"; print "x" > "/dev/stdout"', "x\nb\n"),
        ('print "b" | "sort"; print "p"', "b\np\n"),
    ],
)
def test_the_end_closes_the_last_stream_first(program: str, stdout: str) -> None:
    assert Shell().run(f"gawk 'BEGIN {{ {program} }}'").stdout == stdout
