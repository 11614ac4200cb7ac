"""How fast records are replayed: python -m benchmarks.replay [--events N] [--engine local processes dask] [--workers 1 2 4]

The events are made from the payloads that the published hooks of ``conformance/hooks`` are fired with, seeded. Ten of
these hooks are fired. Each run is a process of its own; its time, its processor time with that of its workers, and the
largest memory of its processes are printed. Bars are on ratios and on processor time: another program on the machine
changes them less than it changes the time.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from sandhook.hooks import contracts
from sandhook.journal.schema import Decided, Entry, encode

ROOT = Path(__file__).parent.parent
PUBLISHED = ROOT / "conformance" / "hooks"
HOOKS = 10

#: Commands that agents run; the published payloads have few.
COMMANDS = (
    *("ls -la", "git status", "git diff HEAD~1", "git push --force origin main", "npm test", "rm -rf build"),
    *(
        "cat src/app.py",
        "grep -rn TODO .",
        "python -m pytest -q",
        "docker compose up -d",
        "make -j4",
        "cat .env",
    ),
)


#: Matchers of published hooks that refuse every call, or that are broken.
REFUSE_ALL = ("", "*", "^Bash$", "(Bash")

#: Guards of jcode, and what their matchers are for Claude Code.
JCODE = {"execute": "Bash", "read|grep|glob": "Read|Grep|Glob"}


def cases(contract: str) -> list[dict[str, object]]:
    """Return the cases of the published hooks of a contract."""
    path = PUBLISHED / contract / "published.json"
    found: list[dict[str, object]] = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return found


def hooks() -> dict[str, object]:
    """Return a configuration with ten published hooks: the guards of one tool or of several.

    Those of jcode have its matchers in the words of Claude Code.
    """
    groups: list[object] = []
    for name, renamed in (("claude_code", {}), ("jcode", JCODE)):
        for case in cases(name):
            config = case.get("config")
            published = config.get("hooks", {}) if isinstance(config, dict) else {}
            for group in published.get("PreToolUse", []) if isinstance(published, dict) else []:
                matcher = group.get("matcher", "")
                wanted = matcher in renamed if renamed else matcher not in REFUSE_ALL
                own = {**group, "matcher": renamed.get(matcher, matcher)}
                refuses_bash = matcher == "Bash" and group["hooks"][0] == {
                    "type": "command",
                    "command": "exit 2",
                }
                if wanted and not refuses_bash and own not in groups:
                    groups.append(own)
    assert len(groups) >= HOOKS, f"{len(groups)} published hooks are left"
    return {"hooks": {"PreToolUse": [*groups[: HOOKS - 2], *groups[-2:]]}}


def payloads() -> list[dict[str, object]]:
    """Return the payloads of tool calls that the published hooks are fired with."""
    fired = [one for case in cases("claude_code") for one in case.get("fire", ())]  # type: ignore[attr-defined]
    return [
        one["payload"]
        for one in fired
        if one.get("event") == "PreToolUse"
        and isinstance(one.get("payload"), dict)
        and "tool_name" in one["payload"]
    ]


def write_record(path: Path, count: int, seed: int = 1) -> None:
    """Write a record with so many events."""
    chance, known = random.Random(seed), payloads()
    contract = contracts.get("claude_code")
    with path.open("w", encoding="ascii") as file:
        for number in range(count):
            payload = dict(chance.choice(known))
            if payload["tool_name"] == "Bash":
                payload["tool_input"] = {"command": f"{chance.choice(COMMANDS)} # {number}"}
            payload["session_id"] = f"session{number // 500}"
            event = contract.event("PreToolUse", payload)  # type: ignore[arg-type]
            refused = chance.random() < 0.02
            entry = Entry(
                time=f"2026-{1 + number * 12 // count:02}-{1 + number % 28:02}T{number % 24:02}:00:00.000+00:00",
                id=f"{number:012x}",
                agent="claude_code",
                event="PreToolUse",
                kind=event.kind,
                payload=payload,  # type: ignore[arg-type]
                tool=str(payload["tool_name"]),
                session_id=event.session_id,
                cwd=event.cwd,
                decision=Decided(refused, "deny" if refused else "none"),
                duration_ms=1.0,
            )
            file.write(encode(entry) + "\n")


def largest_memory(process: subprocess.Popen[bytes]) -> int:
    """Wait for a process, and return the largest resident memory of it or of one of its children, in MiB."""
    largest = 0
    parent = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            for each in (parent, *parent.children(recursive=True)):
                largest = max(largest, each.memory_info().rss)
        except psutil.Error:
            continue
        time.sleep(0.2)
    return largest >> 20


def measure(record: Path, hooks_file: Path, engine: str, workers: int, count: int) -> dict[str, object]:
    """Replay a record in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "sandhook", "replay", str(record), "--hooks", str(hooks_file)),
                *("--engine", engine, "--workers", str(workers), "--format", "json"),
            ],
            stdout=out,
            stderr=subprocess.DEVNULL,
        )
        memory = largest_memory(process)
        seconds = time.monotonic() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        out.seek(0)
        value = json.load(out)
    assert value["events"] == count and not value["failed"], value["failed"]
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "engine": engine,
        "workers": workers,
        "events": count,
        "seconds": round(seconds, 1),
        "events_per_second": round(count / seconds),
        "processor_seconds": round(processor, 1),
        "events_per_processor_second": round(count / processor),
        "largest_process_mib": memory,
        "changes": value["changes"],
    }


def main(arguments: list[str]) -> int:
    """Measure, and print a line of JSON for each run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.replay", description=__doc__)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--engine", nargs="+", default=["local", "processes", "dask"])
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2])
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as directory:
        record, hooks_file = Path(directory, "record.jsonl"), Path(directory, "hooks.json")
        hooks_file.write_text(json.dumps(hooks()), encoding="utf-8")
        write_record(record, options.events)
        print(
            json.dumps({"record_bytes_per_event": round(record.stat().st_size / options.events)}), flush=True
        )
        for engine in options.engine:
            for workers in options.workers if engine != "local" else [1]:
                print(json.dumps(measure(record, hooks_file, engine, workers, options.events)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
