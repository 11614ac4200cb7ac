"""csv."""

from __future__ import annotations

import pytest

T = 'id,name,note\n10,Ann,"a, b"\n9,Bob,"say ""hi"""\n,Cy,"two\nlines"\n'
FILES = {"t.csv": T, "t.tsv": "a\tb\n1\t2\n", "bad.csv": 'a,b\n"x,1\n', "short.csv": "a,b\n1\n1,2,3\n\n"}


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        (["cut", "-c", "name,1", "t.csv"], "name,id\nAnn,10\nBob,9\nCy,\n"),
        (["cut", "-c", "2-", "t.csv"], 'name,note\nAnn,"a, b"\nBob,"say ""hi"""\nCy,"two\nlines"\n'),
        (["cut", "-C", "note", "t.csv"], "id,name\n10,Ann\n9,Bob\n,Cy\n"),
        (["cut", "-c1", "t.csv"], 'id\n10\n9\n""\n'),
        (["cut", "-t", "-c", "b", "t.tsv"], "b\n2\n"),
        (["cut", "-T", "-c", "1,3", "-H", "t.csv"], 'id\tnote\n10\ta, b\n9\t"say ""hi"""\n\t"two\nlines"\n'),
        (["grep", "-c", "name", "-m", "n", "t.csv"], 'id,name,note\n10,Ann,"a, b"\n'),
        (
            ["grep", "-c", "name", "-r", "^[BC]", "t.csv"],
            'id,name,note\n9,Bob,"say ""hi"""\n,Cy,"two\nlines"\n',
        ),
        (["grep", "-c", "1,2", "-i", "-m", "n", "t.csv"], T),
        (
            ["grep", "-c", "1,2", "-a", "-r", "^9|y$", "t.csv"],
            'id,name,note\n9,Bob,"say ""hi"""\n,Cy,"two\nlines"\n',
        ),
        (
            ["sort", "-c", "id", "t.csv"],
            'id,name,note\n,Cy,"two\nlines"\n10,Ann,"a, b"\n9,Bob,"say ""hi"""\n',
        ),
        (
            ["sort", "-n", "-c", "id", "t.csv"],
            'id,name,note\n9,Bob,"say ""hi"""\n10,Ann,"a, b"\n,Cy,"two\nlines"\n',
        ),
        (
            ["sort", "-n", "--reverse", "-c", "id", "t.csv"],
            'id,name,note\n10,Ann,"a, b"\n9,Bob,"say ""hi"""\n,Cy,"two\nlines"\n',
        ),
        (["json", "t.tsv", "-t"], '[{"a": "1", "b": "2"}]\n'),
        (["json", "--stream", "short.csv"], '{"a": "1", "b": ""}\n{"a": "1", "b": "2"}\n'),
        (["json", "-t", "--indent", "2", "t.tsv"], '[\n  {\n    "a": "1",\n    "b": "2"\n  }\n]\n'),
        (["json", "-t", "-k", "a", "t.tsv"], '{"1": {"a": "1", "b": "2"}}\n'),
        (["look", "-t", "t.tsv"], "| a | b |\n| - | - |\n| 1 | 2 |\n"),
        (["headers", "t.csv"], "  1: id\n  2: name\n  3: note\n"),
        (["cut", "--names", "t.tsv", "-t"], "  1: a\n  2: b\n"),
        (["count", "t.csv"], "3\n"),
        (["count", "-H", "t.csv"], "4\n"),
    ],
)
def test_prints(utility, argv, stdout):
    assert utility("csv", *argv, files=FILES, same=False) == (0, stdout, "")


def test_reads_standard_input(utility):
    assert utility("csv", "cut", "-c", "b", stdin="\ufeffa,b\n1,2\n", same=False) == (0, "b\n2\n", "")
    assert utility("csv", "json", stdin="\ufeffa\n1\n", same=False) == (0, '[{"a": "1"}]\n', "")
    assert utility("csv", "look", stdin="", same=False) == (0, "", "")
    assert utility("csv", "json", stdin="", same=False) == (0, "[]\n", "")


@pytest.mark.parametrize(
    ("argv", "stderr"),
    [
        ([], "csv: missing sub-command: cut, grep"),
        (["stat", "t.csv"], "csv: unknown sub-command 'stat'"),
        (["cut", "-c", "nope", "t.csv"], "csv: there is no column 'nope'; the columns are: id, name, note\n"),
        (["cut", "-c", "4", "t.csv"], "csv: there is no column '4'"),
        (["cut", "-c", "3-2", "t.csv"], "csv: there is no column '3-2'"),
        (["cut", "bad.csv"], "csv: bad.csv: line "),
        (["cut", "none.csv"], "csv: none.csv: No such file or directory\n"),
        (["cut", "t.csv", "x"], "csv: extra operand 'x'"),
        (["grep", "t.csv"], "csv: grep needs columns to search"),
        (["grep", "-c", "1", "t.csv"], "csv: grep needs a text (-m) or an expression (-r)"),
        (["grep", "-c", "1", "-r", "(", "t.csv"], "csv: invalid expression: "),
        (["cut", "-d", "ab", "t.csv"], "csv: the delimiter must be one character, not 'ab'"),
        (["json", "-k", "a", "short.csv"], "csv: the value '1' of the key column is not unique"),
        (["--nope"], "csv: unrecognized option '--nope'"),
    ],
)
def test_refuses(utility, argv, stderr):
    status, _, err = utility("csv", *argv, files=FILES, same=False)
    assert status == 1
    assert err.startswith(stderr), err
