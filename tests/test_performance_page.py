"""The page of the benchmarks: what it says of a bar, and which losses it reports. Nothing is timed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import bars, page
from benchmarks.bars import Row

ROWS = [
    Row("guard", 0.2, "× bashkit", 0.1, "1.00 and 10.00 ms"),
    Row("loop", 0.6, "× bash", 0.7),
    Row("two processes", 1.8, "× one", 1.9, at_least=True),
    Row("awk", 1.0, "× bashkit", None, "bashkit is not installed"),
]


def before(**measured: float) -> dict[str, object]:
    old = [row._replace(measured=measured.get(row.name.partition(" ")[0], row.measured)) for row in ROWS]
    return page.record_of(old, "a machine")


def test_a_row_without_a_figure_reaches_nothing() -> None:
    assert [row.is_reached for row in ROWS] == [True, False, True, False]


def test_the_page_has_a_line_for_each_bar() -> None:
    text = page.page(ROWS, "a machine", {}, plot=False)
    assert "2 of 4 bars are reached" in text
    assert "| guard | ≤ 0.2 × bashkit | 0.1 | yes | - | 1.00 and 10.00 ms |" in text
    assert "| loop | ≤ 0.6 × bash | 0.7 | **no** | - |  |" in text
    assert "| two processes | ≥ 1.8 × one | 1.9 | yes | - |  |" in text
    assert "| awk | ≤ 1 × bashkit | - | - | - | bashkit is not installed |" in text


@pytest.mark.parametrize(
    ("measured", "lines"),
    [
        ({}, []),
        ({"guard": 0.09}, []),
        ({"guard": 0.05}, ["guard (× bashkit): 0.1, was 0.05"]),
        ({"loop": 0.59}, ["loop (× bash): 0.7 is over the bar of 0.6"]),
        ({"two": 3.0}, ["two processes (× one): 1.9, was 3"]),
        ({"loop": 5.0, "two": 1.0}, []),
    ],
)
def test_losses(measured: dict[str, float], lines: list[str]) -> None:
    assert page.losses(ROWS, before(**measured)) == lines


def test_a_run_is_recorded_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(page, "find_spec", lambda name: None)  # no matplotlib: the page has no plot
    monkeypatch.setattr(page, "all_rows", lambda scale, rounds: iter(ROWS))
    assert page.main(["--directory", str(tmp_path)]) == 0
    record = tmp_path / "performance.json"
    assert json.loads(record.read_text("utf-8"))["rows"]["guard (× bashkit)"]["measured"] == 0.1
    worse = [ROWS[0]._replace(measured=0.15), *ROWS[1:]]
    monkeypatch.setattr(page, "all_rows", lambda scale, rounds: iter(worse))
    assert page.main(["--directory", str(tmp_path)]) == 1
    assert "worse: guard (× bashkit): 0.15, was 0.1" in capsys.readouterr().out
    assert "| 0.15 | yes | 1.50 |" in (tmp_path / "performance.md").read_text("utf-8")


def test_a_plot_of_the_same_figures_has_the_same_bytes(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name in ("one.svg", "two.svg"):
        assert page.draw(ROWS, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_every_bar_of_a_workload_has_one() -> None:
    names = [workload.name for workload in [*bars.workloads(0.001), *bars.more_workloads(0.001)]]
    for start in bars.WORKLOADS:
        assert any(name.startswith(start) for name in names), start


@pytest.mark.slow
def test_everything_is_measured(tmp_path: Path) -> None:
    page.main(["--directory", str(tmp_path), "--scale", "0.01", "--rounds", "1"])
    rows = json.loads((tmp_path / "performance.json").read_text("utf-8"))["rows"]
    assert len(rows) > 35
    assert all(row["measured"] is not None or "not installed" in row["note"] for row in rows.values()), rows


def test_a_run_on_another_processor_is_no_measure() -> None:
    before = {"machine": "2026-11-24, 2 processors, Xeon, Linux 6, load 0.5", "rows": {"a": {}}}
    assert page.comparable(before, "2026-11-28, 2 processors, Xeon, Linux 7, load 1.5") is before
    assert page.comparable(before, "2026-11-28, 2 processors, EPYC, Linux 6, load 0.5") == {}
    assert page.comparable({}, "2026-11-28, 2 processors, EPYC") == {}
