"""git: random repositories, whose state git and the sandbox must print equally (with --oracle)."""

from __future__ import annotations

import shutil

import pytest

from tests.utilities.git import generated


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 41))
def test_git_and_the_sandbox_print_the_same(seed: int, oracle: bool) -> None:
    if not oracle:
        pytest.skip("compares with the real git: --oracle")
    assert shutil.which("git"), "--oracle needs git"
    found = [
        f"{command}\nwanted {wanted}\n   got {got}" for command, wanted, got in generated.differences(seed)
    ]
    assert not found, "\n\n".join(found)
