"""--isolation process: exec, hook and fire."""

from __future__ import annotations

import json

import pytest

from sandhook.cli import main


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


@pytest.mark.parametrize(
    "arguments",
    [
        ["exec", "--isolation", "process", "--mount", "{tmp}:/x", "-c", "echo"],
        ["exec", "--isolation", "process", "--allow-url", "https://example.com", "-c", "echo"],
        ["exec", "--isolation", "process", "--host", "-c", "echo"],
        ["exec", "--isolation", "fork", "-c", "echo"],
    ],
)
def test_what_cannot_be_combined_is_a_usage_error(arguments, tmp_path, capsys):
    assert main([each.replace("{tmp}", str(tmp_path)) for each in arguments]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "isolation" in printed.err and "internal" not in printed.err
