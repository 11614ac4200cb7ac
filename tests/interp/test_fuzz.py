"""Random scripts, run in the host's bash and in the sandbox: the same output and status."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.builtins.conftest import Outcome, run_bash, run_ours
from tests.interp.scripts import Scripts

BATCHES, SIZE = 20, 200


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_scripts_do_as_in_bash(batch: int, tmp_path: Path) -> None:
    for seed in range(batch * SIZE, (batch + 1) * SIZE):
        script = Scripts(seed).script()
        expected = run_bash(script, tmp_path / str(seed))
        found = run_ours(script)
        assert found.status == expected.status, f"seed {seed}:\n{script}\nbash says: {expected.stderr}"
        assert _shown(found) == _shown(expected), f"seed {seed}:\n{script}\nbash says: {expected.stderr}"


def _shown(outcome: Outcome) -> str:
    """Return standard output; a message there may count lines in another way."""
    return re.sub(r"(?:environment|bash): line [0-9]+: ", "bash: ", outcome.stdout)
