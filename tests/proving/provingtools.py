"""Writes projects with guards, and tries them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from sandhook.proving.chaos import Cell, GuardReport, chaos
from sandhook.proving.faults import FaultName

#: A guard as people write it: jq reads the command, and the status 2 refuses.
USUAL = """#!/bin/bash
command=$(jq -r .tool_input.command)
case $command in *"rm -rf"*) echo "rm -rf is not allowed" >&2; exit 2 ;; esac
"""

#: A guard that refuses what it cannot read.
CAREFUL = """#!/bin/bash
command=$(jq -er .tool_input.command) || { echo "unreadable" >&2; exit 2; }
case $command in *"rm -rf"*) echo "rm -rf is not allowed" >&2; exit 2 ;; esac
"""

#: What `sandhook wrap` puts before a script.
WRAPPED = "sandhook hook --contract crush --event PreToolUse --fail-closed --timeout 9 --host -- -c "

EXPECTATIONS = """version: 1
hooks: crush.json
contract: crush
event: PreToolUse
tool: bash
cases:
  - {name: rm -rf is refused, input: {command: rm -rf /}, expect: deny}
  - {name: ls is allowed, input: {command: ls}, expect: proceed}
"""


def project(
    root: Path,
    script: str | bytes,
    *,
    matcher: str = "^bash$",
    command: str = "./guard.sh",
    expectations: str = EXPECTATIONS,
    files: Mapping[str, str] = {},
) -> Path:
    """Write a project of Crush with one guard, and return the hook file."""
    hook = {"command": command, **({"matcher": matcher} if matcher else {})}
    config = root / "crush.json"
    config.write_text(json.dumps({"hooks": {"PreToolUse": [hook]}}), encoding="utf-8")
    guard = root / "guard.sh"
    guard.write_bytes(script.encode() if isinstance(script, str) else script)
    guard.chmod(0o755)
    if expectations:
        (root / "guard.expect.yaml").write_text(expectations, encoding="utf-8")
    for name, text in files.items():
        (root / name).write_bytes(text.encode())
    return config


def project_of_claude(root: Path, script: str) -> Path:
    """Write a project of Claude Code, whose shell starts scripts as the system does, and return the hook file."""
    hook = {"matcher": "Bash", "hooks": [{"type": "command", "command": "./guard.sh"}]}
    (root / ".claude").mkdir()
    config = root / ".claude" / "settings.json"
    config.write_text(json.dumps({"hooks": {"PreToolUse": [hook]}}), encoding="utf-8")
    (root / "guard.sh").write_bytes(script.encode())
    (root / "guard.sh").chmod(0o755)
    expectations = EXPECTATIONS.replace("crush.json", "settings.json\nproject: ..")
    expectations = expectations.replace("contract: crush", "contract: claude_code").replace(
        "tool: bash", "tool: shell"
    )
    (root / ".claude" / "guard.expect.yaml").write_text(expectations, encoding="utf-8")
    return config


def guard_of(config: Path, *faults: FaultName, fail_closed: bool = False) -> GuardReport:
    """Return the report about the only guard of a hook file."""
    report = chaos([config.as_posix()], faults=faults or None, fail_closed=fail_closed)
    assert report.problems == ()
    assert report.untried == ()
    (guard,) = report.guards
    return guard


def cell_of(config: Path, fault: FaultName, *, fail_closed: bool = False) -> Cell:
    """Return what one fault does to the only guard of a hook file."""
    (cell,) = guard_of(config, fault, fail_closed=fail_closed).cells
    return cell
