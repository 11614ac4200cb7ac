"""git: recorded command lines of git 2.39; with --oracle they run with the real git, too."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.utilities.git import recorded


@pytest.mark.parametrize("path", sorted(recorded.CASES.glob("*.txt")), ids=lambda path: path.stem)
def test_what_git_prints(path: Path, oracle: bool) -> None:
    cases = recorded.read(path)
    assert cases
    differences = [
        f"{case.repository}: {case.command}\nwanted {case.wanted}\n   got {outcome}"
        for case in cases
        if (outcome := recorded.ours(case)) != case.wanted
    ]
    assert not differences, "\n\n".join(differences)
    if oracle:
        assert shutil.which("git"), "--oracle needs git"
        assert [case for case in cases if recorded.real(case) != case.wanted] == []
