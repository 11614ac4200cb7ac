"""Every case file runs here; with --oracle also on the real shells that it names, which are the truth."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandhook.conformance.model import CaseFile
from sandhook.conformance.oracle import RealShell, check
from sandhook.conformance.reader import read
from sandhook.conformance.report import to_text
from sandhook.conformance.suite import PATTERNS, Selection, run
from sandhook.conformance.workers import Sandhook

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted({path for pattern in PATTERNS for path in (ROOT / "conformance").rglob(pattern)})


def load(path: Path) -> CaseFile:
    return read(path.read_bytes().decode("utf-8", "surrogateescape"), path.relative_to(ROOT).as_posix())


def name(path: Path) -> str:
    return path.relative_to(ROOT / "conformance").as_posix()


@pytest.mark.parametrize("path", FILES, ids=name)
def test_cases(path, oracle):
    file = load(path)
    reports = run([Selection(file, file.cases)], Sandhook(root=str(ROOT)))
    if oracle:
        for each in file.oracles:
            check(each)
            with RealShell(each.name, root=str(ROOT), jobs=2) as shell:
                reports += run([Selection(file, file.cases)], shell)
    assert all(report.good for report in reports), f"\n{to_text(reports)}"


def test_there_are_cases():
    assert sum(len(load(path).cases) for path in FILES) >= 500


def test_divergences_are_in_the_table():
    table = (ROOT / "docs" / "divergences.md").read_text(encoding="utf-8")
    named = {case.divergence for path in FILES for case in load(path).cases if case.divergence}
    assert {each for each in named if f"`{each}`" not in table} == set()
