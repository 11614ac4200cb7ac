"""A misspelt name of a tool, event, agent, recipe, fault, format or number is answered with the one that was meant."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

EVENT = ("--contract", "claude_code", "--tool", "Bash")
HOOKS = ("--hooks", "hooks.json")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}
    (tmp_path / "hooks.json").write_text(json.dumps({"hooks": {"PreToolUse": [group]}}))
    (tmp_path / "a.sh").write_bytes(b"echo ran\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("argv", "meant"),
    [
        (("fire", "PreToolUs", *HOOKS, *EVENT), "PreToolUse"),
        (("fire", "PreToolUse", *HOOKS, "--contract", "claud", "--tool", "Bash"), "claude_code"),
        (("fire", "PreToolUse", *HOOKS, *EVENT, "--compat", "stric"), "strict"),
        (("fire", "PreToolUse", *HOOKS, *EVENT, "--format", "jsn"), "json"),
        (("fire", "PreToolUse", *HOOKS, *EVENT, "--isolation", "proces"), "process"),
        (("fire", "PreToolUse", *HOOKS, *EVENT, "--host", "--prefer", "machin"), "machine"),
        (("fire", *HOOKS, "--contract", "claude_code", "--as-hook", "claude_cod"), "claude_code"),
        (
            ("fire", "PreToolUs", *HOOKS, "--contract", "claude_code", "--as-hook", "claude_code"),
            "PreToolUse",
        ),
        (("hook", "--contract", "crsh", "--", "a.sh"), "crush"),
        (("hook", "--contract", "claude_code", "--event", "PreToolUs", "--", "a.sh"), "PreToolUse"),
        (("explain", "PreTolUse", *HOOKS), "PreToolUse"),
        (("list", "--contract", "crsh"), "crush"),
        (("check", "hooks.json", "--contract", "crsh"), "crush"),
        (("check", "hooks.json", "--format", "sarf"), "sarif"),
        (("vet", "hooks.json", "--contract", "crsh"), "crush"),
        (("vet", "--contract", "crsh"), "crush"),
        (("vet", "hooks.json", "--fail-on", "hihg"), "high"),
        (("init", "--agent", "crsh"), "crush"),
        (("init", "--agent", "crush", "--recipe", "git-histry"), "git-history"),
        (("portability", "hooks.json", "--system", "linx"), "linux"),
        (("schema", "crsh"), "crush"),
        (("schema", "--output", "chek"), "check"),
        (("convert", "--to", "crsh", "hooks.json"), "crush"),
        (("install", "hooks.json", "--agent", "crsh"), "crush"),
        (("install", "hooks.json", "--agent", "crush", "--scope", "projct"), "project"),
        (("doctor", "--agent", "crsh"), "crush"),
        (("chaos", "hooks.json", "--fault", "no-jk"), "no-jq"),
        (("trust", "hooks.json", "--contract", "crsh"), "crush"),
        (("completion", "bsh"), "bash"),
        (("replay", "r", *HOOKS, "--fail-on", "newly_alowed>0"), "newly_allowed"),
        (("replay", "r", *HOOKS, "--where", 'tol = "Bash"'), "tool"),
        (("record", "imprt", "x"), "import"),
        (("doctor", "--contract", "crush"), "--agent"),
        (("list", "--agent", "crush"), "--contract"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else value,
)
def test_a_usage_error_has_the_name(
    sandhook: Callable[..., Any], project: Path, argv: tuple[str, ...], meant: str
) -> None:
    ran = sandhook(*argv, stdin=b'{"tool_name": "Bash", "tool_input": {}}')
    as_hook = argv[0] == "hook" or "--as-hook" in argv
    assert ran.status == (1 if argv[0] == "fire" and not as_hook else 2), ran
    assert ran.stdout == ""
    assert ran.stderr.startswith("sandhook: ") and ran.stderr.count("did you mean") == 1
    assert f"did you mean {meant}?" in ran.stderr


@pytest.mark.parametrize("command", ["fire", "explain"])
@pytest.mark.parametrize(
    ("tool", "note"),
    [
        ("Bsh", '"Bsh" is not a tool of claude_code; did you mean Bash?'),
        ("bash", '"bash" is not a tool of claude_code: names are case-sensitive; did you mean Bash?'),
        (
            "run_shell_command",
            '"run_shell_command" is not a tool of claude_code, but of gemini; did you mean Bash?',
        ),
        ("Frobnicate", '"Frobnicate" is not a tool of claude_code'),
        ("Bash", ""),
        ("mcp__files__Bsh", ""),
    ],
)
def test_a_tool_that_the_agent_does_not_have(
    sandhook: Callable[..., Any], project: Path, command: str, tool: str, note: str
) -> None:
    ran = sandhook(command, "PreToolUse", *HOOKS, "--contract", "claude_code", "--tool", tool)
    assert ran.stderr == (f"note: {note}\n" if note else "")
    value = sandhook(command, "PreToolUse", *HOOKS, "--tool", tool, "--format", "json")
    assert json.loads(value.stdout)["version"] == 1


def test_a_tool_that_an_agent_with_others_may_have(sandhook: Callable[..., Any], project: Path) -> None:
    ran = sandhook("fire", "PreToolUse", *HOOKS, "--contract", "codex", "--tool", "frobnicate")
    assert "note:" not in ran.stderr


def test_a_file_that_is_not_named_as_expectations_are(sandhook: Callable[..., Any], project: Path) -> None:
    (project / "guard.yaml").write_text("version: 1\nhooks: hooks.json\n")
    for name, wanted in (("guard.yaml", "guard.expect.yaml"), ("hooks.json", "hooks.expect.json")):
        ran = sandhook("test", name)
        message = f"{name}: no case file has such a name; a file of expectations would be {wanted}\n"
        assert (ran.status, ran.stdout, ran.stderr) == (2, "", message)
