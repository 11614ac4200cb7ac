"""When the command line starts a jq worker before it knows whether a hook runs."""

from __future__ import annotations

import pytest

from sandhook import cli


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("echo hi", False),
        ("jq -r '.tool_input.command // empty'", False),
        (r'"command": "x=$(jq -r \".tool_name\")"', False),
        ('jq -r .tool_name <<< "$x"', False),
        ("jq -e .a[0] && jq -c '.b'", False),
        ("jq -n '{a: 1}'", True),
        ("jq -r .a; jq '.a | length'", True),
        ("jq '.a + .b'", True),
    ],
)
def test_programs_that_are_plain_paths_need_no_worker(text: str, expected: bool) -> None:
    assert cli._needs_worker(text.encode()) is expected
