"""Every case file runs here; with --oracle also on the real shells that it names, which are the truth."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandhook.conformance.oracle import runner_of
from sandhook.conformance.reader import CaseFile, read
from sandhook.conformance.runner import run_file

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "conformance").rglob("*.test"))


def load(path: Path) -> CaseFile:
    return read(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())


def name(path: Path) -> str:
    return path.relative_to(ROOT / "conformance").as_posix()


@pytest.mark.parametrize("path", FILES, ids=name)
def test_cases(path, oracle):
    file = load(path)
    report = run_file(file)
    assert report.good, f"\n{report}"
    if oracle:
        for each in file.oracles:
            real = run_file(file, each.name, runner_of(each))
            assert real.good, f"\n{real}"


def test_there_are_cases():
    assert sum(len(load(path).cases) for path in FILES) >= 500


def test_divergences_are_in_the_table():
    table = (ROOT / "docs" / "divergences.md").read_text(encoding="utf-8")
    named = {case.divergence for path in FILES for case in load(path).cases if case.divergence}
    assert {each for each in named if f"`{each}`" not in table} == set()
