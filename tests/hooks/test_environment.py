"""The variables that a hook has: those that the recorded agents set and remove are those of `strict` and `better`.

docs/contracts/environment.md lists, by agent, the variables that only the agent itself sets. HOME, PATH and the like are those of
the machine on one side, and of the sandbox on the other.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks.model import Compat
from tests.hooks.recordedtools import World, cases, event_of_probe
from tools.agents.records import AGENTS

PAGE = Path(__file__).parents[2] / "docs" / "contracts" / "environment.md"

#: Variables of a shell and of the sandbox.
_BASE = {"HOME", "PATH", "TMPDIR", "PROBE", "USER", "SHELL", "PWD", "OLDPWD", "SHLVL", "_"}


def probes(*beginnings: str) -> list[Any]:
    """Return the probes of the cases whose identifiers begin so."""
    return [
        pytest.param(agent, case, label, id=f"{agent}: {case['id']}: {label}")
        for agent in AGENTS
        for case in cases(agent)
        for label, probe in case.get("probes", {}).items()
        if case["id"].startswith(beginnings) and isinstance(probe["payload"], dict)
    ]


def environment(agent: str, case: dict[str, Any], label: str, compat: Compat) -> dict[str, str]:
    """Return the variables of a hook in the sandbox, for the event whose payload was recorded."""
    world = World(agent, case, compat)
    event, name = event_of_probe(agent, world, case, label)
    world.engine.fire(event)
    world.engine.wait(2.0)
    label = label if world.probe(f"{label}.stdin") else name
    lines = (line.partition("=") for line in world.probe(f"{label}.env").splitlines())
    return {name: value for name, sign, value in lines if sign and name not in _BASE}


@cache
def own_variables() -> dict[str, list[str]]:
    """Return what the page lists as the agent's own, by contract; a name may end in a star."""
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| `(\w+)` \|[^|]*\|([^|]*)\|", text, re.M)
    return {contract: re.findall(r"`([A-Za-z0-9_*]+)`", names) for contract, names in rows}


@pytest.mark.parametrize("compat", ["strict", "better"])
@pytest.mark.parametrize(("agent", "case", "label"), probes("environment."))
def test_the_variables_that_the_agent_removes_are_removed(
    agent: str, case: dict[str, Any], label: str, compat: Compat
) -> None:
    got = environment(agent, case, label, compat)
    lost = [name for name in case.get("env", {}) if name not in got and name not in _BASE]
    assert sorted(lost) == sorted(set(case["probes"][label]["lost"]) - _BASE)


@pytest.mark.parametrize(("agent", "case", "label"), probes("environment."))
def test_variables_with_a_place_have_the_value_that_the_agent_gives(
    agent: str, case: dict[str, Any], label: str
) -> None:
    got, places = environment(agent, case, label, "strict"), case["probes"][label]["places"]
    assert {name: got[name] for name in places if name in got} == {
        name: value for name, value in places.items() if name in got
    }
    for name in set(case.get("env", {})) & set(case["probes"][label]["env"]):
        assert got[name] != "/elsewhere", name  # the agent's own value, and not that of its parent


@pytest.mark.parametrize(
    ("agent", "case", "label"), probes("environment.", "sessions.", "given.", "places.received")
)
def test_a_variable_of_the_agent_is_set_or_is_on_the_page(
    agent: str, case: dict[str, Any], label: str
) -> None:
    got, own = environment(agent, case, label, "strict"), own_variables()[agent]
    recorded = set(case["probes"][label]["env"]) - _BASE
    missing = recorded - set(got)
    stars = tuple(name[:-1] for name in own if name.endswith("*"))
    assert {name for name in missing if name not in own and not name.startswith(stars or "\0")} == set()
    assert set(got) - recorded - set(case.get("env", {})) == set()


def test_the_page_names_no_variable_in_vain() -> None:
    texts = {agent: json.dumps([case.get("probes") for case in cases(agent)]) for agent in AGENTS}
    for agent, names in own_variables().items():
        assert [name for name in names if f'"{name.rstrip("*")}' not in texts[agent]] == []
