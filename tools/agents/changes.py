"""What a version of an agent does otherwise than the recorded one: python -m tools.agents.changes AGENT [PROGRAM]

Without PROGRAM npm or pip installs the agent's package in a temporary directory: the newest, or ``--version V``. Runs the agent
on the cases of ``conformance/hooks/AGENT/recorded``, and a second time on those that differ. Prints the keys that payloads
gained or lost, and what the agent does otherwise; equal differences are one paragraph with their cases. Cases that differ in
one run of the two stand by themselves, and so do aspects that the records do not have yet. ``--id GLOB`` selects cases,
``--every N`` takes one of N, ``--jobs N`` runs N agents at a time, and ``--keep FILE`` writes the records as they come, for
tools.agents.convert. The exit status is 1 when something differs.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import cast

from tools.agents.convert import case as case_of
from tools.agents.record import Runner, chosen_of, recorded
from tools.agents.records import (
    AGENTS,
    SCENE,
    Agent,
    Json,
    Object,
    check_layers,
    dumped,
    mapping,
    objects,
    read,
)

RECORDS = Path("conformance/hooks")


def main(arguments: list[str]) -> int:
    """Print what changed."""
    parser = argparse.ArgumentParser(prog="python -m tools.agents.changes", description=__doc__)
    parser.add_argument("agent", choices=AGENTS)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--version", default="latest", help="the version that is installed")
    parser.add_argument("--id", action="append", default=[], help="a glob of identifiers")
    parser.add_argument("--every", type=int, default=1, help="take one of so many cases")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", help="a file for the records")
    options = parser.parse_args(arguments)
    if options.program is not None:
        return report(options, options.program)
    with tempfile.TemporaryDirectory(prefix="agents-npm-") as directory:
        return report(options, installed(options.agent, options.version, Path(directory)))


#: Packages of Python, with the Python that runs this; the agents that are not here are on npm.
PYTHON = {
    "hermes": ("hermes-agent",),
    "openhands": ("openhands-sdk", "openhands-tools"),
    "mistral_vibe": ("mistral-vibe",),
}


def installed(agent: str, version: str, directory: Path) -> str:
    """Install an agent's package, and return its program."""
    runner = cast(Runner, importlib.import_module(f"tools.agents.recorder.{agent}"))
    if agent in PYTHON:
        wanted = [name if version == "latest" else f"{name}=={version}" for name in PYTHON[agent]]
        subprocess.run([sys.executable, "-m", "venv", str(directory)], check=True, timeout=300)
        pip = [str(directory / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, *wanted], check=True, timeout=1800)
        return str(directory / "bin" / runner.PROGRAM)
    npm = ["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(directory)]
    subprocess.run([*npm, f"{runner.PACKAGE}@{version}"], check=True, timeout=900)
    return str(directory / "node_modules" / ".bin" / runner.PROGRAM)


def report(options: argparse.Namespace, program: str) -> int:
    """Run the program on the cases, and print what changed."""
    agent = cast(Agent, importlib.import_module(f"tools.agents.{options.agent}"))
    where = (RECORDS / options.agent / "recorded").as_posix()
    known = chosen_of(known_cases(options.agent), options.id, where)
    if not known:
        raise SystemExit(f"{where}: there are no cases; start in the root of the repository")
    for each in known:
        check_layers(each, agent.LAYERS.values(), f"{where}: {each['id']}")
    chosen = known[:: options.every]
    version = program_version(program, PYTHON.get(options.agent, ("",))[0])
    print(
        f"{agent.TITLE}: {recorded_version(options.agent)} was recorded, the program is {version}", flush=True
    )
    records: list[Object] = []
    for made in recorded(options.agent, program, [scene_of(agent, each) for each in chosen], options.jobs):
        records.append(made)
        if options.keep:
            text = dumped([*records], indent=1)
            Path(options.keep).write_text(text, encoding="utf-8")
    found = _by_case(agent, chosen, records)
    doubtful = [each for each in chosen if str(each["id"]) in found]
    again = recorded(options.agent, program, [scene_of(agent, each) for each in doubtful], options.jobs)
    steady, unsteady = confirmed(found, _by_case(agent, doubtful, again))
    changed = {name: [line for line in lines if not line.startswith(NEW)] for name, lines in steady.items()}
    changed = {name: lines for name, lines in changed.items() if lines}
    for line in paragraphs(steady):
        print(line)
    if unsteady:
        print(f"different in one run of two: {', '.join(unsteady)}")
    print(f"{len(chosen)} cases, {len(changed)} of them changed")
    return 1 if changed else 0


def _by_case(agent: Agent, known: Iterable[Object], records: Iterable[Object]) -> dict[str, list[str]]:
    """Return the differences of the cases that have some, by identifier."""
    found = {}
    for was, record in zip(known, records, strict=True):
        lines = differences(was, case_of(agent, read(record, agent.TOUCH)))
        if lines:
            found[str(was["id"])] = lines
    return found


def confirmed(
    first: Mapping[str, list[str]], second: Mapping[str, list[str]]
) -> tuple[dict[str, list[str]], list[str]]:
    """Return the differences that two runs share, by case, and the cases that differ in one run alone."""
    shared = {name: [line for line in lines if line in second.get(name, ())] for name, lines in first.items()}
    steady = {name: lines for name, lines in shared.items() if lines}
    return steady, [name for name in first if name not in steady]


def paragraphs(found: Mapping[str, list[str]]) -> list[str]:
    """Return a paragraph for each difference: first those of payloads, each with the cases that have it."""
    cases: dict[str, list[str]] = {}
    for name, lines in found.items():
        for line in lines:
            cases.setdefault(line, []).append(name)
    ordered = sorted(cases, key=lambda line: not line.startswith(PAYLOAD))
    return [f"{line}\n    {_some(cases[line])}" for line in ordered]


def _some(names: list[str], most: int = 6) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


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


def program_version(program: str, package: str = "") -> str:
    """Return the first line that a program prints for --version, or the version of its package of Python.

    Raises:
        SystemExit: It does not run here.
    """
    words = [program, "--version"]
    if package:
        code = f"import importlib.metadata as m; print(m.version({package!r}))"
        words = [str(Path(program).with_name("python")), "-c", code]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    if ended.returncode:
        lines = [line for line in ended.stderr.splitlines() if "rror" in line] or ["no message"]
        raise SystemExit(
            f"{' '.join(words)}: exit status {ended.returncode}: {lines[0].strip()} "
            "(some agents want a newer node than the one on PATH)"
        )
    return ended.stdout.strip().partition("\n")[0]


def scene_of(agent: Agent, case: Object) -> Object:
    """Return a recorded case in the recorder's form: layers by their names, and the scene's fields."""
    names = {path: name for name, path in agent.LAYERS.items()}
    layers = {names[path]: value for path, value in mapping(case["layers"]).items()}
    kept = {key: case[key] for key in ("id", "event", "files", "env", "args", "allowed") if key in case}
    scene = mapping(case.get("scene"))
    return {**kept, "layers": layers, **{key: scene[key] for key in SCENE if key in scene}}


#: How a line on a payload begins, and one on an aspect that the record does not have yet.
PAYLOAD, NEW = "payload ", "not in the record: "
#: What the recorder puts in place of identifiers; a payload without it was written by hand.
_RECEIVED = "@ID@"


def differences(was: Object, now: Object) -> list[str]:
    """Return what differs between two cases, a line for each aspect."""
    return [*_payloads(was, now), *_facts(_compared(was), _compared(now))]


def _compared(case: Object) -> Object:
    """Return what the agent did, and what became of a call that its own rules are about."""
    return {**{key: case[key] for key in ("call",) if key in case}, **mapping(case.get("did"))}


def _facts(was: Object, now: Object) -> Iterator[str]:
    for key in dict.fromkeys((*was, *now)):
        before, after = was.get(key), now.get(key)
        if key == "ran":
            before, after = sorted(map(str, _listed(before))), sorted(map(str, _listed(after)))
        if key not in was:
            yield f"{NEW}{key}: {_short(after)}"
        elif not _equal(before, after):
            yield f"{key}: {_short(before)} became {_short(after)}"


_CUT = re.compile(r"…(?:\[\d+ characters in all\])?")


def _equal(before: Json, after: Json) -> bool:
    """Return whether two values are equal; of a text that a record cuts, the beginning counts."""
    if not isinstance(before, str) or not isinstance(after, str):
        return before == after
    cuts = [match.start() for text in (before, after) if (match := _CUT.search(text))]
    return before[: min(cuts)] == after[: min(cuts)] if cuts else before == after


def _payloads(was: Object, now: Object) -> Iterator[str]:
    """Yield the keys that payloads gained or lost, by the event or by the label of the hook that received them."""
    fired = [next(iter(objects(each.get("fire"))), None) for each in (was, now)]
    if all(_RECEIVED in json.dumps(each) for each in fired):
        yield from _changed_keys(f"{PAYLOAD}of {now.get('event', was.get('event'))}", *map(_keys, fired))
    before, after = mapping(was.get("probes")), mapping(now.get("probes"))
    for label in dict.fromkeys((*before, *after)):
        if label not in after or label not in before:
            yield f"{label} {'no longer runs' if label in before else 'now runs'}"
            continue
        for part, name in (("payload", f"{PAYLOAD}of {label}"), ("env", f"environment of {label}")):
            yield from _changed_keys(
                name, *(_keys(mapping(each[label]).get(part)) for each in (before, after))
            )


def _changed_keys(name: str, old: set[str], new: set[str]) -> Iterator[str]:
    for key in sorted(new - old):
        yield f"{name} has the new key {key}"
    for key in sorted(old - new):
        yield f"{name} lacks {key}"


def _keys(value: Json) -> set[str]:
    return set(map(str, value)) if isinstance(value, (dict, list)) else set()


def _listed(value: Json) -> Iterable[Json]:
    return value if isinstance(value, list) else []


def _short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else f"{text[:100]}… ({len(text)} characters)"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
