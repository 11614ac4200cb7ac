"""git: merges of three files, compared with ``git merge-file`` (--oracle)."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from sandhook.utilities.git.diff.three_way import STYLES, Labels, merge_files


def _changed(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    """Return lines with a few of them changed, removed, added or moved."""
    result = list(lines)
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(result) + 1)
        match rng.randrange(4):
            case 0:
                result[at : at + rng.randrange(3)] = [b"x%d" % rng.randrange(4)]
            case 1:
                del result[at : at + rng.randrange(1, 4)]
            case 2:
                result[at:at] = [rng.choice(lines or [b"z"]) for _ in range(rng.randrange(1, 4))]
            case _:
                result[at : at + 1] = result[at : at + 1] * 2
    return result


def _file(rng: random.Random, lines: list[bytes], newline: bytes) -> bytes:
    text = b"".join(line + newline for line in lines)
    return text.removesuffix(newline) if rng.random() < 0.2 else text


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seed", range(60))
def test_files_are_merged_as_git_does(seed: int, style: str, oracle: bool, tmp_path: Path) -> None:
    if not oracle:
        pytest.skip("compares with the real git: --oracle")
    git = shutil.which("git")
    assert git, "--oracle needs git"
    rng = random.Random(seed)
    newline = rng.choice((b"\n", b"\n", b"\r\n"))
    # a file is small and repetitive, so that changes overlap and can slide
    base = [b"%d" % rng.randrange(rng.choice((3, 30))) for _ in range(rng.randrange(25))]
    files = [_file(rng, lines, newline) for lines in (_changed(rng, base), base, _changed(rng, base))]
    for name, data in zip("obt", files, strict=True):
        (tmp_path / name).write_bytes(data)
    flags = {"merge": [], "diff3": ["--diff3"], "zdiff3": ["--zdiff3"]}[style]
    real = subprocess.run(
        [git, "merge-file", "-p", *flags, "-L", "O", "-L", "B", "-L", "T", "o", "b", "t"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    merged, conflicts = merge_files(
        files[1], files[0], files[2], Labels("O", "T", "B", style), lambda _: None
    )
    assert (merged, conflicts) == (real.stdout, real.returncode)


@pytest.mark.parametrize(
    ("ours", "theirs", "merged", "conflicts"),
    [
        (b"1\ntwo\n3\n4\n5\n6\n7\n", b"1\n2\n3\n4\n5\n6\nseven\n", b"1\ntwo\n3\n4\n5\n6\nseven\n", 0),
        (b"1\ntwo\n3\n4\n5\n6\n7\n", b"1\ntwo\n3\n4\n5\n6\n7\n", b"1\ntwo\n3\n4\n5\n6\n7\n", 0),
        (b"1\n2\n3\n4\n5\n6\n7\n", b"", b"", 0),
        (
            b"1\nours\n3\n4\n5\n6\n7\n",
            b"1\ntheirs\n3\n4\n5\n6\n7\n",
            b"1\n<<<<<<< O\nours\n=======\ntheirs\n>>>>>>> T\n3\n4\n5\n6\n7\n",
            1,
        ),
        (
            b"1\r\nours\r\n3\n4\n5\n6\n7\n",
            b"1\r\ntheirs\r\n3\n4\n5\n6\n7\n",
            b"1\r\n<<<<<<< O\nours\r\n=======\ntheirs\r\n>>>>>>> T\n3\n4\n5\n6\n7\n",
            1,
        ),
    ],
)
def test_changes_that_overlap_are_conflicts(
    ours: bytes, theirs: bytes, merged: bytes, conflicts: int
) -> None:
    base = b"1\n2\n3\n4\n5\n6\n7\n"
    assert merge_files(base, ours, theirs, Labels("O", "T"), lambda _: None) == (merged, conflicts)
