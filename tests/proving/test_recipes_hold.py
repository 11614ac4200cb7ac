"""Every recipe under every fault: what a script can hold, the recipe holds, and all of it if it is wrapped."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandhook.hooks import contracts
from sandhook.installation.places import Place
from sandhook.installation.wrapping import Options, wrapping
from sandhook.proving.chaos import chaos
from sandhook.proving.faults import NAMES, OF_THE_TOOL, FaultName
from sandhook.recipes import catalogue
from tests.recipes.recipetools import products, written
from tests.recipes.test_recipes import SAMPLE
from tests.sandbox.tools import every

#: Faults by which a script does not run, or its answer is not read in time: only its agent can refuse then.
OUT_OF_REACH: frozenset[FaultName] = frozenset(
    {
        *("no-shell", "no-interpreter", "not-executable", "script-gone", "script-crlf", "timeout", "killed"),
        *("no-cwd", "output-first", "background-child"),
    }
)

#: Those that run by default.
USUAL = ("protected-paths", "secrets-in-prompts", "turn-budget")

#: Recipes that refuse, or keep the agent working.
GUARDS = [
    (name, agent) for name, agent in products() if catalogue.get(name).action in ("refuse", "keep-working")
]


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        pytest.param(name, agent, marks=[] if SAMPLE[name] == agent and name in USUAL else [pytest.mark.slow])
        for name, agent in GUARDS
    ],
)
def test_a_recipe_holds_what_a_script_can_hold(name: str, agent: str, tmp_path: Path) -> None:
    plan = written(agent, [name], tmp_path)
    faults = [fault for fault in NAMES if fault not in OUT_OF_REACH]
    report = chaos([(tmp_path / plan.config).as_posix()], faults=faults)
    assert report.untried == ()
    assert report.guards  # an agent whose matchers have one name each has several hooks
    cells = [cell for guard in report.guards for cell in guard.cells]
    assert [cell for cell in cells if not cell.held and cell.result != "uncovered"] == []
    assert {cell.fault for cell in cells if cell.result == "uncovered"} <= OF_THE_TOOL


#: The first three agents of the starter set, and one that reads nothing but exit statuses.
WRAPPED = [("destructive-commands", agent) for agent in ("claude_code", "codex", "cursor", "crush")]


@pytest.mark.parametrize(("name", "agent"), every(4, WRAPPED))
def test_a_wrapped_recipe_holds_everything(name: str, agent: str, tmp_path: Path) -> None:
    plan = written(agent, [name], tmp_path)
    contract, config = contracts.get(agent), tmp_path / plan.config
    place = Place(agent, "project", config.as_posix())
    found = wrapping(contract, place, config.read_bytes(), Options())
    text = config.read_text()
    for rewrite in found.operation.rewrites:
        for key, old in rewrite.old.items():
            text = text.replace(_json(old), _json(rewrite.new[key]))
    config.write_text(text)
    report = chaos([config.as_posix()])
    (guard,) = report.guards
    assert guard.through_sandhook
    assert [cell for cell in guard.cells if not cell.held and cell.result != "uncovered"] == []
    assert report.held


def _json(value: object) -> str:
    import json

    return json.dumps(value)


def test_a_recipe_that_refuses_nothing_has_no_guard(tmp_path: Path) -> None:
    for name in ("audit-log", "session-context", "format-after-edit", "secrets-in-tool-output"):
        root = tmp_path / name
        root.mkdir()
        plan = written("claude_code", [name], root)
        report = chaos([(root / plan.config).as_posix()])
        assert (report.guards, report.untried, report.held) == ((), (), False)
