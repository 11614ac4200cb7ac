"""What agents read as JSON and sandhook's decoder does not, and the other way round."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandhook.hooks import RunResult, Verdict
from sandhook.hooks.contracts._reading.languages import Reader, as_read
from sandhook.hooks.decode import DATA_DEPTH, DecodeError, decode_object


def decoded(text: str, reader: Reader, *, strict: bool) -> list[RunResult]:
    """Return the runs that a contract decodes."""
    seen: list[RunResult] = []

    def decode(ran: RunResult) -> Verdict:
        seen.append(ran)
        return Verdict()

    as_read(RunResult(0, text.encode()), reader, decode, strict=strict)
    return seen


def reread(text: str, reader: Reader, *, strict: bool = True) -> Any:
    """Return what the decoder reads first, or None for an error."""
    try:
        return decode_object(decoded(text, reader, strict=strict)[0].stdout.decode()).value
    except DecodeError:
        return None


def deep(depth: int) -> str:
    return '{"a": 1, "b": ' + "[" * depth + "5" + "]" * depth + ', "c": 2}'


def test_deep_values_are_cut_where_javascript_and_python_read_them() -> None:
    for reader in ("javascript", "python", "skipping"):
        value = reread(deep(5000), reader)
        assert (value["a"], value["c"]) == (1, 2)
        assert json.dumps(value["b"]).count("[") == DATA_DEPTH - 1


def test_rust_reads_127_levels() -> None:
    assert reread(deep(126), "rust") == json.loads(deep(126))
    assert reread(deep(127), "rust") is None


def test_brackets_in_texts_do_not_nest() -> None:
    text = json.dumps({"a": "[{" * 1000, "b": '"[' * 400})
    assert reread(text, "rust") == json.loads(text)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 400])
def test_numbers_of_any_size(number: str) -> None:
    text = f'{{"a": "deny", "n": {number}}}'
    assert reread(text, "javascript")["a"] == reread(text, "skipping")["a"] == "deny"
    assert reread(text, "rust") is None


def test_numbers_that_fit_stay() -> None:
    text = '{"a": [1, -2.5, 1e300, 0.1e-400, 12345678901234567890], "n": 1e999}'
    assert reread(text, "javascript")["a"] == [1, -2.5, 1e300, 0.0, 12345678901234567890]


def test_halves_of_surrogate_pairs() -> None:
    text = r'{"a": "x\ud800y\udc00\ud83d\ude00 \\ud800"}'
    assert reread(text, "javascript") == {"a": "x\ufffdy\ufffd\U0001f600 \\ud800"}
    assert reread(text, "rust") is None
    assert reread(text, "skipping") is None


def test_python_reads_names_of_numbers_in_every_mode() -> None:
    text = '{"a": "block", "n": NaN, "p": Infinity, "m": -Infinity, "s": "NaN"}'
    for strict in (True, False):
        value = reread(text, "python", strict=strict)
        assert value == {"a": "block", "n": None, "p": None, "m": None, "s": "NaN"}
        assert reread(text, "javascript", strict=strict) is None


def test_without_strict_the_output_is_read_as_the_agent_and_as_the_decoder_do() -> None:
    for text in (deep(5000), '{"n": 1e999}', r'{"a": "\ud800"}'):
        both = [ran.stdout.decode() for ran in decoded(text, "python", strict=False)]
        assert both[1:] == [text] and both[0] != text
        assert reread(text, "rust", strict=False) is None
    assert len(decoded(deep(200_000), "python", strict=False)) == 1  # too long for a second time


def test_other_outputs_stay_as_they_are() -> None:
    for text in ("", "text 1e999", '{"a": 1}', "{" * 3000, '{"n": NaN', '["\\ud800'):
        (again,) = decoded(text, "javascript", strict=True)
        assert (again.stdout == text.encode()) or text[0] in '{["'
