"""JSON texts are changed in place: all that does not differ keeps its bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandhook.formats import FormatError
from sandhook.formats.json_edit import MAX_DEPTH, edit_json, read_commented_json


@pytest.mark.parametrize(
    ("text", "new", "result"),
    [
        ("", {"a": 1}, '{\n  "a": 1\n}\n'),
        ("// c", {"a": 1}, '// c\n{\n  "a": 1\n}\n'),
        ("{}", {"a": 1}, '{\n  "a": 1\n}'),
        ('{"b": 2}', {"b": 2, "a": [1]}, '{"b": 2, "a": [1]}'),
        ('{"b": 2,}', {"b": 2, "a": 1}, '{"b": 2, "a": 1}'),
        ('{\n\t"b": 2\n}', {"b": 2, "a": {"c": 1}}, '{\n\t"b": 2,\n\t"a": {\n\t\t"c": 1\n\t}\n}'),
        ('{\r\n "b": 2\r\n}', {"b": 2, "a": 1}, '{\r\n "b": 2,\r\n "a": 1\r\n}'),
        ('{\n  "b": 2 // two\n  // end\n}', {"b": 2, "a": 1}, '{\n  "b": 2, // two\n  "a": 1\n  // end\n}'),
        ('{\n  "b": 2, /* two */\n}', {"b": 2, "a": 1}, '{\n  "b": 2, /* two */\n  "a": 1\n}'),
        ('{"a": [ ]}', {"a": [1]}, '{"a": [1]}'),
        ('{\n  "a": []\n}', {"a": [1]}, '{\n  "a": [\n    1\n  ]\n}'),
        ('{"a": null}', {"a": ["é"]}, '{"a": ["é"]}'),
        ('{ // c\n}', {"a": 1}, '{ // c\n  "a": 1\n}'),
        ('{"a": 1, "b": 2, "c": 3}', {"a": 1, "c": 3}, '{"a": 1, "c": 3}'),
        ('{"a": 1, "b": 2}', {"a": 1}, '{"a": 1}'),
        ('{\n  "a": 1,\n  // of b\n  "b": 2\n}', {"a": 1}, '{\n  "a": 1\n  // of b\n}'),
        ("[1, 2, 3, 4]", [2, 4], "[2, 4]"),
        ("[1, 2]", [], "[]"),
        ("[1.50, 1e3, 2]", [1.5, 1000.0, 3], "[1.50, 1e3, 3]"),
        ('{"a": 1, "a": 2}', {"a": 3}, '{"a": 1, "a": 3}'),
        ('{"a": true}', {"a": 1}, '{"a": 1}'),
    ],
)  # fmt: skip
def test_edits(text: str, new: Any, result: str) -> None:
    assert edit_json(text, new) == result
    assert read_commented_json(result) == new


@pytest.mark.parametrize(
    "text", ["{", "{]", '{"a" 1}', "[1 2]", '["\t"]', "nul", "1 2", '{"a": 01}', "{,}", '"\\x"']
)
def test_texts_that_are_no_json(text: str) -> None:
    with pytest.raises(FormatError, match="at line 1 column"):
        read_commented_json(text)


def test_depth() -> None:
    assert read_commented_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    with pytest.raises(FormatError, match="nesting of"):
        read_commented_json("[" * 100_000)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\/é,:{}[]\n', max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(values, values, st.sampled_from([None, 1, 2, "\t"]), st.booleans())
def test_any_change_and_back(old: Any, new: Any, indent: int | str | None, crlf: bool) -> None:
    text = json.dumps(old, indent=indent)
    text = text.replace("\n", "\r\n") if crlf else text
    changed = edit_json(text, new)
    assert read_commented_json(changed) == new
    assert read_commented_json(edit_json(changed, old)) == old
    assert edit_json(text, old) == text
