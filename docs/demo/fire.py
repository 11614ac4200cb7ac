"""`make demo`: fire events at hooks.json by the command line, and show what a person would see.

The exit status is 0 when every event got the decision that this file expects.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

#: What is fired, what it shows, and the exit status: 0 the agent may proceed, 2 refused.
EVENTS = [
    (
        "A guard refuses a command.",
        ["pre_tool_use", "--tool", "bash", "--input", '{"command":"cd /tmp; rm -rf /"}'],
        2,
    ),
    (
        "It is not asked about others.",
        ["pre_tool_use", "--tool", "bash", "--input", '{"command":"ls -la"}'],
        0,
    ),
    ("A hook changes a prompt.", ["user_prompt_submit", "--prompt", "Summarize the README."], 0),
    (
        "Another one refuses it.",
        ["user_prompt_submit", "--prompt", "Use this: -----BEGIN RSA PRIVATE KEY-----"],
        2,
    ),
    ("A hook that never ends is ended.", ["turn_end"], 0),
]


def main() -> int:
    failed = 0
    for title, arguments, expected in EVENTS:
        command = ["fire", *arguments, "--hooks", "hooks.json"]
        print(f"# {title}\n$ sandhook {shlex.join(command)}", flush=True)
        status = subprocess.run([sys.executable, "-m", "sandhook.cli", *command], cwd=HERE).returncode
        print(f"[exit status {status}]\n", flush=True)
        failed += status != expected
    if failed:
        print(f"{failed} of {len(EVENTS)} events did not get the decision that was expected", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
