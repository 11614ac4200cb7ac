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
        ("cat a", 0, "a\na\nb\nc\nc\nc\nA\nd", ""),
        ("cat a w", 0, "a\na\nb\nc\nc\nc\nA\ndhéllo wörld\n\ttab\tx\n  two  words \r\nlast", ""),
        (
            "cat -n a",
            0,
            "     1\ta\n     2\ta\n     3\tb\n     4\tc\n     5\tc\n     6\tc\n     7\tA\n     8\td",
            "",
        ),
        (
            "cat -b b w",
            0,
            "     1\ta\x01b c\x7fd \udcff\udcfe x\x1cy\n     2\t\u2003em\xa0nb\n     3\th\xe9llo w\xf6rld\n     4\t\ttab\tx\n     5\t  two  words \r\n     6\tlast",
            "",
        ),
        (
            "cat -A w b",
            0,
            "hM-CM-)llo wM-CM-6rld$\n^Itab^Ix$\n  two  words ^M$\nlasta^Ab c^?d M-^?M-~ x^\\y$\nM-bM-^@M-^CemM-BM- nb$\n",
            "",
        ),
        ("cat -v b", 0, "a^Ab c^?d M-^?M-~ x^\\y\nM-bM-^@M-^CemM-BM- nb\n", ""),
        ("cat -e w", 0, "hM-CM-)llo wM-CM-6rld$\n\ttab\tx$\n  two  words ^M$\nlast", ""),
        ("cat -t w", 0, "hM-CM-)llo wM-CM-6rld\n^Itab^Ix\n  two  words ^M\nlast", ""),
        ("cat -T w", 0, "héllo wörld\n^Itab^Ix\n  two  words \r\nlast", ""),
        ("cat -E w", 0, "héllo wörld$\n\ttab\tx$\n  two  words ^M$\nlast", ""),
        ("cat -s w", 0, "héllo wörld\n\ttab\tx\n  two  words \r\nlast", ""),
        (
            "cat -nE w a",
            0,
            "     1\théllo wörld$\n     2\t\ttab\tx$\n     3\t  two  words ^M$\n     4\tlasta$\n     5\ta$\n     6\tb$\n     7\tc$\n     8\tc$\n     9\tc$\n    10\tA$\n    11\td",
            "",
        ),
        (
            "cat -n w a",
            0,
            "     1\théllo wörld\n     2\t\ttab\tx\n     3\t  two  words \r\n     4\tlasta\n     5\ta\n     6\tb\n     7\tc\n     8\tc\n     9\tc\n    10\tA\n    11\td",
            "",
        ),
        ("cat - < a", 0, "a\na\nb\nc\nc\nc\nA\nd", ""),
        ("cat < a", 0, "a\na\nb\nc\nc\nc\nA\nd", ""),
        ("cat a - w < e", 0, "a\na\nb\nc\nc\nc\nA\ndhéllo wörld\n\ttab\tx\n  two  words \r\nlast", ""),
        ("cat -u a", 0, "a\na\nb\nc\nc\nc\nA\nd", ""),
        (
            "cat --number a",
            0,
            "     1\ta\n     2\ta\n     3\tb\n     4\tc\n     5\tc\n     6\tc\n     7\tA\n     8\td",
            "",
        ),
        ("cat --show-all w", 0, "hM-CM-)llo wM-CM-6rld$\n^Itab^Ix$\n  two  words ^M$\nlast", ""),
        ("cat -ns w", 0, "     1\théllo wörld\n     2\t\ttab\tx\n     3\t  two  words \r\n     4\tlast", ""),
    ],
)
def test_prints(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)


@pytest.mark.parametrize(
    ("command", "status", "stdout", "stderr"),
    [
        ("cat nope a", 1, "a\na\nb\nc\nc\nc\nA\nd", "cat: nope: No such file or directory\n"),
        ("cat d a", 1, "a\na\nb\nc\nc\nc\nA\nd", "cat: d: Is a directory\n"),
        ("cat -x", 1, "", "cat: invalid option -- 'x'\nTry 'cat --help' for more information.\n"),
    ],
)
def test_complains(line, command, status, stdout, stderr):
    assert line(command, FILES) == (status, stdout, stderr)
