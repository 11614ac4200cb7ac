"""man: the help of a utility."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sandhook import Shell
from sandhook.utilities import names
from tests.utilities.conftest import Ran


def test_man_prints_the_help_of_a_utility(utility: Callable[..., Ran]) -> None:
    assert utility("man", "cut", same=False)[1] == utility("cut", "--help", same=False)[1]
    assert utility("man", "1", "cut", same=False)[0] == 0
    assert utility("man", "3", "cut", same=False) == (16, "", "No manual entry for cut in section 3\n")


@pytest.mark.parametrize("name", sorted(names()))
def test_every_utility_has_a_page(name: str) -> None:
    result = Shell().run(f"man '{name}'")
    assert (result.exit_status, result.stderr) == (0, "")
    assert result.stdout.startswith("Usage: ")
