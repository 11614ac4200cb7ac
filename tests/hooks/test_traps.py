"""What an agent drops without a word is a finding: of its recorded runs, each that lost a hook has one."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.hooks.recordedtools import World, cases
from tools.agents.records import AGENTS

#: How a hook is named in the layers of a case: by the label that it writes, or by its script.
_SOUND = re.compile(r"echo b >>|/b\.sh")


def lost() -> list[Any]:
    """Return the records in which the agent has a sound hook that did not run, and nothing was refused."""
    found = []
    for agent in AGENTS:
        for case in cases(agent):
            if not case["id"].startswith(("settings.", "limits.", "arrays.")) or not _SOUND.search(
                str(case["layers"])
            ):
                continue
            if "did" not in case and "does not start" not in case.get("incomparable", ""):
                continue
            did = case.get("did", {"ran": []})
            if "b" not in did["ran"] and did.get("touched") != []:
                found.append(pytest.param(agent, case, id=f"{agent}: {case['id']}"))
    return found


@pytest.mark.parametrize(("agent", "case"), lost())
def test_a_hook_that_the_agent_drops_is_a_finding(agent: str, case: dict[str, Any]) -> None:
    world = World(agent, case, "better")
    assert world.unread or world.engine.problems or world.engine.diagnostics
