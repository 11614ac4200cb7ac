"""YAML that is written reads back as the same value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandhook.formats import FormatError, Number
from sandhook.formats.json_text import read_json, write_json
from sandhook.formats.yaml import read_yaml
from sandhook.formats.yaml_text import write_yaml

TEXTS = st.text(max_size=12) | st.text("ab :#-'\"\n\t?,[]{}&*!|>%@`~.0123456789eE+_<=", max_size=10)
VALUES = st.recursive(
    st.none() | st.booleans() | TEXTS | st.integers().map(lambda n: Number(str(n))),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=120, deadline=None)
@given(VALUES)
def test_what_is_written_reads_back(value: Any) -> None:
    text = write_yaml(value)
    (found,) = read_yaml(text, exact=True)
    assert found.value == value, text


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_json_that_is_written_reads_back(value: Any) -> None:
    assert read_json(write_json(value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [Number("1"), {"b": None, "c": []}], "d": {}}, "a:\n  - 1\n  - b: null\n    c: []\nd: {}\n"),
        ([[Number("1"), Number("2")], []], "- - 1\n  - 2\n- []\n"),
        ("true", '"true"\n'),
        ("12", '"12"\n'),
        ("a: b", "'a: b'\n"),
        ("it's", "it's\n"),
        ("# no", "'# no'\n"),
        ("", '""\n'),
        ({"t": "one\ntwo\n"}, "t: |\n  one\n  two\n"),
        ({"t": "one\ntwo"}, "t: |-\n  one\n  two\n"),
        ({"t": "one\n\n"}, "t: |+\n  one\n\n"),
        ("\x1b[1m", '"\\u001b[1m"\n'),
        (Number("1.50"), "1.50\n"),
    ],
)
def test_layout(value: Any, text: str) -> None:
    assert write_yaml(value) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (
            "base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: 3\n",
            {"base": {"x": "1", "y": "2"}, "use": {"x": "1", "y": "3"}},
        ),
        (
            "a: &a {k: 1}\nb: &b {k: 2, l: 3}\nc: {<<: [*a, *b]}",
            {"a": {"k": "1"}, "b": {"k": "2", "l": "3"}, "c": {"k": "1", "l": "3"}},
        ),
        ("{1: a, true: b, 1.5: c}", {"1": "a", "true": "b", "1.5": "c"}),
        ("[007, 0x10, 0o17, +5, .5, 1., 1e3, -0]", ["7", "16", "15", "5", "0.5", "1.0", "1e3", "-0"]),
        ("[yes, no, ~, null, True, 12:30]", ["yes", "no", None, None, True, "12:30"]),
        ("[.inf, -.inf, .nan]", ["1.7976931348623157e308", "-1.7976931348623157e308", None]),
        ("[!!str 1, !!int 2, '3']", ["1", "2", "3"]),
        ("12345678901234567890123456789", "12345678901234567890123456789"),
    ],
)
def test_reads_as_yq_does(text: str, value: Any) -> None:
    (found,) = read_yaml(text, exact=True)
    assert found.value == value


def test_several_documents() -> None:
    assert [each.value for each in read_yaml("a\n---\nb\n---\n", several=True)] == ["a", "b", None]
    assert read_yaml("", several=True) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: !Ref b", "the tag !Ref at line 1"),
        ("!!int x", "not a valid int"),
        ("a: {<<: 1}", "needs a mapping"),
        ("[" * 100 + "]" * 100, "nesting of 64"),
        (
            (
                "a: &x [1,1,1,1,1,1,1,1,1,1]\nb: &y [*x,*x,*x,*x,*x,*x,*x,*x,*x,*x]\nc: &z [*y,*y,*y,*y,*y,*y,*y,*y,*y,*y]\n"
                "d: &v [*z,*z,*z,*z,*z,*z,*z,*z,*z,*z]\ne: &w [*v,*v,*v,*v,*v,*v,*v,*v,*v,*v]\nf: [*w,*w,*w]"
            ),
            "more than 200000 values",
        ),
        ("a: [", "expected"),
        ("x" * 600_000, "longer than"),
    ],
)
def test_refuses(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_yaml(text, exact=True)
