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
        ("uniq a", 0, "a\nb\nc\nA\nd\n", ""),
        ("uniq -c a", 0, "      2 a\n      1 b\n      3 c\n      1 A\n      1 d\n", ""),
        ("uniq -d a", 0, "a\nc\n", ""),
        ("uniq -u a", 0, "b\nA\nd\n", ""),
        ("uniq -D a", 0, "a\na\nc\nc\nc\n", ""),
        ("uniq -cd a", 0, "      2 a\n      3 c\n", ""),
        ("uniq -cu a", 0, "      1 b\n      1 A\n      1 d\n", ""),
        ("uniq -du a", 0, "", ""),
        ("uniq -i a", 0, "a\nb\nc\nA\nd\n", ""),
        ("uniq -ci a", 0, "      2 a\n      1 b\n      3 c\n      1 A\n      1 d\n", ""),
        ("uniq -f1 f", 0, "1 x\n3 y\n3 Y\n4  y\n", ""),
        ("uniq -f1 -i f", 0, "1 x\n3 y\n4  y\n", ""),
        ("uniq -s2 f", 0, "1 x\n3 y\n3 Y\n4  y\n", ""),
        ("uniq -w1 f", 0, "1 x\n2 x\n3 y\n4  y\n", ""),
        ("uniq -w0 f", 0, "1 x\n", ""),
        ("uniq -f 1 -s 1 -w 1 f", 0, "1 x\n3 y\n3 Y\n4  y\n", ""),
        ("uniq -z z", 0, "a\x00b\x00", ""),
        ("uniq -zc z", 0, "      2 a\x00      1 b\x00", ""),
        ("uniq -c - < a", 0, "      2 a\n      1 b\n      3 c\n      1 A\n      1 d\n", ""),
        ("uniq -c < a", 0, "      2 a\n      1 b\n      3 c\n      1 A\n      1 d\n", ""),
        ("uniq e", 0, "", ""),
        ("uniq --all-repeated=prepend a", 0, "\na\na\n\nc\nc\nc\n", ""),
        ("uniq --all-repeated=separate a", 0, "a\na\n\nc\nc\nc\n", ""),
        ("uniq --all-repeated=none a", 0, "a\na\nc\nc\nc\n", ""),
        ("uniq --group a", 0, "a\na\n\nb\n\nc\nc\nc\n\nA\n\nd\n", ""),
        ("uniq --group=prepend a", 0, "\na\na\n\nb\n\nc\nc\nc\n\nA\n\nd\n", ""),
        ("uniq --group=append a", 0, "a\na\n\nb\n\nc\nc\nc\n\nA\n\nd\n\n", ""),
        ("uniq --group=both a", 0, "\na\na\n\nb\n\nc\nc\nc\n\nA\n\nd\n\n", ""),
        ("uniq --group=both e", 0, "", ""),
    ],
)
def test_prints(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)


@pytest.mark.parametrize(
    ("command", "status", "stdout", "stderr"),
    [
        (
            "uniq --all-repeated=x a",
            1,
            "",
            "uniq: invalid argument 'x' for '--all-repeated'\nValid arguments are:\n  - 'none'\n  - 'prepend'\n  - 'separate'\nTry 'uniq --help' for more information.\n",
        ),
        (
            "uniq --group -c a",
            1,
            "",
            "uniq: --group is mutually exclusive with -c/-d/-D/-u\nTry 'uniq --help' for more information.\n",
        ),
        (
            "uniq -cD a",
            1,
            "",
            "uniq: printing all duplicated lines and repeat counts is meaningless\nTry 'uniq --help' for more information.\n",
        ),
        ("uniq nope", 1, "", "uniq: nope: No such file or directory\n"),
        ("uniq d", 1, "", "uniq: error reading 'd'\n"),
        ("uniq a b c", 1, "", "uniq: extra operand 'c'\nTry 'uniq --help' for more information.\n"),
        ("uniq -f x a", 1, "", "uniq: x: invalid number of fields to skip\n"),
        ("uniq -w -1 a", 1, "", "uniq: -1: invalid number of bytes to compare\n"),
    ],
)
def test_complains(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)
