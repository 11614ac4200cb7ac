"""Texts that YAML's and TOML's readers would chew on: refused, or read, within seconds."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from sandhook.formats.toml_text import encode_toml
from sandhook.hooks.contracts import Document
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.sources import line_of
from sandhook.hooks.toml import MAX_TEXT as TOML_TEXT
from sandhook.hooks.toml import decode_toml
from sandhook.hooks.yaml import MAX_TEXT as YAML_TEXT
from sandhook.hooks.yaml import decode_yaml

YAML = {
    "list": "- a\n" * 25_000,
    "scalar": "a: " + "x" * 400_000,
    "words": "a: " + "x " * 100_000,
    "quoted": 'a: "' + "\\x41" * 50_000 + '"',
    "comments": "#x\n" * 80_000,
    "anchors": "".join(f"- &a{at} x\n" for at in range(8_000)),
    "blanks": "\n" * 300_000,
    "flow": "[" + "a," * 30_000 + "]",
    "map": "".join(f"k{at}: v\n" for at in range(8_000)),
    "long": "x" * (YAML_TEXT + 1),
}

TOML = {
    "tables": "".join(f"[a{at}]\nx=1\n" for at in range(8_000)),
    "array": "a=[" + "1," * 40_000 + "]",
    "entries": "[[hooks.a]]\ncommand='x'\n" * 5_000,
    "dots": "a" + ".a" * 60_000 + "=1",
    "quoted dots": '"a"' + '."a"' * 60_000 + "=1",
    "header dots": "[a" + ".a" * 60_000 + "]",
    "inner dots": "x = {a" + ".a" * 60_000 + "=1}",
    "arrays and tables": "".join(f"[[a{at}]]\n[b{at}]\n" for at in range(5_000)),
    "spaces in a string": 'a = """\n[' + " " * 400_000 + '\n"""\n',
    "words": "a = '" + "x " * 200_000 + "'",
    "dashes": "a = '" + "-" * 400_000 + "." * 100 + "'",
    "long": "#" * (TOML_TEXT + 1),
}


@pytest.mark.parametrize(
    ("decode", "text"),
    [(decode_yaml, text) for text in YAML.values()] + [(decode_toml, text) for text in TOML.values()],
    ids=[f"yaml-{name}" for name in YAML] + [f"toml-{name}" for name in TOML],
)
def test_takes_a_few_seconds_at_most(decode: Callable[[str, str], Document], text: str) -> None:
    began = time.process_time()
    try:
        decode(text, "name")
    except DecodeError:
        pass
    assert time.process_time() - began < 5


@pytest.mark.parametrize("name", ["dots", "quoted dots", "header dots", "inner dots"])
def test_a_key_of_too_many_parts_is_named(name: str) -> None:
    with pytest.raises(DecodeError, match="a key of more than 64 parts"):
        decode_toml(TOML[name])


def test_dots_in_values_are_fine() -> None:
    assert decode_toml("a = '" + "... " * 100 + "'").value == {"a": "... " * 100}
    names = ", ".join(f'"a{at}.sh"' for at in range(200))
    assert len(decode_toml(f"a = [{names}]").value["a"]) == 200


def test_what_is_written_is_read_again() -> None:
    value = {
        "a": 1,
        "b-c": True,
        "a key": 'x\ny\t"\\ \x7f \x1b \u20ac',
        "list": [1, [2.5], {"x": "y"}],
        "none": None,
        "table": {"x": {"y": [{"z": 1}]}, "gone": None},
        "hooks": [{"name": "a", "match": "re:\\d"}, {"name": "b", "": {}}],
    }
    kept = {key: item for key, item in value.items() if item is not None}
    kept["table"] = {"x": {"y": [{"z": 1}]}}
    assert decode_toml(encode_toml(value)).value == kept


def test_lines_of_tables() -> None:
    text = '[a]\nx = 1\n[[ b ]] # one\ny = 1\n[b."c"]\nz = 1\n[[b]]\n[b.c]\nz = 2\n[d.e]\n'
    document = decode_toml(text, "f")
    assert [
        line_of(document, path)
        for path in ("a", "a.x", "b[0]", "b[0].y", "b[0].c", "b[0].c.z", "b[1]", "b[1].c.z", "d.e")
    ] == [1, 2, 3, 4, 5, 6, 7, 9, 10]
