"""Strict JSON: what is accepted is RFC 8259, what is odd is reported, everything else is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandhook.hooks.decode import MAX_DEPTH, DecodeError, decode, decode_object, encode


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (' {"a": [1, -2.5e3, true, null, "x"]}\r\n', {"a": [1, -2500.0, True, None, "x"]}),
        ('{"a":"\\ud83d\\ude00"}', {"a": "\U0001f600"}),
        ('{"a":18446744073709551615}', {"a": (1 << 64) - 1}),
        ('{"a":-9223372036854775808}', {"a": -(1 << 63)}),
        ("[" * MAX_DEPTH + "]" * MAX_DEPTH, None),
        ('["' + "[" * 500 + '"]', ["[" * 500]),
        ('["\\"' + "{" * 500 + '"]', ['"' + "{" * 500]),
        ("[" + ",".join(["[]"] * 100) + "]", [[]] * 100),
    ],
)
def test_json_is_accepted(text: str, value: Any) -> None:
    decoded = decode(text)
    assert decoded.diagnostics == ()
    assert decoded.value == (json.loads(text) if value is None else value)


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "{}x", "{}{}", "{'a':1}", '{"a":1,}', "// c\n{}", '{"a":01}', '{"a":.5}', '{"a":+1}'),
        *('{"a":"\n"}', '{"a":"\\x"}', "\ufeff{}", '{"a":NaN}', '{"a":-Infinity}', '{"a":1e400}', "nul"),
        '{"a":"\\ud800"}',
        '{"\\udc00":1}',
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
        "[" * 1_000_000,
        '{"a":' * 1_000_000,
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(DecodeError):
        decode(text)


def test_digits_without_end_are_no_integer() -> None:
    decoded = decode('{"a":' + "9" * 200 + "}")
    assert decoded.value == {"a": 1e200}
    assert "does not fit 64 bits" in decoded.diagnostics[0]
    with pytest.raises(DecodeError, match="out of range"):
        decode("9" * 100_000)


def test_duplicates_are_told_and_those_of_the_outermost_object_apart() -> None:
    decoded = decode('{"a":1,"b":{"c":1,"c":2},"a":3,"a":4}')
    assert decoded.value == {"a": 4, "b": {"c": 2}}
    assert decoded.top_duplicates == ("a",)
    assert decoded.diagnostics == (
        "duplicate key 'c': the last one counts",
        "duplicate key 'a': the last one counts",
    )
    assert decode('{"b":{"c":1,"c":2}}').top_duplicates == ()
    assert decode('[{"c":1,"c":2}]').top_duplicates == ()


@pytest.mark.parametrize("text", ["[]", '"x"', "1", "null", "true"])
def test_an_object_is_wanted(text: str) -> None:
    with pytest.raises(DecodeError, match="wanted an object, got"):
        decode_object(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": ["ä", None]}, '{"b":1,"a":["ä",null]}'),
        ((1, 2), "[1,2]"),
        ({"x": float("nan"), "y": {"z": [float("-inf")]}}, '{"x":null,"y":{"z":[null]}}'),
        ("\ud800", '"\ufffd"'),
        ("\x1f\x7f\u2028", '"\\u001f\x7f\u2028"'),
    ],
)
def test_encoding_is_compact_and_never_fails_for_a_number(value: Any, text: str) -> None:
    assert encode(value) == text


def test_what_is_no_json_is_an_error() -> None:
    with pytest.raises(DecodeError):
        encode({"a": object()})


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(JSON_VALUES)
def test_what_is_encoded_decodes_to_the_same(value: Any) -> None:
    assert decode(encode(value)).value == value
