"""What firing a hook of one agent imports."""

from __future__ import annotations

import subprocess
import sys

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
