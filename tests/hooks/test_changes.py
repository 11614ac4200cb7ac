"""tools.agents.changes reports what differs between two records of a case."""

from __future__ import annotations

from typing import Any

import pytest

from tools.agents import claude_code
from tools.agents.changes import differences, known_cases, scene_of
from tools.agents.grid import GRIDS


def test_an_equal_case_has_no_differences() -> None:
    case: dict[str, Any] = {"did": {"ran": ["b", "a"], "halt": False}}
    assert differences(case, {"did": {"ran": ["a", "b"], "halt": False}}) == []


def test_an_aspect_that_changed_is_named() -> None:
    was: dict[str, Any] = {"did": {"refused": True}}
    assert differences(was, {"did": {"refused": False}}) == ["refused: true became false"]


def test_keys_that_a_payload_gained_and_lost_are_named() -> None:
    was: dict[str, Any] = {"probes": {"Stop": {"payload": {"a": 1}, "env": ["X"]}, "Gone": {}}}
    now: dict[str, Any] = {"probes": {"Stop": {"payload": {"b": 1}, "env": ["X"]}}}
    assert differences(was, now) == [
        "Stop: payload has the new key b",
        "Stop: payload lacks a",
        "Gone no longer runs",
    ]


def test_a_recorded_case_can_be_run_again() -> None:
    case = next(each for each in known_cases("claude_code") if each["id"] == "PreCompact.exit2")
    scene = scene_of(claude_code, case)
    assert scene["turns"] == ["do it", "/compact"]
    assert list(scene["layers"]) == ["project"]  # type: ignore[call-overload]


@pytest.mark.parametrize("agent", GRIDS)
def test_the_cases_of_a_grid_have_names_of_their_own(agent: str) -> None:
    names = [case["id"] for case in GRIDS[agent]()]
    assert len(names) == len(set(map(str, names)))
