"""XML and INI as values, and as formats of yq's."""

from __future__ import annotations

import pytest

from sandhook import Limits, Shell
from sandhook.formats import FormatError
from sandhook.formats.ini_text import read_ini
from sandhook.formats.xml_text import read_xml, write_xml

TEXT = (
    '<?xml version="1.0"?>\n<!-- c -->\n<root a="1 &amp; 2"><i>x</i><i k="v">y</i><e/>'
    "<t>a &lt; b<![CDATA[<c>]]>&#65;&#x42;</t></root>\n"
)
VALUE = {"root": {"+@a": "1 & 2", "i": ["x", {"+@k": "v", "+content": "y"}], "e": None, "t": "a < b<c>AB"}}


def test_elements_attributes_and_text():
    assert read_xml(TEXT) == VALUE


def test_what_is_written_is_read_again():
    written = write_xml(VALUE)
    assert written.splitlines()[1:3] == ["  <i>x</i>", '  <i k="v">y</i>']
    assert read_xml(written) == VALUE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no element"),
        ("<a>", "<a> is not closed"),
        ("<a></b>", "</b> closes nothing"),
        ("</a>", "</a> closes nothing"),
        ("x", "text outside of an element"),
        ("<a>&nbsp;</a>", "& does not begin a reference"),
        ("<a>&#0;</a>", "a reference to no character"),
        ("<a>&#xD800;</a>", "a reference to no character"),
        ("<a b></a>", "the tag a is malformed"),
        ("<a b=c/>", "the tag a is malformed"),
        ("<a><!-- ", "--> is missing"),
        ("<1/>", "< begins no tag"),
        (
            "\n<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
            "a document type with definitions is not supported (at line 2)",
        ),
        ("<a>" * 300, "the elements nest too deeply"),
    ],
)
def test_what_is_no_xml(text, message):
    with pytest.raises(FormatError) as raised:
        read_xml(text)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("value", [[1], {"a b": 1}, {"<x": 1}, {"": 1}])
def test_what_xml_cannot_say(value):
    with pytest.raises(FormatError):
        write_xml(value)


def test_ini():
    text = 'top = 1\n; c\n# c\n[s]\na = x y\nb:"q"\n\n[s]\nc\n'
    assert read_ini(text) == {"top": "1", "s": {"a": "x y", "b": "q", "c": ""}}


@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("yq -o json -c .root.i a.xml", '["x",{"+@k":"v","+content":"y"}]\n'),
        ("yq -p xml -o yaml .root.e a.xml", "null\n"),
        ("yq -p xml '.root.i[0]' a.xml", "x\n"),
        ("yq -i '.root = 5' a.xml; cat a.xml", "<root>5</root>\n"),
        (
            'yq -n -o xml \'{"a": {"b": [1, null], "+@k": "<"}}\'',
            '<a k="&lt;">\n  <b>1</b>\n  <b></b>\n</a>\n',
        ),
        ("yq '.s.a = 2' c.ini", "top = 1\n\n[s]\na = 2\n"),
        ("yq -i '.s.a = 2 | del(.top)' c.ini; cat c.ini", "[s]\na = 2\n"),
        ("yq -p ini -o json -c . c.ini", '{"top":"1","s":{"a":"x"}}\n'),
        ("yq -i '.t.a = 2' c.toml; cat c.toml", "[t]\na = 2\n"),
    ],
)
def test_yq_reads_and_writes_them(script, printed):
    files = {"a.xml": TEXT, "c.ini": "top = 1\n[s]\na = x\n", "c.toml": "[t]\na = 1\n"}
    shell = Shell(files=files, limits=Limits(wall_seconds=60.0))  # on a busy machine a worker starts slowly
    assert shell.run(script).stdout == printed
