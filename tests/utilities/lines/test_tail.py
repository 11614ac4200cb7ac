from __future__ import annotations

import pytest

FILES = {
    "a": "a\na\nb\nc\nc\nc\nA\nd",
    "ab": "a\nb",
    "abcd": "abcd\n",
    "b": "a\x01b c\x7fd \udcff\udcfe x\x1cy\n\u2003em\xa0nb\n",
    "bs": "a\\b/c\n",
    "d/x": "hi\n",
    "e": "",
    "f": "1 x\n2 x\n3 y\n3 Y\n4  y\n",
    "j": "日本\n",
    "nonl": "x",
    "pl": "a+b aab\n",
    "sc": "s/a/b/\n#c\n  p;\n}\n",
    "sc2": "#n\np\na\\\nfoo",
    "w": "héllo wörld\n\ttab\tx\n  two  words \r\nlast",
    "z": "a\x00a\x00b",
}


@pytest.mark.parametrize(
    ("command", "status", "stdout", "stderr"),
    [
        ("tail -n3 a", 0, "c\nA\nd", ""),
        ("tail -n 0 a", 0, "", ""),
        ("tail -n +3 a", 0, "b\nc\nc\nc\nA\nd", ""),
        ("tail -n +0 a", 0, "a\na\nb\nc\nc\nc\nA\nd", ""),
        ("tail -n +1 a", 0, "a\na\nb\nc\nc\nc\nA\nd", ""),
        ("tail -n +99 a", 0, "", ""),
        ("tail -n 99 a", 0, "a\na\nb\nc\nc\nc\nA\nd", ""),
        ("tail -c 3 a", 0, "A\nd", ""),
        ("tail -c +3 a", 0, "a\nb\nc\nc\nc\nA\nd", ""),
        ("tail -c 0 a", 0, "", ""),
        ("tail -c +0 a", 0, "a\na\nb\nc\nc\nc\nA\nd", ""),
        ("tail -c 99 a", 0, "a\na\nb\nc\nc\nc\nA\nd", ""),
        ("tail -n -2 a", 0, "A\nd", ""),
        ("tail -2 a", 0, "A\nd", ""),
        ("tail -2c a", 0, "\nd", ""),
        ("tail -1l a", 0, "d", ""),
        ("tail +3 a", 0, "b\nc\nc\nc\nA\nd", ""),
        ("tail +3c a", 0, "a\nb\nc\nc\nc\nA\nd", ""),
        ("tail -n1 a w", 0, "==> a <==\nd\n==> w <==\nlast", ""),
        ("tail -q -n1 a w", 0, "dlast", ""),
        ("tail -v -n1 a", 0, "==> a <==\nd", ""),
        ("tail -n1 a - < w", 0, "==> a <==\nd\n==> standard input <==\nlast", ""),
        ("tail -n2 < a", 0, "A\nd", ""),
        ("tail -z -n1 z", 0, "b", ""),
        ("tail -z -n2 z", 0, "a\x00b", ""),
        ("tail -n 1k a", 0, "a\na\nb\nc\nc\nc\nA\nd", ""),
        ("tail e", 0, "", ""),
        ("tail -n1 e a", 0, "==> e <==\n\n==> a <==\nd", ""),
        ("tail -n 1 w", 0, "last", ""),
        ("tail -n 2 w", 0, "  two  words \r\nlast", ""),
        ("tail -n+2 a", 0, "a\nb\nc\nc\nc\nA\nd", ""),
        ("tail --lines=2 a", 0, "A\nd", ""),
        ("tail --bytes=+2 a", 0, "\na\nb\nc\nc\nc\nA\nd", ""),
    ],
)
def test_prints(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)


@pytest.mark.parametrize(
    ("command", "status", "stdout", "stderr"),
    [
        ("tail -5x a", 1, "", "tail: option used in invalid context -- 5\n"),
        ("tail -1 a w", 1, "", "tail: option used in invalid context -- 1\n"),
        (
            "tail -n1 nope a",
            1,
            "==> a <==\nd",
            "tail: cannot open 'nope' for reading: No such file or directory\n",
        ),
        ("tail -n1 d a", 1, "==> d <==\n\n==> a <==\nd", "tail: error reading 'd': Is a directory\n"),
        ("tail -n abc a", 1, "", "tail: invalid number of lines: 'abc'\n"),
        ("tail -c x a", 1, "", "tail: invalid number of bytes: 'x'\n"),
        ("tail -n '' a", 1, "", "tail: invalid number of lines: ''\n"),
        ("tail -n + a", 1, "", "tail: invalid number of lines: '+'\n"),
        ("tail -s x a", 1, "", "tail: invalid number of seconds: 'x'\n"),
        ("tail --pid=x a", 1, "", "tail: invalid PID: 'x'\n"),
        (
            "tail --follow=x a",
            1,
            "",
            "tail: invalid argument 'x' for '--follow'\nValid arguments are:\n  - 'descriptor'\n  - 'name'\nTry 'tail --help' for more information.\n",
        ),
        (
            "tail -n 99999999999999999999999 a",
            1,
            "",
            "tail: invalid number of lines: '99999999999999999999999': Value too large for defined data type\n",
        ),
        ("tail -x", 1, "", "tail: invalid option -- 'x'\nTry 'tail --help' for more information.\n"),
        (
            "tail -n",
            1,
            "",
            "tail: option requires an argument -- 'n'\nTry 'tail --help' for more information.\n",
        ),
    ],
)
def test_complains(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)
