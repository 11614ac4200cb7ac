from __future__ import annotations

import shlex

import pytest


@pytest.mark.parametrize(
    ("arguments", "status", "stdout", "stderr"),
    [
        (
            [
                "0000000   -   e  \\0   \\   u   0   0   e   9   \\   u   d   8   0   0   |\n0000020   \\   U   1   0   f   f   f   f   |   \\   U   1   1   0   0   0\n0000040   0   |   \\   U   7   f   f   f   f   f   f   f   |   \\   U   f\n0000060   f   f   f   f   f   f   f   |   \\   1   |   \\   0   1   |   \\\n0000100   0   1   0   1   |   \\   x   |   \\   x   4   |   \\   x   f   f\n0000120   f   |   \\   u   |   \\   q   |   \\   \"  \\0   \\   '  \\0  \\0 001\n0000140\n-n",
                "a",
                "b",
            ],
            0,
            "0000000   -   e  \\0   \\   u   0   0   e   9   \\   u   d   8   0   0   |\n0000020   \\   U   1   0   f   f   f   f   |   \\   U   1   1   0   0   0\n0000040   0   |   \\   U   7   f   f   f   f   f   f   f   |   \\   U   f\n0000060   f   f   f   f   f   f   f   |   \\   1   |   \\   0   1   |   \\\n0000100   0   1   0   1   |   \\   x   |   \\   x   4   |   \\   x   f   f\n0000120   f   |   \\   u   |   \\   q   |   \\   \"  \\0   \\   '  \\0  \\0 001\n0000140\n-n a b\n",
            "",
        ),
        (["-ne", "a\\tb\\c d", "e"], 0, "a\tb", ""),
        (["-nEe", "a\\n"], 0, "a\n", ""),
        (["--", "a"], 0, "-- a\n", ""),
        (["-x", "a"], 0, "-x a\n", ""),
        (["-", "a"], 0, "- a\n", ""),
        (["-e", "-E", "a\\n"], 0, "a\\n\n", ""),
        ([], 0, "\n", ""),
        (["-n"], 0, "", ""),
        (
            ["-e", "\\0", "\\00", "\\0777", "\\e[0m"],
            0,
            "\x00 \x00 \udcff \x1b[0m\n",
            "",
        ),
        (["-e", "a\\"], 0, "a\\\n", ""),
        (["-e", "\\cx", "y"], 0, "", ""),
        (["-e", "\\\\n", "\\8", "\\400", "\\x", "\\xg"], 0, "\\n \\8 \\400 \\x \\xg\n", ""),
    ],
)
def test_as_bash(line, arguments, status, stdout, stderr):
    command = shlex.join(["echo", *arguments])
    assert line(command, {}) == (status, stdout, stderr)
