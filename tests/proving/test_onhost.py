"""``chaos`` on this machine: real shells and programs, in copies of the project that are broken."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from sandhook.proving.chaos import Cell, chaos
from sandhook.proving.faults import FaultName
from sandhook.proving.onhost import Machine
from tests.proving.provingtools import CAREFUL, USUAL, project_of_claude
from tests.sandbox.tools import every

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or not shutil.which("bash") or not shutil.which("jq"),
    reason="needs bash and jq of the machine",
)

#: What each fault does to a usual guard of Claude Code, on a machine as in the sandbox.
USUAL_CELLS: dict[FaultName, str] = {
    "no-jq": "allowed",
    "no-shell": "crashed",
    "not-executable": "crashed",
    "script-gone": "crashed",
    "timeout": "crashed",
    "killed": "crashed",
    "out-of-memory": "allowed",
    "empty-stdin": "allowed",
    "truncated-payload": "allowed",
    "payload-not-utf8": "refused",
    "tool-case": "uncovered",
    "no-home": "refused",
    "no-path": "allowed",
    "full-disk": "refused",
    "locale-turkish": "refused",
    "output-first": "refused",
    "background-child": "refused",  # by its own status: Claude Code does not wait for the child
}


def on_host(config: Path, *faults: FaultName) -> list[Cell]:
    report = chaos([config.as_posix()], faults=faults or None, decide=Machine(os.environ).decide)
    assert report.problems == ()
    assert report.untried == ()
    (guard,) = report.guards
    return list(guard.cells)


@pytest.mark.parametrize("fault", every(8, USUAL_CELLS))
def test_a_guard_falls_on_the_machine_as_in_the_sandbox(fault: FaultName, tmp_path: Path) -> None:
    config = project_of_claude(tmp_path, USUAL)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    (cell,) = on_host(config, fault)
    assert cell.result == USUAL_CELLS[fault], cell
    (inside,) = chaos([config.as_posix()], faults=[fault]).guards[0].cells
    assert (inside.result, inside.held) == (cell.result, cell.held), inside
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_careful_guard_holds(tmp_path: Path) -> None:
    config = project_of_claude(tmp_path, CAREFUL)
    cells = on_host(config, "no-jq", "out-of-memory", "truncated-payload", "payload-nul")
    assert [cell.result for cell in cells] == ["refused"] * 4


def test_a_script_behind_a_link_is_not_changed(tmp_path: Path) -> None:
    config = project_of_claude(tmp_path, USUAL)
    real = tmp_path / "real.sh"
    (tmp_path / "guard.sh").rename(real)
    (tmp_path / "guard.sh").symlink_to("real.sh")
    cells = on_host(config, "script-gone", "not-executable", "script-crlf")
    assert [cell.held for cell in cells] == [False] * 3
    assert (real.read_text(), real.stat().st_mode & 0o777) == (USUAL, 0o755)


def test_a_script_outside_of_the_project_is_not_broken(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    config = project_of_claude(root, USUAL)
    real = tmp_path / "real.sh"
    (root / "guard.sh").rename(real)
    config.write_text(config.read_text().replace("./guard.sh", real.as_posix()))
    gone, killed = on_host(config, "script-gone", "killed")
    assert (gone.result, killed.result) == ("skipped", "crashed")
    assert real.exists()


def test_a_disk_is_read_only(tmp_path: Path) -> None:
    script = USUAL.replace("case $command", "echo x >note || exit 0\ncase $command")
    (cell,) = on_host(project_of_claude(tmp_path, script), "read-only-disk")
    superuser = os.geteuid() == 0  # type: ignore[attr-defined,unused-ignore]
    assert cell.result == ("skipped" if superuser else "allowed")


def test_a_disk_is_full(tmp_path: Path) -> None:
    script = USUAL.replace("case $command", "echo x >note || exit 0\ncase $command")
    (cell,) = on_host(project_of_claude(tmp_path, script), "full-disk")
    assert cell.result == "allowed"


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["timeout", "killed", "script-gone", "background-child", "output-first"])
def test_a_wrapped_guard_holds_on_the_machine(fault: FaultName, tmp_path: Path) -> None:
    """The script fails, and not the shell in which sandhook was to be started."""
    config = project_of_claude(tmp_path, USUAL)
    options = "--contract claude_code --event PreToolUse --fail-closed --timeout 9 --host"
    command = f"{sys.executable} -m sandhook hook {options} -- -c ./guard.sh"
    value = json.loads(config.read_text())
    value["hooks"]["PreToolUse"][0]["hooks"][0]["command"] = command
    config.write_text(json.dumps(value))
    (cell,) = on_host(config, fault)
    assert cell.held, cell
