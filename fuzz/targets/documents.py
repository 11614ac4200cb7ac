"""YAML, TOML, JSON, XML, INI and CSV texts: a value or FormatError; what is written reads back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from fuzz.pieces import Pieces, promise
from sandhook.formats import FormatError
from sandhook.formats.ini_text import read_ini
from sandhook.formats.json_text import read_json, write_json
from sandhook.formats.toml import read_toml
from sandhook.formats.toml_text import write_toml
from sandhook.formats.xml_text import read_xml, write_xml
from sandhook.formats.yaml import read_yaml
from sandhook.formats.yaml_text import write_yaml
from sandhook.hooks.decode import DecodeError, decode, encode
from sandhook.hooks.toml import decode_toml
from sandhook.hooks.yaml import decode_yaml

WORDS = (
    *(
        "a: ",
        "- ",
        "? ",
        "|\n ",
        ">-\n ",
        "&a ",
        "*a",
        "<<: ",
        "!!str ",
        "---\n",
        "...\n",
        "{a: 1}",
        "[1, 2]",
        "'",
        '"',
    ),
    *(
        "a = ",
        "[a.b]\n",
        "[[a]]\n",
        '"""',
        "'''",
        "1979-05-27T07:32:00Z",
        "inf",
        "nan",
        "0x1F",
        "1_000",
        "# c\n",
    ),
    *(
        '{"a":',
        '"\\u0041"',
        "<a b='c'>",
        "</a>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "&amp;",
        "<?xml?>",
        "[s]\n",
        "=",
        ";",
    ),
)


def seeds() -> Iterable[bytes]:
    yield b"\0a: 1\nb:\n  - x\n  - {c: null, d: 'e'}\nf: |\n  text\n  more\ng: &x [1, 2]\nh: *x\n"
    yield b'\1title = "t"\n[a.b]\nc = [1, 2.5, true]\nd = 1979-05-27T07:32:00Z\n[[e]]\nf = {g = "h"}\n'
    yield b'\2{"a": [1, -2.5e3, true, null, "x\\u00e9\\ud83d\\ude00"], "b": {"c": {}}}\n'
    yield b"\3<?xml version='1.0'?><a b='1'>t<c/><c>&lt;</c><!-- x --><![CDATA[y]]></a>\n"
    yield b"\4top = 1\n[s]\n; c\nk: 'v'\n"


def target(data: bytes) -> None:
    pieces = Pieces(data)
    reader = pieces.choice((yaml, toml, json_texts, xml, ini))
    try:
        reader(pieces.rest().decode("utf-8", "surrogateescape"))
    except (FormatError, DecodeError) as error:
        promise(str(error), "an error has a message")


def yaml(text: str) -> None:
    documents = read_yaml(text, exact=True)
    for document in documents:
        written = write_yaml(document.value)
        (again,) = read_yaml(written, exact=True)
        promise(again.value == document.value, "YAML that is written reads back", document.value, written)
    decode_yaml(text)


def toml(text: str) -> None:
    value: Any = read_toml(text)
    written = write_toml(value)
    promise(
        has_surrogates(text) or repr(read_toml(written)) == repr(value),
        "TOML that is written reads back",
        value,
        written,
    )
    decode_toml(text)


def json_texts(text: str) -> None:
    try:
        value = decode(text).value
    except DecodeError:
        pass
    else:
        promise(decode(encode(value)).value == value, "JSON that is encoded decodes to the same", text)
        promise(json.loads(text) is not None or value is None, "strict JSON is JSON", text)
    exact = read_json(text)
    if "\\ud" not in text.lower() and not has_surrogates(text):
        promise(read_json(write_json(exact)) == exact, "JSON that is written reads back", text)


def xml(text: str) -> None:
    value = read_xml(text)
    write_xml(value)


def ini(text: str) -> None:
    for section in read_ini(text).values():
        promise(isinstance(section, (str, dict)), "an INI value is a text", text)


def has_surrogates(text: str) -> bool:
    """Return True for a text that has no UTF-8: writers replace its surrogates."""
    return any("\ud800" <= c <= "\udfff" for c in text)
