"""Measure all bars, write docs/performance.md with a plot, and compare with the last recorded run.

    python -m benchmarks.page [--scale S] [--rounds N] [--directory DIR]

DIR (default: docs) receives performance.md, performance.json (the record that the next run is compared with) and
performance.svg, for which matplotlib is needed. The exit status is 1 if a figure got worse by more than a quarter, or a
bar that was reached is not any more.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.bars import Row, all_rows

DOCS = Path(__file__).parents[1] / "docs"

#: How much worse a figure is that counts as a loss: less is noise.
LOSS = 1.25


def machine() -> str:
    """Describe the machine, the programs and the time of the measurement."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(
            (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model
        )
    except OSError:
        pass
    peers = ", ".join(f"{name} {version(name)}" for name in ("bashkit",) if find_spec(name) is not None)
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    parser = "compiled" if _is_compiled() else "pure Python"
    return (
        f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {os.cpu_count()} processors, {model}, "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}, parser {parser}"
        f"{', ' + peers if peers else ''}{load}"
    )


def _is_compiled() -> bool:
    from sandhook.syntax import lexer

    return not str(lexer.__file__).endswith(".py")


def changes(rows: Sequence[Row], before: Mapping[str, Any]) -> dict[str, float]:
    """Return for each row how many times as good it was before: above 1 is a loss."""
    result = {}
    for row in rows:
        old = before.get("rows", {}).get(key_of(row), {}).get("measured")
        if old and row.measured:
            result[key_of(row)] = old / row.measured if row.at_least else row.measured / old
    return result


def comparable(before: Mapping[str, Any], described: str) -> Mapping[str, Any]:
    """Return the record of the run before; an empty one if it is that of another processor, which moves even the ratios."""
    same = before.get("machine", "").split(", ")[1:3] == described.split(", ")[1:3]
    return before if same else {}


def key_of(row: Row) -> str:
    return f"{row.name} ({row.unit})"


def losses(rows: Sequence[Row], before: Mapping[str, Any]) -> list[str]:
    """Return a line for each row that got worse, or no longer reaches its bar."""
    changed = changes(rows, before)
    lines = []
    for row in rows:
        old = before.get("rows", {}).get(key_of(row), {})
        if changed.get(key_of(row), 1.0) > LOSS:
            lines.append(f"{key_of(row)}: {figure(row.measured)}, was {figure(old['measured'])}")
        elif old.get("reached") and row.measured is not None and not row.is_reached:
            lines.append(f"{key_of(row)}: {figure(row.measured)} is over the bar of {row.limit:g}")
    return lines


def figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"


def record_of(rows: Sequence[Row], described: str) -> dict[str, Any]:
    return {
        "machine": described,
        "rows": {
            key_of(row): {"bar": row.limit, "measured": row.measured, "reached": row.is_reached, "note": row.note}
            for row in rows
        },
    }  # fmt: skip


def page(rows: Sequence[Row], described: str, before: Mapping[str, Any], *, plot: bool) -> str:
    """Return the text of the page."""
    changed = changes(rows, before)
    reached = sum(row.is_reached for row in rows)
    lines = [
        "# Performance",
        "",
        "Written by `make bench`, which measures every row side by side in one run, and compares it with the run before.",
        "A ratio is that of the medians of real time, where nothing else is said; a run is in a new sandbox.",
        "",
        f"Measured {described}.",
        f"{reached} of {len(rows)} bars are reached.",
        "",
    ]
    if plot:
        lines += ["![Measured figures as shares of their bars](performance.svg)", ""]
    lines += ["| what | bar | measured | reached | change | |", "|---|---|---|---|---|---|"]
    for row in rows:
        sign = "≥" if row.at_least else "≤"
        change = f"{changed[key_of(row)]:.2f}" if key_of(row) in changed else "-"
        is_reached = "-" if row.measured is None else "yes" if row.is_reached else "**no**"
        note = row.note.replace("|", "\\|")
        lines.append(
            f"| {row.name} | {sign} {row.limit:g} {row.unit} | {figure(row.measured)} | {is_reached} | {change} | {note} |"
        )
    lines += [
        "",
        "`change` is the figure divided by that of the run before on such a processor: above 1 is a loss.",
        "",
    ]
    return "\n".join(lines)


def draw(rows: Sequence[Row], path: Path) -> bool:
    """Draw each figure as a share of its bar; return False without matplotlib."""
    if find_spec("matplotlib") is None:
        return False
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "sandhook"  # the same figures give the same bytes
    from matplotlib import pyplot

    shown = [row for row in rows if row.measured]
    shares = [row.limit / row.measured if row.at_least else row.measured / row.limit for row in shown]  # type: ignore[operator]
    drawing, axes = pyplot.subplots(figsize=(9, 0.28 * len(shown) + 1))
    colours = ["#2a9d8f" if row.is_reached else "#d1495b" for row in shown]
    axes.barh([f"{row.name} ({row.unit})" for row in shown], shares, color=colours)
    axes.axvline(1.0, color="#333333", linewidth=1)
    axes.set_xlabel("share of the bar: left of the line is reached")
    axes.invert_yaxis()
    axes.set_xscale("log")
    drawing.tight_layout()
    drawing.savefig(path, metadata={"Date": None})
    pyplot.close(drawing)
    return True


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.page", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument(
        "--scale", type=float, default=1.0, help="size of everything (default: 1.0, what is published)"
    )
    parser.add_argument("--rounds", type=int, help="rounds of every workload (default: its own number)")
    parser.add_argument("--directory", type=Path, default=DOCS, help="where the page is (default: docs)")
    options = parser.parse_args(arguments)
    record = options.directory / "performance.json"
    before = json.loads(record.read_text("utf-8")) if record.exists() else {}
    described = machine()
    before = comparable(before, described)
    rows = []
    for row in all_rows(options.scale, options.rounds):
        print(
            f"{'ok' if row.is_reached else 'NO':2}  {key_of(row)}: {figure(row.measured)} (bar {row.limit:g}) {row.note}",
            flush=True,
        )
        rows.append(row)
    drawn = draw(rows, options.directory / "performance.svg")
    text = page(rows, described, before, plot=drawn)
    (options.directory / "performance.md").write_text(text, "utf-8")
    record.write_text(json.dumps(record_of(rows, described), indent=2, ensure_ascii=False) + "\n", "utf-8")
    lost = losses(rows, before)
    for line in lost:
        print(f"worse: {line}")
    return int(bool(lost))


if __name__ == "__main__":
    sys.exit(main())
