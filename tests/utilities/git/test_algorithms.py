"""git: the algorithms patience and histogram; a function of git that compares lines, with --oracle."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from sandhook.utilities.git.diff.patch import Style, hunks
from sandhook.utilities.git.diff.xdiff import compare, split_lines


def files(seed: int) -> tuple[bytes, bytes]:
    """Return a file of few different lines, and one with some of them moved, removed and added."""
    rng = random.Random(seed)
    words = [
        f"{rng.choice(('', '  '))}w{number}{rng.choice((' {', ''))}"
        for number in range(rng.choice((2, 6, 40)))
    ]
    old = [rng.choice(words) for _ in range(rng.choice((3, 40, 200)))]
    new = list(old)
    for _ in range(rng.randint(1, 12)):
        at, begin = rng.randint(0, len(new)), rng.randint(0, len(new))
        block = new[begin : begin + rng.randint(0, 9)]
        new[begin : begin + len(block)] = [] if rng.random() < 0.8 else block
        new[at:at] = block if rng.random() < 0.5 else [f"n{rng.randint(0, 3)}"]
    return "".join(f"{line}\n" for line in old).encode(), "".join(f"{line}\n" for line in new).encode()


def ours(old: bytes, new: bytes, algorithm: str, *, functions: bool) -> bytes:
    before, after = split_lines(old), split_lines(new)
    changes = compare(before, after, lambda _: None, algorithm=algorithm)
    return b"".join(hunks(before, after, changes, Style(functions=functions), lambda _: None))


def applied(old: bytes, new: bytes, algorithm: str) -> bytes:
    """Return the first file with the changes made."""
    before, after = split_lines(old), split_lines(new)
    for change in reversed(compare(before, after, lambda _: None, algorithm=algorithm)):
        before[change.old : change.old_end] = after[change.new : change.new_end]
    return b"".join(before)


@pytest.mark.parametrize("algorithm", ["patience", "histogram"])
def test_changes_turn_one_file_into_the_other(algorithm: str) -> None:
    for seed in range(6):
        old, new = files(seed)
        assert applied(old, new, algorithm) == new, seed


@pytest.mark.parametrize("algorithm", ["patience", "histogram"])
@pytest.mark.parametrize("functions", [False, True])
def test_hunks_are_those_of_git(oracle: bool, algorithm: str, functions: bool, tmp_path: Path) -> None:
    if not oracle:
        pytest.skip("needs --oracle")
    assert shutil.which("git"), "--oracle needs git"
    option = ["-W"] if functions else []
    for seed in range(60):
        for name, data in zip("ab", files(seed), strict=True):
            Path(tmp_path, name).write_bytes(data)
        result = subprocess.run(
            ["git", "diff", "--no-index", f"--diff-algorithm={algorithm}", *option, "a", "b"],
            cwd=tmp_path,
            env={
                "PATH": os.environ["PATH"],
                "GIT_CONFIG_GLOBAL": str(tmp_path / "settings"),
                "GIT_CONFIG_NOSYSTEM": "1",
            },
            capture_output=True,
            check=False,
        )
        wanted = b"".join(result.stdout.partition(b"@@")[1:])
        assert ours(*files(seed), algorithm, functions=functions) == wanted, seed
