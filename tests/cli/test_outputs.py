"""The JSON of every command has a version and fits its published schema."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sandhook.cli import COMMANDS
from sandhook.cli.outputs import OUTPUTS, output_schema
from sandhook.cli.outputs.schema import configuration_schema
from sandhook.hooks import contracts
from tests.cli.schemas import check, closed

Sandhook = Callable[..., Any]


def has_json(command: str) -> bool:
    parser: argparse.ArgumentParser = import_module(COMMANDS[command].module).parser().whole()
    return any(
        "--format" in action.option_strings and "json" in (action.choices or ()) for action in parser._actions
    )


def test_every_command_with_json_has_a_schema() -> None:
    assert {name for name in COMMANDS if has_json(name)} == set(OUTPUTS)


@pytest.mark.parametrize("command", OUTPUTS)
def test_schemas_are_valid_and_name_themselves(command: str, sandhook: Sandhook) -> None:
    schema = json.loads(sandhook("schema", "--output", command).stdout)
    assert schema == output_schema(command)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:sandhook:schema:output:{command}:1"
    unused = [name for name in schema.get("$defs", {}) if json.dumps(schema).count(f"#/$defs/{name}") == 0]
    assert unused == []


def test_schemas_are_listed(sandhook: Sandhook) -> None:
    assert sandhook("schema", "--output").stdout.split() == list(OUTPUTS)
    ran = sandhook("schema", "--output", "chek")
    assert (ran.status, ran.stderr) == (
        2, "sandhook: schema: 'chek' prints no JSON, or is no command; did you mean check?\n",
    )  # fmt: skip
    assert sandhook("schema").status == sandhook("schema", "crush", "--output", "list").status == 2


@pytest.mark.parametrize("name", [*contracts.names(), "expectations"])
def test_schemas_of_configurations_are_valid(name: str) -> None:
    schema = configuration_schema(name)
    Draft202012Validator.check_schema(schema)  # type: ignore[arg-type]
    assert schema["$id"] == f"urn:sandhook:schema:configuration:{name}:1"
    assert str(schema["$schema"]).endswith("2020-12/schema")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    hooks = [
        {"command": "./guard.sh", "matcher": "bash"},
        {"command": 'echo \'{"updated_input":{"a":1}}\'; sleep 0'},
        {"command": "nosuch", "matcher": "ba("},
        {"command": "echo x >&2; exit 2", "matcher": "write"},
        {"command": 1},
    ]
    (made / "crush.json").write_text(json.dumps({"hooks": {"PreToolUse": hooks}}))
    (made / "guard.sh").write_bytes(b"#!/bin/bash\nread -r input\nexit 1\n")
    monkeypatch.chdir(made)
    return made


HOOKS = ("--hooks", "crush.json", "--contract", "crush")


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "crush.json", "--contract", "crush"),
        ("check",),
        ("list", *HOOKS),
        ("list",),
        ("list", "--contract", "crush"),
        ("explain", "PreToolUse", *HOOKS, "--tool", "bash"),
        ("explain", "PreToolUse", *HOOKS, "--tool", "bash", "-v"),
        ("fire", "PreToolUse", *HOOKS, "--tool", "bash"),
        ("fire", "PreToolUse", *HOOKS, "--tool", "write"),
        ("fire", "PreToolUse", *HOOKS, "--tool", "bash", "--sandbox", "--isolation", "thread", "--steps"),
        ("fire", "PreToolUse", "--contract", "crush", "--tool", "bash"),
        ("status",),
        ("vet", "good.json", "--contract", "crush"),
        ("portability", "--contract", "crush", "good.json"),
    ],
)  # fmt: skip
def test_outputs_fit_their_schemas(sandhook: Sandhook, project: Path, arguments: tuple[str, ...]) -> None:
    value = json.loads((project / "crush.json").read_text())
    value["hooks"]["PreToolUse"] = value["hooks"]["PreToolUse"][:2]
    (project / "good.json").write_text(json.dumps(value))
    check(arguments[0], sandhook(*arguments, "--format", "json").stdout)


@pytest.mark.parametrize("name", contracts.configured())
def test_portability_of_every_agent_fits(sandhook: Sandhook, project: Path, name: str) -> None:
    (project / "good.json").write_text('{"hooks": {"PreToolUse": [{"command": "sed -i s/a/b/ f"}]}}')
    written = sandhook("convert", "--from", "crush", "--to", name, "--lossy", "good.json").stdout
    (project / "own").write_text(written)
    ran = sandhook("portability", "own", "--contract", name, "--agent", name, "--format", "json")
    assert len(check("portability", ran.stdout)["results"]) == 4


def test_the_status_of_installed_hooks_fits(sandhook: Sandhook, project: Path) -> None:
    (project / "good.json").write_text('{"hooks": {"PreToolUse": [{"command": "true"}]}}')
    installed = (
        "install",
        "good.json",
        "--agent",
        "claude_code",
        "--from",
        "crush",
        "--scope",
        "user",
        "--lossy",
    )
    assert sandhook(*installed).status == 0
    value = check("status", sandhook("status", "--format", "json").stdout)
    assert [hook["state"] for hook in value["hooks"]] == ["unchanged"]


def test_the_results_of_tests_fit(sandhook: Sandhook, project: Path) -> None:
    (project / "a.test.sh").write_text("#### one\necho a\n## stdout: a\n\n#### two\necho a\n## stdout: b\n")
    (project / "good.json").write_text('{"hooks": {"PreToolUse": [{"command": "exit 2"}]}}')
    (project / "b.expect.yaml").write_text(
        "version: 1\nhooks: good.json\ncontract: crush\ncases:\n"
        "  - name: one\n    event: PreToolUse\n    tool: bash\n    expect: deny\n"
    )
    (project / "c.bats").write_text('@test "one" {\n  skip "later"\n}\n')
    for name in ("a.test.sh", "b.expect.yaml", "c.bats"):
        ran = sandhook("test", name, "--format", "json")
        assert ran.stdout, ran.stderr
        check("test", ran.stdout)


def test_a_wrong_output_does_not_fit(sandhook: Sandhook, project: Path) -> None:
    value = json.loads(sandhook("list", "--format", "json").stdout)
    validator = Draft202012Validator(closed(output_schema("list")))
    for wrong in ({**value, "new": 1}, {**value, "version": 2}, {"version": 1, "command": "list"}):
        assert not validator.is_valid(wrong)
    assert Draft202012Validator(output_schema("list")).is_valid({**value, "new": 1})
