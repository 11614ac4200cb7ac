"""A line of advice after "command not found", for programs that everybody knows."""

from __future__ import annotations

import pytest

from sandhook import Shell

ADVICE = "sandhook: the sandbox has no {}, a program of the host: host mode, or a HostCommand that the caller allows, runs it\n"


@pytest.mark.parametrize(
    ("script", "program", "first"),
    [
        ("python3 -c 1", "python3", "bash: line 1: python3: command not found\n"),
        ("perl -e 1", "perl", "bash: line 1: perl: command not found\n"),
        ("node -e 1", "node", "bash: line 1: node: command not found\n"),
        ("/usr/bin/python3 -c 1", "python3", "bash: line 1: /usr/bin/python3: No such file or directory\n"),
        ("/opt/node/bin/node -e 1", "node", "bash: line 1: /opt/node/bin/node: No such file or directory\n"),
        ("node x.js || exit 127", "node", "bash: line 1: node: command not found\n"),
        ("env ruby -e 1", "ruby", "env: 'ruby': No such file or directory\n"),
        ("echo a | xargs make", "make", "xargs: make: No such file or directory\n"),
        ("exec python3 -c 1", "python3", "bash: line 1: exec: python3: not found\n"),
        ("exec -a a /bin/perl", "perl", "bash: line 1: /bin/perl: No such file or directory\n"),
        (
            "echo '#!/usr/bin/perl' >x; chmod +x x; ./x",
            "perl",
            "bash: line 1: ./x: cannot execute: required file not found\n",
        ),
    ],
)
def test_advice(script, program, first):
    result = Shell().run(script)
    assert (result.exit_status, result.stdout, result.stderr) == (127, "", first + ADVICE.format(program))


@pytest.mark.parametrize(
    ("script", "status", "stderr"),
    [
        ("nosuch", 127, "bash: line 1: nosuch: command not found\n"),
        ("command -v python3", 1, ""),
        ("./python3", 127, "bash: line 1: ./python3: No such file or directory\n"),
        ("dir/perl", 127, "bash: line 1: dir/perl: No such file or directory\n"),
        ("type -P python3", 1, ""),
        ('command_not_found_handle() { echo "$1?" >&2; return 3; }; python3', 3, "python3?\n"),
        ("python3() { return 4; }; python3", 4, ""),
    ],
)
def test_no_advice(script, status, stderr):
    result = Shell().run(script)
    assert (result.exit_status, result.stderr) == (status, stderr)
