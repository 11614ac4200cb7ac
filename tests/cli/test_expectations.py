"""``sandhook test`` with files of expectations: formats, filters, exit statuses, next to case files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import RunResult

Run = Callable[..., RunResult]

HOOKS = '{"hooks": {"PreToolUse": [{"matcher": "^bash$", "command": "grep -q rm && exit 2; exit 0"}]}}'
HEAD = "version: 1\nhooks: crush.json\nevent: tool.pre\ntool: shell\ncases:\n"
GOOD = "  - {name: rm is refused, input: {command: rm x}, expect: deny}\n"
BAD = "  - {name: ls is refused, because: of the rules, input: {command: ls}, expect: deny}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    (made / "crush.json").write_text(HOOKS)
    (made / "guard.expect.yaml").write_text(HEAD + GOOD + BAD)
    monkeypatch.chdir(made)
    return made


def test_text(sandhook: Run, project: Path) -> None:
    result = sandhook("test", "guard.expect.yaml")
    assert result.status == 1
    assert "guard.expect.yaml:7: ls is refused [sandhook: fail]\n    because of the rules\n" in result.stdout
    assert "    decision: expected deny, got proceed\n" in result.stdout
    assert result.stdout.endswith("1 file: sandhook 1 pass, 1 fail: 1 not as expected\n")


@pytest.mark.parametrize(
    ("hooks", "place"),
    [
        (".claude/settings.json", ".claude"),
        (".claude/settings.local.json", ".claude/hooks"),
        (".claude/settings.json", "."),
        (".github/hooks/guard.json", ".github/hooks"),
        (".agents/plugins/a/hooks/hooks.json", ".agents/plugins/a/hooks"),
    ],
)
def test_next_to_an_agents_own_file_the_project_is_that_of_the_agent(
    sandhook: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hooks: str, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    contract = {".github": "copilot", ".agents": "goose"}.get(hooks.partition("/")[0], "claude_code")
    handler = {"type": "command", "command": "test ! -f at-the-root || exit 2"}
    groups = [{"matcher": "Bash" if contract == "claude_code" else "*", "hooks": [handler]}]
    value = (
        {"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": handler["command"]}]}}
        if contract == "copilot"
        else {"hooks": {"PreToolUse": groups}}
    )
    for name, text in (("at-the-root", ""), (hooks, json.dumps(value))):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    file = tmp_path / place / "guard.expect.yaml"
    file.parent.mkdir(exist_ok=True)
    relative = os.path.relpath(hooks, place).replace(os.sep, "/")
    head = f"version: 1\nhooks: {relative}\ncontract: {contract}\nevent: tool.pre\ntool: shell\ncases:\n"
    file.write_text(head + GOOD)
    for name in (file.relative_to(tmp_path), file):
        result = sandhook("test", name)
        assert (result.status, result.stderr) == (0, ""), result.stdout
    file.write_text(head.replace("version: 1", "version: 1\nproject: .") + GOOD)
    assert sandhook("test", file).status == (0 if place == "." else 1)


def test_filter_and_list(sandhook: Run, project: Path) -> None:
    assert sandhook("test", ".", "--filter", "^rm").status == 0
    assert sandhook("test", ".", "--list").stdout == (
        "guard.expect.yaml:6: rm is refused\nguard.expect.yaml:7: ls is refused\n"
    )
    assert sandhook("test", ".", "--filter", "nosuch").status == 2


def test_json_and_junit(sandhook: Run, project: Path) -> None:
    value = json.loads(sandhook("test", ".", "--format", "json").stdout)
    good, bad = value["reports"][0]["cases"]
    assert (good["result"], bad["result"], bad["differences"]) == ("pass", "fail", ["decision"])
    assert bad["details"][1] == "decision: expected deny, got proceed"
    tree = ElementTree.fromstring(sandhook("test", ".", "--format", "junit").stdout)
    assert tree.attrib["tests"] == "2" and tree.attrib["failures"] == "1"
    assert "what the hooks did" in (tree.findtext(".//failure") or "")


def test_case_files_in_the_same_directory(sandhook: Run, project: Path) -> None:
    (project / "x.test.sh").write_text("#### a\necho x\n## stdout: x\n")
    (project / "guard.expect.yaml").write_text(HEAD + GOOD)
    result = sandhook("test", ".")
    assert result.status == 0
    assert "2 files: sandhook 2 pass: all as expected" in result.stdout


def test_host(sandhook: Run, project: Path) -> None:
    (project / "guard.expect.yaml").write_text(HEAD + GOOD)
    result = sandhook("test", ".", "--shell", "sandhook", "--shell", "host")
    assert result.status == 0
    assert "sandhook 1 pass; host 1 pass" in result.stdout


def test_faults_are_listed_and_nothing_runs(sandhook: Run, project: Path) -> None:
    (project / "guard.expect.yaml").write_text("version: 1\nhooks: crush.json\ncaes: []\nevnt: tool.pre\n")
    result = sandhook("test", ".")
    assert (result.status, result.stdout) == (2, "")
    assert "guard.expect.yaml:3: caes: unknown key; did you mean cases?\n" in result.stderr
    assert "guard.expect.yaml:4: evnt: unknown key; did you mean event?\n" in result.stderr


def test_a_hook_with_a_fault(sandhook: Run, project: Path) -> None:
    (project / "crush.json").write_text('{"hooks": {"PreToolUse": [{"matcher": "(", "command": "true"}]}}')
    result = sandhook("test", ".")
    assert result.status == 2
    assert "guard.expect.yaml: hooks: crush.json" in result.stderr


def test_record_does_not_write_them(sandhook: Run, project: Path) -> None:
    result = sandhook("test", ".", "--record", "bash")
    assert result.status == 2
    assert "--record does not write guard.expect.yaml" in result.stderr


def test_schema(sandhook: Run) -> None:
    value = json.loads(sandhook("schema", "expectations").stdout)
    assert value["required"] == ["version", "hooks", "cases"]
