"""tomlq; recorded from that of Andrey Kislyuk's yq 4.4 (with tomlkit 0.13), which --oracle asks again."""

from __future__ import annotations

import pytest

from sandhook import Shell
from tests.utilities.scripts import ask_host

FILES = {
    "c.toml": '# c\ntitle = "T"\n[a]\nb = 1\nc = [1, 2.5, true]\nd = "x\\ny"\n[[s]]\nn = 1\n[[s]]\nn = 2\n',
    "e.toml": "",
    "bad.toml": "a = \n",
    "dt.toml": "t = 2020-01-02T03:04:05Z\nd = 2020-01-02\nl = 03:04:05\n",
    "u.toml": '"a b" = 1\n"é" = "ü"\nbig = 9223372036854775807\nf = 1e3\ni = inf\n[x.y.z]\nw = {p = 1, q = "r"}\n',
    "y.yaml": 'a: 1\nb:\n  - x\n  - y: 2\ns: "q"\n',
}

#: A script, its status, and what it prints.
ROWS = [
    (
        "tomlq . c.toml",
        0,
        '{\n  "title": "T",\n  "a": {\n    "b": 1,\n    "c": [\n      1,\n      2.5,\n      true\n    ],\n    "d": "x\\ny"\n  },\n  "s": [\n    {\n      "n": 1\n    },\n    {\n      "n": 2\n    }\n  ]\n}\n',
    ),
    (
        "tomlq -c . c.toml",
        0,
        '{"title":"T","a":{"b":1,"c":[1,2.5,true],"d":"x\\ny"},"s":[{"n":1},{"n":2}]}\n',
    ),
    ("tomlq -r .title c.toml", 0, "T\n"),
    ("tomlq .a.b c.toml", 0, "1\n"),
    ("tomlq -r '.s[].n' c.toml", 0, "1\n2\n"),
    ("tomlq '.a.c | length' c.toml", 0, "3\n"),
    (
        "tomlq -t . c.toml",
        0,
        'title = "T"\n\n[a]\nb = 1\nc = [1, 2.5, true]\nd = "x\\ny"\n\n[[s]]\nn = 1\n\n[[s]]\nn = 2\n',
    ),
    (
        "tomlq -t '.a.b = 2' c.toml",
        0,
        'title = "T"\n\n[a]\nb = 2\nc = [1, 2.5, true]\nd = "x\\ny"\n\n[[s]]\nn = 1\n\n[[s]]\nn = 2\n',
    ),
    (
        "tomlq -t '.new = \"v\"' c.toml",
        0,
        'title = "T"\nnew = "v"\n\n[a]\nb = 1\nc = [1, 2.5, true]\nd = "x\\ny"\n\n[[s]]\nn = 1\n\n[[s]]\nn = 2\n',
    ),
    ("tomlq -c . e.toml", 0, "{}\n"),
    ("tomlq . bad.toml; echo $?", 0, "1\n"),
    ("tomlq -c . dt.toml", 0, '{"t":"2020-01-02T03:04:05+00:00","d":"2020-01-02","l":"03:04:05"}\n'),
    ("cat c.toml | tomlq .title", 0, '"T"\n'),
    ("tomlq -e .nosuch c.toml; echo $?", 0, "null\n1\n"),
    ("tomlq --arg x 5 '$x' c.toml", 0, '"5"\n'),
    (
        "tomlq -S -c . c.toml",
        0,
        '{"a":{"b":1,"c":[1,2.5,true],"d":"x\\ny"},"s":[{"n":1},{"n":2}],"title":"T"}\n',
    ),
    (
        "tomlq -i -t '.a.b = 7' c.toml; cat c.toml",
        0,
        'title = "T"\n\n[a]\nb = 7\nc = [1, 2.5, true]\nd = "x\\ny"\n\n[[s]]\nn = 1\n\n[[s]]\nn = 2\n',
    ),
    (
        "tomlq . c.toml e.toml",
        0,
        '{\n  "title": "T",\n  "a": {\n    "b": 1,\n    "c": [\n      1,\n      2.5,\n      true\n    ],\n    "d": "x\\ny"\n  },\n  "s": [\n    {\n      "n": 1\n    },\n    {\n      "n": 2\n    }\n  ]\n}\n{}\n',
    ),
    ("tomlq nofile.toml", 3, ""),
    ("tomlq . nofile.toml; echo $?", 0, "1\n"),
    ("tomlq -n -c '[1]'", 0, "[1]\n"),
    (
        "tomlq -s -c . c.toml",
        0,
        '[{"title":"T","a":{"b":1,"c":[1,2.5,true],"d":"x\\ny"},"s":[{"n":1},{"n":2}]}]\n',
    ),
    ("tomlq '.a |' c.toml; echo $?", 0, "3\n"),
]


@pytest.mark.parametrize(("script", "status", "printed"), ROWS)
def test_prints_what_tomlq_prints(script, status, printed, oracle):
    result = Shell(files=FILES).run(script)
    assert (result.exit_status, result.stdout) == (status, printed)
    if oracle:
        assert ask_host(script, FILES, "tomlq")[:2] == (status, printed)


def test_yq_keeps_quotes_on_a_round_trip():
    assert Shell(files=FILES).run("yq -Y '.a = 2' y.yaml").stdout == 'a: 2\nb:\n  - x\n  - y: 2\ns: "q"\n'
