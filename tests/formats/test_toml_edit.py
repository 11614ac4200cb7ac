"""TOML texts are changed in place: all that does not differ keeps its bytes."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.formats import FormatError, NotEditable
from sandhook.formats.toml import read_toml
from sandhook.formats.toml_edit import edit_toml


@pytest.mark.parametrize(
    ("text", "new", "result"),
    [
        ("", {"h": [{"a": 1}]}, "[[h]]\na = 1\n"),
        ("x = 1", {"x": 1, "h": [{"a": "'"}]}, "x = 1\n\n[[h]]\na = \"'\"\n"),
        ("x = 1\r\n", {"x": 1, "h": [{"a": 1}]}, "x = 1\r\n\r\n[[h]]\r\na = 1\r\n"),
        ("[[h]]\na=1\n[t]\n", {"h": [{"a": 1}, {"a": 2}], "t": {}}, "[[h]]\na=1\n[t]\n\n[[h]]\na = 2\n"),
        ("h = [{a = 1}] # c\n", {"h": [{"a": 1}, {"a": 2}]}, "h = [{a = 1}, { a = 2 }] # c\n"),
        (
            "h = [\n  {a = 1}, # one\n]\n",
            {"h": [{"a": 1}, {"a": 2}]},
            "h = [\n  {a = 1}, # one\n  { a = 2 }\n]\n",
        ),
        ("a = 'x' # c\nb = 2\n", {"a": "y\n", "b": 2}, 'a = "y\\n" # c\nb = 2\n'),
        ('[[h.E]]\n[[h.E.k]]\nc = """\nx"""\n', {"h": {"E": [{"k": [{"c": "y"}]}]}}, '[[h.E]]\n[[h.E.k]]\nc = "y"\n'),
        ("[[h]]\na=1\n\n[[h]]\na=2\n\n[t]\nb=1\n", {"h": [{"a": 1}], "t": {"b": 1}}, "[[h]]\na=1\n\n[t]\nb=1\n"),
        ("x = 1\n\n[[h]]\na=2\n", {"x": 1}, "x = 1\n"),
        ("a = 1\nb = 2\n", {"a": 1}, "a = 1\n"),
        ("t = {a = 1, b = 2}\n", {"t": {"a": 1, "b": 3}}, "t = {a = 1, b = 3}\n"),
        ("t = {a = 1}\n", {"t": {"a": 1, "h": [{"c": 1}]}}, "t = {a = 1, h = [{ c = 1 }]}\n"),
        ("\"a b\".'c' = 1\n", {"a b": {"c": 2}}, "\"a b\".'c' = 2\n"),
        ("d = 1979-05-27 07:32:00 # c\na = 1\n", {"d": "1979-05-27T07:32:00", "a": 2}, "d = 1979-05-27 07:32:00 # c\na = 2\n"),
    ],
)  # fmt: skip
def test_edits(text: str, new: Any, result: str) -> None:
    assert edit_toml(text, new) == result
    assert read_toml(result) == new


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("a = 1\n", {"a": 1, "b": 2}),
        ("t = {a.b = 1}\n", {"t": {"a": {"b": 2}}}),
        ("[[h]]\na = 1\n[[h]]\na = 2\n", {"h": [{"a": 3}]}),
        ("[h]\na = 1\n", {"h": "x"}),
    ],
)
def test_changes_that_cannot_be_made(text: str, new: Any) -> None:
    with pytest.raises(NotEditable, match=r"."):
        edit_toml(text, new)


def test_a_text_that_is_no_toml() -> None:
    with pytest.raises(FormatError):
        edit_toml("a = [", {"a": []})


def test_several_tables_at_the_end_are_removed() -> None:
    text = "x = 1\n\n[[h]]\na = 1\n\n[[h]]\na = 2\n\n[[h]]\na = 3\n"
    assert edit_toml(text, {"x": 1, "h": [{"a": 1}]}) == "x = 1\n\n[[h]]\na = 1\n"
    assert edit_toml(text, {"x": 1}) == "x = 1\n"
    assert edit_toml(text, {"x": 1, "h": [{"a": 2}]}) == "x = 1\n\n[[h]]\na = 2\n"
