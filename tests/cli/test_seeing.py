"""sandhook list, explain, schema, convert: what is configured, and what would become of it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import contracts
from tests.hooks.test_silencing import GUARDS
from tests.sandbox.tools import every

Sandhook = Callable[..., Any]

CRUSH = """{"hooks": {"PreToolUse": [
  {"command": "./guard.sh", "matcher": "bash"},
  {"command": "./guard.sh", "matcher": "ba"},
  {"command": "touch ran", "matcher": "edit"}
]}}
"""


@pytest.fixture
def project(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with hooks of two agents, of a user with one hook of his own."""
    made = tmp_path / "project"
    (home / ".config" / "crush").mkdir(parents=True)
    (made / ".agents").mkdir(parents=True)
    if sys.platform == "darwin":
        monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.chdir(made)
    (made / "crush.json").write_text(CRUSH)
    own = {"hooks": {"PreToolUse": [{"command": "true"}]}}
    (home / ".config" / "crush" / "crush.json").write_text(json.dumps(own))
    hooks = [
        {"id": name, "event": "turn_end", "executor": {"type": "bash", "command": f"echo {name}\nexit"}}
        for name in ("a", "b")
    ]
    value = {"hooks": hooks, "disabled_contributions": ["user:b"]}
    (made / ".agents" / "hooks.json").write_text(json.dumps(value, indent=1))
    return made


def cells(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_lists_every_hook_of_every_layer_with_its_place(sandhook: Sandhook, project: Path) -> None:
    ran = sandhook("list")
    assert ran.status == 0
    crush, everruns = f"{project.as_posix()}/crush.json", f"{project.as_posix()}/.agents/hooks.json"
    own = f"{project.parent.as_posix()}/home/.config/crush/crush.json"
    rows = cells(ran.stdout)
    for row in [
        ["muted", "everruns", "project", "turn_end", "user:b", f"{everruns}:11", "echo", "b", "..."],
        ["untrusted", "everruns", "project", "turn_end", "user:a", f"{everruns}:3", "echo", "a", "..."],
        ["trusted", "crush", "user", "PreToolUse", "PreToolUse[0]", f"{own}:1", "true"],
        ["untrusted", "crush", "project", "PreToolUse", "PreToolUse[3]", f"{crush}:4", "touch", "ran"],
    ]:
        assert row in rows, ran.stdout
    store = ("--store", project / "store")
    assert sandhook("trust", "crush.json", "--yes", "--contract", "crush", *store).status == 0
    states = [row[0] for row in cells(sandhook("list", "--contract", "crush", *store).stdout)]
    assert states == ["trusted"] * 4


def test_lists_faults_and_fails(sandhook: Sandhook, project: Path) -> None:
    (project / "crush.json").write_text('{"hooks": {"PreToolUse": [\n{"command": "a"},\n{"command": 1}]}}')
    ran = sandhook("list", "--hooks", "crush.json", "--contract", "crush")
    assert ran.status == 1
    assert cells(ran.stdout)[1][:6] == ["invalid", "crush", "-", "-", "-", "crush.json:3"]
    (project / "crush.json").write_text("{")
    ran = sandhook("list", "--contract", "crush")
    assert ran.status == 1 and [row[0] for row in cells(ran.stdout)] == ["trusted", "invalid"]


def test_lists_as_json(sandhook: Sandhook, project: Path) -> None:
    value = json.loads(sandhook("list", "--hooks", "crush.json", "--format", "json").stdout)["hooks"]
    assert [(each["id"], each["line"], each["kind"]) for each in value] == [
        ("PreToolUse[0]", 2, "tool.pre"),
        ("PreToolUse[1]", 3, "tool.pre"),
        ("PreToolUse[2]", 4, "tool.pre"),
    ]


def test_control_characters_of_a_configuration_do_not_reach_the_terminal(
    sandhook: Sandhook, project: Path
) -> None:
    value = {"hooks": {"PreToolUse": [{"command": "\x1b[2J\u202etxt"}]}}
    (project / "crush.json").write_text(json.dumps(value))
    out = sandhook("list", "--hooks", "crush.json").stdout
    assert "\\x1b[2J\\u202etxt" in out and "\x1b" not in out


# explain


def test_explains_what_matches_and_why_not_and_runs_nothing(sandhook: Sandhook, project: Path) -> None:
    before = sorted(project.iterdir())
    ran = sandhook("explain", "PreToolUse", "--hooks", "crush.json", "--tool", "bash")
    assert ran.status == 0
    assert ran.stdout.splitlines() == [
        "PreToolUse of crush: 1 of 3 hook(s) would run",
        '  runs  PreToolUse[0]  -  crush.json:2  tool name "bash" is matched by /bash/',
        "  no    PreToolUse[1]  -  crush.json:3  an earlier hook runs the same text",
        '  no    PreToolUse[2]  -  crush.json:4  tool name "bash" is not matched by /edit/',
    ]
    assert sorted(project.iterdir()) == before
    assert sandhook("explain", "PreToolUse", "--hooks", "crush.json", "--tool", "view").status == 1


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        ({"if": "Bash(rm *)"}, "; the agent does not run it: `if` Bash(rm *)"),
        ({"if": None}, "; the agent drops the file"),
        ({}, ""),
    ],
)
def test_explains_where_the_agent_runs_other_hooks(
    sandhook: Sandhook, tmp_path: Path, handler: dict[str, object], said: str
) -> None:
    hook = {"type": "command", "command": "exit 0", **handler}
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}), encoding="utf-8")
    call = ("--tool", "Bash", "--input", '{"command": "nohup rm x"}')
    base = ("explain", "PreToolUse", "--contract", "claude_code", "--hooks", str(file), *call)
    out = sandhook(*base).stdout
    assert (said in out) if said else ("the agent" not in out)
    assert "the agent" not in sandhook(*base, "--compat", "strict").stdout


def test_explains_what_a_hook_would_be_given(sandhook: Sandhook, project: Path) -> None:
    base = ("explain", "tool.pre", "--hooks", "crush.json", "--tool", "edit", "--input", '{"x": 1}')
    out = sandhook(*base, "-v").stdout
    assert '"tool_input":{"x":1}' in out
    assert "      env: CRUSH_TOOL_NAME=edit\n" in out
    assert "in /workspace, at most 30 seconds" in out
    value = json.loads(sandhook(*base, "-v", "--format", "json").stdout)["hooks"]
    assert value[2]["runs"] and json.loads(value[2]["given"]["stdin"])["tool_input"] == {"x": 1}
    assert "given" not in json.loads(sandhook(*base, "--format", "json").stdout)["hooks"][2]


def test_tools_of_agents_without_hooks_here_are_not_noted(sandhook: Sandhook, project: Path) -> None:
    ran = sandhook("explain", "PreToolUse", "--tool", "bsh")
    assert ran.stderr.count("note:") == 1, ran.stderr


def test_explains_hooks_that_do_not_run(sandhook: Sandhook, project: Path) -> None:
    out = sandhook("explain", "turn_end", "--contract", "everruns").stdout
    rows = cells(out)[1:]
    assert [row[:2] for row in rows] == [["muted", "user:b"], ["untrusted", "user:a"]]
    assert out.count("it would match: no matcher: every event") == 2
    assert out.count("approves it; it would match") == 1, "how the hook comes into force"


def test_explains_for_all_agents_that_have_the_event(sandhook: Sandhook, project: Path) -> None:
    out = sandhook("explain", "tool.pre", "--tool", "bash").stdout
    assert "PreToolUse of crush: 1 of 4 hook(s) would run" in out
    ran = sandhook("explain", "nosuch")
    assert (ran.status, ran.stderr) == (2, "sandhook: unknown event 'nosuch'; no known agent has it\n")


# schema


@pytest.mark.parametrize("name", contracts.names())
def test_every_contract_has_a_schema(sandhook: Sandhook, name: str) -> None:
    ran = sandhook("schema", name)
    schema = json.loads(ran.stdout)
    assert ran.status == 0 and schema["$schema"].endswith("2020-12/schema") and schema["title"]
    for reference in references(schema):
        at: Any = schema
        for part in reference.removeprefix("#/").split("/"):
            at = at[part]
        assert isinstance(at, dict)


def references(value: Any) -> list[str]:
    """Return every ``$ref`` of a schema."""
    if isinstance(value, list):
        return [each for item in value for each in references(item)]
    if not isinstance(value, dict):
        return []
    own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
    return own + [each for item in value.values() for each in references(item)]


def test_a_schema_of_an_unknown_contract(sandhook: Sandhook) -> None:
    assert sandhook("schema", "nosuch").stderr.startswith("sandhook: unknown contract 'nosuch'")


def test_an_approval_is_named_in_json(sandhook: Sandhook, project: Path) -> None:
    arguments = ("list", "--contract", "everruns", "--format", "json", "--store", "store")
    before, _ = json.loads(sandhook(*arguments).stdout)["hooks"]
    assert before["approval"] is None
    sandhook(
        "trust", ".agents/hooks.json", "--contract", "everruns", "--store", "store", "--yes", "--unknown"
    )
    after, _ = json.loads(sandhook(*arguments).stdout)["hooks"]
    assert after["state"] == "trusted" and len(after["approval"]) == 64


# convert


def test_converts_and_says_what_is_lost(sandhook: Sandhook, project: Path) -> None:
    ran = sandhook("convert", "--from", "crush", "--to", "everruns", "--lossy", "crush.json")
    assert ran.status == 0
    hooks = json.loads(ran.stdout)["hooks"]
    assert [hook["executor"]["command"] for hook in hooks] == ["./guard.sh", "./guard.sh", "touch ran"]
    assert "lost: PreToolUse[0]: it inherits variables of the agent; Everruns passes none" in ran.stderr
    assert "`sandhook fire --as-hook everruns --hooks FILE` runs them as they are" in ran.stderr
    ran = sandhook("convert", "--to", "everruns", "crush.json")
    assert (ran.status, ran.stdout) == (1, "")
    assert "nothing is written: " in ran.stderr and "--lossy writes the rest" in ran.stderr
    own = sandhook("convert", "--to", "crush", "crush.json")
    assert (own.status, own.stderr) == (0, "")


def test_converts_to_itself_unchanged(sandhook: Sandhook, project: Path) -> None:
    value = json.loads(sandhook("convert", "--to", "crush", "crush.json").stdout)
    same = [{"matcher": each["matcher"], "command": each["command"]} for each in value["hooks"]["PreToolUse"]]
    assert same == [
        {"matcher": each["matcher"], "command": each["command"]}
        for each in json.loads(CRUSH)["hooks"]["PreToolUse"]
    ]


@pytest.mark.parametrize(
    ("source", "target"), every(3, list(product(contracts.configured(), contracts.configured())))
)
def test_every_contract_takes_what_another_wrote(
    sandhook: Sandhook, project: Path, source: str, target: str
) -> None:
    written = sandhook("convert", "--from", "crush", "--to", source, "--lossy", "crush.json")
    assert written.status == 0
    (project / "one").write_text(written.stdout)
    ran = sandhook("convert", "--from", source, "--to", target, "--lossy", "one")
    assert ran.status == 0, ran.stderr
    assert "./guard.sh" in ran.stdout


def test_a_faulty_configuration_is_not_converted(sandhook: Sandhook, project: Path) -> None:
    (project / "crush.json").write_text('{"hooks": {"PreToolUse": [{"command": 1}]}}')
    ran = sandhook("convert", "--from", "crush", "--to", "jcode", "crush.json")
    assert (ran.status, ran.stdout) == (2, "")
    assert "crush.json:1: hooks.PreToolUse[0].command" in ran.stderr


@pytest.mark.parametrize("command", [("list",), ("explain", "PreToolUse"), ("fire", "PreToolUse")])
def test_below_the_project_its_hooks_are_found(
    sandhook: Sandhook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    project = tmp_path / "project"
    (project / "a" / ".claude").mkdir(parents=True)
    (project / ".claude").mkdir()
    value = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}
    (project / ".claude" / "settings.json").write_text(json.dumps(value))
    monkeypatch.chdir(project / "a")
    tool = () if command == ("list",) else ("--tool", "Bash", "--input", "{}")
    arguments = (*command, "--contract", "claude_code", "--store", "store", *tool)
    assert "PreToolUse[0]" in sandhook(*arguments).stdout
    here = sandhook(*arguments, "--cwd", ".")
    assert f"no hooks: none of the 5 files that agents read exists (project: {project.as_posix()}/a)" in (
        here.stdout + here.stderr
    )


def test_agents_that_only_read_the_files_of_others_are_left_out(
    sandhook: Sandhook, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copilot CLI and Grok Build read Claude Code's settings."""
    (tmp_path / "project" / ".claude").mkdir(parents=True)
    value = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}
    (tmp_path / "project" / ".claude" / "settings.json").write_text(json.dumps(value))
    monkeypatch.chdir(tmp_path / "project")

    def agents() -> set[str]:
        items = json.loads(sandhook("list", "--store", "store", "--format", "json").stdout)["hooks"]
        return {item["contract"] for item in items}

    assert agents() == {"claude_code"}
    assert "of copilot" not in sandhook("check", "--store", "store").stdout
    assert "copilot" in sandhook("list", "--contract", "copilot", "--store", "store").stdout
    (home / ".copilot" / "hooks").mkdir(parents=True)
    own = {"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "true"}]}}
    (home / ".copilot" / "hooks" / "own.json").write_text(json.dumps(own))
    assert agents() == {"claude_code", "copilot"}


def test_a_file_that_two_agents_have_is_shown_for_the_one_whose_form_it_has(
    sandhook: Sandhook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everruns and Antigravity have .agents/hooks.json: the other one only found faults in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".agents").mkdir()
    file = tmp_path / ".agents" / "hooks.json"
    for agent in ("antigravity", "everruns"):
        file.write_text(json.dumps(GUARDS[agent]))
        hooks = json.loads(sandhook("list", "--store", "store", "--format", "json").stdout)["hooks"]
        assert [hook["contract"] for hook in hooks] == [agent]
