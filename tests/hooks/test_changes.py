"""tools.agents.changes reports what differs between two records of a case."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.source import ROOT
from tools.agents import claude_code
from tools.agents.changes import (
    confirmed,
    differences,
    known_cases,
    paragraphs,
    program_version,
    scene_of,
)
from tools.agents.convert import DECIDED_BY_RULES
from tools.agents.grid import GRIDS
from tools.agents.records import AGENTS, mapping


def test_records_are_compared_on_systems_without_pseudo_terminals() -> None:
    absent = dict.fromkeys(["fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"])
    text = f"import sys; sys.modules.update({absent}); import tools.agents.changes"
    subprocess.run([sys.executable, "-c", text], cwd=ROOT, check=True)


def test_an_equal_case_has_no_differences() -> None:
    case: dict[str, Any] = {"did": {"ran": ["b", "a"], "halt": False}}
    assert differences(case, {"did": {"ran": ["a", "b"], "halt": False}}) == []


def test_an_aspect_that_changed_is_named() -> None:
    was: dict[str, Any] = {"did": {"refused": True}}
    assert differences(was, {"did": {"refused": False}}) == ["refused: true became false"]


def test_what_became_of_a_call_under_the_agents_own_rules_is_compared() -> None:
    was: dict[str, Any] = {"call": "does not run", "did": {"refused": True}}
    now: dict[str, Any] = {"call": "runs", "did": {"refused": True}}
    assert differences(was, now) == ['call: "does not run" became "runs"']


@pytest.mark.parametrize("agent", AGENTS)
def test_records_of_the_agents_own_rules_have_no_aspect_that_the_converter_leaves_out(agent: str) -> None:
    for case in known_cases(agent):
        if "call" in case:
            assert not {*DECIDED_BY_RULES} & {*mapping(case.get("did"))}, case["id"]


def test_keys_that_a_payload_gained_and_lost_are_named() -> None:
    was: dict[str, Any] = {"probes": {"Stop": {"payload": {"a": 1}, "env": ["X"]}, "Gone": {}}}
    now: dict[str, Any] = {"probes": {"Stop": {"payload": {"b": 1}, "env": ["X"]}}}
    assert differences(was, now) == [
        "payload of Stop has the new key b",
        "payload of Stop lacks a",
        "Gone no longer runs",
    ]


def test_keys_of_the_payload_of_a_case_are_compared_too() -> None:
    was: dict[str, Any] = {"event": "Stop", "fire": [{"session_id": "@ID@"}]}
    now: dict[str, Any] = {"event": "Stop", "fire": [{"session_id": "@ID@", "b": 1}]}
    assert differences(was, now) == ["payload of Stop has the new key b"]


def test_a_payload_that_no_hook_received_is_not_compared() -> None:
    was: dict[str, Any] = {"event": "Stop", "fire": [{"session_id": "s"}]}
    assert differences(was, {"event": "Stop", "fire": [{"session_id": "@ID@", "b": 1}]}) == []


def test_an_aspect_that_the_record_lacks_is_new_and_no_change() -> None:
    assert differences({"did": {"refused": True}}, {"did": {"refused": True, "reason": "no"}}) == [
        'not in the record: reason: "no"'
    ]


@pytest.mark.skipif(os.name == "nt", reason="the program is a script of POSIX")
def test_a_program_that_does_not_run_here_ends_the_comparison(tmp_path: Path) -> None:
    program = tmp_path / "agent"
    program.write_text("#!/bin/sh\necho SyntaxError: no createZstd >&2; exit 1\n")
    program.chmod(0o755)
    with pytest.raises(SystemExit, match=r"exit status 1: SyntaxError: no createZstd .*newer node"):
        program_version(str(program))


@pytest.mark.parametrize(
    ("before", "after", "equal"),
    [
        ("aaaa…[900 characters in all]…aa", "aaaaaa…[900 characters in all]…aa", True),
        ("aaaa…[900 characters in all]…aa", "aaaaaaaaaaaaa", True),
        ("aaaa…[900 characters in all]…aa", "aab…", False),
        ("aaaa", "aaaaa", False),
    ],
)
def test_of_a_text_that_a_record_cuts_the_beginning_counts(before: str, after: str, equal: bool) -> None:
    lines = differences({"did": {"context": before}}, {"did": {"context": after}})
    assert (lines == []) == equal


def test_a_difference_counts_if_a_second_run_has_it_too() -> None:
    first = {"a": ["x", "y"], "b": ["x"], "c": ["x"]}
    assert confirmed(first, {"a": ["x"], "b": ["z"]}) == ({"a": ["x"]}, ["b", "c"])


def test_equal_differences_are_one_paragraph_and_payloads_come_first() -> None:
    found = {str(number): ["halt: true became false"] for number in range(8)}
    found["0"].append("payload of Stop lacks a")
    assert paragraphs(found) == [
        "payload of Stop lacks a\n    0",
        "halt: true became false\n    0, 1, 2, 3, 4, 5 and 2 more",
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
