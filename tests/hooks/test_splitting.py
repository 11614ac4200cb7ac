"""A path that the shell splits at a blank is named where the hook could not run because of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import HookEngine
from sandhook.hooks.checks.reading import read
from sandhook.hooks.checks.splitting import path_with_blank, split_note
from sandhook.hooks.contracts import Document, names
from sandhook.hooks.events import ToolPre
from sandhook.hooks.runner import SandboxRunner
from sandhook.vfs.memory import MemoryFileSystem
from tests.hooks.test_silencing import GUARDS

PLACE = {"P": "/my project", "Q": "/project"}
IF = "the shell splits paths at blanks: if {!r} is one path, write it in quotes"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("/a/my hooks/g.sh x", "/a/my hooks/g.sh"),
        ("bash ./my hooks/g.sh", "./my hooks/g.sh"),
        ("bash -e ./my hooks/g.sh", None),
        ("python3 .claude/my own hooks/g.py --x", ".claude/my own hooks/g.py"),
        ("~/my hook.sh", "~/my hook.sh"),
        ("'/a/my hooks/g.sh' x", None),
        (r"/a/my\ hooks/g.sh", None),
        ("./guard.sh --fast", None),
        ("./guard.sh strict", None),
        ("./guard.sh /etc/x.sh", None),
        ("guard a/b.sh", None),
        ("cat a b.sh", None),
    ],
)  # fmt: skip
def test_what_looks_like_one_path(text: str, path: str | None) -> None:
    assert path_with_blank(read(text, {}).acts[0]) == path


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("$P/g.sh", "$P is not quoted, and is '/my project': the shell splits it"),
        ("bash ${P}/g.sh", "$P is not quoted, and is '/my project': the shell splits it"),
        ('"$P"/g.sh', None),
        ("$Q/g.sh", None),
        ("cat $P", None),
        ("/my hooks/g.sh", IF.format("/my hooks/g.sh")),
        ("if (", None),
    ],
)
def test_the_note(text: str, note: str | None) -> None:
    assert split_note(text, PLACE) == note


def test_a_path_of_windows_is_shown_as_it_is_written() -> None:
    note = split_note("$P/g.sh", {"P": r"C:\my project"})
    assert note == r"$P is not quoted, and is 'C:\my project': the shell splits it"


def notes_of(contract: str, command: str, **options: Any) -> str:
    value = json.loads(json.dumps(GUARDS[contract]).replace('"guard"', json.dumps(command)))
    engine = HookEngine.load(Document(value, "hooks.json"), contract, **options)
    (outcome,) = engine.fire(ToolPre("Bash", {"command": "ls"})).outcomes
    return "\n".join(outcome.verdict.diagnostics)


@pytest.mark.parametrize("contract", [name for name in names() if name != "ub"])  # which starts no shell
def test_the_outcome_has_it(contract: str) -> None:
    files = MemoryFileSystem()
    assert IF.format("/my hooks/g.sh") in notes_of(contract, "/my hooks/g.sh", runner=SandboxRunner(files))
    assert "splits" not in notes_of(contract, "/nosuch/g.sh", runner=SandboxRunner(files))


@pytest.mark.skipif(sys.platform == "win32", reason="the shell of the agent is another one")
def test_a_variable_on_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "my project"
    project.mkdir()
    (project / "g.sh").write_bytes(b"#!/bin/sh\nexit 2\n")
    (project / "g.sh").chmod(0o755)
    monkeypatch.chdir(project)
    command = "$CLAUDE_PROJECT_DIR/g.sh"
    expected = f"$CLAUDE_PROJECT_DIR is not quoted, and is {project.as_posix()!r}: the shell splits it"
    assert expected in notes_of("claude_code", command, host=True, trust=lambda spec: True)
    assert "splits" not in notes_of("claude_code", f'"{command}"', host=True, trust=lambda spec: True)
