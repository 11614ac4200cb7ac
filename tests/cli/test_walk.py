"""Each command that shows something, as people run it: on terminals of several widths, in pipes, and with JSON in a pipe."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from sandhook.cli import COMMANDS
from sandhook.cli.outputs import OUTPUTS
from sandhook.journal.schema import Decided, HookRun
from tests.cli.schemas import check
from tests.replay.replaytools import entry, write
from tests.sandbox.tools import every

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals of this kind", allow_module_level=True)

from rich.cells import cell_len

from tests.cli.terminals import ATTRIBUTES, in_terminal

Sandhook = Callable[..., Any]

#: A colour: what NO_COLOR and --color never leave out. Bold and faint remain.
COLOR = re.compile(r"\x1b\[[\d;]*\b(?:3[0-8]|4[0-8]|9\d)[\d;]*m")

GUARD = b"""#!/bin/bash
case "$(cat)" in *"rm -rf"*)
  echo "this deletes files, and an agent must not do that in this project without asking a person first" >&2
  exit 2 ;;
esac
"""

EXPECTATIONS = """\
version: 1
hooks: hooks.json
contract: claude_code
event: tool.pre
tool: shell
cases:
  - name: rm -rf is refused, whatever else the command line of the agent has before or after it
    input: { command: rm -rf / }
    expect: deny
"""

#: One command line for each; a status other than 0 where something is found.
WALKS: dict[str, tuple[int, tuple[str, ...]]] = {
    "check": (1, ("hooks.json",)),
    "list": (0, ("--hooks", "hooks.json")),
    "explain": (0, ("PreToolUse", "--hooks", "hooks.json", "--tool", "Bash", "-v")),
    "fire": (2, ("PreToolUse", "--hooks", "hooks.json", "--tool", "Bash", "--input", '{"command": "rm -rf /"}', "--steps")),
    "vet": (0, ("hooks.json",)),
    "portability": (1, ("hooks.json", "--agent", "claude_code", "gemini")),
    "doctor": (1, ("--agent", "claude_code", "--tries", "1", "--sandbox")),
    "chaos": (1, ("hooks.json", "--fault", "no-jq,empty-stdin,no-path")),
    "test": (0, ("hooks.expect.yaml",)),
    "stats": (0, ("record.jsonl",)),
    "replay": (0, ("record.jsonl", "--hooks", "hooks.json", "--engine", "local")),
    "record": (0, ("import", str(Path(__file__).parents[1] / "replay" / "transcripts"), "-o", "imported.jsonl")),
    "status": (0, ()),
    "trust": (0, ("hooks.json", "--show")),
    "init": (0, ("--list",)),
    "convert": (0, ("hooks.json", "--to", "gemini")),
    "install": (0, ("hooks.json", "--agent", "gemini", "--dry-run")),
    "watch": (1, ("--once", "hooks.json")),
    "serve": (3, ("--status", "--socket", "none.sock")),
}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    """Return a project with a long command, a guard that is not there, a hook that does nothing, and a record."""
    made = tmp_path / "project"
    (made / ".claude").mkdir(parents=True)
    (made / "guard.sh").write_bytes(GUARD)
    (made / "guard.sh").chmod(0o755)
    long = "./guard.sh --strict --with-a-long-option=value --and-another=" + "x" * 40
    commands = [("Bash", long), ("Write|Edit", "./gone.sh"), ("Read", "true")]
    groups = [
        {"matcher": tool, "hooks": [{"type": "command", "command": command, "timeout": 5}]}
        for tool, command in commands
    ]
    text = json.dumps({"hooks": {"PreToolUse": groups}}, indent=1)
    (made / "hooks.json").write_bytes(text.encode())
    (made / ".claude" / "settings.json").write_bytes(text.encode())
    (made / "hooks.expect.yaml").write_bytes(EXPECTATIONS.encode())
    runs = (HookRun("PreToolUse[0] with a rather long name of a hook", "00", duration_ms=1.0),)
    refused = entry(1, "rm -rf a", decided=Decided(True, "deny", reason="no rm"))
    write(made / "record.jsonl", [refused._replace(hooks=runs), entry(2, "ls")])
    return made


def test_every_command_with_output_is_walked() -> None:
    shown = {*WALKS} - {"restore", "uninstall", "unwrap", "wrap"}
    assert shown | {"restore", "uninstall", "unwrap", "wrap"} == {*OUTPUTS}
    assert {*WALKS} <= {*COMMANDS}


def walk(command: str, project: Path, *more: str, columns: int = 80, **env: str) -> Any:
    _, arguments = WALKS[command]
    return in_terminal(
        command, *arguments, *more, cwd=project, columns=columns, CI="1", SANDHOOK_SOCKET="", **env
    )


@pytest.mark.parametrize(
    "columns", [pytest.param(60, marks=pytest.mark.slow), 80, pytest.param(140, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("command", WALKS)
def test_it_fits_a_terminal(command: str, columns: int, project: Path) -> None:
    shown = walk(command, project, columns=columns)
    assert (shown.status, "internal error" in shown.text) == (WALKS[command][0], False), shown.text
    drawn = [
        line for line in shown.text.split("\n") if not line.startswith(("note: ", "skipped "))
    ]  # standard error wraps
    if command not in ("convert", "install", "serve"):  # texts for a file, and a path
        assert max(map(cell_len, drawn)) <= columns, shown.text
    assert shown.text.strip()


@pytest.mark.slow
@pytest.mark.parametrize("command", WALKS)
def test_no_color(command: str, project: Path) -> None:
    for shown in (walk(command, project, NO_COLOR="1"), walk(command, project, "--color", "never")):
        assert not COLOR.search(shown.raw), shown.raw


@pytest.mark.slow
@pytest.mark.parametrize("command", WALKS)
def test_a_pipe_gets_plain_text(command: str, project: Path) -> None:
    piped = in_pipe(command, *WALKS[command][1], cwd=project)
    assert piped.returncode == WALKS[command][0] and piped.stdout
    assert b"\x1b" not in piped.stdout and b"\r" not in piped.stdout


@pytest.mark.parametrize("command", every(3, WALKS))
def test_json_in_a_pipe_while_messages_are_on_a_terminal(command: str, project: Path) -> None:
    """A bar on the terminal once took the place of standard output, and jq received nothing."""
    status, arguments = WALKS[command]
    more = ("--format", "json", "--color", "always")
    code, out, err = half_terminal(command, *arguments, *more, cwd=project)
    assert code == status, (out, err)
    for text in out.splitlines() if command == "watch" else [out]:
        check(command, text)
    assert "{" not in ATTRIBUTES.sub("", err)


def environment() -> dict[str, str]:
    """Return the variables of a person at a terminal, outside of continuous integration."""
    own = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR", "COLUMNS")}
    return own | {
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        "SANDHOOK_NO_CACHE": "1",
        "SANDHOOK_SOCKET": "",
    }


def in_pipe(*argv: str, cwd: Path) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "sandhook", *argv],
        cwd=cwd,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def half_terminal(*argv: str, cwd: Path) -> tuple[int, str, str]:
    """Run a command with a pipe as its standard output and a terminal as its standard error, as before ``| jq``."""
    import pty

    ours, theirs = pty.openpty()
    pieces: list[bytes] = []

    def read() -> None:
        while True:
            try:
                piece = os.read(ours, 65_536)
            except OSError:  # Linux: EIO once nobody has the other end
                return
            if not piece:
                return
            pieces.append(piece)

    with subprocess.Popen(
        [sys.executable, "-m", "sandhook", *argv],
        cwd=cwd, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs,
    ) as child:  # fmt: skip
        os.close(theirs)
        reader = Thread(target=read)
        reader.start()
        assert child.stdout is not None
        out = child.stdout.read()
    reader.join()
    os.close(ours)
    return child.returncode, out.decode(), b"".join(pieces).decode()
