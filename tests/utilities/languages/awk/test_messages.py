"""The line that a message of awk names, in the program text or in its source file."""

from __future__ import annotations

import pytest

from tests.utilities.conftest import Sandbox

FILES = {
    "lib.awk": "function half(x) {\n  return 1 / x\n}\n",
    "main.awk": '@include "lib"\n@include "lib.awk"\nBEGIN {\n  print half(2)\n  print half(0)\n}\n',
    "bad.awk": "BEGIN {\n  print (\n}\n",
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["BEGIN {\n  x = 1\n  print $-1\n}"], "awk: cmd. line:3: fatal: attempt to access field -1\n"),
        (["{ x = 1 }\nEND {\n print $-x }"], "awk: cmd. line:3: (FILENAME=- FNR=2) fatal: attempt to access field -1\n"),
        (["BEGIN { while (1)\n print 1 / x\n}"], "awk: cmd. line:2: fatal: division by zero attempted\n"),
        (["\n$1 / x { print }"], "awk: cmd. line:2: (FILENAME=- FNR=1) fatal: division by zero attempted\n"),
        (["BEGIN {\nnone(1) }"], "awk: cmd. line:2: fatal: function `none' not defined\n"),
        (["-e", "BEGIN { x = 0 }", "-e", "BEGIN {\nprint 1 % x }"], "awk: cmd. line:2: fatal: division by zero attempted in `%'\n"),
        (["-f", "main.awk"], "awk: lib:2: fatal: division by zero attempted\n"),
        (["-f", "lib.awk", "-f", "bad.awk"], "awk: bad.awk:3:   print (\nawk: bad.awk:3:          ^ unexpected newline or end of string\n"),
        (["-i", "lib", "BEGIN {\nhalf(0) }"], "awk: lib:2: fatal: division by zero attempted\n"),
        (
            ['BEGIN { printf "%s %d\\n", "a" }'],
            "awk: cmd. line:1: fatal: not enough arguments to satisfy format string\n\t`%s %d\n'\n\t    ^ ran out for this one\n",
        ),
        (['BEGIN { print "a" ~ "(" }'], "awk: cmd. line:1: fatal: invalid regexp: Unmatched ( or \\(: /(/\n"),
        (["/(/"], "awk: cmd. line:1: error: Unmatched ( or \\(: /(/\n"),
        (["{ print }", "nosuch"], "awk: fatal: cannot open file `nosuch' for reading: No such file or directory\n"),
        (["function f() { next } BEGIN { f() }"], "awk: cmd. line:1: fatal: `next' cannot be called from a `BEGIN' rule\n"),
        (["-S", 'BEGIN { system("x") }'], "awk: cmd. line:1: fatal: 'system' function not allowed in sandbox mode\n"),
    ],
)  # fmt: skip
def test_messages_name_the_line(arguments: list[str], message: str) -> None:
    status, _, err = Sandbox().run("awk", *arguments, stdin=b"1\n2\n", files=FILES)
    assert status in (1, 2)
    assert err.decode() == message
