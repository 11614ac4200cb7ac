"""What a process that fires one hook, or runs one script, imports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

_PROGRAM = """
import sys
from sandhook.hooks.contracts._recognise import fitting
hook = {"event": "pre_tool_use", "executor": {"type": "bash", "command": "exit 0"}}
assert fitting([({"hooks": [hook]}, "hooks.json")]) == ["everruns"]
print(*(name for name in sys.modules if name.count(".") == 3 and "contracts." in name))
"""


def test_recognising_everruns_loads_no_other_agent() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["sandhook.hooks.contracts._recognise"]


#: Prints the modules at the end of a command, which leaves by os._exit.
_COMMAND = """
import os, sys
leave = os._exit
def show(status):
    print(*sys.modules, file=sys.stderr, flush=True)
    leave(status)
os._exit = show
sys.argv[0] = "sandhook"
from sandhook.cli import entry
entry()
"""


_PAYLOAD = json.dumps(
    {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}
)


@pytest.mark.parametrize(
    "arguments",
    [
        ["exec", "-c", "read -r x; echo a | grep -q a"],
        ["fire", "--as-hook", "claude_code", "--hooks", "guard.json", "--contract", "claude_code"],
        ["fire", "--hooks", "guard.json", "--contract", "claude_code", "PreToolUse", "--tool", "Bash"],
    ],
    ids=["exec", "as a hook", "fire"],
)
def test_a_process_for_one_hook_does_not_import_typing(arguments: list[str], tmp_path: Path) -> None:
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": "read -r x; exit 0"}]}
    Path(tmp_path, "guard.json").write_bytes(json.dumps({"hooks": {"PreToolUse": [group]}}).encode())
    done = subprocess.run(
        [sys.executable, "-c", _COMMAND, *arguments],
        input=_PAYLOAD,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    imported = set(done.stderr.split())
    assert "sandhook.shell" in imported
    assert not imported & {"typing", "dataclasses", "inspect"}
