"""sandhook vet, and fire --manifest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Sandhook = Callable[..., Any]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "guard.sh").write_bytes(b"#!/bin/bash\njq -r .tool_input.command >> log.txt\n")
    (tmp_path / "guard.sh").chmod(0o755)
    (tmp_path / "crush.json").write_text('{"hooks": {"PreToolUse": [{"command": "./guard.sh"}]}}')
    return tmp_path


def test_says_what_a_bundle_does(sandhook: Sandhook, project: Path) -> None:
    ran = sandhook("vet", ".")
    assert (ran.status, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == [
        "PreToolUse[0] on PreToolUse  crush.json:1",
        "  executes: guard.sh",
        "  writes: ./log.txt",
        "  programs: bash, jq",
        "nothing found in 1 hook",
    ]


def test_a_finding_fails(sandhook: Sandhook, project: Path) -> None:
    (project / "guard.sh").write_text("#!/bin/bash\nrm -rf ~\n")
    ran = sandhook("vet", "crush.json")
    assert ran.status == 1
    assert "guard.sh:2:1: high V-DELETE: It deletes" in ran.stdout
    assert sandhook("vet", "crush.json", "--fail-on", "never").status == 0
    assert sandhook("vet", "guard.sh").status == 1


def test_json(sandhook: Sandhook, project: Path) -> None:
    (project / "guard.sh").write_text("#!/bin/bash\nsudo ls\n")
    value = json.loads(sandhook("vet", ".", "--format", "json").stdout)
    assert value["version"] == 1
    (hook,) = value["hooks"]
    assert hook["programs"] == ["bash", "ls", "sudo"]
    assert [(each["rule"], each["line"], each["column"]) for each in hook["findings"]] == [
        ("V-PRIVILEGE", 2, 1)
    ]


def test_fire_holds_hooks_to_a_manifest(sandhook: Sandhook, project: Path) -> None:
    assert sandhook("vet", ".", "--manifest", "../m.json").status == 0
    fire = ("fire", "PreToolUse", "--hooks", "crush.json", "--tool", "bash", "--manifest", "../m.json")
    assert sandhook(*fire).status == 0
    (project / "guard.sh").write_text("#!/bin/bash\nexit 0\n")
    ran = sandhook(*fire, "--format", "json")
    assert ran.status == 2
    value = json.loads(ran.stdout)
    assert value["could_not_run"] == ["PreToolUse[0]"]
    assert value["outcomes"][0]["drift"] == ["guard.sh has changed since the manifest was written"]


def test_wrong_command_lines(sandhook: Sandhook, project: Path) -> None:
    for arguments, problem in (
        (("vet", "nosuch"), "vet: nosuch: there is no such file"),
        (("vet", ".", "--manifest", "no/such/m.json"), "--manifest no/such/m.json: No such file"),
        (("fire", "PreToolUse", "--hooks", "crush.json", "--tool", "bash", "--manifest", "crush.json"), "sandhook_manifest must be 1"),
        (("fire", "PreToolUse", "--hooks", "crush.json", "--tool", "bash", "--manifest", "nosuch"), "nosuch"),
        (("fire", "PreToolUse", "--hooks", "crush.json", "--tool", "bash", "--host", "--manifest", "m"), "leave out --host"),
    ):  # fmt: skip
        ran = sandhook(*arguments)
        assert (ran.status, ran.stdout) == (1 if arguments[0] == "fire" else 2, "")
        assert problem in ran.stderr
    (project / "empty").mkdir()
    assert "there is no hook" in sandhook("vet", "empty").stderr


def test_links_are_not_followed(
    sandhook: Sandhook, project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "x.sh"
    outside.write_text("rm -rf ~")
    (project / "link.sh").symlink_to(outside)
    assert "V-DELETE" not in sandhook("vet", ".").stdout


def test_schema(sandhook: Sandhook) -> None:
    assert json.loads(sandhook("schema", "manifest").stdout)["title"] == "Capability manifest of sandhook"


def test_the_manifest_of_an_earlier_run_is_no_configuration(sandhook: Sandhook, project: Path) -> None:
    first = sandhook("vet", ".", "--manifest", "own.json")
    assert (project / "own.json").exists()
    assert sandhook("vet", ".") == first


def test_a_manifest_hides_no_hooks(sandhook: Sandhook, project: Path) -> None:
    text = (project / "crush.json").read_text()
    (project / "crush.json").write_text(text.replace("{", '{"sandhook_manifest": 1, "files": {}, ', 1))
    assert "PreToolUse[0] on PreToolUse  crush.json:1" in sandhook("vet", ".").stdout


def test_a_configuration_with_faults_alone_is_reported(sandhook: Sandhook, project: Path) -> None:
    (project / ".claude").mkdir()
    value = {
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "comand": "./guard.sh"}]}]}
    }
    (project / ".claude" / "settings.json").write_text(json.dumps(value))
    ran = sandhook("vet", ".")
    assert ran.status == 2
    assert (
        "problem: .claude/settings.json:1: hooks.PreToolUse[0].hooks[0].command: is required"
        in ran.stdout + ran.stderr
    )
