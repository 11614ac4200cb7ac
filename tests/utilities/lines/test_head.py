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
        ("head -n3 a", 0, "a\na\nb\n", ""),
        ("head -n -3 a", 0, "a\na\nb\nc\nc\n", ""),
        ("head -n 0 a", 0, "", ""),
        ("head -n -0 a", 0, "a\na\nb\nc\nc\nc\nA\nd", ""),
        ("head -n -99 a", 0, "", ""),
        ("head -c 3 a", 0, "a\na", ""),
        ("head -c -3 a", 0, "a\na\nb\nc\nc\nc\n", ""),
        ("head -c -99 a", 0, "", ""),
        ("head -c 0 a", 0, "", ""),
        ("head -3 a", 0, "a\na\nb\n", ""),
        ("head -3c a", 0, "a\na", ""),
        ("head -1 a w", 0, "==> a <==\na\n\n==> w <==\nhéllo wörld\n", ""),
        ("head -q -n1 a w", 0, "a\nhéllo wörld\n", ""),
        ("head -v -n1 a", 0, "==> a <==\na\n", ""),
        ("head -n1 a - < w", 0, "==> a <==\na\n\n==> standard input <==\nhéllo wörld\n", ""),
        ("head -z -n1 z", 0, "a\x00", ""),
        ("head -z -n -1 z", 0, "a\x00a\x00", ""),
        ("head -n 1k a", 0, "a\na\nb\nc\nc\nc\nA\nd", ""),
        ("head e", 0, "", ""),
        ("head -n -1 w", 0, "héllo wörld\n\ttab\tx\n  two  words \r\n", ""),
        ("head -n -1 e", 0, "", ""),
        ("head --lines=2 a", 0, "a\na\n", ""),
        ("head --bytes=-2 a", 0, "a\na\nb\nc\nc\nc\nA", ""),
        ("head -2 -c3 a", 0, "a\na", ""),
    ],
)
def test_prints(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)


@pytest.mark.parametrize(
    ("command", "status", "stdout", "stderr"),
    [
        (
            "head -n1 nope a",
            1,
            "==> a <==\na\n",
            "head: cannot open 'nope' for reading: No such file or directory\n",
        ),
        ("head -n1 d a", 1, "==> d <==\n\n==> a <==\na\n", "head: error reading 'd': Is a directory\n"),
        ("head -n abc a", 1, "", "head: invalid number of lines: 'abc'\n"),
        ("head -c x a", 1, "", "head: invalid number of bytes: 'x'\n"),
        ("head -n '' a", 1, "", "head: invalid number of lines: ''\n"),
        ("head -x", 1, "", "head: invalid option -- 'x'\nTry 'head --help' for more information.\n"),
        (
            "head -5x a",
            1,
            "",
            "head: invalid trailing option -- x\nTry 'head --help' for more information.\n",
        ),
    ],
)
def test_complains(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)
