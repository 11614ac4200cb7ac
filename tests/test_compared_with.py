"""The figures of docs/compared-with.md are about those that were measured: docs/performance.json."""

from __future__ import annotations

import json
import re

from sandhook.hooks import contracts
from tests.source import ROOT

PAGE = ROOT / "docs" / "compared-with.md"

#: How much a figure of the page may differ from the last measurement.
ALLOWED = 0.3


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading, without its head."""
    text = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = re.search(r"(?:^\|.*\n)+", text, re.M)
    assert lines is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[0].splitlines()[2:]]


def test_figures_are_those_that_were_measured() -> None:
    measured = json.loads((ROOT / "docs" / "performance.json").read_text(encoding="utf-8"))["rows"]
    compared = 0
    for what, *figures in rows("How fast"):
        for peer, cell in zip(("bash", "bashkit"), figures, strict=True):
            if cell:
                figure, _, variant = cell.partition(", ")
                row = measured[f"{what} (× {peer}{f' {variant}' if variant else ''})"]
                assert abs(float(figure) / row["measured"] - 1) <= ALLOWED, (what, peer, row["measured"])
                compared += 1
    assert compared == 12


def test_the_number_of_formats_is_counted() -> None:
    assert f"[{len(contracts.names())} formats](" in PAGE.read_text(encoding="utf-8")


def test_the_version_that_was_measured_is_named() -> None:
    machine = json.loads((ROOT / "docs" / "performance.json").read_text(encoding="utf-8"))["machine"]
    version = re.search(r"bashkit [\d.]*\d", machine)
    assert version is not None and version[0] in PAGE.read_text(encoding="utf-8")
