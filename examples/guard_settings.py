"""Guard a Claude Code settings file, and refuse an attack: ``python examples/guard_settings.py``.

Everything happens in a temporary directory: no settings of this machine are touched.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sandhook.cli import main as sandhook

SETTINGS = '{\n  "model": "opus",\n  "permissions": {"allow": ["Bash(ls *)"]}\n}\n'

AGENT = "claude_code"
FIRE = ("fire", "PreToolUse", "--contract", AGENT, "--tool", "Bash", "--input")

#: Title and command lines, in their order.
SCENES: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...] = (
    (
        "Write a guard, and its expectations",
        (("init", "--agent", AGENT, "--recipe", "destructive-commands"), ("test", f"hooks/{AGENT}")),
    ),
    (
        "Add it to the settings that Claude Code reads; other keys stay",
        (("install", f"hooks/{AGENT}/hooks.json", "--agent", AGENT), ("status",)),
    ),
    (
        "The agent is made to run an attack",
        (
            ("trust", ".claude/settings.json", "--contract", AGENT, "--yes"),
            (*FIRE, '{"command": "cd build && sudo rm -rf /"}'),
            (*FIRE, '{"command": "ls build"}'),
        ),
    ),
    (
        "Is the guard on?",
        (("doctor", "--agent", AGENT, "--tries", "3"),),
    ),
    (
        "What if something breaks that it needs?",
        (("chaos", f"hooks/{AGENT}/hooks.json", "--fault", "no-jq,no-home,empty-stdin,output-first"),),
    ),
    (
        "Where else would it run?",
        (("portability", "--contract", AGENT, "--agent", AGENT, "codex", "--system", "linux", "windows"),),
    ),
)

NEXT = (
    "In your project: `sandhook init`, `sandhook install`, and `sandhook watch` while you change the guard.\n"
    "docs/howto/start-with-recipes.md explains each step."
)


def show(title: str, commands: Sequence[tuple[str, ...]]) -> None:
    """Print a title, and each command line with what it prints."""
    print(f"== {title}", flush=True)
    for command in commands:
        words = (f"'{word}'" if set(word) & set(' "&') else word for word in command)
        print(f"$ sandhook {' '.join(words)}", flush=True)
        sandhook(command)
    print(flush=True)


def main() -> None:
    """Play every scene in a project of its own."""
    before, here = dict(os.environ), Path.cwd()
    with tempfile.TemporaryDirectory() as directory:
        project = Path(directory) / "project"
        (project / ".claude").mkdir(parents=True)
        (project / ".claude" / "settings.json").write_text(SETTINGS, encoding="utf-8")
        home = str(Path(directory) / "home")
        os.environ.update(HOME=home, USERPROFILE=home, LOCALAPPDATA=home, SANDHOOK_NO_CACHE="1")
        os.environ.pop("XDG_DATA_HOME", None)
        os.environ.pop("XDG_CONFIG_HOME", None)
        os.chdir(project)
        try:
            for title, commands in SCENES:
                show(title, commands)
        finally:
            os.chdir(here)
            os.environ.clear()
            os.environ.update(before)
    print(f"== Next\n{NEXT}\n")


if __name__ == "__main__":
    main()
