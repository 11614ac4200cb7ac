"""Text that is shown: nothing invisible survives, everything else does."""

from __future__ import annotations

import pytest

from sandhook.hooks.text import neutralise


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("größe \u65e5\u672c \U0001f600 \u00a0", "größe \u65e5\u672c \U0001f600 \u00a0"),
        ("a\nb\tc", "a\nb\tc"),
        ("a\rb", "a\\rb"),
        ("\x00\x07\x1b[31m\x7f\x9b", "\\x00\\x07\\x1b[31m\\x7f\\x9b"),
        ("\u202e\u2066\u200f\u061c", "\\u202e\\u2066\\u200f\\u061c"),
        ("\u200b\u200d\ufeff\u2060\u00ad\u3164", "\\u200b\\u200d\\ufeff\\u2060\\xad\\u3164"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\ud800\udc80", "\\ud800\\udc80"),
        ("\U000e0041\U000e0100", "\\U000e0041\\U000e0100"),
    ],
)
def test_shown(text: str, shown: str) -> None:
    assert neutralise(text) == shown


def test_one_line_and_a_bound() -> None:
    assert neutralise("a\nb\tc", lines=False) == "a\\nb\\tc"
    assert neutralise("x" * 10, limit=4) == "xxxx... (6 more characters)"
    assert neutralise("x" * 4, limit=4) == "xxxx"
