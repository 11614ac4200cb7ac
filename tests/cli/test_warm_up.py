"""When a jq worker is started before it is known whether a hook runs."""

from __future__ import annotations

import pytest

from sandhook.worker.jq_calls import needs_worker


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("echo hi", False),
        ("command -v jq >/dev/null || exit 0; jq .a", False),
        ("jq -r '.tool_input.command // empty'", False),
        (r'"command": "x=$(jq -r \".tool_name\")"', False),
        ('jq -r .tool_name <<< "$x"', False),
        ("jq -e .a[0] && jq -c '.b'", False),
        ("jq -n '{a: 1}'", True),
        ("/usr/bin/jq\t.a", False),
        ("jq  >x; jq", False),
        ("jq -", True),
        ("jq -R .a", True),
        ("jq .a|length", False),
        ("jq ..", True),
        ("jq '.a", True),
        ("jq -r .a; jq '.a | length'", True),
        ("jq '.a + .b'", True),
    ],
)
def test_programs_that_are_plain_paths_need_no_worker(text: str, expected: bool) -> None:
    assert needs_worker(text) is expected
