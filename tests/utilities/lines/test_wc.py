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
        ("wc a", 0, " 7  8 15 a\n", ""),
        ("wc -l a", 0, "7 a\n", ""),
        ("wc -w a", 0, "8 a\n", ""),
        ("wc -c a", 0, "15 a\n", ""),
        ("wc -m w", 0, "38 w\n", ""),
        ("wc -L w", 0, "17 w\n", ""),
        ("wc w", 0, " 3  7 40 w\n", ""),
        ("wc b", 0, " 2  5 25 b\n", ""),
        ("wc -w b", 0, "5 b\n", ""),
        ("wc -m b", 0, "20 b\n", ""),
        ("wc -L b", 0, "9 b\n", ""),
        ("wc -mc w", 0, "38 40 w\n", ""),
        ("wc -lwmcL w", 0, " 3  7 38 40 17 w\n", ""),
        ("wc a w b", 0, " 7  8 15 a\n 3  7 40 w\n 2  5 25 b\n12 20 80 total\n", ""),
        ("wc -l a w b", 0, " 7 a\n 3 w\n 2 b\n12 total\n", ""),
        ("wc < a", 0, "      7       8      15\n", ""),
        ("wc -l < a", 0, "7\n", ""),
        ("wc - < a", 0, "      7       8      15 -\n", ""),
        (
            "wc - a < w",
            0,
            "      3       7      40 -\n      7       8      15 a\n     10      15      55 total\n",
            "",
        ),
        ("wc -L j", 0, "4 j\n", ""),
        ("wc -m j", 0, "3 j\n", ""),
        ("wc e", 0, "0 0 0 e\n", ""),
        ("wc -l e", 0, "0 e\n", ""),
        ("wc --files0-from=z", 0, " 7  8 15 a\n 7  8 15 a\n 2  5 25 b\n16 21 55 total\n", ""),
    ],
)
def test_prints(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)


@pytest.mark.parametrize(
    ("command", "status", "stdout", "stderr"),
    [
        (
            "wc a nope w",
            1,
            " 7  8 15 a\n 3  7 40 w\n10 15 55 total\n",
            "wc: nope: No such file or directory\n",
        ),
        (
            "wc d a",
            1,
            "      0       0       0 d\n      7       8      15 a\n      7       8      15 total\n",
            "wc: d: Is a directory\n",
        ),
        ("wc -x", 1, "", "wc: invalid option -- 'x'\nTry 'wc --help' for more information.\n"),
        ("wc -l d", 1, "0 d\n", "wc: d: Is a directory\n"),
        ("wc nope", 1, "", "wc: nope: No such file or directory\n"),
    ],
)
def test_complains(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)
