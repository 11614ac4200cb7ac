"""The states that random scripts leave: a snapshot that is restored gives the same snapshot again."""

from __future__ import annotations

import pytest

from sandhook.errors import SnapshotError
from sandhook.limits import Limits
from sandhook.shell import Shell
from tests.interp.fuzz.grammar import bash_grammar, utilities_grammar
from tests.interp.fuzz.runs import ENVIRONMENT, FILES, WORKSPACE

#: Within these, every script of the fuzzer ends in a moment.
LIMITS = Limits(wall_seconds=20.0)

#: How many states are tried: in the fast suite, and by ``pytest -m slow``.
SAMPLE, ALL = range(25), range(25, 500)


@pytest.mark.parametrize("seed", SAMPLE)
def test_a_restored_state_has_the_same_snapshot(seed: int) -> None:
    check(seed)


@pytest.mark.slow
def test_five_hundred_restored_states_have_the_same_snapshot() -> None:
    for seed in ALL:
        check(seed)


def check(seed: int) -> None:
    """Compare the snapshots of a session and of what is restored from it, before and after one more script."""
    grammar = utilities_grammar() if seed % 5 == 4 else bash_grammar()
    files = {f"{WORKSPACE}/{name}": data for name, data in FILES.items()}
    session = Shell(env=ENVIRONMENT, limits=LIMITS, files=files).session()
    for script in (str(grammar.derive(1000 + seed)), str(grammar.derive(9000 + seed))):
        session.run(script)
        stored = session.snapshot()
        try:
            restored = Shell.restore(stored, limits=LIMITS)
        except SnapshotError as error:
            pytest.fail(f"seed {seed}: {error}\n{script}")
        assert restored.snapshot() == stored, f"seed {seed}:\n{script}"
        # Not declare -f: what stood on one line in a substitution is printed so, and what was restored in the stored form.
        probe = "declare -p; declare -F; set -o; shopt; alias; trap; umask; pwd; ls -laR ."
        first, second = session.fork().run(probe), restored.run(probe)
        assert _without_ids(first.stdout) == _without_ids(second.stdout), f"seed {seed}:\n{script}"


def _without_ids(text: str) -> list[str]:
    """Return the lines but those of variables whose values are those of a moment."""
    moving = ("SECONDS", "EPOCH", "RANDOM", "SRANDOM", "BASH_EXECUTION_STRING", "total ")
    return [line for line in text.splitlines() if not any(name in line for name in moving)]
