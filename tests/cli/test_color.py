"""``--color`` before or after the name of a command."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from sandhook.cli import main


@pytest.fixture
def guard(tmp_path: Path) -> str:
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2", "timeout": 5}]}
    path = tmp_path / "guard.json"
    path.write_bytes(json.dumps({"hooks": {"PreToolUse": [group]}}).encode())
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "has_colors"),
    [
        (["list", "--hooks", "FILE"], False),
        (["list", "--hooks", "FILE", "--color", "always"], True),
        (["--color", "always", "list", "--hooks", "FILE"], True),
        (["--color=always", "check", "FILE"], True),
        (["check", "FILE", "--color=never"], False),
        (["portability", "FILE", "--color", "always", "--agent", "codex", "--system", "linux"], True),
        (["list", "--hooks", "FILE", "--format", "json", "--color", "always"], False),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_colors_of_output_that_is_no_terminal(
    arguments: list[str],
    has_colors: bool,
    guard: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert main([guard if word == "FILE" else word for word in arguments]) == 0
    assert ("\x1b[" in capsys.readouterr().out) is has_colors


def test_always_is_stronger_than_the_variable(
    guard: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    main(["list", "--hooks", guard, "--color", "always"])
    assert "\x1b[3" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["list", "--color", "sometimes"], ["--color", "sometimes", "list"], ["--color"]]
)
def test_another_word_is_an_error(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "--color" in capsys.readouterr().err


def test_the_decision_of_a_fire_has_its_color(
    guard: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    fire = ["fire", "--hooks", guard, "--color", "always", "PreToolUse", "--tool"]
    assert main([*fire, "Bash"]) == 2
    assert "\x1b[1;31mdecision: refused\x1b[0m" in capsys.readouterr().out
    assert main([*fire, "Read"]) == 0
    assert "\x1b[32mdecision: proceed\x1b[0m" in capsys.readouterr().out


def test_a_script_has_its_own_arguments(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["exec", "-c", 'echo "$@"', "name", "--color", "x"]) == 0
    assert capsysbinary.readouterr().out == b"--color x\n"
