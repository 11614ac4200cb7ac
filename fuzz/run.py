"""Run targets, one process each, and print what they found.

    python -m fuzz [TARGET]... [--runs N] [--seconds S] [--engine NAME] [--seed N] [--out DIR]

Engines: ``atheris`` (libFuzzer with coverage of bytecode), ``coverage`` (own mutations; inputs that reach new lines
are kept; Python 3.12 or newer), ``random`` (own mutations of the seeds). The best one that is installed is used.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from fuzz.targets import DIRECTORY, NAMES

ENGINES = ("atheris", "coverage", "random")


class Report(NamedTuple):
    """The result of one target."""

    name: str
    inputs: int
    seconds: float
    findings: list[Path]
    fault: str  #: why the target did not run to its end, or ""


def best_engine() -> str:
    """Return the first engine that this Python can run."""
    if find_spec("atheris") is not None:
        return "atheris"
    return "coverage" if sys.version_info >= (3, 12) else "random"


def run_target(name: str, options: argparse.Namespace, out: Path) -> Report:
    """Run one target in a new process."""
    directory = out / name
    directory.mkdir(parents=True, exist_ok=True)
    values = (name, options.engine, options.runs, options.seconds, options.seed, directory)
    began = time.monotonic()
    with (directory / "log.txt").open("wb") as log:
        done = subprocess.run(
            [sys.executable, "-m", "fuzz.child", *map(str, values)],
            cwd=DIRECTORY.parent,
            stdout=log,
            stderr=log,
            check=False,
        )
    count = directory / "count.json"
    counted = json.loads(count.read_text("utf-8")) if count.exists() else {}
    fault = counted.get("skipped", "") and f"skipped: {counted['skipped']}"
    if done.returncode:
        last = (directory / "log.txt").read_text("utf-8", "replace").strip().splitlines()[-1:]
        fault = f"ended with status {done.returncode}: {' '.join(last)}"
    findings = sorted((directory / "findings").glob("*.txt"))
    return Report(name, counted.get("inputs", 0), time.monotonic() - began, findings, fault)


def main(argv: list[str] | None = None) -> int:
    """Run the targets; return 1 if there is a finding, or if a target did not run to its end."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"default: {' '.join(NAMES)}")
    parser.add_argument(
        "--runs", type=int, default=int(os.environ.get("FUZZ_RUNS") or 2000), help="inputs of each"
    )
    parser.add_argument("--seconds", type=int, default=0, help="the most seconds of each; 0 for no bound")
    parser.add_argument("--engine", choices=ENGINES, default=best_engine())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="keep corpora, logs and findings here")
    options = parser.parse_args(argv)
    unknown = [name for name in options.targets if name not in NAMES]
    if unknown:
        parser.error(f"unknown target {unknown[0]!r}; known are {', '.join(NAMES)}")
    out = options.out or Path(tempfile.mkdtemp(prefix="fuzz-"))
    print(f"{heading(options.engine)}; {options.runs} inputs for each target; results in {out}")
    reports = []
    for name in options.targets or NAMES:
        reports.append(report := run_target(name, options, out))
        words = report.fault or f"{len(report.findings)} findings"
        rate = report.inputs / report.seconds if report.seconds else 0
        print(
            f"{name:10} {report.inputs:>9} inputs {report.seconds:>8.1f} s {rate:>7.0f}/s  {words}",
            flush=True,
        )
        for path in report.findings:
            print(f"           {path}")
    print(f"{'in all':10} {sum(report.inputs for report in reports):>9} inputs")
    skipped = all(not report.fault or report.fault.startswith("skipped") for report in reports)
    return 0 if skipped and not any(report.findings for report in reports) else 1


def heading(engine: str) -> str:
    """Return the engine and the Python, for the first line and for records."""
    try:
        name = f"atheris {version('atheris')}" if engine == "atheris" else f"{engine}, own mutations"
    except PackageNotFoundError:
        name = engine
    system = f"{platform.system()} {platform.machine()}"
    return f"{name}; {platform.python_implementation()} {platform.python_version()}; {system}"
