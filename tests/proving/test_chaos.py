"""Every fault takes effect: a guard falls for it, and another one holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandhook.proving.chaos import CellResult, Guards, chaos, under_faults
from sandhook.proving.faults import FAULTS, HUGE, NAMES, OUTPUT, FaultName
from sandhook.proving.guards import find_guards
from sandhook.proving.places import one_event
from tests.proving.provingtools import (
    CAREFUL,
    EXPECTATIONS,
    USUAL,
    WRAPPED,
    cell_of,
    guard_of,
    project,
    project_of_claude,
)

REFUSES = 'grep -q "rm -rf" && exit 2; exit 0\n'

#: For each fault a guard that falls for it, and the result.
FALLS: dict[FaultName, tuple[str, CellResult]] = {
    "no-jq": (USUAL, "allowed"),
    "no-shell": (USUAL, "crashed"),
    "no-interpreter": (USUAL, "crashed"),
    "not-executable": (USUAL, "crashed"),
    "script-gone": (USUAL, "crashed"),
    "script-crlf": (USUAL, "crashed"),
    "script-bom": ("#!/bin/sed -f\n/rm -rf/q2\n", "crashed"),
    "timeout": (USUAL, "crashed"),
    "killed": (USUAL, "crashed"),
    "out-of-memory": (USUAL, "allowed"),
    "empty-stdin": (USUAL, "allowed"),
    "truncated-payload": (USUAL, "allowed"),
    "huge-payload": ("#!/bin/bash\ninput=$(cat)\n((${#input} > 1000000)) && exit 0\n" + REFUSES.replace("grep", '<<<"$input" grep', 1), "allowed"),
    "payload-not-utf8": ("#!/bin/bash\ninput=$(cat)\nLC_ALL=C grep -q $'\\xff' <<<\"$input\" && exit 0\nexit 2\n", "allowed"),
    "payload-nul": ("#!/bin/bash\njq -e '.tool_input.command == \"rm -rf /\"' && exit 2\nexit 0\n", "allowed"),
    "unknown-tool": (USUAL, "uncovered"),
    "tool-case": (USUAL, "uncovered"),
    "mcp-tool": (USUAL, "uncovered"),
    "no-home": ("#!/bin/bash\n[ -n \"$HOME\" ] || exit 0\n" + REFUSES, "allowed"),
    "no-path": (USUAL, "allowed"),
    "no-tmpdir": ("#!/bin/bash\nfile=$(mktemp) || exit 0\n" + REFUSES, "allowed"),
    "no-cwd": (USUAL, "crashed"),
    "read-only-disk": ("#!/bin/bash\necho x >log.txt || exit 0\n" + REFUSES, "allowed"),
    "full-disk": ("#!/bin/bash\necho x >log.txt || exit 0\n" + REFUSES, "allowed"),
    "locale-c": ("#!/bin/bash\ntext=é\n[ ${#text} = 1 ] || exit 0\n" + REFUSES, "allowed"),
    "locale-turkish": ("#!/bin/bash\ncase $LC_ALL in tr*) exit 0 ;; esac\n" + REFUSES, "allowed"),
    "output-first": ("#!/bin/bash\ngrep -q 'rm -rf' && echo '{\"decision\": \"deny\"}'\nexit 0\n", "allowed"),
    "background-child": (USUAL, "crashed"),
}  # fmt: skip


def test_the_table_has_every_fault() -> None:
    assert tuple(fault.name for fault in FAULTS) == NAMES
    assert tuple(FALLS) == NAMES
    assert (HUGE, OUTPUT) == (8 << 20, 1 << 20)
    assert all(fault.what and fault.advice for fault in FAULTS)


@pytest.mark.parametrize("name", NAMES)
def test_a_guard_falls_for_a_fault(tmp_path: Path, name: FaultName) -> None:
    script, result = FALLS[name]
    # Crush starts scripts by rules of its own
    write = project_of_claude if name in ("not-executable", "script-crlf", "script-bom") else project
    cell = cell_of(write(tmp_path, script), name)
    assert (cell.result, cell.held) == (result, False), cell.reason
    assert cell.reason
    assert cell.case == "rm -rf is refused"


@pytest.mark.parametrize("name", NAMES)
def test_a_careful_guard_that_is_wrapped_holds(tmp_path: Path, name: FaultName) -> None:
    config = project(tmp_path, CAREFUL, matcher="", command=f"{WRAPPED}./guard.sh")
    guard = guard_of(config, name)
    assert guard.through_sandhook
    (cell,) = guard.cells
    assert cell.held, cell.reason


@pytest.mark.parametrize("name", ["timeout", "killed", "script-gone", "no-interpreter", "no-shell"])
def test_fail_closed_refuses_where_the_guard_could_not_run(tmp_path: Path, name: FaultName) -> None:
    config = project(tmp_path, USUAL)
    assert not cell_of(config, name).held
    cell = cell_of(config, name, fail_closed=True)
    assert (cell.result, cell.held) == ("crashed", True)
    assert cell.reason.endswith("refused all the same")


def test_wrapped_without_fail_closed_lets_pass(tmp_path: Path) -> None:
    config = project(tmp_path, CAREFUL, command=f"{WRAPPED}./guard.sh".replace("--fail-closed ", ""))
    assert not cell_of(config, "killed").held


def test_a_fault_that_does_not_concern_a_guard_is_skipped(tmp_path: Path) -> None:
    config = project(tmp_path, "", command="case $CRUSH_TOOL_INPUT_COMMAND in *'rm -rf'*) exit 2;; esac")
    cells = guard_of(config, "no-jq", "script-gone", "script-crlf", "out-of-memory").cells
    assert [(cell.result, cell.held) for cell in cells] == [("skipped", True)] * 4
    assert cells[1].reason == "it runs no script file"


def test_what_is_not_refused_without_a_fault_is_let_pass(tmp_path: Path) -> None:
    report = chaos([project(tmp_path, USUAL.replace("exit 2", "exit 1")).as_posix()])
    (case,) = report.untried
    assert (report.guards, report.let_pass, report.held) == ((), True, False)
    assert (case.name, case.let_pass) == ("rm -rf is refused", True)
    assert "exit status 1: rm -rf is not allowed" in case.why


def test_a_hook_without_expectations_is_not_tried(tmp_path: Path) -> None:
    config = project(tmp_path, USUAL)
    text = config.read_text().replace(
        '"PreToolUse": [', '"PreToolUse": [{"command": "./other.sh", "matcher": "^edit$"}, '
    )
    config.write_text(text)
    (tmp_path / "guard.expect.yaml").write_text(EXPECTATIONS.replace("contract:", "only: guard\ncontract:"))
    report = chaos([config.as_posix()], faults=["no-home"])
    assert [each.name for each in report.untried] == ["PreToolUse[0]"]
    assert (report.let_pass, report.complete, report.held) == (False, False, False)


def test_without_expectations_nothing_is_tried(tmp_path: Path) -> None:
    report = chaos([project(tmp_path, USUAL, expectations="").as_posix()])
    assert report.guards == ()
    assert [(each.name, each.line) for each in report.untried] == [("PreToolUse[0]", 1)]
    assert not report.held


def test_another_guard_does_not_hide_a_weak_one(tmp_path: Path) -> None:
    config = project(tmp_path, USUAL, files={"strong.sh": "#!/bin/bash\nexit 2\n"})
    (tmp_path / "strong.sh").chmod(0o755)
    text = config.read_text().replace('"PreToolUse": [', '"PreToolUse": [{"command": "./strong.sh"}, ')
    config.write_text(text)
    report = chaos([config.as_posix()], faults=["empty-stdin"])
    assert [guard.cells[0].result for guard in report.guards] == ["refused", "allowed"]


def test_expectations_are_found_below_the_file_and_named(tmp_path: Path) -> None:
    config = project(tmp_path, USUAL, expectations="")
    hidden = tmp_path / ".crush" / "hooks"
    hidden.mkdir(parents=True)
    (hidden / "a.expect.yaml").write_text(
        EXPECTATIONS.replace("hooks: crush.json", "hooks: ../../crush.json\nproject: ../..")
    )
    assert len(chaos([config.as_posix()], faults=["no-home"]).guards) == 1
    elsewhere = tmp_path / "a" / "b" / "c" / "d" / "e"
    elsewhere.mkdir(parents=True)
    moved = (hidden / "a.expect.yaml").rename(elsewhere / "a.expect.yaml")
    moved.write_text(
        EXPECTATIONS.replace(
            "hooks: crush.json", f"hooks: {config.as_posix()}\nproject: {tmp_path.as_posix()}"
        )
    )
    assert chaos([config.as_posix()], faults=["no-home"]).guards == ()
    report = chaos([config.as_posix()], expectations=[moved.as_posix()], faults=["no-home"])
    assert report.held
    assert chaos([moved.as_posix()], faults=["no-home"]).held


def test_a_fault_in_a_file_of_expectations_is_a_problem(tmp_path: Path) -> None:
    config = project(tmp_path, USUAL, expectations=EXPECTATIONS.replace("expect: deny", "expect: denied"))
    report = chaos([config.as_posix()])
    assert [problem.path for problem in report.problems] == ["cases[0].expect"]
    assert not report.complete


def test_one_event_needs_no_expectations(tmp_path: Path) -> None:
    config = project(tmp_path, USUAL, expectations="").as_posix()
    payload = {"tool_name": "bash", "tool_input": {"command": "rm -rf /"}}
    file = one_event([config], None, "PreToolUse", payload, tmp_path.as_posix())
    (guard,) = under_faults(Guards(find_guards([file])), faults=["no-jq"]).guards
    assert guard.cells[0].result == "allowed"


def test_at_most_so_many_cases_are_tried(tmp_path: Path) -> None:
    rows = "".join(
        f"  - {{name: case {number}, input: {{command: rm -rf /{number}}}, expect: deny}}\n"
        for number in range(9)
    )
    config = project(tmp_path, USUAL, expectations=EXPECTATIONS + rows).as_posix()
    tried = [chaos([config], faults=["no-home"], cases=most).guards[0].tried for most in (1, 3, None)]
    assert [len(names) for names in tried] == [1, 3, 10]
    assert tried[1] == ("rm -rf is refused", "case 3", "case 8")


def test_the_project_is_not_changed(tmp_path: Path) -> None:
    config = project(tmp_path, "#!/bin/bash\necho x >made.txt\nrm -f guard.expect.yaml\nexit 2\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    chaos([config.as_posix()])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("command", "script"),
    [("./guard.sh", "#!/usr/bin/env python3\nexit(2)\n"), ("python3 guard.sh", "exit(2)\n")],
)
def test_a_guard_for_another_interpreter_is_not_tried(tmp_path: Path, command: str, script: str) -> None:
    report = chaos([project(tmp_path, script, command=command).as_posix()])
    (case,) = report.untried
    assert (report.guards, report.let_pass, report.complete, case.let_pass) == ((), False, False, False)
    assert case.why.startswith("the sandbox lacks python3; ")


def test_a_guard_whose_script_is_gone_lets_pass(tmp_path: Path) -> None:
    config = project(tmp_path, USUAL)
    (tmp_path / "guard.sh").unlink()
    report = chaos([config.as_posix()])
    assert report.let_pass
    assert "could not run" in report.untried[0].why
