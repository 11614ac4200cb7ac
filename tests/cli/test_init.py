"""``sandhook init``: what it writes, what it leaves alone, and that the other commands find nothing wrong in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sandhook.hooks import contracts
from tests.cli.conftest import RunResult
from tests.cli.terminals import in_terminal
from tests.sandbox.tools import every

Run = Callable[..., RunResult]


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    monkeypatch.chdir(made)
    return made


@pytest.mark.parametrize("agent", ["claude_code", "codex", "copilot", "gemini", "grok"])
def test_the_agent_itself_reads_the_reason_of_a_guard(sandhook: Run, project: Path, agent: str) -> None:
    assert sandhook("init", "--agent", agent, "--recipe", "git-history").status == 0
    (config,) = [name for name in contents(project) if name.endswith(".json")]
    call = ("fire", "tool.pre", "--contract", agent, "--hooks", config, "--tool")
    tool = contracts.get(agent).vocabulary().of_class("shell")[0]
    result = sandhook(*call, tool, "--input", '{"command": "git push --force"}', "--compat", "strict")
    assert (result.status, result.stdout.count("rewrites or removes what others have")) == (2, 2), result


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal of POSIX")
@pytest.mark.parametrize("columns", [60, 140])
def test_the_next_steps_fit_the_terminal(project: Path, columns: int) -> None:
    shown = in_terminal("init", "--agent", "gemini", "--recipe", "git-history", cwd=project, columns=columns)
    assert shown.status == 0
    steps = shown.text.partition("next:\n")[2].splitlines()
    assert max(map(len, steps)) <= columns
    assert len(steps) == (8 if columns == 60 else 4)


def contents(project: Path) -> dict[str, bytes]:
    return {
        path.relative_to(project).as_posix(): path.read_bytes()
        for path in sorted(project.rglob("*"))
        if path.is_file()
    }


def test_the_agents_of_the_project_get_the_starter_set(sandhook: Run, project: Path) -> None:
    (project / ".claude").mkdir()
    (project / "GEMINI.md").touch()
    result = sandhook("init")
    assert result.status == 0
    written = contents(project)
    assert {".claude/settings.json", ".gemini/settings.json"} <= written.keys()
    for name in ("destructive-commands", "protected-paths", "secrets-in-tool-input", "git-history"):
        script = project / f".claude/hooks/{name}.sh"
        assert script.read_bytes().startswith(b"#!/bin/bash\n")
        assert os.access(script, os.X_OK) or sys.platform == "win32"
        assert f".gemini/hooks/{name}.expect.yaml" in written
    assert "wrote .claude/settings.json (the hooks of claude_code)\n" in result.stdout
    assert "  sandhook test .claude/hooks   " in result.stdout
    assert "  sandhook check --contract gemini .gemini/settings.json   " in result.stdout
    assert "install" not in result.stdout


def test_one_note_for_all_recipes_says_what_to_do(sandhook: Run, project: Path) -> None:
    result = sandhook("init", "--agent", "kimi")
    assert result.stderr == (
        "note: destructive-commands, protected-paths, secrets-in-tool-input, git-history: if it cannot run, Kimi Code"
        " lets the action pass; `sandhook wrap` makes it refuse\n"
    )


def test_what_is_written_works_in_the_other_commands(sandhook: Run, project: Path) -> None:
    assert sandhook("init", "--agent", "claude_code", "--recipe", "git-history", "turn-budget").status == 0
    check = sandhook("check", "--strict", "--contract", "claude_code", ".claude/settings.json")
    assert check.status == 0
    assert check.stdout == (
        ".claude/settings.json: note N-STATE: nobody approved 2 hooks, and sandhook runs them only after: "
        "sandhook trust .claude/settings.json\n"
        "1 note in 2 hooks of .claude/settings.json\n"
    )
    assert sandhook("trust", "--yes", ".claude/settings.json").status == 0
    check = sandhook("check", "--strict", "--contract", "claude_code", ".claude/settings.json")
    assert (check.status, check.stdout) == (0, "nothing found in 2 hooks of .claude/settings.json\n")
    assert sandhook("test", ".").status == 0
    fire = ("fire", "PreToolUse", "--hooks", ".claude/settings.json", "--tool", "Bash", "--input")
    assert sandhook(*fire, '{"command": "git push -f"}').status == 2
    assert sandhook(*fire, '{"command": "git push"}').status == 0


@pytest.mark.parametrize("agent", ["antigravity", "goose", "hermes", "kimi", "mistral_vibe", "ub", "kiro"])
def test_fire_runs_the_scripts_of_other_agents(sandhook: Run, project: Path, agent: str) -> None:
    result = sandhook("init", "--agent", agent, "--recipe", "git-history")
    config = next(line.split()[1] for line in result.stdout.splitlines() if "(the hooks of" in line)
    from sandhook.hooks import contracts
    from sandhook.recipes.agents import arguments_of

    tool, key = contracts.get(agent).vocabulary().shell[0], arguments_of(agent).command
    fire = ("fire", "tool.pre", "--contract", agent, "--hooks", config, "--tool", tool, "--input")
    refused = sandhook(*fire, f'{{"{key}": "git push -f"}}')
    assert (refused.status, "rewrites or removes" in refused.stdout) == (2, True), refused
    assert sandhook(*fire, f'{{"{key}": "git push"}}').status == 0


@pytest.mark.parametrize("agent", every(3, contracts.configured()))
def test_an_approval_covers_every_file_that_is_written(sandhook: Run, project: Path, agent: str) -> None:
    result = sandhook("init", "--agent", agent, "--recipe", "git-history")
    config = next(line.split()[1] for line in result.stdout.splitlines() if "(the hooks of" in line)
    check = sandhook("check", "--contract", agent, config)
    assert "N-UNBOUND" not in check.stdout, check


def test_an_existing_hook_file_is_left_alone(sandhook: Run, project: Path) -> None:
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_text('{"model": "opus"}')
    result = sandhook("init", "--recipe", "git-history")
    assert result.status == 0
    assert (project / ".claude/settings.json").read_text() == '{"model": "opus"}'
    assert set(contents(project)) == {
        ".claude/settings.json",
        "hooks/claude_code/.sandhook-init",
        "hooks/claude_code/git-history.expect.yaml",
        "hooks/claude_code/git-history.sh",
        "hooks/claude_code/hooks.json",
    }
    assert "  sandhook install hooks/claude_code/hooks.json --agent claude_code  " in result.stdout
    assert sandhook("test", "hooks").status == 0


def test_nothing_is_replaced_without_force(sandhook: Run, project: Path) -> None:
    sandhook("init", "--agent", "crush", "--recipe", "git-history")
    before = contents(project)
    result = sandhook("init", "--agent", "crush", "--recipe", "git-history")
    assert (result.status, result.stdout) == (1, "")
    assert (
        "init: crush.json: exists, as init wrote it; --force adds to it and keeps its recipes\n"
        in result.stderr
    )
    assert result.stderr.endswith("nothing is written\n")
    assert contents(project) == before


def test_force_keeps_the_recipes_and_names_what_it_replaces(sandhook: Run, project: Path) -> None:
    sandhook("init", "--agent", "crush", "--recipe", "git-history")
    result = sandhook("init", "--agent", "crush", "--recipe", "audit-log", "--force")
    assert result.status == 0
    assert "replaced crush.json (the hooks of crush)\nreplaced .crush/hooks/git-history.sh\n" in result.stdout
    assert "wrote .crush/hooks/audit-log.sh\n" in result.stdout
    text = (project / "crush.json").read_text()
    assert "git-history.sh" in text and "audit-log.sh" in text


def test_force_never_replaces_what_somebody_changed(sandhook: Run, project: Path) -> None:
    sandhook("init", "--agent", "crush", "--recipe", "git-history")
    script = project / ".crush/hooks/git-history.sh"
    script.write_text(script.read_text() + "# mine\n")
    before = contents(project)
    result = sandhook("init", "--agent", "crush", "--recipe", "git-history", "--force")
    assert result.status == 1
    assert "init: .crush/hooks/git-history.sh: exists, and is not as init wrote it\n" in result.stderr
    assert contents(project) == before


def test_a_foreign_script_is_a_conflict(sandhook: Run, project: Path) -> None:
    (project / ".crush/hooks").mkdir(parents=True)
    (project / ".crush/hooks/git-history.sh").write_text("mine")
    result = sandhook("init", "--agent", "crush", "--recipe", "git-history", "--force")
    assert (result.status, set(contents(project))) == (1, {".crush/hooks/git-history.sh"})


def test_dry_run_writes_nothing(sandhook: Run, project: Path) -> None:
    result = sandhook("init", "--agent", "codex", "--recipe", "pipe-to-shell", "--dry-run")
    assert result.status == 0
    assert "would write .codex/hooks/pipe-to-shell.sh\n" in result.stdout
    assert contents(project) == {}


def test_list(sandhook: Run, project: Path) -> None:
    lines = sandhook("init", "--list").stdout.splitlines()
    assert len(lines) == 16
    assert lines[0].split("  ")[0] == "destructive-commands" and lines[0].endswith("all agents")
    assert any(
        line.startswith("format-after-edit ") and line.endswith("all agents but crush") for line in lines
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "init: no file of an agent is in .; say which with --agent NAME: everruns, "),
        (("--agent", "claude"), "init: unknown agent 'claude'; did you mean claude_code?"),
        (("--agent", "xyz"), "init: unknown contract 'xyz'; known are "),
        (("--agent", "crush", "--recipe", "git-histry"), "did you mean git-history?"),
        (("--agent", "ub", "--recipe", "session-context"), "agents that can run it: jcode, claude_code"),
        (("--cwd", "nosuch"), "init: nosuch: not a directory"),
        (("--agent", "everruns", "antigravity"), "everruns and antigravity both need it"),
    ],
)
def test_errors_are_named_and_nothing_is_written(
    sandhook: Run, project: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = sandhook("init", *arguments)
    assert (result.status, result.stdout) == (2, "")
    assert message in result.stderr
    assert contents(project) == {}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
def test_a_link_is_not_followed_to_an_existing_file(sandhook: Run, project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    (project / ".crush/hooks").mkdir(parents=True)
    (project / ".crush/hooks/.sandhook-init").symlink_to(outside)
    result = sandhook("init", "--agent", "crush", "--recipe", "audit-log")
    assert (result.status, outside.read_text()) == (1, "mine")
