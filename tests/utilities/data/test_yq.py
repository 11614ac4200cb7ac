"""yq and tomlq. ``tomlq`` rows are those of Andrey Kislyuk's program; yq rows follow Mike Farah's manual."""

from __future__ import annotations

import pytest

FILES = {
    "f.yaml": "# top\na: {b: 1.50, c: [x, 'y: z', true, null]}\nbase: &b\n  k: v\nuse:\n  <<: *b\n  t: |\n    one\n    two\n",
    "two.yaml": "n: 1\n---\nn: 2\n",
    "1.yml": "a: 1\nm: {x: 1}\n",
    "2.yml": "b: 2\nm: {y: 2}\n",
    "j.json": '{"a":"x","n":12345678901234567890}',
    "c.toml": "[t]\na = 1\nd = 2020-01-01\n[[x]]\nb = [1, 2]\n",
    "d.toml": "[t]\na = 1\nd = 'text'\n[[x]]\nb = [1, 2]\n",
    "t.csv": 'name,v\na,1\nb,"x,y"\n',
    "bad.yaml": "a: [\n",
    "filter": ".a.b\n",
}


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        ([".a.b", "f.yaml"], "1.50\n"),
        ([".a.c", "f.yaml"], "- x\n- 'y: z'\n- true\n- null\n"),
        (["eval", ".use", "f.yaml"], "k: v\nt: |\n  one\n  two\n"),
        (["-r", ".use.k", "f.yaml"], "v\n"),
        (
            ["-o", "json", ".a", "f.yaml"],
            '{\n  "b": 1.50,\n  "c": [\n    "x",\n    "y: z",\n    true,\n    null\n  ]\n}\n',
        ),
        (["-o=json", "-I=0", ".use", "f.yaml"], '{"k":"v","t":"one\\ntwo\\n"}\n'),
        (["-c", ".base", "f.yaml"], '{"k":"v"}\n'),
        (["-j", "-I4", ".base", "f.yaml"], '{\n    "k": "v"\n}\n'),
        (["--output-format=json", ".use.k", "f.yaml"], '"v"\n'),
        (["-o", "json", "-r", ".use.k", "f.yaml"], "v\n"),
        (["--unwrapScalar=false", ".n", "f.yaml"], "null\n"),
        (["-r=false", ".a.c[1]", "f.yaml"], "'y: z'\n"),
        ([".n", "two.yaml"], "1\n---\n2\n"),
        (["-N", ".n", "two.yaml"], "1\n2\n"),
        (["-s", "-c", "map(.n)", "two.yaml"], "[1,2]\n"),
        ([".", "1.yml", "2.yml"], "a: 1\nm:\n  x: 1\n---\nb: 2\nm:\n  y: 2\n".replace("  y", '  "y"')),
        (
            ["ea", ". as $item ireduce ({}; . * $item)", "1.yml", "2.yml"],
            'a: 1\nm:\n  x: 1\n  "y": 2\nb: 2\n',
        ),
        (
            ["eval-all", "select(fileIndex == 0) * select(fileIndex == 1)", "1.yml", "2.yml"],
            'a: 1\nm:\n  x: 1\n  "y": 2\nb: 2\n',
        ),
        (["ea", "-c", "[.]", "1.yml", "2.yml"], '[{"a":1,"m":{"x":1}},{"b":2,"m":{"y":2}}]\n'),
        ([".a", "j.json"], '"x"\n'),
        (["-o", "yaml", ".", "j.json"], 'a: x\n"n": 12345678901234567890\n'),
        (["-p", "yaml", "-c", ".", "j.json"], '{"a":"x","n":12345678901234567890}\n'),
        ([".x[0].b", "c.toml"], "- 1\n- 2\n"),
        (["-o", "toml", ".", "1.yml"], "a = 1\n\n[m]\nx = 1\n"),
        (["-c", ".", "t.csv"], '[{"name":"a","v":1},{"name":"b","v":"x,y"}]\n'),
        (["-o", "csv", ".", "t.csv"], 'name,v\na,1\nb,"x,y"\n'),
        (["-o", "tsv", "map([.name,.v])", "t.csv"], "a\t1\nb\tx,y\n"),
        (
            ["-o", "props", ".", "f.yaml"],
            "a.b = 1.50\na.c.0 = x\na.c.1 = y: z\na.c.2 = true\na.c.3 = \nbase.k = v\nuse.k = v\nuse.t = one\\ntwo\\n\n",
        ),
        (["-n", '{"a": env(X), "s": strenv(X)}'], 'a: 3\ns: "3"\n'),
        (["-n", "--arg", "v", "7", "--argjson", "w", "[1]", "-c", "[$v,$w]"], '["7",[1]]\n'),
        (["-S", "-c", ".", "2.yml"], '{"b":2,"m":{"y":2}}\n'),
        (["--from-file", "filter", "f.yaml"], "1.50\n"),
        (["1.yml"], "a: 1\nm:\n  x: 1\n"),
        (["-0", ".n", "two.yaml", "-N"], "1\x002\x00"),
        ([".m | keys | .[0] | upcase", "1.yml"], "X\n"),
        ([".a | tag", "1.yml"], "!!int\n"),
        (["sort_keys(.) | to_json", "2.yml"], '{"b":2,"m":{"y":2}}\n'),
        (['.m += {"z": [1]}', "1.yml"], "a: 1\nm:\n  x: 1\n  z:\n    - 1\n"),
        (["-I", "4", ".m", "1.yml"], "x: 1\n"),
    ],
)
def test_yq_prints(utility, argv, stdout):
    assert utility("yq", *argv, files=FILES, env={"X": "3"}, same=False) == (0, stdout, "")


def test_standard_input(utility):
    assert utility("yq", ".a", stdin="a: {b: 1}\n", same=False) == (0, "b: 1\n", "")
    assert utility("yq", "-p", "json", ".[]", "-", stdin="[1,2] [3]", same=False) == (0, "1\n2\n3\n", "")
    assert utility("yq", ".", stdin="", same=False)[0] == 0


def test_in_place(sandbox):
    status, _, _ = sandbox.run("yq", "-i", ".n = 3", "two.yaml", files=FILES)
    assert status == 0
    assert sandbox.fs.read_bytes("/workspace/two.yaml") == b"n: 3\n---\nn: 3\n"
    sandbox.run("yq", "-i", "-o", "json", "-I0", ".a = 2", "j.json", files=FILES)
    assert sandbox.fs.read_bytes("/workspace/j.json") == b'{"a":2,"n":12345678901234567890}\n'
    before = sandbox.fs.read_bytes("/workspace/1.yml")
    assert sandbox.run("yq", "-i", ".a | error", "1.yml")[0] == 1
    assert sandbox.fs.read_bytes("/workspace/1.yml") == before, "a failure changes nothing"


@pytest.mark.parametrize(
    ("argv", "stderr"),
    [
        ([".a |", "1.yml"], "jq: error: syntax error"),
        ([".a.b", "1.yml"], "jq: error (at <stdin>:0): Cannot index number with"),
        ([".", "bad.yaml"], "yq: bad.yaml: expected the node content"),
        ([".", "none"], "yq: none: No such file or directory"),
        (["-z"], "yq: unknown option -z"),
        (["--split-exp", "1"], "yq: unknown option --split-exp"),
        (["-o", "base64", "."], "yq: unknown format 'base64'; known:"),
        (["-p", "props", "."], "yq: the format 'props' can be written, not read"),
        (["-n", "env(NOPE)"], "yq: value for env variable 'NOPE' not provided in env()"),
        (["-i", "."], "yq: -i needs a file"),
        (["-o", "toml", ".a", "1.yml"], "yq: TOML is a mapping, not 1"),
        (["-I", "99", "."], "yq: -I wants a number from 0 to 16, not '99'"),
        ([".a style=1", "1.yml"], "jq: error: syntax error"),
    ],
)
def test_yq_refuses(utility, argv, stderr):
    status, _, err = utility("yq", *argv, files=FILES, same=False)
    assert status == 1
    assert err.startswith(stderr)


def test_exit_status(utility):
    assert utility("yq", "-e", ".nope", "1.yml", files=FILES, same=False)[0] == 1
    assert utility("yq", "-e", ".a", "1.yml", files=FILES, same=False)[0] == 0
    assert utility("yq", "-e", "empty", "1.yml", files=FILES, same=False)[0] == 1
    assert utility("yq", ".nope", "1.yml", files=FILES, same=False)[0] == 0


@pytest.mark.parametrize(
    ("argv", "stdout"),
    [
        ([".t.a", "d.toml"], "1\n"),
        (["-r", ".t.d", "d.toml"], "text\n"),
        (["-c", ".x", "d.toml"], '[{"b":[1,2]}]\n'),
        ([".t", "d.toml"], '{\n  "a": 1,\n  "d": "text"\n}\n'),
    ],
)
def test_tomlq_prints(utility, argv, stdout):
    assert utility("tomlq", *argv, files=FILES) == (0, stdout, "")


def test_tomlq_writes_toml(utility):
    expected = '[t]\na = 1\nd = "2020-01-01"\n\n[[x]]\nb = [1, 2]\n'
    assert utility("tomlq", "-t", ".", "c.toml", files=FILES, same=False) == (0, expected, "")
    status, _, err = utility("tomlq", ".", stdin="a = ", same=False)
    assert (status, err.startswith("tomlq: standard input: ")) == (1, True)


def test_bombs_are_refused(utility):
    bomb = "a: &x [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
        f"{name}: &{name} [{','.join(['*' + of] * 10)}]\n" for name, of in zip("bcdefg", "xbcdef")
    )
    status, _, err = utility("yq", ".a", stdin=bomb, same=False)
    assert (status, "more than 200000 values" in err) == (1, True)
    deep = "[" * 300 + "]" * 300
    status, _, err = utility("yq", ".a", stdin=deep, same=False)
    assert (status, "nesting of 256 exceeded" in err) == (1, True)
