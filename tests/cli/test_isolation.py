"""--isolation process: exec, hook and fire."""

from __future__ import annotations

import io
import json
import sys

import pytest

from sandhook.cli import main
from sandhook.isolation import remote


def test_exec_runs_a_script_in_a_worker(capfdbinary, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    assert main(["exec", "--isolation", "process", "-c", "echo out; echo err >&2; exit 3"]) == 3
    assert capfdbinary.readouterr() == (b"out\n", b"err\n")


def test_fire_runs_a_hook_in_a_worker(tmp_path, capsys):
    hook = {
        "id": "g",
        "event": "pre_tool_use",
        "executor": {"type": "bash", "command": "echo no >&2; exit 1"},
    }
    file = tmp_path / "hooks.json"
    file.write_text(json.dumps({"hooks": [hook]}))
    assert (
        main(["fire", "pre_tool_use", "--hooks", str(file), "--tool", "bash", "--isolation", "process"]) == 2
    )
    assert "refused" in capsys.readouterr().out


def test_exec_in_a_worker_sees_a_directory_and_changes_it_where_it_may(tmp_path, capfdbinary, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    (tmp_path / "a").write_bytes(b"one\n")
    script = "cat /x/a; echo two > /x/b; cat /x/b"
    for mode, written in (("overlay", False), ("ro", False), ("rw", True)):
        arguments = ["exec", "--isolation", "process", "--mount", f"{tmp_path}:/x:{mode}", "-c", script]
        status = main(arguments)
        out = capfdbinary.readouterr().out
        assert (status, out) == ((1, b"one\n") if mode == "ro" else (0, b"one\ntwo\n"))
        assert (tmp_path / "b").exists() is written


def test_hook_in_a_worker_sees_its_workspace_and_writes_it_back(tmp_path, capfdbinary, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{}")))
    (tmp_path / "a").write_bytes(b"one\n")
    arguments = ["hook", "--contract", "crush", "--isolation", "process", "--workspace", str(tmp_path)]
    script = "cat /workspace/a; echo two > /workspace/b"
    assert main([*arguments, "--write-back", "--", "-c", script]) == 0
    assert capfdbinary.readouterr().out == b"one\n"
    assert (tmp_path / "b").read_text() == "two\n"


@pytest.mark.parametrize("isolation", [None, "thread", "process"])
def test_fire_runs_approved_hooks_of_a_project_in_a_worker(isolation, tmp_path, capsys, monkeypatch):
    runs = []
    run = remote.run
    monkeypatch.setattr(remote, "run", lambda *arguments: runs.append(1) or run(*arguments))
    (tmp_path / ".claude").mkdir()
    (tmp_path / "word").write_text("from the project\n")
    command = {"type": "command", "command": "cat /workspace/word >&2; exit 2"}
    settings = {"hooks": {"PreToolUse": [{"hooks": [command]}]}}
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(settings))
    places = ["--contract", "claude_code", "--cwd", str(tmp_path)]
    chosen = [] if isolation is None else ["--isolation", isolation]
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert main(["fire", "PreToolUse", *places, "--tool", "Bash", "--sandbox", *chosen]) == 2
    assert "from the project" in capsys.readouterr().out
    assert bool(runs) is (isolation != "thread")


def test_list_and_explain_show_where_hooks_run(tmp_path, capsys):
    hook = {"id": "g", "event": "pre_tool_use", "executor": {"type": "bash", "command": "exit 0"}}
    file = tmp_path / "hooks.json"
    file.write_text(json.dumps({"hooks": [hook]}))
    for command in (["list"], ["explain", "pre_tool_use", "--tool", "bash"]):
        assert main([*command, "--hooks", str(file), "--format", "json"]) == 0
        (shown,) = json.loads(capsys.readouterr().out)["hooks"]
        assert shown["isolation"] == "thread"


def test_list_and_explain_name_hooks_that_should_run_in_a_worker_and_cannot(tmp_path, capsys, monkeypatch):
    (tmp_path / ".claude").mkdir()
    settings = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 0"}]}]}}
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(settings))
    store = ["--store", str(tmp_path / "store.json")]
    places = ["--contract", "claude_code", "--cwd", str(tmp_path), *store]
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    file = str(tmp_path / ".claude" / "settings.json")
    assert (
        main(["trust", file, "--contract", "claude_code", "--project", str(tmp_path), *store, "--yes"]) == 0
    )
    for command in (["list"], ["explain", "PreToolUse", "--tool", "Bash"]):
        for frozen, isolation in ((False, "process"), (True, "thread")):
            capsys.readouterr()
            monkeypatch.setattr(sys, "frozen", frozen, raising=False)
            assert main([*command, *places, "--format", "json"]) == 0
            printed = capsys.readouterr()
            (shown,) = json.loads(printed.out)["hooks"]
            assert shown["isolation"] == isolation
            assert ("runs in this process: sys.executable cannot be used" in printed.err) is frozen


@pytest.mark.parametrize(
    "arguments",
    [
        ["exec", "--isolation", "process", "--host", "-c", "echo"],
        ["exec", "--isolation", "fork", "-c", "echo"],
    ],
)
def test_what_cannot_be_combined_is_a_usage_error(arguments, capsys):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "isolation" in printed.err and "internal" not in printed.err


def test_a_program_that_cannot_start_workers_says_so(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert main(["exec", "--isolation", "process", "-c", "echo"]) == 2
    assert "cannot be used with --isolation process: a worker needs" in capsys.readouterr().err
