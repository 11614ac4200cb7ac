"""What a version of an agent does otherwise than the recorded one: python -m tools.agents.changes AGENT [PROGRAM]

Without PROGRAM npm installs the agent's package in a temporary directory: the newest, or ``--version V``. Runs the agent on the cases of ``conformance/hooks/AGENT/recorded`` and prints every aspect that differs, by case, and
the keys that its payloads gained or lost. ``--id GLOB`` selects cases, ``--every N`` takes one of N, ``--jobs N`` runs
N agents at a time. The exit status is 1 when something differs.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from tools.agents.convert import case as case_of
from tools.agents.record import AGENTS, Runner, recorded, selected
from tools.agents.records import SCENE, Agent, Json, Object, mapping, objects, read

RECORDS = Path("conformance/hooks")


def main(arguments: list[str]) -> int:
    """Print what changed."""
    parser = argparse.ArgumentParser(prog="python -m tools.agents.changes", description=__doc__)
    parser.add_argument("agent", choices=AGENTS)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--version", default="latest", help="the version that npm installs")
    parser.add_argument("--id", action="append", default=[], help="a glob of identifiers")
    parser.add_argument("--every", type=int, default=1, help="take one of so many cases")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(arguments)
    if options.program is not None:
        return report(options, options.program)
    with tempfile.TemporaryDirectory(prefix="agents-npm-") as directory:
        return report(options, installed(options.agent, options.version, Path(directory)))


def installed(agent: str, version: str, directory: Path) -> str:
    """Install an agent's package, and return its program."""
    runner = cast(Runner, importlib.import_module(f"tools.agents.recorder.{agent}"))
    npm = ["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(directory)]
    subprocess.run([*npm, f"{runner.PACKAGE}@{version}"], check=True, timeout=900)
    return str(directory / "node_modules" / ".bin" / runner.PROGRAM)


def report(options: argparse.Namespace, program: str) -> int:
    """Run the program on the cases, and print what changed."""
    agent = cast(Agent, importlib.import_module(f"tools.agents.{options.agent}"))
    known = [each for each in known_cases(options.agent) if selected(str(each["id"]), options.id)]
    chosen = known[:: options.every]
    version = program_version(program)
    print(f"{agent.TITLE}: {recorded_version(options.agent)} was recorded, the program is {version}")
    now = recorded(options.agent, program, [scene_of(agent, each) for each in chosen], options.jobs)
    changed = 0
    for was, record in zip(chosen, now, strict=True):
        lines = differences(was, case_of(agent, read(record, agent.TOUCH)))
        changed += bool(lines)
        for line in lines:
            print(f"{was['id']}: {line}", flush=True)
    print(f"{len(chosen)} cases, {changed} of them changed")
    return 1 if changed else 0


def known_cases(agent: str) -> list[Object]:
    """Return the recorded cases of an agent."""
    files = sorted((RECORDS / agent / "recorded").glob("*.json"))
    documents = (json.loads(file.read_text(encoding="utf-8")) for file in files)
    return [case for document in documents for case in objects(document["cases"])]


def recorded_version(agent: str) -> str:
    """Return the version that the cases name."""
    for file in (RECORDS / agent / "recorded").glob("*.json"):
        return str(json.loads(file.read_text(encoding="utf-8"))["version"])
    return "none"


def program_version(program: str) -> str:
    """Return the first line that a program prints for --version."""
    ended = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=False)
    return (ended.stdout or ended.stderr).strip().partition("\n")[0]


def scene_of(agent: Agent, case: Object) -> Object:
    """Return a recorded case in the recorder's form: layers by their names, and the scene's fields."""
    names = {path: name for name, path in agent.LAYERS.items()}
    layers = {names[path]: value for path, value in mapping(case["layers"]).items()}
    kept = {key: case[key] for key in ("id", "event", "files", "env", "args", "allowed") if key in case}
    scene = mapping(case.get("scene"))
    return {**kept, "layers": layers, **{key: scene[key] for key in SCENE if key in scene}}


def differences(was: Object, now: Object) -> list[str]:
    """Return what differs between two cases, a line for each aspect."""
    return [*_facts(mapping(was.get("did")), mapping(now.get("did"))), *_payloads(was, now)]


def _facts(was: Object, now: Object) -> Iterator[str]:
    for key in dict.fromkeys((*was, *now)):
        before, after = was.get(key), now.get(key)
        if key == "ran":
            before, after = sorted(map(str, _listed(before))), sorted(map(str, _listed(after)))
        if before != after:
            yield f"{key}: {_short(before)} became {_short(after)}"


def _payloads(was: Object, now: Object) -> Iterator[str]:
    """Yield the keys that payloads gained or lost, by the label of the hook that received them."""
    before, after = mapping(was.get("probes")), mapping(now.get("probes"))
    for label in dict.fromkeys((*before, *after)):
        if label not in after or label not in before:
            yield f"{label} {'no longer runs' if label in before else 'now runs'}"
            continue
        for part in ("payload", "env"):
            old, new = (_keys(mapping(each[label]).get(part)) for each in (before, after))
            for key in sorted(new - old):
                yield f"{label}: {part} has the new key {key}"
            for key in sorted(old - new):
                yield f"{label}: {part} lacks {key}"


def _keys(value: Json) -> set[str]:
    return set(map(str, value)) if isinstance(value, (dict, list)) else set()


def _listed(value: Json) -> Iterable[Json]:
    return value if isinstance(value, list) else []


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else f"{text[:100]}… ({len(text)} characters)"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
