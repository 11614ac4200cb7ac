from __future__ import annotations

import re
import shlex

import pytest

from sandhook.shell import Shell
from sandhook.utilities.system.test import evaluate


@pytest.mark.parametrize(
    ("arguments", "status", "stdout", "stderr"),
    [
        (["3x", "-eq", "3", "]"], 2, "", "[: 3x: integer expression expected\n"),
        ([" 3 ", "-eq", "3", "]"], 0, "", ""),
        (["3\n", "-eq", "3", "]"], 2, "", "[: 3\n: integer expression expected\n"),
        (["\n3", "-eq", "3", "]"], 0, "", ""),
        (["+", "-eq", "0", "]"], 2, "", "[: +: integer expression expected\n"),
        (["", "-eq", "0", "]"], 2, "", "[: : integer expression expected\n"),
        (
            ["99999999999999999999", "-eq", "1", "]"],
            2,
            "",
            "[: 99999999999999999999: integer expression expected\n",
        ),
        (["-9223372036854775808", "-lt", "0", "]"], 0, "", ""),
        (
            ["9223372036854775808", "-gt", "0", "]"],
            2,
            "",
            "[: 9223372036854775808: integer expression expected\n",
        ),
        (["-t", "x", "]"], 1, "", ""),
        (["-t", "]"], 0, "", ""),
        (["-t", "", "]"], 1, "", ""),
        (["-t", "99999999999", "]"], 1, "", ""),
        (["a", "b", "]"], 2, "", "[: a: unary operator expected\n"),
        (["-Q", "b", "]"], 2, "", "[: -Q: unary operator expected\n"),
        (["a", "b", "c", "]"], 2, "", "[: b: binary operator expected\n"),
        (["!", "a", "b", "]"], 2, "", "[: a: unary operator expected\n"),
        (["!", "a", "=", "b", "]"], 0, "", ""),
        (["!", "a", "b", "c", "]"], 2, "", "[: b: binary operator expected\n"),
        (["(", "a", ")", "]"], 0, "", ""),
        (["(", "-n", "a", ")", "]"], 0, "", ""),
        (["(", "a", "b", ")", "]"], 2, "", "[: a: unary operator expected\n"),
        (["a", "b", "c", "d", "]"], 2, "", "[: too many arguments\n"),
        (["a", "=", "b", "c", "]"], 2, "", "[: too many arguments\n"),
        (["a", "=", "b", "-a", "c", "=", "c", "]"], 1, "", ""),
        (["a", "=", "b", "-o", "c", "=", "c", "]"], 0, "", ""),
        (["(", "a", "=", "a", ")", "-a", "b", "]"], 0, "", ""),
        (["(", "a", "=", "a", "-a", "b", "]"], 2, "", "[: `)' expected, found ]\n"),
        (["(", "a", "=", "a", "b", "]"], 2, "", "[: `)' expected, found b\n"),
        (["(", "a", "=", "a", "x", ")", "]"], 2, "", "[: `)' expected, found x\n"),
        (["!", "]"], 0, "", ""),
        (["!", "!", "]"], 1, "", ""),
        (["!", "!", "!", "]"], 0, "", ""),
        (["!", "!", "!", "!", "]"], 1, "", ""),
        (["!", "!", "!", "!", "!", "]"], 2, "", "[: argument expected\n"),
        (["!", "!", "!", "!", "a", "]"], 0, "", ""),
        (["-a", "]"], 0, "", ""),
        (["-o", "]"], 0, "", ""),
        (["-a", "b", "]"], 1, "", ""),
        (["a", "-a", "]"], 2, "", "[: a: unary operator expected\n"),
        (["a", "-a", "b", "-a", "]"], 2, "", "[: argument expected\n"),
        (["a", "-o", "b", "-o", "]"], 2, "", "[: argument expected\n"),
        (["-n", "]"], 0, "", ""),
        (["", "-a", "b", "]"], 1, "", ""),
        (["=", "=", "=", "]"], 0, "", ""),
        (["!", "=", "!", "]"], 0, "", ""),
        (["(", "=", "(", "]"], 0, "", ""),
        ([")", "]"], 0, "", ""),
        (["(", "]"], 0, "", ""),
        (["(", ")", "]"], 2, "", "[: (: unary operator expected\n"),
        (["(", "", ")", "]"], 1, "", ""),
        (["-f", "-a", "-f", "]"], 0, "", ""),
        (["a", "<", "b", "]"], 0, "", ""),
        (["é", ">", "z", "]"], 0, "", ""),
        (["a", "=~", "a", "]"], 2, "", "[: =~: binary operator expected\n"),
        (["-v", "x", "]"], 1, "", ""),
        (["-o", "errexit", "]"], 1, "", ""),
        (["-R", "x", "]"], 1, "", ""),
        (["-z", "=", "z", "]"], 1, "", ""),
        (["!", "-z", "", "]"], 1, "", ""),
        (["a", "-a", "b", "-o", "", "]"], 0, "", ""),
        (["", "-a", "", "-o", "b", "]"], 0, "", ""),
        (["a", "-eq", "]"], 2, "", "[: a: unary operator expected\n"),
        (["-n", "a", "-a", "]"], 2, "", "[: a: binary operator expected\n"),
        (["1", "-eq", "1", "-a", "2", "-eq", "x", "]"], 2, "", "[: x: integer expression expected\n"),
        (["a", "-a", "!", "]"], 0, "", ""),
        (["a", "-o", "(", "]"], 0, "", ""),
        (["a", "b", "-a", "c", "d", "]"], 2, "", "[: too many arguments\n"),
        (["-n", "a", "b", "]"], 2, "", "[: a: binary operator expected\n"),
        (["-nt", "a", "]"], 2, "", "[: -nt: unary operator expected\n"),
        (["a", "-nt", "]"], 2, "", "[: a: unary operator expected\n"),
        (["-e", "", "]"], 1, "", ""),
        (["08", "-eq", "8", "]"], 0, "", ""),
        (["0x8", "-eq", "8", "]"], 2, "", "[: 0x8: integer expression expected\n"),
        (["1 2", "-eq", "1", "]"], 2, "", "[: 1 2: integer expression expected\n"),
        (["1_0", "-eq", "10", "]"], 2, "", "[: 1_0: integer expression expected\n"),
        (["-0", "-eq", "0", "]"], 0, "", ""),
        (["- 1", "-eq", "-1", "]"], 2, "", "[: - 1: integer expression expected\n"),
        (["a", "-eq", "b", "-a", "]"], 2, "", "[: a: integer expression expected\n"),
        (["-1", "-lt", "0", "]"], 0, "", ""),
        (["(", "(", "a", ")", ")", "]"], 0, "", ""),
        (["(", "!", "a", ")", "]"], 1, "", ""),
        (["!", "(", "a", ")", "]"], 1, "", ""),
        (["!", "(", "", ")", "-a", "b", "]"], 0, "", ""),
        (["-e", "a", "-b", "]"], 2, "", "[: a: binary operator expected\n"),
        (["a", "=", "b", "=", "c", "]"], 2, "", "[: too many arguments\n"),
        (["", "", "]"], 2, "", "[: : unary operator expected\n"),
        (["", "", "", "]"], 2, "", "[: : binary operator expected\n"),
        (["-", "-", "]"], 2, "", "[: -: unary operator expected\n"),
        (["--", "--", "]"], 2, "", "[: --: unary operator expected\n"),
        (["--", "]"], 0, "", ""),
        (["-n", "=", "-n", "]"], 0, "", ""),
        (["-z", "-a", "-z", "]"], 0, "", ""),
        (["-nn", "a", "]"], 2, "", "[: -nn: unary operator expected\n"),
        (["-n", "-n", "]"], 0, "", ""),
        (["a", "-z", "b", "-z", "c", "]"], 2, "", "[: syntax error: `-z' unexpected\n"),
        (["-x", "-y", "-z", "-w", "-v", "]"], 2, "", "[: syntax error: `-z' unexpected\n"),
    ],
)
def test_the_builtin_is_as_in_bash(arguments, status, stdout, stderr):
    found = Shell().run(shlex.join(["[", *arguments]))
    message = re.sub(r"\Abash: line \d: ", "", found.stderr)
    assert (found.exit_status, found.stdout, message) == (status, stdout, stderr)


FILES = {"full": "x", "empty": "", "run.sh": "#!/bin/sh\n", "d/f": "y"}


@pytest.mark.parametrize(
    ("expression", "status"),
    [
        ("-e full", 0),
        ("-e gone", 1),
        ("-e ''", 1),
        ("-f full", 0),
        ("-f d", 1),
        ("-d d", 0),
        ("-d full", 1),
        ("-d d/f/x", 1),
        ("-s full", 0),
        ("-s empty", 1),
        ("-r full", 0),
        ("-w full", 0),
        ("-L full", 1),
        ("-h full", 1),
        ("-p full", 1),
        ("-S full", 1),
        ("-b full", 1),
        ("-c /dev/null", 0),
        ("-c full", 1),
        ("-u full", 1),
        ("-g full", 1),
        ("-k full", 1),
        ("-k /tmp", 0),
        ("-O full", 0),
        ("-G full", 0),
        ("-t 0", 1),
        ("full -ef ./full", 0),
        ("full -ef empty", 1),
        ("full -nt gone", 0),
        ("gone -nt full", 1),
        ("gone -ot full", 0),
        ("full -ot gone", 1),
        ("-f full -a -d d", 0),
        ("-f full -a ! -d full", 0),
    ],
)
def test_files(line, expression, status):
    assert line(f"test {expression}", FILES) == (status, "", "")


def test_a_script_is_executable(sandbox):
    assert sandbox.run("test", "-x", "run.sh", files=FILES)[0] == 0
    assert sandbox.run("test", "-x", "full", files=FILES)[0] == 1


def test_a_bracket_must_be_closed(utility):
    assert utility("[", "a") == (2, "", "[: missing ']'\n")
    assert utility("[") == (2, "", "[: missing ']'\n")
    assert utility("[", "]") == (1, "", "")


def test_nesting_is_bounded(utility):
    deep = ["("] * 100 + ["a", "=", "a"] + [")"] * 100
    assert utility("test", *deep) == (0, "", "")
    deeper = ["(", *deep, ")"]
    assert utility("test", *deeper, same=False) == (2, "", "test: expression nested too deeply\n")


def test_long_chains_need_no_stack(utility):
    assert utility("test", *["a", "-o"] * 20_000, "a") == (0, "", "")
    assert utility("test", *["!"] * 10_001, "") == (0, "", "")


class Known:
    """Answers as a shell would that knows one variable and one option."""

    def __getattr__(self, name):
        return lambda *arguments: arguments == ("known",)


@pytest.mark.parametrize("operator", ["-v", "-o", "-R"])
def test_shell_state_comes_through_the_probe(operator):
    assert evaluate([operator, "known"], Known())
    assert not evaluate([operator, "other"], Known())
    assert evaluate(["(", operator, "known", ")"], Known())
