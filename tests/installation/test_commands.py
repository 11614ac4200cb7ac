"""The commands install, uninstall, status, restore, wrap and unwrap."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import HookEngine, contracts, discover
from sandhook.hooks.checks.probe import sample
from tests.installation.installtools import GUARD

SETTINGS = b'{\n\t"model": "x", // mine\n\t"permissions": {"deny": []},\n}\n'


def settings(around: Path, data: bytes = SETTINGS) -> Path:
    path = around / "project" / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def test_install_status_uninstall(sandhook: Callable[..., Any], around: Path) -> None:
    path = settings(around)
    ran = sandhook("install", "../guard.json", "--agent", "claude_code")
    assert ran.status == 0
    assert ran.stdout == f"claude_code (project): 2 hook(s) installed in {path.as_posix()}\n"
    assert ran.stderr.startswith(f"note: claude_code may not read {path.as_posix()}: ")  # a comment
    ran = sandhook("status")
    assert ran.status == 0
    rows = [line.split() for line in ran.stdout.splitlines()]
    assert [row[:4] for row in rows] == [["unchanged", "claude_code", "project", "installed"]] * 2
    assert [row[5] for row in rows] == ["hooks.PreToolUse", "hooks.Stop"]
    ran = sandhook("uninstall", "../guard.json")
    assert ran.stdout == (
        f"claude_code (project): 2 hook(s) uninstalled from {path.as_posix()}; it is as it was\n"
    )
    assert path.read_bytes() == SETTINGS
    assert sandhook("status").stdout == "no hooks are installed\n"
    assert sandhook("uninstall", "../guard.json").stdout == "nothing is installed\n"


@pytest.mark.parametrize("agent", ["claude_code", "codex", "copilot", "cursor", "gemini", "grok"])
def test_a_file_that_the_agent_reads_already_is_not_installed_again(
    sandhook: Callable[..., Any], around: Path, agent: str
) -> None:
    """Some agents read all files of a directory: a second file there would run every hook twice."""
    assert sandhook("init", "--agent", agent, "--recipe", "git-history").status == 0
    before = sorted(path for path in (around / "project").rglob("*") if path.is_file())
    (config,) = [path for path in before if path.suffix == ".json" and "git-history.sh" in path.read_text()]
    ran = sandhook("install", config, "--agent", agent)
    assert (ran.status, ran.stdout) == (0, f"{agent} (project): nothing to do in {config.as_posix()}\n")
    assert sorted(path for path in (around / "project").rglob("*") if path.is_file()) == before


def test_json_of_the_status(sandhook: Callable[..., Any], around: Path) -> None:
    path = settings(around, b"{}")
    sandhook("install", "../guard.json", "--agent", "claude_code")
    value = json.loads(path.read_bytes())
    value["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] = 9
    del value["hooks"]["Stop"]
    path.write_text(json.dumps(value))
    ran = sandhook("status", "--format", "json")
    assert ran.status == 1
    rows = json.loads(ran.stdout)["hooks"]
    assert [(row["state"], row["file_edited"], row["wrapped"]) for row in rows] == [
        ("edited", True, False),
        ("gone", True, False),
    ]
    assert rows[0]["command"] == GUARD["hooks"]["PreToolUse"][0]["hooks"][0]["command"]  # type: ignore[index]
    assert rows[0]["source"] == (around / "guard.json").as_posix()
    ran = sandhook("uninstall", "--agent", "claude_code")
    assert ran.status == 1
    assert ran.stdout.endswith(f"0 hook(s) uninstalled from {path.as_posix()}\n")
    assert ran.stderr == f"{path.as_posix()}: 1 hook(s) were changed by others: left as they are\n"
    assert json.loads(path.read_bytes()) == value


@pytest.mark.parametrize("data", [SETTINGS, None])
def test_a_file_that_somebody_else_restored_or_removed(
    sandhook: Callable[..., Any], around: Path, data: bytes | None
) -> None:
    path = settings(around)
    sandhook("install", "../guard.json", "--agent", "claude_code")
    if data is None:
        path.unlink()
    else:
        path.write_bytes(data)
    assert [line.split()[0] for line in sandhook("status").stdout.splitlines()] == ["gone", "gone"]
    ran = sandhook("uninstall", "../guard.json")
    assert ran.status == 0 and "0 hook(s) uninstalled" in ran.stdout
    assert (path.read_bytes() if path.exists() else None) == data
    assert sandhook("status").stdout == "no hooks are installed\n"


def test_the_same_file_again_changes_nothing_and_a_changed_one_replaces(
    sandhook: Callable[..., Any], around: Path
) -> None:
    path = settings(around)
    command = ("install", "../guard.json", "--agent", "claude_code")
    sandhook(*command)
    first = path.read_bytes()
    assert sandhook(*command).stdout == f"claude_code (project): nothing to do in {path.as_posix()}\n"
    assert path.read_bytes() == first
    changed = json.loads((around / "guard.json").read_text())
    changed["hooks"]["PreToolUse"][0]["matcher"] = "Write"
    del changed["hooks"]["Stop"]
    (around / "guard.json").write_text(json.dumps(changed))
    assert "1 hook(s) replaced in" in sandhook(*command).stdout
    text = path.read_text()
    assert '"Write"' in text and "Stop" not in text and '"Bash"' not in text
    sandhook("uninstall", "../guard.json")
    assert path.read_bytes() == SETTINGS


@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
def test_two_files_are_removed_in_any_order(
    sandhook: Callable[..., Any], around: Path, order: tuple[str, str]
) -> None:
    path = settings(around)
    for name in ("one", "two"):
        hooks = {"Stop": [{"hooks": [{"type": "command", "command": f"echo {name}"}]}]}
        (around / f"{name}.json").write_text(json.dumps({"hooks": hooks}))
        sandhook("install", f"../{name}.json", "--agent", "claude_code")
    sandhook("uninstall", f"../{order[0]}.json")
    text = path.read_text()
    assert f"echo {order[1]}" in text and f"echo {order[0]}" not in text
    assert sandhook("status").status == 0
    sandhook("uninstall", f"../{order[1]}.json")
    assert path.read_bytes() == SETTINGS


def test_what_others_wrote_meanwhile_stays(sandhook: Callable[..., Any], around: Path) -> None:
    path = settings(around)
    sandhook("install", "../guard.json", "--agent", "claude_code")
    path.write_bytes(path.read_bytes().replace(b'"x"', b'"another"') + b"// theirs\n")
    assert sandhook("status").status == 0
    ran = sandhook("uninstall", "../guard.json")
    assert ran.status == 0 and "it is as it was" not in ran.stdout
    assert path.read_bytes() == SETTINGS.replace(b'"x"', b'"another"') + b"// theirs\n"
    assert sandhook("status").stdout == "no hooks are installed\n"
    assert sandhook("restore", "--agent", "claude_code").status == 1
    assert sandhook("restore", "--agent", "claude_code", "--force").status == 0
    assert path.read_bytes() == SETTINGS


def test_restore_asks_before_it_loses_edits(sandhook: Callable[..., Any], around: Path) -> None:
    path = settings(around)
    sandhook("install", "../guard.json", "--agent", "claude_code")
    installed = path.read_bytes()
    path.write_bytes(installed + b"// theirs\n")
    ran = sandhook("restore", "--agent", "claude_code")
    assert ran.status == 1 and "restore would lose the edits" in ran.stderr
    assert path.read_bytes() == installed + b"// theirs\n"
    path.write_bytes(installed)
    assert sandhook("restore", "--agent", "claude_code").status == 0
    assert path.read_bytes() == SETTINGS
    assert sandhook("restore", "--agent", "claude_code").stdout == "there is nothing to restore\n"


def test_a_dry_run_prints_a_diff_and_writes_nothing(sandhook: Callable[..., Any], around: Path) -> None:
    ran = sandhook("install", "../guard.json", "--agent", "crush", "claude_code", "--lossy", "--dry-run")
    assert ran.status == 0
    lines = ran.stdout.splitlines()
    assert lines[0] == "--- /dev/null"
    assert lines[1] == f"+++ {(around / 'project' / '.crush.json').as_posix()}"
    assert '+  "hooks": {' in lines
    assert list((around / "project").iterdir()) == list((around / "home").iterdir()) == []


def test_a_scope_that_an_agent_lacks(sandhook: Callable[..., Any], around: Path) -> None:
    ran = sandhook("install", "../guard.json", "--agent", "kimi", "--scope", "project")
    assert (ran.status, ran.stderr) == (
        2,
        "sandhook: kimi: there is no scope project; this agent has user\n",
    )
    ran = sandhook("install", "../guard.json", "--agent", "nobody")
    assert ran.status == 2 and "unknown contract 'nobody'" in ran.stderr


@pytest.mark.parametrize("agent", contracts.configured())
def test_every_scope_of_every_agent(sandhook: Callable[..., Any], around: Path, agent: str) -> None:
    count = 0
    for scope in ("user", "project", "local"):
        ran = sandhook("install", "../guard.json", "--agent", agent, "--scope", scope, "--lossy")
        assert ran.status == (0 if "installed in" in ran.stdout else 2), ran
        count += ran.status == 0
    assert count
    assert sandhook("status", "--agent", agent).status == 0
    assert sandhook("uninstall", "--agent", agent).status == 0
    left = {path for name in ("project", "home") for path in (around / name).rglob("*") if path.is_file()}
    assert [path for path in left if "sandhook" not in path.parts] == []


def test_all_agents_at_once(sandhook: Callable[..., Any], around: Path) -> None:
    """Everruns and Antigravity read a file of one name: the second one gets another directory."""
    ran = sandhook("install", "../guard.json", "--lossy", "--agent", *contracts.configured())
    assert ran.status == 0 and ran.stdout.count("installed in") == len(contracts.configured())
    assert sandhook("status").status == 0
    assert sandhook("uninstall", "../guard.json").status == 0
    assert list((around / "project").iterdir()) == []


def test_a_file_of_two_agents(sandhook: Callable[..., Any], around: Path) -> None:
    """Everruns reads that file alone: the error says how both agents can have their hooks."""
    command = ("install", "../guard.json", "--lossy", "--agent")
    assert sandhook(*command, "antigravity").status == 0
    ran = sandhook(*command, "everruns")
    assert ran.status == 2
    assert "has hooks that sandhook installed for antigravity, which reads the same file; " in ran.stderr
    assert "uninstall those with --agent antigravity" in ran.stderr
    assert "install both with --agent everruns antigravity\n" in ran.stderr
    assert sandhook("uninstall", "--agent", "antigravity").status == 0
    assert sandhook(*command, "everruns", "antigravity").status == 0
    assert sandhook("status").status == 0


@pytest.mark.parametrize("agents", [("everruns", "antigravity"), ("antigravity", "everruns")])
def test_two_agents_of_one_file_in_one_command(
    sandhook: Callable[..., Any], around: Path, agents: tuple[str, str]
) -> None:
    assert sandhook("install", "../guard.json", "--lossy", "--agent", *agents).status == 0
    rows = json.loads(sandhook("status", "--format", "json").stdout)["hooks"]
    files = {(row["agent"], Path(row["file"]).parent.name) for row in rows}
    assert files == {("everruns", ".agents"), ("antigravity", ".agent")}
    assert sandhook("uninstall", "../guard.json").status == 0
    assert list((around / "project").iterdir()) == []


def test_nothing_is_written_when_something_would_be_lost(sandhook: Callable[..., Any], around: Path) -> None:
    ran = sandhook("install", "../guard.json", "--agent", "claude_code", "ub")
    assert ran.status == 1
    assert "lost: ub: PreToolUse[0]: exit status 2 does not refuse in ub" in ran.stderr
    assert list((around / "project").iterdir()) == []


def test_one_file_that_cannot_be_changed_keeps_all_from_being_changed(
    sandhook: Callable[..., Any], around: Path
) -> None:
    path = around / "project" / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"hooks": []}')
    ran = sandhook("install", "../guard.json", "--agent", "claude_code", "gemini")
    assert ran.status == 2
    assert ran.stderr.endswith("hooks: wanted an object; hooks cannot be added to it\n")
    assert not (around / "project" / ".claude").exists()
    path.write_text('{"hooks": {]')
    ran = sandhook("install", "../guard.json", "--agent", "gemini")
    assert ran.status == 2 and "cannot be read as JSON: wanted a key in double quotes at line 1" in ran.stderr


def test_variables_that_an_agent_would_expand(sandhook: Callable[..., Any], around: Path) -> None:
    sandhook("install", "../guard.json", "--agent", "ub", "--lossy")
    path = around / "project" / ".ub" / "config.yaml"
    document = contracts.get("ub").parse(path.read_text(), str(path), {"x": "no"})
    assert "${x} $$" in str(document.value)


# Links, permissions, records.

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")


@needs_links
@pytest.mark.parametrize("inside", [True, False])
def test_a_link_stays_and_its_target_is_changed(
    sandhook: Callable[..., Any], around: Path, inside: bool
) -> None:
    target = around / ("project" if inside else "home") / "dotfiles.json"
    target.write_bytes(SETTINGS)
    target.chmod(0o640)
    link = around / "project" / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(os.path.relpath(target, link.parent))
    ran = sandhook("install", "../guard.json", "--agent", "claude_code")
    assert f"note: {link} is a link: {target} is changed\n" in ran.stderr
    assert link.is_symlink() and target.read_bytes() != SETTINGS
    assert target.stat().st_mode & 0o777 == 0o640
    assert sandhook("status").status == 0
    sandhook("uninstall", "../guard.json")
    assert link.is_symlink() and target.read_bytes() == SETTINGS
    assert target.stat().st_mode & 0o777 == 0o640


@needs_links
def test_a_link_without_a_target(sandhook: Callable[..., Any], around: Path) -> None:
    link = around / "project" / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to("missing")
    ran = sandhook("install", "../guard.json", "--agent", "claude_code")
    assert ran.status == 2 and "is a link to" in ran.stderr and "there is no such file" in ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
@pytest.mark.parametrize("read_only", ["file", "directory"])
def test_a_read_only_file_or_directory(sandhook: Callable[..., Any], around: Path, read_only: str) -> None:
    path = settings(around)
    place = path if read_only == "file" else path.parent
    place.chmod(0o444 if read_only == "file" else 0o555)
    try:
        ran = sandhook("install", "../guard.json", "--agent", "claude_code")
    finally:
        place.chmod(0o755)
    assert ran.status == 2
    assert "cannot be written: the " + read_only in ran.stderr and "nothing is changed" in ran.stderr
    assert path.read_bytes() == SETTINGS
    assert sandhook("status").stdout == "no hooks are installed\n"


def test_a_damaged_record_is_an_error_that_names_it(sandhook: Callable[..., Any], around: Path) -> None:
    path = settings(around)
    sandhook("install", "../guard.json", "--agent", "claude_code")
    records = list((around / "home").rglob("installed/*.json"))
    assert len(records) == 1
    for text in ("{", "[]", '{"version": 2}', '{"version": 1}', '{"version": 1, "target": 3, "before": "*"}'):
        records[0].write_text(text)
        for command in (
            ("status",),
            ("uninstall", "../guard.json"),
            ("install", "../guard.json", "--agent", "claude_code"),
        ):
            ran = sandhook(*command)
            assert ran.status == 2 and "the record is damaged" in ran.stderr, (text, command, ran)
    assert path.read_bytes() != SETTINGS


def test_records_are_private(sandhook: Callable[..., Any], around: Path) -> None:
    settings(around)
    sandhook("install", "../guard.json", "--agent", "claude_code")
    (record,) = (around / "home").rglob("installed/*.json")
    if sys.platform != "win32":
        assert record.stat().st_mode & 0o777 == 0o600
        assert record.parent.stat().st_mode & 0o777 == 0o700


def test_a_project_cannot_move_the_records(
    sandhook: Callable[..., Any], around: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(around)
    monkeypatch.setenv("XDG_DATA_HOME", "data")  # a relative path would be in the project
    sandhook("install", "../guard.json", "--agent", "claude_code")
    assert not (around / "project" / "data").exists()


def test_files_of_another_project_are_left_alone(
    sandhook: Callable[..., Any], around: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = settings(around)
    sandhook("install", "../guard.json", "--agent", "claude_code")
    installed = path.read_bytes()
    (around / "other").mkdir()
    monkeypatch.chdir(around / "other")
    assert sandhook("status").status == 0
    assert sandhook("uninstall", "--agent", "claude_code").stdout == "nothing is installed\n"
    assert path.read_bytes() == installed
    ran = sandhook("uninstall", "--agent", "claude_code", "--cwd", around / "project")
    assert ran.status == 0 and path.read_bytes() == SETTINGS


# Wrapped hooks.


def test_wrap_and_unwrap(sandhook: Callable[..., Any], around: Path) -> None:
    text = b'{\r\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./a.sh \'x\'", "timeout": 20}]}]},\r\n  "mcpServers": {"m": {"command": "./a.sh \'x\'"}}\r\n}'
    path = settings(around, text)
    ran = sandhook("wrap", "--agent", "claude_code")
    assert ran.stdout == f"claude_code (project): 1 hook(s) wrapped in {path.as_posix()}\n"
    value = json.loads(path.read_bytes())
    (hook,) = value["hooks"]["Stop"][0]["hooks"]
    if sys.platform != "win32":
        assert hook["command"] == (
            "sandhook hook --contract claude_code --event Stop --fail-closed --timeout 19 --host"
            """ -- -c './a.sh '"'"'x'"'"''"""
        )
    assert value["mcpServers"]["m"]["command"] == "./a.sh 'x'"
    assert "nothing to do" in sandhook("wrap", "--agent", "claude_code").stdout
    assert sandhook("status").stdout.split()[:4] == ["unchanged", "claude_code", "project", "wrapped"]
    assert sandhook("unwrap", "--agent", "claude_code").stdout.endswith("; it is as it was\n")
    assert path.read_bytes() == text


def test_hooks_that_cannot_be_wrapped_are_listed(sandhook: Callable[..., Any], around: Path) -> None:
    hooks = [{"type": "prompt", "prompt": "ok?"}, {"type": "command", "command": "true"}]
    settings(around, json.dumps({"hooks": {"Stop": [{"hooks": hooks}]}}).encode())
    ran = sandhook("wrap", "--agent", "claude_code")
    assert ran.status == 1 and "1 hook(s) wrapped" in ran.stdout
    assert "not wrapped: Stop[0]: hooks of the type prompt run no command" in ran.stderr


def test_install_and_wrap_of_one_file(sandhook: Callable[..., Any], around: Path) -> None:
    text = b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo mine"}]}]}}'
    path = settings(around, text)
    sandhook("install", "../guard.json", "--agent", "claude_code")
    sandhook("wrap", "--agent", "claude_code")
    assert path.read_bytes().count(b"sandhook hook") == 3
    assert sandhook("unwrap", "--agent", "claude_code").status == 0
    assert b"sandhook hook" not in path.read_bytes()
    sandhook("uninstall", "../guard.json")
    assert path.read_bytes() == text


def test_a_hook_that_is_installed_and_wrapped_is_in_force(sandhook: Callable[..., Any], around: Path) -> None:
    path = settings(around, b'{"model": "a"}')
    sandhook("install", "../guard.json", "--agent", "claude_code")
    sandhook("wrap", "--agent", "claude_code")
    ran = sandhook("status", "--format", "json")
    states = {(hook["wrapped"], hook["state"]) for hook in json.loads(ran.stdout)["hooks"]}
    assert (ran.status, states) == (0, {(False, "unchanged"), (True, "unchanged")})
    wrapped = path.read_bytes()
    assert "nothing to do" in sandhook("install", "../guard.json", "--agent", "claude_code").stdout
    assert path.read_bytes() == wrapped
    assert sandhook("uninstall", "../guard.json").status == 0
    assert path.read_bytes() == b'{"model": "a"}'
    assert sandhook("status").stdout == "no hooks are installed\n", "no wrap of a hook that is gone"


def test_an_edited_file_with_wrapped_hooks(sandhook: Callable[..., Any], around: Path) -> None:
    path = settings(around, b'{"model": "a"}')
    sandhook("install", "../guard.json", "--agent", "claude_code")
    sandhook("wrap", "--agent", "claude_code")
    path.write_bytes(path.read_bytes().replace(b'"a"', b'"b"'))
    edited = path.read_bytes()
    assert sandhook("status").status == 0
    assert "nothing to do" in sandhook("install", "../guard.json", "--agent", "claude_code").stdout
    assert path.read_bytes() == edited, "no hook twice"
    assert sandhook("uninstall", "../guard.json").status == 0
    assert path.read_bytes() == b'{"model": "b"}'


def test_a_changed_file_says_that_its_hooks_are_not_wrapped(
    sandhook: Callable[..., Any], around: Path
) -> None:
    settings(around, b"{}")
    sandhook("install", "../guard.json", "--agent", "claude_code")
    sandhook("wrap", "--agent", "claude_code")
    guard = around / "guard.json"
    guard.write_bytes(guard.read_bytes().replace(b"exit 2", b"exit  2"))
    ran = sandhook("install", "../guard.json", "--agent", "claude_code")
    assert "`sandhook wrap --agent claude_code` wraps them again" in ran.stderr


def test_a_wrapped_hook_that_somebody_removed_is_gone(sandhook: Callable[..., Any], around: Path) -> None:
    text = b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo mine"}]}]}}'
    path = settings(around, text)
    sandhook("wrap", "--agent", "claude_code")
    path.write_bytes(b"{}")
    assert sandhook("status").stdout.startswith("gone ")


def test_a_wrapped_hook_answers_as_before(
    sandhook: Callable[..., Any], around: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command that wrap writes runs the hook, and refuses when its program is missing."""
    import io
    import shlex

    if sys.platform == "win32":
        pytest.skip("the commands are for the shells of Windows there")
    commands = ["jq -r .tool_input.command >&2; exit 2", "no-such-guard"]
    hooks = [{"type": "command", "command": command} for command in commands]
    path = settings(around, json.dumps({"hooks": {"PreToolUse": [{"hooks": hooks}]}}).encode())
    sandhook("wrap", "--agent", "claude_code")
    first, second = json.loads(path.read_bytes())["hooks"]["PreToolUse"][0]["hooks"]
    payload = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm x"}}
    results = []
    for hook in (first, second):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(payload).encode())))
        results.append(sandhook(*shlex.split(hook["command"])[1:]))
    assert (results[0].status, results[0].stderr) == (2, "rm x\n")
    answer = json.loads(results[1].stdout)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny" and "no-such-guard" in answer["permissionDecisionReason"]


def test_hooks_are_for_every_agent_of_a_file(sandhook: Callable[..., Any], around: Path) -> None:
    path = around / "project" / "cagent.yaml"
    path.write_text("agents:\n  main:\n    model: a # fast\n  helper:\n    model: b\n")
    before = path.read_bytes()
    assert sandhook("install", "../guard.json", "--agent", "docker_agent", "--lossy").status == 0
    document = contracts.get("docker_agent").parse(path.read_text(), str(path), {})
    assert isinstance(document.value, dict)
    agents: Any = document.value["agents"]
    assert list(agents) == ["main", "helper"]
    assert all("pre_tool_use" in agent["hooks"] for agent in agents.values())
    sandhook("uninstall", "../guard.json")
    assert path.read_bytes() == before


def test_a_result_that_the_agent_would_not_accept_is_not_written(
    sandhook: Callable[..., Any], around: Path
) -> None:
    hook = {"event": "turn_end", "executor": {"type": "bash", "command": "true"}}
    path = around / "project" / ".agents" / "hooks.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"hooks": [hook] * 64}))
    ran = sandhook("install", "../guard.json", "--agent", "everruns", "--lossy")
    assert ran.status == 2
    assert "everruns would not accept the result: hooks: user_hooks has " in ran.stderr
    assert json.loads(path.read_text()) == {"hooks": [hook] * 64}
    assert sandhook("status").stdout == "no hooks are installed\n"


@pytest.mark.parametrize(
    "text",
    [
        "- a\n",
        "a: 1\n---\nb: 2\n",
        "a: !!int x\n",
        "hooks: &x\n  pre_tool_call: []\n",
        "hooks: !t\n  a: []\n",
    ],
)
def test_texts_that_cannot_be_changed_are_errors(
    sandhook: Callable[..., Any], around: Path, text: str
) -> None:
    path = around / "home" / ".hermes" / "config.yaml"
    path.parent.mkdir()
    path.write_text(text)
    ran = sandhook("install", "../guard.json", "--agent", "hermes", "--lossy")
    assert ran.status == 2 and ran.stderr.splitlines()[-1].startswith(f"sandhook: {path.as_posix()}: ")
    assert path.read_text() == text


TAGGED = """\
%TAG ! tag:example.com,2026:
--- # mine
key: !secret my_key   # from the vault
count: !!int "12"
empty: !env
many: !include [a.yaml, b.yaml]
deep: !config
  - !item {x: 1}
  - !<tag:example.com,2026:thing> text
  - ! plain
block: !raw |
  text
hooks:
  pre_tool_call:
    - command: echo mine
      name: !secret other
last: !end
"""


@pytest.mark.parametrize("head", ["", "%TAG"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_values_with_tags_stay_as_they_are(
    sandhook: Callable[..., Any], around: Path, head: str, end: str
) -> None:
    path = around / "home" / ".hermes" / "config.yaml"
    path.parent.mkdir()
    text = TAGGED if head else TAGGED.partition("\n")[2]
    data = text.replace("\n", end).encode()
    path.write_bytes(data)
    ran = sandhook("install", "../guard.json", "--agent", "hermes", "--lossy")
    assert ran.status == 0, ran.stderr
    installed = path.read_bytes().decode()
    assert [line for line in text.splitlines() if line not in installed.splitlines()] == []
    assert "exit 2" in installed and sandhook("status").status == 0
    assert "it is as it was" in sandhook("uninstall", "../guard.json").stdout
    assert path.read_bytes() == data


@pytest.mark.parametrize("head", ["hooks: # mine", "hooks:", "hooks: ~ # mine", "hooks: {} # mine"])
def test_a_comment_of_empty_hooks_stays_in_its_line(
    sandhook: Callable[..., Any], around: Path, head: str
) -> None:
    path = around / "home" / ".hermes" / "config.yaml"
    path.parent.mkdir()
    path.write_text(f"{head}\nmodel: x\n")
    sandhook("install", "../guard.json", "--agent", "hermes", "--lossy")
    lines = path.read_text().splitlines()
    assert lines[0].split() == [word for word in head.split() if word not in ("~", "{}")]
    assert lines[-1] == "model: x"
    path.write_text(path.read_text() + "more: 1\n")
    sandhook("uninstall", "../guard.json")
    assert path.read_text().endswith("\nmodel: x\nmore: 1\n")
    assert ("# mine" in path.read_text()) == ("# mine" in head)


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for the shells of Windows there")
@pytest.mark.parametrize("agent", contracts.configured())
def test_wrapped_hooks_of_every_agent_run(
    sandhook: Callable[..., Any], around: Path, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    """The payload, the output and the exit status pass through, as the agent has them."""
    import io
    import shlex

    command = "read -r -N 1 first; echo \"out $first 'x' $((1 + 1))\"; exit 3"
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}
    (around / "guard.json").write_text(json.dumps({"hooks": hooks}))
    assert sandhook("install", "../guard.json", "--agent", agent, "--lossy").status == 0
    assert sandhook("wrap", "--agent", agent).status == 0
    contract = contracts.get(agent)
    document = next(iter(discover(contract).documents))
    (spec,) = HookEngine.load(document, contract, prestart=False, trust=lambda spec: spec).hooks
    words = list(spec.executor.argv) or shlex.split(spec.executor.text)
    assert words[:2] == ["sandhook", "hook"] and ("--timeout" in words) and ("--fail-closed" in words)
    request = contract.request(spec, sample(spec.event), "better")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(request.stdin)))
    for name, value in request.env.items():
        monkeypatch.setenv(name, value)
    ran = sandhook(*words[1:])
    assert (ran.status, ran.stdout) == (3, "out { 'x' 2\n")


@pytest.mark.parametrize("agent", contracts.configured())
def test_two_files_are_installed_in_one_agent_and_removed_in_any_order(
    sandhook: Callable[..., Any], around: Path, agent: str
) -> None:
    """Some agents know hooks by names: those of two files must differ, and stay when a file is installed again."""
    for name in ("one", "two"):
        hook = {"type": "command", "command": f"./{name}.sh", "timeout": 7}
        groups = [{"matcher": "Bash", "hooks": [hook]}]
        (around / f"{name}.json").write_text(json.dumps({"hooks": {"PreToolUse": groups}}))
    options = ("--agent", agent, "--lossy", "--format", "json")

    def installed(name: str) -> Any:
        ran = sandhook("install", f"../{name}.json", *options)
        assert ran.status == 0, ran.stderr
        (file,) = json.loads(ran.stdout)["files"]
        return file

    path = Path(installed("one")["file"])
    assert sandhook("uninstall", "../one.json", "--agent", agent).status == 0 and not path.exists()
    for order in (("one", "two"), ("two", "one")):
        installed("one")
        first = path.read_bytes()
        installed("two")
        both = path.read_bytes()
        assert [installed(name)["done"] for name in ("one", "two")] == ["unchanged"] * 2
        assert path.read_bytes() == both != first
        (hooks,) = [json.loads(sandhook("status", "--agent", agent, "--format", "json").stdout)["hooks"]]
        assert [hook["state"] for hook in hooks] == ["unchanged"] * 2
        for name in order:
            assert sandhook("uninstall", f"../{name}.json", "--agent", agent).status == 0
        assert not path.exists()
