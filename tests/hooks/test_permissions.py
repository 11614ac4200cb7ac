"""Hooks and the agents' own rules: the page has the tables of the records, and `check` knows what an approval replaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandhook.hooks import contracts
from tests.hooks.recordedtools import cases
from tools.agents.permissions import tables
from tools.agents.records import AGENTS

PAGE = Path(__file__).parents[2] / "docs" / "contracts" / "permissions.md"


@pytest.mark.parametrize("agent", AGENTS)
def test_the_page_has_the_tables_of_the_records(agent: str) -> None:
    assert tables(agent) in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("agent", AGENTS)
def test_an_approval_that_replaces_a_refusal_of_the_agent_is_known(agent: str) -> None:
    calls = {case["id"]: case["call"] for case in cases(agent) if "call" in case}
    replaced = [
        name
        for name, call in calls.items()
        if name.endswith(".deny.allow")
        and call == "runs"
        and calls[name.removesuffix("allow") + "none"] != "runs"
    ]
    assert bool(replaced) == bool(contracts.get(agent).outranked_rules)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_refusal_of_a_hook_counts_in_every_mode(agent: str) -> None:
    for case in cases(agent):
        if "call" in case and case["id"].endswith(".deny") and case.get("did", {}).get("ran"):
            assert case["call"] != "runs", case["id"]
