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

#: The part of each text that the default suite reads.
PART = 4


def yaml_texts(part: int) -> dict[str, str]:
    """Return a text for each name: a part of the longest that is read."""
    return {
        "list": "- a\n" * (25_000 // part),
        "scalar": "a: " + "x" * (400_000 // part),
        "words": "a: " + "x " * (100_000 // part),
        "quoted": 'a: "' + "\\x41" * (50_000 // part) + '"',
        "comments": "#x\n" * (80_000 // part),
        "anchors": "".join(f"- &a{at} x\n" for at in range(8_000 // part)),
        "blanks": "\n" * (300_000 // part),
        "flow": "[" + "a," * (30_000 // part) + "]",
        "map": "".join(f"k{at}: v\n" for at in range(8_000 // part)),
        "long": "x" * (YAML_TEXT + 1),
    }


def toml_texts(part: int) -> dict[str, str]:
    """Return a text for each name: a part of the longest that is read."""
    return {
        "tables": "".join(f"[a{at}]\nx=1\n" for at in range(8_000 // part)),
        "array": "a=[" + "1," * (40_000 // part) + "]",
        "entries": "[[hooks.a]]\ncommand='x'\n" * (5_000 // part),
        "dots": "a" + ".a" * (60_000 // part) + "=1",
        "quoted dots": '"a"' + '."a"' * (60_000 // part) + "=1",
        "header dots": "[a" + ".a" * (60_000 // part) + "]",
        "inner dots": "x = {a" + ".a" * (60_000 // part) + "=1}",
        "arrays and tables": "".join(f"[[a{at}]]\n[b{at}]\n" for at in range(5_000 // part)),
        "spaces in a string": 'a = """\n[' + " " * (400_000 // part) + '\n"""\n',
        "words": "a = '" + "x " * (200_000 // part) + "'",
        "dashes": "a = '" + "-" * (400_000 // part) + "." * 100 + "'",
        "long": "#" * (TOML_TEXT + 1),
    }


@pytest.mark.parametrize(
    ("decode", "name"),
    [(decode_yaml, name) for name in yaml_texts(PART)] + [(decode_toml, name) for name in toml_texts(PART)],
    ids=[f"yaml-{name}" for name in yaml_texts(PART)] + [f"toml-{name}" for name in toml_texts(PART)],
)
@pytest.mark.parametrize("part", [PART, pytest.param(1, marks=pytest.mark.slow)])
def test_takes_a_few_seconds_at_most(decode: Callable[[str, str], Document], name: str, part: int) -> None:
    texts = yaml_texts if decode is decode_yaml else toml_texts
    text = texts(part)[name]
    began = time.process_time()
    try:
        decode(text, "name")
    except DecodeError:
        pass
    assert time.process_time() - began < (5 if part == 1 else 1)


@pytest.mark.parametrize("name", ["dots", "quoted dots", "header dots", "inner dots"])
def test_a_key_of_too_many_parts_is_named(name: str) -> None:
    with pytest.raises(DecodeError, match="a key of more than 64 parts"):
        decode_toml(toml_texts(1)[name])


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
