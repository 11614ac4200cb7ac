"""Guards that are broken as people break them are found by doctor, check or chaos.

A mutant counts if it decides differently about one event of a large sample, or under one fault; else it is equivalent, and
left out. ``mutants.json`` has the figures that docs/howto/prove-guards.md quotes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from sandhook.conformance.expectations.judge import word_of
from sandhook.conformance.expectations.model import ExpectationFile
from sandhook.conformance.expectations.project import in_sandbox
from sandhook.conformance.expectations.reader import read_expectations
from sandhook.errors import ConfigError, SandhookError
from sandhook.hooks import HookEngine, contracts
from sandhook.hooks.checks import Surroundings, check
from sandhook.hooks.contracts import Document
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.inventory import inventory
from sandhook.hooks.sources import documents
from sandhook.proving.chaos import chaos
from sandhook.proving.configuration import Configuration
from sandhook.proving.doctor import DoctorReport, Settings, doctor
from sandhook.proving.faults import FaultName
from sandhook.proving.sandboxed import patient
from sandhook.recipes import catalogue
from sandhook.record import Record
from tests.proving.mutants import mutants
from tests.proving.samples import Sample, samples
from tests.recipes.recipetools import written

AGENT = "claude_code"
RECORD = Path(__file__).with_name("mutants.json")
PAGE = Path(__file__).parents[2] / "docs" / "howto" / "prove-guards.md"

#: In how many ways each guard is broken, and which part of them must be caught: of each guard, and of all.
WAYS, EACH, BAR = 30, 0.9, 0.95


class Guard(Record):
    """A recipe in a project of its own."""

    root: Path
    config: Path
    script: Path
    expected: Path

    @property
    def state(self) -> list[tuple[str, bytes, int]]:
        paths = sorted(path for path in self.root.rglob("*") if path.is_file())
        return [(path.name, path.read_bytes(), path.stat().st_mode) for path in paths]

    @property
    def layers(self) -> list[Document]:
        names = [self.config, self.config.with_name("settings.local.json")]
        return documents([path.as_posix() for path in names if path.exists()], contracts.get(AGENT))


def guard(name: str, root: Path) -> Guard:
    root.mkdir()
    plan = written(AGENT, [name], root)
    scripts = root / plan.scripts
    return Guard(root, root / plan.config, scripts / f"{name}.sh", scripts / f"{name}.expect.yaml")


# What a guard does.


def decisions(subject: Guard, events: list[Sample], names: list[str]) -> Iterator[str]:
    """Yield what the hooks decide about events, add and write, as Claude Code reads them."""
    try:
        layers = [
            document._replace(name=document.name.replace(subject.root.as_posix(), "/workspace"))
            for document in subject.layers
        ]
    except (ConfigError, DecodeError):
        yield "unreadable"
        return
    for event, files in events:
        project = in_sandbox(subject.root.as_posix(), files)
        run = project.runner
        engine = HookEngine.load(
            layers,
            AGENT,
            trust=lambda spec: True,
            compat="strict",
            runner=lambda request, run=run: run(patient(request)),
            prestart=False,
            shared_files=True,
        )
        decision = engine.fire(event.with_(cwd="/workspace", project_dir="/workspace"))
        changed = {name: project.read(name) for name in names}
        text = (
            f"{word_of(decision)} {decision.refused} {decision.force_continue} {decision.context} {changed}"
        )
        yield re.sub(r"\d{4}-\d\d-\d\dT[\d:]{8}Z", "TIME", text)


def under_faults(subject: Guard) -> dict[tuple[str, str], bool]:
    """Return whether each guard holds under each fault; nothing if a file cannot be read."""
    try:
        report = chaos([subject.config.as_posix()], cases=1)
    except (SandhookError, ConfigError, DecodeError):
        return {}
    return {(each.id, cell.fault): cell.held for each in report.guards for cell in each.cells}


# What notices it.


def findings(subject: Guard) -> set[str]:
    """Return what check finds, without places."""
    contract = contracts.get(AGENT)
    layers = subject.layers
    engine = HookEngine.load(layers, contract, trust=lambda spec: True, prestart=False)
    root = subject.root.as_posix()
    around = Surroundings(
        project=root,
        home=root,
        read=lambda path: Path(path).read_bytes() if Path(path).is_file() else None,
        is_executable=lambda path: Path(path).stat().st_mode & 0o100 != 0,
    )
    return {
        f"{each.rule} {each.message}"
        for each in check(engine, contract, layers, around)
        if each.severity != "note"
    }


def examination(subject: Guard, expectations: ExpectationFile) -> DoctorReport:
    """Return what doctor finds, without starting anything."""
    contract = contracts.get(AGENT)
    layers = tuple(subject.layers)
    engine = HookEngine.load(list(layers), contract, trust=lambda spec: True, compat="strict", prestart=False)
    configuration = Configuration(
        contract,
        layers,
        items=tuple(inventory(engine, contract, layers)),
        findings=(),
        expectations=(expectations,),
        project=subject.root.as_posix(),
        trust=None,
    )
    return doctor([configuration], Settings({}, start=False))


def catcher(subject: Guard, known: set[str], holding: list[FaultName]) -> str:
    """Return which command notices that a guard is broken; "" if none does."""
    try:
        if findings(subject) - known:
            return "check"
        file = read_expectations(subject.expected.as_posix(), {})
        report = examination(subject, file)
        if report.failed or not report.hooks:
            return "doctor"
        if not holding:
            return ""
        return "" if chaos([subject.config.as_posix()], faults=holding).held else "chaos"
    except (SandhookError, ConfigError, DecodeError):
        return "check"


class Figures(Record):
    """What became of the mutants of one guard."""

    broken: int
    caught: dict[str, list[str]]
    equivalent: list[str]

    @property
    def missed(self) -> list[str]:
        return self.caught.get("", [])

    def to_json(self) -> dict[str, object]:
        counts = {who: len(names) for who, names in sorted(self.caught.items()) if who}
        return {"broken": self.broken, **counts, "missed": self.missed, "equivalent": self.equivalent}


def measured(name: str, tmp_path: Path) -> Figures:
    """Break one recipe in ways that are drawn from all."""
    sound = guard(name, tmp_path / "sound")
    own = read_expectations(sound.expected.as_posix(), {})
    others = [
        read_expectations(guard(each, tmp_path / each).expected.as_posix(), {})
        for each in catalogue.NAMES
        if each != name
    ]
    events = list(samples(own, others))
    names = sorted({path for case in own.cases for path in (*case.expected.files, *case.files)})
    usual = list(decisions(sound, events, names))
    faults = under_faults(sound)
    holding = [fault for (_, fault), held in faults.items() if held]
    known = findings(sound)
    before = sound.state
    caught: dict[str, list[str]] = {}
    equivalent = []
    drawn = list(mutants())
    Random(name).shuffle(drawn)
    for number, mutant in enumerate(drawn):
        subject = guard(name, tmp_path / f"mutant-{number}")
        mutant.apply(subject.config, subject.script)
        if subject.state == before:
            continue  # the guard has nothing of the kind
        who = catcher(subject, known, holding)  # type: ignore[arg-type]
        if who in ("", "check") and not _is_broken(subject, events, names, usual, faults):
            equivalent.append(mutant.name)
            continue
        caught.setdefault(who, []).append(mutant.name)
        if sum(map(len, caught.values())) == WAYS:
            break
    return Figures(sum(map(len, caught.values())), caught, equivalent)


def _is_broken(
    subject: Guard,
    events: list[Sample],
    names: list[str],
    usual: list[str],
    faults: dict[tuple[str, str], bool],
) -> bool:
    found = decisions(subject, events, names)
    if any(new != old for new, old in zip(found, usual)):
        return True
    return under_faults(subject) != faults


@pytest.mark.slow
@pytest.mark.parametrize("name", catalogue.NAMES)
def test_broken_guards_are_caught(name: str, tmp_path: Path) -> None:
    figures = measured(name, tmp_path)
    if os.environ.get("SANDHOOK_RECORD"):
        record = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
        record[name] = figures.to_json()
        ordered = {each: record[each] for each in catalogue.NAMES if each in record}
        RECORD.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    print(name, json.dumps(figures.to_json()))
    assert figures.broken == WAYS
    assert figures.broken - len(figures.missed) >= figures.broken * EACH, figures.missed


def test_the_record_reaches_the_bar_and_is_quoted() -> None:
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    assert {each["broken"] for each in record.values()} == {WAYS}
    broken = WAYS * len(record)
    missed = sum(len(each["missed"]) for each in record.values())
    assert broken - missed >= broken * BAR
    wanted = f"{len(record)} recipes, each broken in {WAYS} ways: {broken - missed} of {broken}"
    assert wanted in " ".join(PAGE.read_text(encoding="utf-8").split())
