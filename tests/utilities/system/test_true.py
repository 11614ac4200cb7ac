from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("command", "status"), [("true", 0), ("true --help x", 0), ("false", 1), ("false --help", 1)]
)
def test_arguments_do_not_matter(line, command, status):
    assert line(command, {}) == (status, "", "")
