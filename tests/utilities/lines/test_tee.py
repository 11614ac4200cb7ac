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
        ("tee < a", 0, "a\na\nb\nc\nc\nc\nA\nd", ""),
        ("tee -i < a", 0, "a\na\nb\nc\nc\nc\nA\nd", ""),
    ],
)
def test_prints(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)


@pytest.mark.parametrize(
    ("command", "status", "stdout", "stderr"),
    [
        ("tee d < a", 1, "a\na\nb\nc\nc\nc\nA\nd", "tee: d: Is a directory\n"),
        ("tee -x < a", 1, "", "tee: invalid option -- 'x'\nTry 'tee --help' for more information.\n"),
    ],
)
def test_complains(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)
