"""Guards that are broken in generated ways are found by check, doctor or chaos.

A mutant counts if it decides differently about an event: of the guard's own cases, or of those of other recipes.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sandhook.conformance.expectations.judge import word_of
from sandhook.conformance.expectations.model import EventCase, ExpectationFile
from sandhook.conformance.expectations.project import in_sandbox
from sandhook.conformance.expectations.reader import read_expectations
from sandhook.errors import ConfigError, SandhookError
from sandhook.hooks import HookEngine, contracts
from sandhook.hooks.checks import Surroundings, check
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.event import Event, ToolCall
from sandhook.hooks.inventory import inventory
from sandhook.hooks.sources import documents
from sandhook.proving.chaos import chaos
from sandhook.proving.configuration import Configuration
from sandhook.proving.doctor import Settings, doctor
from sandhook.recipes import catalogue
from tests.proving.mutants import mutants
from tests.recipes.recipetools import written

AGENT = "claude_code"
GUARDS = [name for name in catalogue.STARTERS if catalogue.get(name).action == "refuse"]

#: Of this many commands of other recipes, one is an event for every guard.
STEP = 4


def others(name: str) -> list[Event]:
    """Return events of the cases of other recipes."""
    commands = [
        str(case["command"])
        for each in catalogue.NAMES
        if each != name
        for case in catalogue.get(each).cases
        if "command" in case
    ]
    return [
        Event("tool.pre", tool=ToolCall("Bash", {"command": text}), session_id="s")
        for text in commands[::STEP]
    ]


def decisions(config: Path, root: Path, cases: list[EventCase], more: list[Event]) -> list[str]:
    """Return what the hooks decide about events, in words, as Claude Code reads them."""
    try:
        found = documents([config.as_posix()], contracts.get(AGENT))
    except ConfigError:
        return ["unreadable"]
    words = []
    events = [(case.event, dict(case.files)) for case in cases] + [(event, {}) for event in more]
    for event, files in events:
        project = in_sandbox(root.as_posix(), files)
        engine = HookEngine.load(
            [document._replace(name="/workspace/.claude/settings.json") for document in found],
            AGENT,
            trust=lambda spec: True,
            compat="strict",
            runner=project.runner,
            prestart=False,
            shared_files=True,
        )
        decision = engine.fire(event.with_(cwd="/workspace", project_dir="/workspace"))
        words.append(f"{word_of(decision)} {decision.refused} {decision.force_continue}")
    return words


def findings(config: Path, root: Path) -> set[str]:
    """Return what check finds, without places."""
    contract = contracts.get(AGENT)
    found = documents([config.as_posix()], contract)
    engine = HookEngine.load(found, contract, trust=lambda spec: True, prestart=False)
    around = Surroundings(
        project=root.as_posix(),
        home=root.as_posix(),
        read=lambda path: Path(path).read_bytes() if Path(path).is_file() else None,
        is_executable=lambda path: Path(path).stat().st_mode & 0o100 != 0,
    )
    return {
        f"{each.rule} {each.message}"
        for each in check(engine, contract, found, around)
        if each.severity != "note"
    }


def is_proven(config: Path, root: Path, expectations: list[ExpectationFile]) -> bool:
    """Return whether doctor finds nothing wrong, without starting anything."""
    contract = contracts.get(AGENT)
    found = tuple(documents([config.as_posix()], contract))
    engine = HookEngine.load(list(found), contract, trust=lambda spec: True, compat="strict", prestart=False)
    items = tuple(inventory(engine, contract, found))
    configuration = Configuration(
        contract,
        found,
        items=items,
        findings=(),
        expectations=tuple(expectations),
        sources={},
        project=root.as_posix(),
        trust=None,
    )
    report = doctor([configuration], Settings({}, start=False))
    proofs = [each.what for hook in report.hooks for each in hook.checks if each.name == "refuses"]
    return bool(report.hooks) and not report.failed and any("cases refused" in what for what in proofs)


def catcher(config: Path, root: Path, expected: Path, known: set[str]) -> str:
    """Return which command notices that a guard is broken; "" if none does."""
    try:
        if findings(config, root) - known:
            return "check"
        file = read_expectations(expected.as_posix(), {})
        if not is_proven(config, root, [file]):
            return "doctor"
        return "" if chaos([config.as_posix()], cases=None, faults=["no-home", "no-jq"]).held else "chaos"
    except (SandhookError, ConfigError, DecodeError):
        return "check"


@pytest.mark.slow
@pytest.mark.parametrize("name", GUARDS)
def test_broken_guards_are_caught(name: str, tmp_path: Path) -> None:
    caught: dict[str, list[str]] = {}
    harmless = []
    for number, mutant in enumerate(mutants()):
        root = tmp_path / str(number)
        root.mkdir()
        plan = written(AGENT, [name], root)
        config, script = root / plan.config, root / plan.scripts / f"{name}.sh"
        expected = root / plan.scripts / f"{name}.expect.yaml"
        cases = list(read_expectations(expected.as_posix(), {}).cases)
        before = (config.read_bytes(), script.read_bytes(), script.stat().st_mode)
        known = findings(config, root)
        if number == 0:
            sound = decisions(config, root, cases, others(name))
        mutant.apply(config, script)
        if script.exists() and (config.read_bytes(), script.read_bytes(), script.stat().st_mode) == before:
            continue  # the guard has nothing of the kind
        if decisions(config, root, cases, others(name)) == sound:
            harmless.append(mutant.name)
            continue
        caught.setdefault(catcher(config, root, expected, known), []).append(mutant.name)
    total = sum(map(len, caught.values()))
    survivors = caught.get("", [])
    assert total >= 20, harmless
    assert len(survivors) <= total * 0.05, json.dumps(caught, indent=1)
    print(name, {who or "nobody": len(names) for who, names in caught.items()}, survivors, harmless)
