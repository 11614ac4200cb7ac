"""Built-ins against bash 5.2: scripts with the recorded output, one file for each built-in.

With --oracle the recording itself is checked against the host's bash.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builtins.conftest import Case, read_cases, run_bash, run_ours

CASES = Path(__file__).with_name("cases")


def every_case() -> list[object]:
    return [
        pytest.param(case, id=f"{path.stem}-{number}: {case.script.splitlines()[0][:60]}")
        for path in sorted(CASES.glob("*.txt"))
        for number, case in enumerate(read_cases(path), 1)
    ]


@pytest.mark.parametrize("case", every_case())
def test_does_as_bash_does(case: Case, oracle: bool) -> None:
    if oracle:
        assert run_bash(case.script) == case.expected, "the recording is not what bash does"
    assert run_ours(case.script) == case.expected


def test_the_table_is_as_large_as_it_was() -> None:
    """A case that is lost by a broken separator would not be missed otherwise."""
    assert len(every_case()) >= 300
