"""One target with one engine in a process of its own: ``python -m fuzz.child TARGET ENGINE RUNS SECONDS SEED DIRECTORY``.

atheris must instrument modules before they are imported, and ends the process when it is done.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from fuzz.findings import Findings
from fuzz.mutate import MAX_BYTES, Mutator
from fuzz.targets import DIRECTORY, corpus, load, unavailable

#: Seconds between two reports of the count, for a process that ends without a last word.
_REPORT = 1.0

#: Memory in MiB and seconds for one input, at which libFuzzer ends the process.
_MEMORY, _TIMEOUT = 4096, 120


def main(argv: list[str]) -> None:
    """Run one target until ``runs`` inputs or ``seconds`` are over; write ``count.json`` and the findings."""
    name, engine, runs, _, seed, directory = argv
    where = Path(directory)
    if engine == "atheris":
        import atheris

        with atheris.instrument_imports(include=["sandhook"]):
            target = load(name)
    else:
        target = load(name)
    reason = unavailable(target)
    if reason:
        (where / "count.json").write_text(json.dumps({"inputs": 0, "skipped": reason}), "utf-8")
        return
    findings = Findings(target, where / "findings")
    step = _counted(findings, where / "count.json", int(runs))
    if engine == "atheris":
        _with_atheris(step, name, list(target.WORDS), argv)
    else:
        _mutate(step, Mutator(Random(int(seed)), target.WORDS), corpus(name), engine, argv)


def _counted(findings: Findings, path: Path, runs: int) -> Callable[[bytes], None]:
    began = reported = time.monotonic()

    def step(data: bytes) -> None:
        nonlocal reported
        findings.run(data)
        now = time.monotonic()
        if now - reported >= _REPORT or findings.inputs >= runs:
            reported = now
            _write_count(findings, path, now - began)

    return step


def _write_count(findings: Findings, path: Path, seconds: float) -> None:
    path.write_text(json.dumps({"inputs": findings.inputs, "seconds": round(seconds, 1)}), "utf-8")


def _with_atheris(step: Callable[[bytes], None], name: str, words: list[str], argv: list[str]) -> None:
    import atheris

    _, _, runs, seconds, seed, directory = argv
    where = Path(directory)
    dictionary = where / "words.dict"
    quoted = ("".join(f"\\x{byte:02x}" for byte in word.encode()) for word in words if word)
    dictionary.write_text("".join(f'"{word}"\n' for word in quoted), "ascii")
    grown = where / "corpus"
    grown.mkdir(exist_ok=True)
    options = {
        "runs": runs,
        "max_total_time": seconds,
        "seed": seed,
        "max_len": MAX_BYTES,
        "dict": dictionary,
        "rss_limit_mb": _MEMORY,
        "timeout": _TIMEOUT,
        "artifact_prefix": f"{where}/",
        "verbosity": 0,
        "print_final_stats": 1,
    }
    arguments = [f"-{option}={value}" for option, value in options.items()]
    atheris.Setup(
        ["fuzz", *arguments, str(grown), str(DIRECTORY / "corpus" / name)], step, internal_libfuzzer=True
    )
    atheris.Fuzz()


def _mutate(
    step: Callable[[bytes], None], mutator: Mutator, seeds: list[bytes], engine: str, argv: list[str]
) -> None:
    """Mutate a corpus; with coverage, an input that reaches new lines joins it."""
    _, _, runs, seconds, *_ = argv
    deadline = time.monotonic() + (float(seconds) or float("inf"))
    reached = _line_counter() if engine == "coverage" else lambda: 0
    inputs = list(seeds)
    for data in seeds:
        step(data)
    known = reached()
    for _ in range(int(runs)):
        if time.monotonic() > deadline:
            return
        data = mutator.mutated(inputs)
        step(data)
        if (lines := reached()) > known:
            known = lines
            inputs.append(data)


def _line_counter() -> Callable[[], int]:
    """Count the lines of sandhook that ran; each reports itself once, so this costs almost nothing."""
    if sys.version_info < (3, 12):
        raise SystemExit("coverage needs Python 3.12 or newer")
    monitoring = sys.monitoring
    lines: set[tuple[str, int]] = set()

    def on_line(code: object, line: int) -> object:
        file: str = getattr(code, "co_filename", "")
        if "sandhook" in file:
            lines.add((file, line))
        return monitoring.DISABLE

    monitoring.use_tool_id(monitoring.COVERAGE_ID, "fuzz")
    monitoring.register_callback(monitoring.COVERAGE_ID, monitoring.events.LINE, on_line)
    monitoring.set_events(monitoring.COVERAGE_ID, monitoring.events.LINE)
    return lambda: len(lines)


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit(f"usage: {__doc__}")
    main(sys.argv[1:])
