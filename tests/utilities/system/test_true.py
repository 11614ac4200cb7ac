from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("command", "status"), [("true", 0), ("true --help x", 0), ("false", 1), ("false --help x", 1)]
)
def test_other_arguments_do_not_matter(line, command, status):
    assert line(command, {}) == (status, "", "")


@pytest.mark.parametrize(("name", "status"), [("true", 0), ("false", 1)])
def test_programs_have_a_help(utility, name, status):
    found, output, error = utility(name, "--help", same=False)  # the oracle of these names is the built-in
    assert (found, error) == (status, "") and output.startswith(f"Usage: {name} ")
