"""Records the terminal of the README: ``python -m tools.recording`` writes docs/images/terminal.svg.

The commands run in a new directory, with a home of their own, and what they print is drawn in colour.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from tools.pictures import DOCS, mark

#: What is typed. The first words are those of the first page of the documentation.
COMMANDS = (
    "sandhook init --agent claude_code --recipe destructive-commands",
    'sandhook fire --hooks .claude/settings.json --contract claude_code PreToolUse --tool Bash --input \'{"command": "rm -rf ~/"}\'',
    "sandhook test .claude/hooks",
    "sandhook chaos .claude/settings.json --fault no-jq,script-gone,timeout,truncated-payload",
)

_WIDTH = 112


def text() -> str:
    """Return what the recording depends on, for its mark."""
    return "\n".join(COMMANDS)


def main() -> None:
    console = Console(record=True, width=_WIDTH, file=io.StringIO())
    with tempfile.TemporaryDirectory() as directory:
        project = Path(directory, "project")
        project.mkdir()
        environment = os.environ | {"HOME": directory, "USERPROFILE": directory, "COLUMNS": str(_WIDTH)}
        for number, command in enumerate(COMMANDS):
            words = [sys.executable, "-m", *shlex.split(command), "--color", "always"]
            done = subprocess.run(words, cwd=project, env=environment, capture_output=True, text=True)
            console.print(Text("\n" if number else "") + Text("$ ", "bold green") + Text(command, "bold"))
            shown = (done.stdout + done.stderr).replace(os.path.realpath(project), "~/project")
            console.print(Text.from_ansi(shown.rstrip("\n")))
    svg = console.export_svg(title="sandhook", unique_id="terminal")
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.S)  # fonts from elsewhere
    (DOCS / "images" / "terminal.svg").write_text(f"{mark(text())}\n{svg}", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
